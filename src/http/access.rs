//! Access control: API keys, tickets, client addresses and rate limits.
//!
//! This file holds the API keys; the configuration contains only their SHA-256 digests.

mod access_control;
mod caller;
mod client_address;
mod rate_limit;
mod tickets;

pub(crate) use access_control::{AccessControl, PROTECTED_PREFIXES, with_rate_limit_headers};
pub use caller::Peer;
pub(crate) use caller::{Caller, Identity};
pub use client_address::TrustedProxies;
pub(crate) use client_address::disallowed_origin;
pub(crate) use rate_limit::Allowance;
pub use rate_limit::RateLimit;
pub(crate) use tickets::{TICKET_LIFETIME, TicketError};

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::http::headers::X_API_KEY;

/// What is known of those who ask.
#[derive(Debug, Default)]
pub struct AccessConfig {
    /// The keys that are given out.
    pub keys: ApiKeys,
    /// Proxies whose word on addresses counts.
    pub proxies: TrustedProxies,
    /// How often a client without a rate of its own may ask; `None` for as often as it likes.
    pub default_limiter: Option<RateLimit>,
}

/// A key that was given out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// Whose it is, for logs and for telling clients apart.
    pub name: String,
    /// The SHA-256 digest of the key's text.
    pub digest: [u8; 32],
    /// How often it may ask, where that differs from others.
    pub rate: Option<RateLimit>,
}

/// All keys that were given out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiKeys(Vec<ApiKey>);

impl ApiKeys {
    /// These keys.
    pub fn new(keys: Vec<ApiKey>) -> ApiKeys {
        ApiKeys(keys)
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &ApiKey> {
        self.0.iter()
    }

    /// The one that a request shows: `None` without any, an error for one that we do not know. How
    /// long it takes tells nothing of what the keys are.
    pub(crate) fn authenticate(&self, headers: &HeaderMap) -> Result<Option<&ApiKey>, UnknownKey> {
        let Some(text) = presented_key(headers) else { return Ok(None) };
        let digest: [u8; 32] = Sha256::digest(text).into();
        let mut found = None;
        for key in &self.0 {
            if bool::from(key.digest.ct_eq(&digest)) {
                found = Some(key);
            }
        }
        found.map(Some).ok_or(UnknownKey)
    }
}

/// A key that was not given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnknownKey;

/// The key of `Authorization: Bearer` or `x-api-key`. Other schemes are not ours.
fn presented_key(headers: &HeaderMap) -> Option<&[u8]> {
    const SCHEME: &[u8] = b"bearer ";
    let bearer = headers.get(AUTHORIZATION).map(|value| value.as_bytes()).and_then(|value| {
        let (scheme, key) = value.split_at_checked(SCHEME.len())?;
        scheme.eq_ignore_ascii_case(SCHEME).then(|| key.trim_ascii())
    });
    bearer.or_else(|| headers.get(X_API_KEY).map(|value| value.as_bytes().trim_ascii()))
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn authenticate_with(
        name: HeaderName,
        value: &'static str,
    ) -> Result<Option<String>, UnknownKey> {
        let key = |name: &str, text: &str| ApiKey {
            name: name.to_owned(),
            digest: Sha256::digest(text).into(),
            rate: None,
        };
        let keys = ApiKeys::new(vec![key("board", "secret-1"), key("bot", "secret-2")]);
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_static(value));
        keys.authenticate(&headers).map(|key| key.map(|key| key.name.clone()))
    }

    #[test]
    fn a_key_is_known_by_its_digest() {
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
        assert_eq!(authenticate_with(AUTHORIZATION, "Bearer secret-3"), Err(UnknownKey));
        assert_eq!(authenticate_with(X_API_KEY, ""), Err(UnknownKey));
        assert_eq!(
            authenticate_with(AUTHORIZATION, "Basic c2VjcmV0"),
            Ok(None),
            "another scheme is nobody's key"
        );
    }
}
