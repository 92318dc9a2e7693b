//! Who may ask, under which name, and how often.

mod api_keys;
mod client_address;
mod identity;
mod origin;
mod rate_limit;
mod tickets;

pub use api_keys::{ApiKey, ApiKeys};
pub use client_address::TrustedProxies;
pub(crate) use client_address::client_for_address;
pub(crate) use identity::Identity;
pub(crate) use origin::disallowed_origin;
pub use rate_limit::RateLimit;
pub(crate) use rate_limit::{Allowance, ClientRateLimiter};
pub(crate) use tickets::{TICKET_LIFETIME, TicketError, Tickets};

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
