//! Answers that come line by line.
//!
//! A [`Form`] is chosen by what the client accepts. Lines go through an [`outbox`](outbox::outbox),
//! which is bounded and knows when its reader takes nothing.

mod chunked;
mod content_negotiation;
mod line;
mod line_buffer;
mod permit_body;
mod permits;

pub(crate) use chunked::{ChunkSource, chunked_body};
pub(crate) use content_negotiation::{LAST_EVENT_ID, ResponseFormat};
pub(crate) use line::{END_EVENT_ID, Line};
pub(crate) use line_buffer::{LineSender, line_channel};
pub(crate) use permit_body::body_with_permit;
pub(crate) use permits::{Permit, Permits};

use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};

use line_buffer::LineBody;

/// How lines are sent.
#[derive(Clone, Copy, Debug)]
pub struct StreamOptions {
    /// The longest time without a line.
    pub heartbeat: Duration,
    /// A reader that takes nothing for so long is cut off.
    pub stall: Duration,
    /// Most lines that wait for a reader.
    pub buffer: usize,
}

/// Proxies pass on what they get at once.
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// A response of lines.
pub(crate) fn streaming_response(format: ResponseFormat, body: LineBody) -> Response {
    let mut response = Body::new(body).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, format.content_type());
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_ACCEL_BUFFERING, HeaderValue::from_static("no"));
    response
}
