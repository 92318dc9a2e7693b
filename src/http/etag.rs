//! GET responses that depend only on the request and the program, with a strong `ETag` and status
//! 304.

use std::hash::{DefaultHasher, Hasher};

use axum::body::{Body, Bytes};
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};
use axum::response::IntoResponse;

use crate::http::access::Identity;
use crate::http::json::JsonBytes;
use crate::http::request_memory::AccountedBody;

/// Clients may store the body but must revalidate it: the next server version may differ.
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");

/// The URL of the body changes with the body, so no client needs to ask again for a year.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// Whether a cache must ask the server before it uses a stored response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Revalidation {
    /// The response depends only on the request.
    Optional,
    /// The response also depends on data that another start of the server may replace.
    Required,
}

/// The header `Cache-Control` of a response that may be cached. A response to a request with a key
/// or ticket is for this client alone.
pub(crate) fn cache_control(identity: &Identity, revalidation: Revalidation) -> HeaderValue {
    let is_private = identity.key.is_some();
    HeaderValue::from_static(match (is_private, revalidation) {
        (false, Revalidation::Optional) => "public",
        (false, Revalidation::Required) => "public, no-cache",
        (true, Revalidation::Optional) => "private",
        (true, Revalidation::Required) => "private, no-cache",
    })
}

/// The response to a GET request with these headers: the JSON with its tag, or 304 if the client
/// has it.
pub(crate) fn tagged_json(
    json: JsonBytes,
    headers: &HeaderMap,
    cache_control: HeaderValue,
) -> Response<Body> {
    let tagged = TaggedResponse::new(&json.0, cache_control);
    tagged.not_modified(headers).unwrap_or_else(|| tagged.with_headers(json.into_response()))
}

/// A response with a tag, before its body exists.
#[derive(Clone, Debug)]
pub(crate) struct TaggedResponse {
    etag: HeaderValue,
    cache_control: HeaderValue,
}

impl TaggedResponse {
    /// The response whose body depends only on this data and on the program.
    pub(crate) fn new(data: &[u8], cache_control: HeaderValue) -> TaggedResponse {
        TaggedResponse { etag: etag_of(data), cache_control }
    }

    /// The response 304 to a GET request with these headers, if the client has the body.
    pub(crate) fn not_modified(&self, headers: &HeaderMap) -> Option<Response<Body>> {
        let is_known = matches_etag(headers, &self.etag);
        is_known.then(|| self.clone().with_headers(not_modified()))
    }

    /// The response with a body of this media type.
    pub(crate) fn with_body(
        self,
        body: impl Into<Body>,
        content_type: &'static str,
    ) -> Response<Body> {
        let mut response = Response::new(body.into());
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        self.with_headers(response)
    }

    fn with_headers(self, mut response: Response<Body>) -> Response<Body> {
        response.headers_mut().extend([(ETAG, self.etag), (CACHE_CONTROL, self.cache_control)]);
        response
    }
}

fn not_modified() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    response
}

fn etag_of(body: &[u8]) -> HeaderValue {
    let mut hasher = DefaultHasher::new();
    hasher.write(body);
    let etag = format!("\"{:016x}\"", hasher.finish());
    HeaderValue::try_from(etag).unwrap_or(HeaderValue::from_static("\"\""))
}

/// Whether `If-None-Match` holds the tag, by weak comparison, or `*` (RFC 9110, section 13.1.2).
fn matches_etag(headers: &HeaderMap, etag: &HeaderValue) -> bool {
    headers
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|tag| {
            let tag = tag.trim();
            tag == "*" || tag.strip_prefix("W/").unwrap_or(tag).as_bytes() == etag.as_bytes()
        })
}

/// Whether `Accept-Encoding` names this content coding with a quality above zero. `*` is not read:
/// a body without a coding is always acceptable to such a client.
fn accepts_coding(headers: &HeaderMap, coding: &str) -> bool {
    let is_refused = |parameter: &str| {
        let quality = parameter.trim().strip_prefix("q=").map(str::parse::<f32>);
        quality.is_some_and(|quality| quality.unwrap_or(0.0) <= 0.0)
    };
    headers
        .get_all(ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|item| {
            let mut parts = item.split(';');
            let name = parts.next().unwrap_or_default().trim();
            name.eq_ignore_ascii_case(coding) && !parts.any(is_refused)
        })
}

/// A body in one content coding, with its entity tag.
#[derive(Clone, Debug)]
struct Representation {
    coding: Option<&'static str>,
    body: Bytes,
    etag: HeaderValue,
}

impl Representation {
    fn new(coding: Option<&'static str>, body: Bytes) -> Representation {
        let etag = etag_of(&body);
        Representation { coding, body, etag }
    }
}

