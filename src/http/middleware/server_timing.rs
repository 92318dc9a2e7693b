//! `Server-Timing`: where the time of a best-move request went.

use std::fmt;
use std::io::{Cursor, Write as _};
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Response};

pub(super) const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// The route whose answers carry it.
const TIMED_ROUTE: &str = "/v1/best-move";

/// Of the header, with three times of 64 bits.
const MAX_HEADER_BYTES: usize = 128;

/// What a handler knows of its time; put into the response's extensions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ServerTiming {
    /// Waiting for a worker.
    pub(crate) queue: Duration,
    /// Searching, or waiting for a search of another request.
    pub(crate) search: Duration,
}

/// With two decimals. Each answer from memory has two that are nothing; and whole numbers are
/// written in a fraction of the time of others.
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

/// Writes the header on an answer of this route, if all of its answers carry it, in milliseconds
/// with two decimals.
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
