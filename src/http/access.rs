//! Who may ask, under which name, and how often.

mod address;
mod keys;
mod rate;

pub use address::Proxies;
pub(crate) use address::name;
pub use keys::{ApiKey, ApiKeys};
pub use rate::Rate;
pub(crate) use rate::{Allowance, RateLimits};

/// What is known of those who ask.
#[derive(Debug, Default)]
pub struct Access {
    /// The keys that are given out.
    pub keys: ApiKeys,
    /// Proxies whose word on addresses counts.
    pub proxies: Proxies,
    /// How often a client without a rate of its own may ask; `None` for as often as it likes.
    pub rate: Option<Rate>,
}
