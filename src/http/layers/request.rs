//! One layer around everything: the request's id, its log line, its problem's body, and the net under panics. One instead of four,
//! because it lies on the way of every request.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::Body;
use axum::http::{Method, Request, Response, Uri};
use axum::response::IntoResponse;
use tower::{Layer, Service};
use tracing::Instrument;

use super::RequestId;
use super::request_id::X_REQUEST_ID;
use crate::http::problem::{Problem, render};

/// Makes [`RequestService`]s.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestLayer;

/// The service around another.
#[derive(Clone, Debug)]
pub(crate) struct RequestService<S>(S);

impl<S> Layer<S> for RequestLayer {
    type Service = RequestService<S>;

    fn layer(&self, inner: S) -> RequestService<S> {
        RequestService(inner)
    }
}

impl<S> Service<Request<Body>> for RequestService<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let id = RequestId::of(request.headers());
        request.extensions_mut().insert(id.clone());
        // At the level of an error, so that the span is there whenever anything is logged at all.
        let span = tracing::error_span!("request", request_id = id.as_str());
        let mut log = LogLine::new(request.method(), request.uri());
        let answer = self.0.call(request);
        let answered = async move {
            let mut response = match unless_panic(answer).await {
                Ok(Ok(response)) => response,
                Ok(Err(never)) => match never {},
                Err(Panicked) => Problem::masked().into_response(),
            };
            render(&mut response, log.uri.path(), id.as_str());
            response.headers_mut().insert(X_REQUEST_ID, id.into_header());
            log.write(response.status().as_u16());
            Ok(response)
        };
        Box::pin(answered.instrument(span))
    }
}

struct Panicked;

/// Polls a future to its end, or to its panic. The panic hook has logged that by then, with the request's id.
async fn unless_panic<F: Future>(future: F) -> Result<F::Output, Panicked> {
    let mut future = pin!(future);
    poll_fn(|context| {
        // After a panic the future is never polled again, only dropped.
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(poll) => poll.map(Ok),
            Err(_payload) => Poll::Ready(Err(Panicked)),
        }
    })
    .await
}

/// The one line that is logged for a request: answered, or given up when the client has gone.
struct LogLine {
    method: Method,
    uri: Uri,
    started: Instant,
    is_written: bool,
}

impl LogLine {
    fn new(method: &Method, uri: &Uri) -> LogLine {
        LogLine { method: method.clone(), uri: uri.clone(), started: Instant::now(), is_written: false }
    }

    fn write(&mut self, status: u16) {
        self.is_written = true;
        tracing::info!(
            method = self.method.as_str(),
            path = self.uri.path(),
            status,
            duration_ms = self.duration_ms(),
            "answered"
        );
    }

    fn duration_ms(&self) -> f64 {
        self.started.elapsed().as_micros() as f64 / 1_000.0
    }
}

impl Drop for LogLine {
    fn drop(&mut self) {
        if !self.is_written {
            tracing::info!(
                method = self.method.as_str(),
                path = self.uri.path(),
                duration_ms = self.duration_ms(),
                "the client left before the answer"
            );
        }
    }
}
