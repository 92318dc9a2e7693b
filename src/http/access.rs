//! Access control: API keys, tickets, client addresses and rate limits.
//!
//! This file holds the API keys; the configuration contains only their SHA-256 digests.

mod access_control;
mod caller;
mod client_address;
mod cluster_access;
mod rate_limit;
mod tickets;

pub(crate) use access_control::{AccessControl, is_open_path, with_rate_limit_headers};
pub use caller::Peer;
pub(crate) use caller::{AddressClient, Caller, Identity};
pub use client_address::TrustedProxies;
pub(crate) use client_address::{disallowed_origin, request_host};
pub(crate) use rate_limit::Allowance;
pub use rate_limit::RateLimit;
pub(crate) use tickets::{TICKET_LIFETIME, TicketError};

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderName};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::http::headers::X_API_KEY;

/// The access settings: keys, trusted proxies and the default rate.
#[derive(Debug, Default)]
pub struct AccessConfig {
    /// Whether requests without a key or ticket are refused.
    pub is_key_required: bool,
    /// Whether `/metrics` has an address of its own, where it needs no key.
    pub are_metrics_separate: bool,
    /// The API keys.
    pub keys: ApiKeys,
    /// The proxies whose `X-Forwarded-For` is trusted.
    pub proxies: TrustedProxies,
    /// The rate limit of clients without their own; `None` for no limit.
    pub default_rate_limit: Option<RateLimit>,
}

/// An API key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// The name of the key, which identifies its client, also in logs.
    pub name: String,
    /// The SHA-256 digest of the key's text.
    pub digest: [u8; 32],
    /// The key's own rate limit, if it differs from the default.
    pub rate: Option<RateLimit>,
}

/// All API keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiKeys(Vec<ApiKey>);

impl ApiKeys {
    /// Creates the set of keys.
    pub fn new(keys: Vec<ApiKey>) -> ApiKeys {
        ApiKeys(keys)
    }

    /// All keys.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &ApiKey> {
        self.0.iter()
    }

    /// The key of a request; `None` without a key, an error for an unknown one.
    ///
    /// All keys are compared in constant time, so that the duration reveals nothing about them.
    pub(crate) fn authenticate(&self, headers: &HeaderMap) -> Result<Option<&ApiKey>, KeyError> {
        let text = match presented_key(headers) {
            // Where no keys exist, the credentials are those of a proxy.
            Err(KeyError::OtherScheme) if self.0.is_empty() => None,
            presented => presented?,
        };
        let Some(text) = text else { return Ok(None) };
        let digest: [u8; 32] = Sha256::digest(text).into();
        let mut found = None;
        for key in &self.0 {
            if bool::from(key.digest.ct_eq(&digest)) {
                found = Some(key);
            }
        }
        found.map(Some).ok_or(KeyError::Unknown)
    }
}

/// Why a request with credentials has no valid key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyError {
    /// The key is not in the list, is empty, or is not the only one.
    Unknown,
    /// `Authorization` has another scheme than `Bearer`.
    OtherScheme,
    /// A ticket takes the place of a key in a request for a ticket.
    TicketForTicket,
}

/// The key in `Authorization: Bearer` or `x-api-key`. With `x-api-key`, other schemes are ignored.
///
/// Another scheme alone, an empty key, a repeated header and two different keys are errors: such a
/// client meant to authenticate, and a proxy may have read another header than this server.
fn presented_key(headers: &HeaderMap) -> Result<Option<&[u8]>, KeyError> {
    let authorization = only_value(headers, &AUTHORIZATION)?;
    let bearer = authorization.and_then(bearer_key);
    let api_key = only_value(headers, &X_API_KEY)?;
    match (bearer, api_key) {
        (Some(b""), _) | (_, Some(b"")) => Err(KeyError::Unknown),
        (Some(bearer), Some(api_key)) if bearer != api_key => Err(KeyError::Unknown),
        (None, None) if authorization.is_some() => Err(KeyError::OtherScheme),
        (bearer, api_key) => Ok(bearer.or(api_key)),
    }
}

/// The trimmed value of a header; an error if the header is repeated.
fn only_value<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a [u8]>, KeyError> {
    let mut values = headers.get_all(name).iter().map(|value| value.as_bytes().trim_ascii());
    let first = values.next();
    if values.next().is_some() { Err(KeyError::Unknown) } else { Ok(first) }
}

