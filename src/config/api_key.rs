//! An API key as the configuration has it.

use serde::Deserialize;
use serde::de::{Deserializer, Error};

/// An API key: of its text the configuration knows only the digest.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApiKeySettings {
    /// Whose it is: 1 to 64 letters.
    pub name: String,
    /// The SHA-256 digest of the key's text.
    pub sha256: KeyDigest,
    /// Requests in a window, where that differs from `rate.requests`; 0 for the same.
    #[serde(default)]
    pub requests: u32,
    /// The window, in milliseconds.
    #[serde(default = "a_minute")]
    pub window_ms: u64,
}

const fn a_minute() -> u64 {
    60_000
}

/// A SHA-256 digest, written as 64 hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyDigest(pub [u8; 32]);

impl<'de> Deserialize<'de> for KeyDigest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<KeyDigest, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut digest = [0; 32];
        let is_hex = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_hex {
            return Err(D::Error::custom(format!("sha256 is {text:?}, but must be 64 hex digits")));
        }
        for (byte, digits) in digest.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let digits = str::from_utf8(digits).map_err(D::Error::custom)?;
            *byte = u8::from_str_radix(digits, 16).map_err(D::Error::custom)?;
        }
        Ok(KeyDigest(digest))
    }
}
