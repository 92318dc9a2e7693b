//! The problems of the head of a request.

use super::{Problem, ProblemCode};
use crate::chess::excerpt;

impl Problem {
    /// A request over HTTP/1.1 without the header `Host`.
    pub(crate) fn missing_host() -> Problem {
        let detail = "the header Host is missing; a request over HTTP/1.1 must have it";
        Problem::new(ProblemCode::MalformedHead, detail)
    }

    /// A request with so many headers `Host`.
    pub(crate) fn repeated_host(count: usize) -> Problem {
        let detail = format!("the header Host is given {count} times; it must be given once");
        Problem::new(ProblemCode::MalformedHead, detail)
    }

    /// A request whose header `Host` is not `host` or `host:port`.
    pub(crate) fn invalid_host(host: &str) -> Problem {
        let host = excerpt(host);
        let detail = format!("the header Host is {host:?}; it must be host or host:port");
        Problem::new(ProblemCode::MalformedHead, detail)
    }

    /// A request with another transfer coding than `chunked`.
    pub(crate) fn unknown_transfer_coding(codings: &str) -> Problem {
        let codings = excerpt(codings);
        let detail = format!("the header Transfer-Encoding is {codings:?}; it must be chunked");
        Problem::new(ProblemCode::MalformedHead, detail)
    }

    /// A request head that can't be parsed.
    pub(crate) fn malformed_head() -> Problem {
        let detail = "the head of the request is not valid HTTP/1.1 (RFC 9112)";
        Problem::new(ProblemCode::MalformedHead, detail)
    }

    /// A TLS handshake in place of a request.
    pub(crate) fn tls_handshake() -> Problem {
        let detail = "the client begins with a TLS handshake; this port speaks HTTP without TLS, \
                      so use http:// instead of https://";
        Problem::new(ProblemCode::MalformedHead, detail)
    }

    /// A request head above the size limit.
    pub(crate) fn head_too_large(max_bytes: usize) -> Problem {
        Problem::new(
            ProblemCode::HeadTooLarge,
            format!(
                "the head of the request is too large; at most {max_bytes} bytes and 100 header \
                 fields are allowed"
            ),
        )
    }
}
