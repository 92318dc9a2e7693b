//! The responses to request heads that hyper refuses.
//!
//! Over HTTP/1, hyper answers a head that is malformed or too large itself, before the routes see
//! the request, and without a body. A connection replaces these bytes by a problem document.

use std::io::IoSlice;

use axum::body::Bytes;

use crate::http::{Problem, head_problem_document};

/// The reason why hyper refuses a head.
#[derive(Clone, Copy, Debug)]
pub(super) enum RefusedHead {
    /// It is not HTTP/1, or contradicts itself.
    Malformed,
    /// It is above the size limit.
    TooLarge,
}

impl RefusedHead {
    /// The reason, if these bytes begin hyper's response to a head that it refuses.
    pub(super) fn from_response(slices: &[IoSlice<'_>]) -> Option<RefusedHead> {
        let response = slices.first()?;
        [RefusedHead::Malformed, RefusedHead::TooLarge]
            .into_iter()
            .find(|refused| response.starts_with(refused.beginning_of_response()))
    }

    /// The beginning of hyper's response, which no response of a route has.
    const fn beginning_of_response(self) -> &'static [u8] {
        match self {
            RefusedHead::Malformed => {
                b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n"
            }
            RefusedHead::TooLarge => b"HTTP/1.1 431 ",
        }
    }

    /// The response with a problem document. The connection closes after it.
    pub(super) fn response(self, max_head_bytes: usize, is_tls: bool) -> Bytes {
        let (status, problem) = match self {
            RefusedHead::Malformed if is_tls => ("400 Bad Request", Problem::tls_handshake()),
            RefusedHead::Malformed => ("400 Bad Request", Problem::malformed_head()),
            RefusedHead::TooLarge => {
                ("431 Request Header Fields Too Large", Problem::head_too_large(max_head_bytes))
            }
        };
        let document = head_problem_document(&problem);
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/problem+json\r\nconnection: close\r\n\
             content-length: {}\r\n\r\n",
            document.len()
        );
        [head.into_bytes(), document].concat().into()
    }
}
