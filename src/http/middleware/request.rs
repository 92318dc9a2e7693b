//! The outermost layer: request id, memory, span, log line, metrics, `Server-Timing`, the bodies
//! of problems and the panic guard. It is one layer instead of many because it is on the path of
//! every request.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::io::{Cursor, Write as _};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use axum::body::{Body, HttpBody};
use axum::extract::MatchedPath;
use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, Method, Request, Response, Version};
use axum::response::IntoResponse;
use pin_project_lite::pin_project;
use tower::{Layer, Service};
use tracing::Instrument;
use tracing::instrument::Instrumented;

use super::request_head::head_problem;
use super::trace::{record_status, request_span};
use super::{CatchPanic, Panicked};
use crate::analysis::Client;
use crate::http::App;
use crate::http::access::{AddressClient, Peer};
use crate::http::headers::{RequestId, SERVER_TIMING, X_REQUEST_ID};
use crate::http::metrics::{CLIENT_CLOSED_REQUEST, RequestMetrics, RouteHandle, RouteMetrics};
use crate::http::problem::{Problem, render_problem};
use crate::http::request_memory::{AccountedBody, FREE_BODY_BYTES, Reservation, ShareExceeded};

/// Creates a [`RequestService`] for each route.
#[derive(Clone)]
pub(crate) struct RequestLayer {
    app: App,
    requests: Arc<RequestMetrics>,
}

impl RequestLayer {
    /// Creates a layer that counts requests and their memory in `app`.
    pub(crate) fn new(app: App) -> RequestLayer {
        let requests = app.request_metrics();
        RequestLayer { app, requests }
    }
}

/// The service that wraps a route.
#[derive(Clone)]
pub(crate) struct RequestService<S> {
    inner: S,
    app: App,
    route: RouteHandle,
}

impl<S> Layer<S> for RequestLayer {
    type Service = RequestService<S>;

    fn layer(&self, inner: S) -> RequestService<S> {
        RequestService { inner, app: self.app.clone(), route: self.requests.route_handle() }
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
        let log = RequestLog::new(&request, route_metrics);
        let client = client_at_address(&self.app, &request);
        let reservation = self.app.request_memory().reserve(&client);
        request.extensions_mut().insert(AddressClient(client));
        let is_http2 = request.version() == Version::HTTP_2;
        let refusal = head_problem(&request);
        let future = match (&reservation, &refusal) {
            (Ok(reservation), None) => {
                request.extensions_mut().insert(reservation.clone());
                Some(span.in_scope(|| CatchPanic::new(|| self.inner.call(request))))
            }
            _ => None,
        };
        RequestFuture { future, refusal, reservation, is_http2, id, log }.instrument(span)
    }
}

pin_project! {
    /// The final response to a request.
    #[project = RequestFutureProjection]
    pub(crate) struct RequestFuture<F> {
        // `None` for a request with a malformed head, or beyond the memory of its client.
        #[pin]
        future: Option<CatchPanic<F>>,
        refusal: Option<Problem>,
        reservation: Result<Arc<Reservation>, ShareExceeded>,
        is_http2: bool,
        id: RequestId,
        log: RequestLog,
    }
}

impl<F: Future<Output = Result<Response<Body>, Infallible>>> Future for RequestFuture<F> {
    type Output = Result<Response<Body>, Infallible>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let RequestFutureProjection { future, refusal, reservation, is_http2, id, log } =
            self.project();
        let mut response = match future.as_pin_mut() {
            Some(future) => match ready!(future.poll(context)) {
                Ok(Ok(response)) => response,
                Ok(Err(never)) => match never {},
                Err(Panicked) => Problem::internal_already_logged().into_response(),
            },
            None => match refusal.take() {
                Some(problem) => ([(CONNECTION, "close")], problem).into_response(),
                None => Problem::memory_share_exceeded().into_response(),
            },
        };
        render_problem(&mut response, &log.path, id.as_str());
        match reservation {
            Ok(reservation) => {
                if reserve_body(reservation, &mut response).is_err() {
                    response = Problem::memory_share_exceeded().into_response();
                    render_problem(&mut response, &log.path, id.as_str());
                }
                response.extensions_mut().insert(reservation.clone());
            }
            // Without memory for a body, the stream of the request ends with its headers.
            Err(ShareExceeded) if *is_http2 => *response.body_mut() = Body::empty(),
            Err(ShareExceeded) => {}
        }
        response.headers_mut().insert(X_REQUEST_ID, id.to_header());
        insert_server_timing(&mut response, log.route_metrics.pattern(), log.started.elapsed());
        log.log_response(response.status().as_u16());
        Poll::Ready(Ok(response))
    }
}

/// The client at the address of a request, whose memory the request takes.
fn client_at_address(app: &App, request: &Request<Body>) -> Client {
    let peer = request.extensions().get::<Peer>();
    app.access_control().client_at_address(peer, request.headers())
}

/// Reserves the memory of a response whose whole body exists already.
fn reserve_body(
    reservation: &Arc<Reservation>,
    response: &mut Response<Body>,
) -> Result<(), ShareExceeded> {
    let bytes = response.body().size_hint().exact().unwrap_or(0) as usize;
    if bytes <= FREE_BODY_BYTES || response.extensions_mut().remove::<AccountedBody>().is_some() {
        return Ok(());
    }
    reservation.grow(bytes - FREE_BODY_BYTES)
}

/// The access log line and the count of a request: once, when it is answered or its client leaves.
struct RequestLog {
    method: Method,
    /// Copied, because the URI would keep the connection's whole buffer alive while the request
    /// waits.
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

    /// Counts the request and returns its duration.
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
                "client left before the response"
            );
        }
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1_000.0
}

/// The route whose responses carry `Server-Timing`.
const TIMED_ROUTE: &str = "/v1/best-move";

/// Maximum length of the header value, with three 64-bit durations.
const MAX_HEADER_BYTES: usize = 128;

/// The durations that a handler measured, passed in the response extensions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ServerTiming {
    /// Time of waiting for a worker.
    pub(crate) queue: Duration,
    /// Time of searching, or of waiting for the search of another request.
    pub(crate) search: Duration,
}

/// A duration in milliseconds with two decimals.
///
/// A cached response has two zero durations, so zero has a fast path. Integer formatting is several
/// times faster than float formatting.
struct Milliseconds(Duration);

impl fmt::Display for Milliseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_zero() {
            return f.write_str("0.00");
        }
        let hundredths = (self.0.as_nanos() as u64 + 5_000) / 10_000;
        write!(f, "{}.{:02}", hundredths / 100, hundredths % 100)
    }
}

/// Sets `Server-Timing` on a response of [`TIMED_ROUTE`], in milliseconds with two decimals.
pub(super) fn insert_server_timing(response: &mut Response<Body>, route: &str, total: Duration) {
    if route != TIMED_ROUTE {
        return;
    }
    let ServerTiming { queue, search } = response.extensions_mut().remove().unwrap_or_default();
    let [queue, search, total] = [queue, search, total].map(Milliseconds);
    let mut text = Cursor::new([0; MAX_HEADER_BYTES]);
    let written = write!(text, "queue;dur={queue}, search;dur={search}, total;dur={total}");
    let bytes = &text.get_ref()[..text.position() as usize];
    if written.is_ok()
        && let Ok(value) = HeaderValue::from_bytes(bytes)
    {
        response.headers_mut().insert(SERVER_TIMING, value);
    }
}
