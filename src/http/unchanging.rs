//! Answers to GET that can't change while the process runs: a strong `ETag`, and 304 to those who
//! have them.

use std::hash::{DefaultHasher, Hasher};

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};

/// Clients may keep it, but ask each time: another version of the server has other pages.
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");

/// A body with its type and tag.
#[derive(Clone, Debug)]
pub(crate) struct Unchanging {
    body: Bytes,
    content_type: HeaderValue,
    tag: HeaderValue,
}

impl Unchanging {
    /// A body of this media type.
    pub(crate) fn new(body: impl Into<Bytes>, content_type: &'static str) -> Unchanging {
        let body = body.into();
        let mut hasher = DefaultHasher::new();
        hasher.write(&body);
        let tag = format!("\"{:016x}\"", hasher.finish());
        let tag = HeaderValue::try_from(tag).unwrap_or(HeaderValue::from_static("\"\""));
        Unchanging { body, content_type: HeaderValue::from_static(content_type), tag }
    }

    /// The answer to a request with these headers: the body, or 304 for who has it.
    pub(crate) fn answer(&self, headers: &HeaderMap) -> Response<Body> {
        let mut response = if self.is_known(headers) {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        } else {
            let mut response = Response::new(Body::from(self.body.clone()));
            response.headers_mut().insert(CONTENT_TYPE, self.content_type.clone());
            response
        };
        let named: [(HeaderName, HeaderValue); 2] =
            [(ETAG, self.tag.clone()), (CACHE_CONTROL, REVALIDATE)];
        response.headers_mut().extend(named);
        response
    }

    /// RFC 9110, section 13.1.2: any of the tags, compared weakly, or `*`.
    fn is_known(&self, headers: &HeaderMap) -> bool {
        headers
            .get_all(IF_NONE_MATCH)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .any(|tag| {
                let tag = tag.trim();
                tag == "*"
                    || tag.strip_prefix("W/").unwrap_or(tag).as_bytes() == self.tag.as_bytes()
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(page: &Unchanging, if_none_match: &str) -> StatusCode {
        let mut headers = HeaderMap::new();
        headers.insert(IF_NONE_MATCH, HeaderValue::from_str(if_none_match).unwrap());
        page.answer(&headers).status()
    }

    #[test]
    fn who_has_the_page_gets_304() {
        let page = Unchanging::new("text", "text/plain");
        let tag = page.tag.to_str().unwrap().to_owned();
        for known in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}"), "*".to_owned()]
        {
            assert_eq!(status(&page, &known), StatusCode::NOT_MODIFIED, "{known}");
        }
        for unknown in ["\"other\"", tag.trim_matches('"')] {
            assert_eq!(status(&page, unknown), StatusCode::OK, "{unknown}");
        }
    }

    #[test]
    fn other_pages_have_other_tags() {
        assert_ne!(Unchanging::new("a", "text/plain").tag, Unchanging::new("b", "text/plain").tag);
    }
}
