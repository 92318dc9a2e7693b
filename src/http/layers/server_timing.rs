//! `Server-Timing`: where the time of a best-move request went.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Response};

pub(super) const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// The route whose answers carry it.
const TIMED: &str = "/v1/best-move";

/// What a handler knows of its time; put into the response's extensions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Timing {
    /// Waiting for a worker.
    pub(crate) queue: Duration,
    /// Searching, or waiting for a search of another request.
    pub(crate) search: Duration,
}

/// Writes the header on an answer of this route, if all of its answers carry it, in milliseconds with two decimals.
pub(super) fn tell_timing(response: &mut Response<Body>, route: &str, total: Duration) {
    if route != TIMED {
        return;
    }
    let Timing { queue, search } = response.extensions_mut().remove().unwrap_or_default();
    let [queue, search, total] = [queue, search, total].map(|time| time.as_secs_f64() * 1_000.0);
    let text = format!("queue;dur={queue:.2}, search;dur={search:.2}, total;dur={total:.2}");
    if let Ok(value) = HeaderValue::try_from(text) {
        response.headers_mut().insert(SERVER_TIMING, value);
    }
}
