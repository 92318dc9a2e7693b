//! GET responses that cannot change while the process runs, with a strong `ETag` and status 304.

use std::hash::{DefaultHasher, Hasher};

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};

use crate::http::request_memory::AccountedBody;

/// Clients may store the body but must revalidate it: the next server version may differ.
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");

/// A body with its media type and entity tag.
#[derive(Clone, Debug)]
pub(crate) struct StaticResponse {
    body: Bytes,
    content_type: HeaderValue,
    etag: HeaderValue,
}

impl StaticResponse {
    /// Creates a response with this media type and computes its tag.
    pub(crate) fn new(body: impl Into<Bytes>, content_type: &'static str) -> StaticResponse {
        let body = body.into();
        let mut hasher = DefaultHasher::new();
        hasher.write(&body);
        let etag = format!("\"{:016x}\"", hasher.finish());
        let etag = HeaderValue::try_from(etag).unwrap_or(HeaderValue::from_static("\"\""));
        StaticResponse { body, content_type: HeaderValue::from_static(content_type), etag }
    }

    /// The response to a request with these headers: the body, or 304 if the client has it.
    pub(crate) fn respond(&self, headers: &HeaderMap) -> Response<Body> {
        let mut response = if self.matches_etag(headers) {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        } else {
            let mut response = Response::new(Body::from(self.body.clone()));
            response.extensions_mut().insert(AccountedBody);
            response.headers_mut().insert(CONTENT_TYPE, self.content_type.clone());
            response
        };
        let cache_headers: [(HeaderName, HeaderValue); 2] =
            [(ETAG, self.etag.clone()), (CACHE_CONTROL, REVALIDATE)];
        response.headers_mut().extend(cache_headers);
        response
    }

    /// Whether `If-None-Match` holds the tag, by weak comparison, or `*` (RFC 9110, section
    /// 13.1.2).
    fn matches_etag(&self, headers: &HeaderMap) -> bool {
        headers
            .get_all(IF_NONE_MATCH)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .any(|tag| {
                let tag = tag.trim();
                tag == "*"
                    || tag.strip_prefix("W/").unwrap_or(tag).as_bytes() == self.etag.as_bytes()
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(page: &StaticResponse, if_none_match: &str) -> StatusCode {
        let mut headers = HeaderMap::new();
        headers.insert(IF_NONE_MATCH, HeaderValue::from_str(if_none_match).unwrap());
        page.respond(&headers).status()
    }

    #[test]
    fn a_matching_etag_is_answered_304() {
        let page = StaticResponse::new("text", "text/plain");
        let tag = page.etag.to_str().unwrap().to_owned();
        for known in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}"), "*".to_owned()]
        {
            assert_eq!(status(&page, &known), StatusCode::NOT_MODIFIED, "{known}");
        }
        for unknown in ["\"other\"", tag.trim_matches('"')] {
            assert_eq!(status(&page, unknown), StatusCode::OK, "{unknown}");
        }
    }

    #[test]
    fn different_bodies_have_different_etags() {
        assert_ne!(
            StaticResponse::new("a", "text/plain").etag,
            StaticResponse::new("b", "text/plain").etag
        );
    }
}
