//! Responses of lines and of chunks.
//!
//! A [`ResponseFormat`] is negotiated with the client. Lines go through a [`line_channel`], which is
//! bounded and detects a reader that takes nothing.

mod chunked;
mod content_negotiation;
mod line_buffer;
mod permits;

pub(crate) use chunked::{ChunkSource, chunked_body};
pub(crate) use content_negotiation::ResponseFormat;
pub use line_buffer::StreamOptions;
pub(crate) use line_buffer::{END_EVENT_ID, Line, LineSender, line_channel};
pub(crate) use permits::{
    MAX_CONCURRENT_UPLOADS, MAX_UPLOADS_PER_CLIENT, Permit, Permits, UploadPermit, UploadPermits,
    body_with_permit,
};

use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use crate::http::headers::X_ACCEL_BUFFERING;
use line_buffer::LineBody;

/// A response of lines.
pub(crate) fn streaming_response(format: ResponseFormat, body: LineBody) -> Response {
    let mut response = Body::new(body).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, format.content_type());
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_ACCEL_BUFFERING, HeaderValue::from_static("no"));
    response
}
