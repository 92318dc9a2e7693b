//! The checks of a request's head over HTTP/1 that hyper leaves out.
//!
//! A proxy may read a head in another way than this server, and so route or frame the request
//! differently. Such heads are refused. HTTP/2 has `:authority` and frames instead.

use std::borrow::Cow;
use std::net::Ipv6Addr;

use axum::body::Body;
use axum::http::header::{HOST, TRANSFER_ENCODING};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Request, Version};

use crate::http::problem::Problem;

/// The problem of a malformed head.
pub(super) fn head_problem(request: &Request<Body>) -> Option<Problem> {
    match request.version() {
        Version::HTTP_2 => None,
        version => {
            let headers = request.headers();
            host_problem(headers, version).or_else(|| transfer_encoding_problem(headers))
        }
    }
}

/// The problem of a request whose `Host` is repeated or invalid, or is missing over HTTP/1.1
/// (RFC 9112, section 3.2).
fn host_problem(headers: &HeaderMap, version: Version) -> Option<Problem> {
    let mut values = headers.get_all(HOST).iter();
    match (values.next(), values.count()) {
        (Some(host), 0) => {
            (!is_host(host.as_bytes())).then(|| Problem::invalid_host(&as_text(host)))
        }
        (Some(_), more) => Some(Problem::repeated_host(1 + more)),
        (None, _) => (version == Version::HTTP_11).then(Problem::missing_host),
    }
}

/// Whether a text is `host[:port]` (RFC 9110, section 7.2) or empty, which it is for a target
/// without an authority.
fn is_host(text: &[u8]) -> bool {
    if text.is_empty() {
        return true;
    }
    let Ok(authority) = Authority::try_from(text) else { return false };
    if authority.as_str().contains('@') {
        return false;
    }
    let (name, port) = authority.as_str().split_at(authority.host().len());
    is_host_name(name) && is_port(port)
}

/// Whether a host that [`Authority`] accepts is a name, or an IPv6 address in brackets.
fn is_host_name(name: &str) -> bool {
    match name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => !name.contains(['[', ']']),
    }
}

/// Whether the rest after a host is empty, or a colon and a port number, which may be missing.
fn is_port(rest: &str) -> bool {
    let Some(port) = rest.strip_prefix(':') else { return rest.is_empty() };
    let is_number = port.bytes().all(|byte| byte.is_ascii_digit());
    is_number && (port.is_empty() || port.parse::<u16>().is_ok())
}

/// The problem of a request with another transfer coding than `chunked`, alone or before it (RFC
/// 9112, section 6.1). hyper only looks at the last one.
fn transfer_encoding_problem(headers: &HeaderMap) -> Option<Problem> {
    let values: Vec<_> = headers.get_all(TRANSFER_ENCODING).iter().map(as_text).collect();
    let is_chunked = matches!(values.as_slice(), [only] if only.eq_ignore_ascii_case("chunked"));
    let is_valid = values.is_empty() || is_chunked;
    (!is_valid).then(|| Problem::unknown_transfer_coding(&values.join(", ")))
}

fn as_text(value: &HeaderValue) -> Cow<'_, str> {
    String::from_utf8_lossy(value.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_name_or_an_address_with_an_optional_port() {
        for host in [
            "",
            "localhost",
            "Chess.example",
            "chess.example.:8080",
            "chess_1.example",
            "127.0.0.1:65535",
            "host:",
            "[::1]",
            "[2001:db8::1]:8080",
            "[::ffff:192.0.2.1]",
        ] {
            assert!(is_host(host.as_bytes()), "{host}");
        }
        for host in [
            "a b",
            "a b/@",
            "a/b",
            "a?b",
            "a#b",
            "a\\b",
            "a\"b",
            "user@host",
            "user:pass@host",
            "@host",
            "host@",
            "host:99999",
            "host:x",
            "host:+80",
            "host:-1",
            "host:80:80",
            "::1",
            "[::1",
            "::1]",
            "[::1]x",
            "[::1]80",
            "[host]",
            "[]",
            "a[::1]",
            "http://host",
            "host, host",
            "h\u{e4}",
        ] {
            assert!(!is_host(host.as_bytes()), "{host}");
        }
    }
}
