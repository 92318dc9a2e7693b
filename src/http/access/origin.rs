//! Pages that may open a board: browsers send their origin with a WebSocket, and ask nobody whether
//! it may be opened.

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, Uri};

/// The origin of the page that asks, when it is neither of this host nor among those allowed (`*`
/// for all).
pub(crate) fn disallowed_origin<'a>(
    headers: &'a HeaderMap,
    uri: &Uri,
    allowed: &[String],
) -> Option<&'a str> {
    // Whoever sends none is no page.
    let origin = headers.get(ORIGIN)?.to_str().unwrap_or("of no known name");
    let host = headers
        .get(HOST)
        .and_then(|host| host.to_str().ok())
        .or_else(|| uri.authority().map(|host| host.as_str()));
    let origin_host = origin.split_once("://").map(|(_, host)| host);
    let is_same_host =
        matches!((origin_host, host), (Some(own), Some(host)) if own.eq_ignore_ascii_case(host));
    let is_allowed = allowed.iter().any(|allowed| allowed == "*" || allowed == origin);
    (!is_same_host && !is_allowed).then_some(origin)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn is_disallowed(origin: Option<&'static str>, allowed: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static("chess.example:8080"));
        if let Some(origin) = origin {
            headers.insert(ORIGIN, HeaderValue::from_static(origin));
        }
        let allowed: Vec<String> = allowed.iter().map(|&origin| origin.to_owned()).collect();
        disallowed_origin(&headers, &Uri::from_static("/v1/live"), &allowed).is_some()
    }

    #[test]
    fn the_same_host_and_allowed_origins_are_accepted() {
        assert!(!is_disallowed(None, &[]), "what is no page has no origin");
        assert!(!is_disallowed(Some("http://chess.example:8080"), &[]));
        assert!(
            !is_disallowed(Some("https://Chess.example:8080"), &[]),
            "a proxy may speak TLS for us"
        );
        assert!(!is_disallowed(Some("https://board.example"), &["https://board.example"]));
        assert!(!is_disallowed(Some("https://anywhere.example"), &["*"]));
    }

    #[test]
    fn other_origins_are_refused() {
        assert!(is_disallowed(Some("http://chess.example"), &[]), "another port is another origin");
        assert!(is_disallowed(Some("https://elsewhere.example"), &["https://board.example"]));
        assert!(is_disallowed(Some("null"), &[]));
    }
}
