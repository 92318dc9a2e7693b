//! The interface to the counts of all nodes of a cluster: requests of clients, and tickets.

use std::fmt;
use std::num::NonZeroU32;
use std::pin::Pin;
use std::time::Duration;

use super::session::Client;

/// An answer of the cluster; `None` if it cannot be reached in time. Each node then counts alone.
pub type SharedAnswer<'a, T> = Pin<Box<dyn Future<Output = Option<T>> + Send + 'a>>;

/// 128 random bits that stand for a client once.
pub type TicketToken = [u8; 16];

/// Counts of requests, and tickets, that all nodes share.
pub trait SharedCounters: fmt::Debug + Send + Sync + 'static {
    /// Counts a request of a client, whose rate is `requests` in a window, or looks how many it may
    /// make without counting one.
    fn count_request(
        &self,
        client: &Client,
        requests: NonZeroU32,
        window: Duration,
        mode: CountMode,
    ) -> SharedAnswer<'_, RequestCount>;

    /// Stores a ticket.
    fn put_ticket(
        &self,
        token: TicketToken,
        holder: TicketHolder,
        rules: TicketRules,
    ) -> SharedAnswer<'_, PutTicket>;

    /// Takes a ticket away; `None` within the answer if there is none.
    fn take_ticket(&self, token: TicketToken) -> SharedAnswer<'_, Option<TicketHolder>>;
}

/// Whether a request is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountMode {
    /// It is.
    Count,
    /// It is not.
    Peek,
}

/// The result of a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestCount {
    /// It may make the request, and so many more now.
    Allowed {
        /// Further requests that it may make now; with [`CountMode::Peek`], all of them.
        remaining: u32,
    },
    /// It must wait.
    Exceeded {
        /// Time until it may make a request.
        retry_after: Duration,
    },
}

/// The client that has requested a ticket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TicketHolder {
    /// The client.
    pub client: Client,
    /// The name of its API key; `None` without one.
    pub key: Option<String>,
}

/// The limits of tickets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TicketRules {
    /// How long a ticket is valid.
    pub lifetime: Duration,
    /// Maximum number of valid tickets of one client.
    pub max_per_client: usize,
    /// Maximum number of valid tickets.
    pub max: usize,
}

/// The result of storing a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutTicket {
    /// It is stored.
    Stored,
    /// There are too many.
    TooMany {
        /// Time until the oldest one expires.
        retry_after: Duration,
    },
}