/// The key of a `Bearer` credential, which may be empty.
fn bearer_key(credential: &[u8]) -> Option<&[u8]> {
    let end = credential.iter().position(u8::is_ascii_whitespace).unwrap_or(credential.len());
    let (scheme, key) = credential.split_at(end);
    scheme.eq_ignore_ascii_case(b"bearer").then(|| key.trim_ascii())
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn authenticate_with(
        name: HeaderName,
        value: &'static str,
    ) -> Result<Option<String>, KeyError> {
        authenticate_with_all(&[(name, value)])
    }

    fn authenticate_with_all(
        values: &[(HeaderName, &'static str)],
    ) -> Result<Option<String>, KeyError> {
        let key = |name: &str, text: &str| ApiKey {
            name: name.to_owned(),
            digest: Sha256::digest(text).into(),
            rate: None,
        };
        let keys =
            ApiKeys::new(vec![key("board", "secret-1"), key("bot", "secret-2"), key("empty", "")]);
        let mut headers = HeaderMap::new();
        for (name, value) in values {
            headers.append(name, HeaderValue::from_static(value));
        }
        keys.authenticate(&headers).map(|key| key.map(|key| key.name.clone()))
    }

    #[test]
    fn a_key_is_recognized_by_its_digest() {
        assert_eq!(
            authenticate_with(AUTHORIZATION, "Bearer secret-1"),
            Ok(Some("board".to_owned()))
        );
        assert_eq!(
            authenticate_with(AUTHORIZATION, "bearer  secret-2 "),
            Ok(Some("bot".to_owned()))
        );
        assert_eq!(authenticate_with(X_API_KEY, "secret-2"), Ok(Some("bot".to_owned())));
    }

    #[test]
    fn an_unknown_key_is_an_error() {
        assert_eq!(authenticate_with(AUTHORIZATION, "Bearer secret-3"), Err(KeyError::Unknown));
        assert_eq!(authenticate_with(X_API_KEY, ""), Err(KeyError::Unknown));
    }

    #[test]
    fn another_scheme_is_an_error_only_where_keys_exist_and_none_is_presented() {
        for value in ["Basic c2VjcmV0", "secret-1", ""] {
            assert_eq!(authenticate_with(AUTHORIZATION, value), Err(KeyError::OtherScheme));
            let both = [(AUTHORIZATION, value), (X_API_KEY, "secret-1")];
            let with_key = authenticate_with_all(&both);
            assert_eq!(with_key, Ok(Some("board".to_owned())), "{value:?}");
            let headers = HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static(value))]);
            assert_eq!(ApiKeys::default().authenticate(&headers), Ok(None), "{value:?}");
        }
    }

    #[test]
    fn an_empty_key_is_an_error() {
        for value in ["Bearer ", "bearer", "Bearer \t "] {
            assert_eq!(
                authenticate_with(AUTHORIZATION, value),
                Err(KeyError::Unknown),
                "{value:?}"
            );
        }
        assert_eq!(authenticate_with(X_API_KEY, " "), Err(KeyError::Unknown));
    }

    #[test]
    fn a_request_presents_one_key() {
        let (first, second) = ("Bearer secret-1", "Bearer secret-2");
        for values in [
            [(AUTHORIZATION, first), (AUTHORIZATION, second)],
            [(AUTHORIZATION, first), (AUTHORIZATION, first)],
            [(AUTHORIZATION, "Basic eA=="), (AUTHORIZATION, first)],
            [(X_API_KEY, "secret-1"), (X_API_KEY, "secret-2")],
            [(AUTHORIZATION, first), (X_API_KEY, "secret-2")],
            [(AUTHORIZATION, first), (X_API_KEY, "")],
            [(AUTHORIZATION, "Bearer"), (X_API_KEY, "secret-1")],
        ] {
            assert_eq!(authenticate_with_all(&values), Err(KeyError::Unknown), "{values:?}");
        }
        assert_eq!(
            authenticate_with_all(&[(AUTHORIZATION, first), (X_API_KEY, "secret-1")]),
            Ok(Some("board".to_owned())),
            "the same key twice"
        );
    }
}