/// A body with its media type and entity tag, also in the content codings that the program has.
#[derive(Clone, Debug)]
pub(crate) struct StaticResponse {
    plain: Representation,
    /// The first one that the client accepts is sent.
    compressed: Vec<Representation>,
    content_type: HeaderValue,
    security_policy: Option<HeaderValue>,
    cache_control: HeaderValue,
}

impl StaticResponse {
    /// Creates a response with this media type and computes its tag.
    pub(crate) fn new(body: impl Into<Bytes>, content_type: &'static str) -> StaticResponse {
        StaticResponse {
            plain: Representation::new(None, body.into()),
            compressed: Vec::new(),
            content_type: HeaderValue::from_static(content_type),
            security_policy: None,
            cache_control: REVALIDATE,
        }
    }

    /// A page of HTML with this content security policy.
    pub(crate) fn page(body: impl Into<Bytes>, security_policy: &'static str) -> StaticResponse {
        let security_policy = Some(HeaderValue::from_static(security_policy));
        StaticResponse { security_policy, ..StaticResponse::new(body, "text/html; charset=utf-8") }
    }

    /// Adds the body in this content coding, which is preferred to those that are added later.
    pub(crate) fn with_coding(mut self, coding: &'static str, body: impl Into<Bytes>) -> Self {
        self.compressed.push(Representation::new(Some(coding), body.into()));
        self
    }

    /// Lets clients keep the body without asking again, because its URL changes with it.
    pub(crate) fn immutable(mut self) -> Self {
        self.cache_control = IMMUTABLE;
        self
    }

    /// The response to a request with these headers: the body, or 304 if the client has it.
    pub(crate) fn respond(&self, headers: &HeaderMap) -> Response<Body> {
        let accepted = self
            .compressed
            .iter()
            .find(|body| body.coding.is_some_and(|coding| accepts_coding(headers, coding)));
        let chosen = accepted.unwrap_or(&self.plain);
        let mut response = if matches_etag(headers, &chosen.etag) {
            not_modified()
        } else {
            let mut response = Response::new(Body::from(chosen.body.clone()));
            response.extensions_mut().insert(AccountedBody);
            let coding = chosen.coding.map(HeaderValue::from_static);
            let policy = self.security_policy.clone();
            let headers = response.headers_mut();
            headers.insert(CONTENT_TYPE, self.content_type.clone());
            headers.extend(coding.map(|coding| (CONTENT_ENCODING, coding)));
            headers.extend(policy.map(|policy| (CONTENT_SECURITY_POLICY, policy)));
            response
        };
        let headers = response.headers_mut();
        headers.insert(ETAG, chosen.etag.clone());
        headers.insert(CACHE_CONTROL, self.cache_control.clone());
        if !self.compressed.is_empty() {
            headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::analysis::Client;

    fn status(page: &StaticResponse, if_none_match: &str) -> StatusCode {
        let mut headers = HeaderMap::new();
        headers.insert(IF_NONE_MATCH, HeaderValue::from_str(if_none_match).unwrap());
        page.respond(&headers).status()
    }

    #[test]
    fn a_matching_etag_is_answered_304() {
        let page = StaticResponse::new("text", "text/plain");
        let tag = page.plain.etag.to_str().unwrap().to_owned();
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
            StaticResponse::new("a", "text/plain").plain.etag,
            StaticResponse::new("b", "text/plain").plain.etag
        );
    }

    #[test]
    fn the_first_coding_that_the_client_accepts_is_sent() {
        let page = StaticResponse::new("text", "text/plain")
            .with_coding("br", "brotli")
            .with_coding("gzip", "gzip");
        for (accepted, expected) in [
            ("gzip, deflate, br, zstd", Some("br")),
            ("GZIP;q=0.5", Some("gzip")),
            ("br;q=0, gzip", Some("gzip")),
            ("br;q=0.0, gzip; q=0", None),
            ("brotli, identity", None),
            ("", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(accepted));
            let response = page.respond(&headers);
            let coding = response.headers().get(CONTENT_ENCODING);
            assert_eq!(coding.map(|coding| coding.to_str().unwrap()), expected, "{accepted}");
            assert_eq!(response.headers()[VARY], "accept-encoding");
        }
    }

    #[test]
    fn a_response_to_a_request_with_a_key_is_private() {
        let identity = |key: Option<&str>| Identity {
            client: Client::new(""),
            key: key.map(Arc::from),
            allowance: None,
        };
        for (key, revalidation, expected) in [
            (None, Revalidation::Optional, "public"),
            (None, Revalidation::Required, "public, no-cache"),
            (Some("ann"), Revalidation::Optional, "private"),
            (Some("ann"), Revalidation::Required, "private, no-cache"),
        ] {
            assert_eq!(cache_control(&identity(key), revalidation), expected);
        }
    }
}
