//! Who may ask, under which name, and how often.

mod address;
mod keys;
mod origin;
mod rate;
mod tickets;
mod visitor;

pub use address::Proxies;
pub(crate) use address::address_client;
pub use keys::{ApiKey, ApiKeys};
pub(crate) use origin::foreign_origin;
pub use rate::Rate;
pub(crate) use rate::{Allowance, RateLimits};
pub(crate) use tickets::{NoTicket, TICKET_LIFE, Tickets};
pub(crate) use visitor::Visitor;

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
