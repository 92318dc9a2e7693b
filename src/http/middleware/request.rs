//! One layer around everything: the request's id, its span, its log line, its place in the metrics
//! and where its time went, its problem's body, and the net under panics. One instead of many,
//! because it lies on the way of every request.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::MatchedPath;
use axum::http::{Method, Request, Response};
use axum::response::IntoResponse;
use pin_project_lite::pin_project;
use tower::{Layer, Service};
use tracing::Instrument;
use tracing::instrument::Instrumented;

use super::RequestId;
use super::catch_panic::{CatchPanic, Panicked};
use super::request_id::X_REQUEST_ID;
use super::server_timing::insert_server_timing;
use super::trace::{record_status, request_span};
use crate::http::metrics::{CLIENT_CLOSED_REQUEST, RequestMetrics, RouteHandle, RouteMetrics};
use crate::http::problem::{Problem, render_problem};

/// Makes [`RequestService`]s, one for each route.
#[derive(Clone, Debug)]
pub(crate) struct RequestLayer {
    requests: Arc<RequestMetrics>,
}

impl RequestLayer {
    /// A layer that counts requests there.
    pub(crate) fn new(requests: Arc<RequestMetrics>) -> RequestLayer {
        RequestLayer { requests }
    }
}

/// The service around another.
#[derive(Clone, Debug)]
pub(crate) struct RequestService<S> {
    inner: S,
    route: RouteHandle,
}

impl<S> Layer<S> for RequestLayer {
    type Service = RequestService<S>;

    fn layer(&self, inner: S) -> RequestService<S> {
        RequestService { inner, route: self.requests.route_handle() }
    }
}

impl<S> Service<Request<Body>> for RequestService<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Instrumented<RequestFuture<S::Future>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let id = RequestId::from_headers(request.headers());
        request.extensions_mut().insert(id.clone());
        let route_metrics = self.route.metrics(request.extensions().get::<MatchedPath>());
        let span = request_span(&id, route_metrics.pattern(), &request);
        let account = RequestLog::new(&request, route_metrics);
        let answer = span.in_scope(|| CatchPanic::new(|| self.inner.call(request)));
        RequestFuture { answer, id, account }.instrument(span)
    }
}

pin_project! {
    /// The answer to a request, as the client gets it.
    #[project = RequestFutureProjection]
    pub(crate) struct RequestFuture<F> {
        #[pin]
        answer: CatchPanic<F>,
        id: RequestId,
        account: RequestLog,
    }
}

impl<F: Future<Output = Result<Response<Body>, Infallible>>> Future for RequestFuture<F> {
    type Output = Result<Response<Body>, Infallible>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let RequestFutureProjection { answer, id, account } = self.project();
        let mut response = match ready!(answer.poll(context)) {
            Ok(Ok(response)) => response,
            Ok(Err(never)) => match never {},
            Err(Panicked) => Problem::masked().into_response(),
        };
        render_problem(&mut response, &account.path, id.as_str());
        response.headers_mut().insert(X_REQUEST_ID, id.to_header());
        insert_server_timing(
            &mut response,
            account.route_metrics.pattern(),
            account.started.elapsed(),
        );
        account.log_response(response.status().as_u16());
        Poll::Ready(Ok(response))
    }
}

/// What is told of a request, once: that it was answered, or given up when the client has gone.
struct RequestLog {
    method: Method,
    /// A copy: the URI itself is a piece of the connection's buffer, and would keep all of that for
    /// as long as the request waits.
    path: Box<str>,
    route_metrics: Arc<RouteMetrics>,
    started: Instant,
    is_recorded: bool,
}

impl RequestLog {
    fn new(request: &Request<Body>, route_metrics: Arc<RouteMetrics>) -> RequestLog {
        let (method, path) = (request.method().clone(), request.uri().path().into());
        RequestLog { method, path, route_metrics, started: Instant::now(), is_recorded: false }
    }

    fn log_response(&mut self, status: u16) {
        let took = self.record(status);
        record_status(status);
        tracing::info!(
            method = self.method.as_str(),
            path = &*self.path,
            status,
            duration_ms = milliseconds(took),
            "answered"
        );
    }

    /// Counts the request; how long it took.
    fn record(&mut self, status: u16) -> Duration {
        self.is_recorded = true;
        let took = self.started.elapsed();
        self.route_metrics.record(status, took);
        took
    }
}

impl Drop for RequestLog {
    fn drop(&mut self) {
        if !self.is_recorded {
            let took = self.record(CLIENT_CLOSED_REQUEST);
            tracing::info!(
                method = self.method.as_str(),
                path = &*self.path,
                duration_ms = milliseconds(took),
                "the client left before the answer"
            );
        }
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1_000.0
}
