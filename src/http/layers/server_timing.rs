//! `Server-Timing`: where the time of a best-move request went.

use std::time::{Duration, Instant};

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;

const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// What a handler knows of its time; put into the response's extensions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Timing {
    /// Waiting for a worker.
    pub(crate) queue: Duration,
    /// Searching, or waiting for a search of another request.
    pub(crate) search: Duration,
}

/// Writes the header on every answer of a route, in milliseconds with two decimals.
pub(crate) async fn server_timing(request: Request, next: Next) -> Response {
    let started = Instant::now();
    let mut response = next.run(request).await;
    let Timing { queue, search } = response.extensions_mut().remove().unwrap_or_default();
    let [queue, search, total] = [queue, search, started.elapsed()].map(|time| time.as_secs_f64() * 1_000.0);
    let text = format!("queue;dur={queue:.2}, search;dur={search:.2}, total;dur={total:.2}");
    if let Ok(value) = HeaderValue::try_from(text) {
        response.headers_mut().insert(SERVER_TIMING, value);
    }
    response
}
