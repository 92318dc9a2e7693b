//! The response to a request head that is too large.
//!
//! Over HTTP/1, hyper answers such a head itself, before the routes see the request, with status
//! 431 and without a body. A connection replaces these bytes by a problem document.

use std::io::IoSlice;

use axum::body::Bytes;

use crate::http::head_too_large_document;

/// The beginning of hyper's response. The routes never answer with this status.
const STATUS_LINE: &[u8] = b"HTTP/1.1 431 ";

/// `true` for the first bytes of hyper's response to a head that is too large.
pub(super) fn is_refusal(slices: &[IoSlice<'_>]) -> bool {
    slices.first().is_some_and(|slice| slice.starts_with(STATUS_LINE))
}

/// The response with a problem document. The connection closes after it.
pub(super) fn response(max_head_bytes: usize) -> Bytes {
    let document = head_too_large_document(max_head_bytes);
    let head = format!(
        "HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: application/problem+json\r\n\
         connection: close\r\ncontent-length: {}\r\n\r\n",
        document.len()
    );
    [head.into_bytes(), document].concat().into()
}
