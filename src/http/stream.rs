//! Answers that come line by line.
//!
//! A [`Form`] is chosen by what the client accepts. Lines go through an [`outbox`](outbox::outbox),
//! which is bounded and knows when its reader takes nothing.

mod form;
mod held;
mod line;
mod outbox;
mod pieces;
mod place;

pub(crate) use form::{Form, LAST_EVENT_ID};
pub(crate) use held::held;
pub(crate) use line::{END, Line};
pub(crate) use outbox::{Outbox, outbox};
pub(crate) use pieces::{Pieces, in_pieces};
pub(crate) use place::{Place, Places};

use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};

use outbox::Lines;

/// How lines are sent.
#[derive(Clone, Copy, Debug)]
pub struct StreamRules {
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
pub(crate) fn response(form: Form, lines: Lines) -> Response {
    let mut response = Body::new(lines).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, form.content_type());
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_ACCEL_BUFFERING, HeaderValue::from_static("no"));
    response
}
