//! Header names that are not in the `http` crate, and the request id.

use std::hash::{BuildHasher, RandomState};
use std::io::Write as _;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};

use crate::chess::splitmix;

/// The key of a job, chosen by the client: a repeated request with the same key creates no second
/// job.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The id of the last server-sent event that the client has received.
pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The method, the name of the tool, and the version of the Model Context Protocol.
pub(crate) const MCP_METHOD: HeaderName = HeaderName::from_static("mcp-method");
pub(crate) const MCP_NAME: HeaderName = HeaderName::from_static("mcp-name");
pub(crate) const MCP_PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// Remaining requests and seconds until more are allowed.
pub(crate) const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// Requests per window.
pub(crate) const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Durations of the phases of a request.
pub(crate) const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// `no` makes proxies forward every chunk at once.
pub(crate) const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// An API key, as an alternative to `Authorization`.
pub(crate) const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// The addresses that proxies have received a request from.
pub(crate) const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The request id, in requests and responses.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Whole seconds for a header, rounded up.
pub(crate) fn whole_seconds(time: Duration) -> u128 {
    time.as_millis().div_ceil(1_000)
}

/// The maximum length of a client's request id, in bytes.
const MAX_REQUEST_ID_LENGTH: usize = 128;

/// A request id: 1 to 128 visible ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RequestId {
    /// The id that the client sent.
    FromClient(HeaderValue),
    /// An id that the server generated. It needs no heap memory.
    Generated([u8; 16]),
}

impl RequestId {
    /// The client's id if it is valid, else a new one.
    pub(crate) fn from_headers(headers: &HeaderMap) -> RequestId {
        let given = headers.get(X_REQUEST_ID).filter(|given| is_valid(given));
        // Copied, because the header value keeps the connection's whole buffer alive.
        let copy = given.and_then(|given| HeaderValue::from_bytes(given.as_bytes()).ok());
        copy.map_or_else(RequestId::generate, RequestId::FromClient)
    }

    /// Generates 16 hex digits, unique within a process and unlikely to collide with another
    /// process. A random start plus a counter goes through the output function of SplitMix64, which
    /// is a bijection.
    pub(crate) fn generate() -> RequestId {
        static START: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one("kibitzer"));
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let number = splitmix::nth(*START, count);
        let mut digits = [0; 16];
        // The 16 digits always fit.
        let _ = write!(digits.as_mut_slice(), "{number:016x}");
        RequestId::Generated(digits)
    }

    /// The id as text.
    pub(crate) fn as_str(&self) -> &str {
        match self {
            RequestId::FromClient(value) => value.to_str().unwrap_or_default(),
            RequestId::Generated(digits) => str::from_utf8(digits).unwrap_or_default(),
        }
    }

    /// The id as a header value.
    pub(crate) fn to_header(&self) -> HeaderValue {
        match self {
            RequestId::FromClient(value) => value.clone(),
            RequestId::Generated(digits) => {
                HeaderValue::from_bytes(digits).unwrap_or(HeaderValue::from_static("-"))
            }
        }
    }
}

fn is_valid(value: &HeaderValue) -> bool {
    (1..=MAX_REQUEST_ID_LENGTH).contains(&value.len())
        && value.as_bytes().iter().all(u8::is_ascii_graphic)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request_id(text: &str) -> RequestId {
        let mut headers = HeaderMap::new();
        headers.insert(X_REQUEST_ID, HeaderValue::from_bytes(text.as_bytes()).unwrap());
        RequestId::from_headers(&headers)
    }

    #[test]
    fn a_valid_client_id_is_kept() {
        assert_eq!(request_id("client-7/ä".replace('ä', "a").as_str()).as_str(), "client-7/a");
        assert_eq!(request_id(&"x".repeat(128)).as_str().len(), 128);
    }

    #[test]
    fn an_invalid_id_is_replaced() {
        for bad in ["", "two words", "tab\t", "ümlaut", &"x".repeat(129)] {
            let id = request_id(bad);
            assert_ne!(id.as_str(), bad);
            assert_eq!(id.as_str().len(), 16);
        }
    }

    #[test]
    fn generated_ids_are_unique() {
        let mut ids: Vec<_> =
            (0..10_000).map(|_| RequestId::generate().as_str().to_owned()).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 10_000);
    }
}
