//! Counts of all nodes, behind the interface of the HTTP layer.
//!
//! A slow or missing server delays few requests, by [`LIMIT`] at most for each command: a breaker
//! then lets each node count alone for a while.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use super::connection::Connection;
use super::guard::Guard;
use super::keys::Keys;
use super::{request_counts, tickets};
use crate::analysis::{
    Client, CountMode, PutTicket, RequestCount, SharedAnswer, SharedCounters, TicketHolder,
    TicketRules, TicketToken,
};

/// The longest time until a count is answered.
const LIMIT: Duration = Duration::from_millis(20);

/// The counters of all nodes.
#[derive(Debug)]
pub(super) struct Counters {
    connection: Arc<Connection>,
    keys: Keys,
    guard: Guard,
}

impl Counters {
    /// The counters, which use this connection.
    pub(super) fn new(connection: Arc<Connection>, keys: Keys) -> Counters {
        let refusal = "the cluster's server refuses counts; each node counts alone";
        let guard = Guard::new(connection.clone(), refusal);
        Counters { connection, keys, guard }
    }
}

impl SharedCounters for Counters {
    fn count_request(
        &self,
        client: &Client,
        requests: NonZeroU32,
        window: Duration,
        mode: CountMode,
    ) -> SharedAnswer<'_, RequestCount> {
        let client = client.clone();
        Box::pin(async move {
            let rate = (requests, window);
            let Counters { connection, keys, .. } = self;
            self.guard
                .answer(request_counts::count(connection, keys, &client, rate, mode, LIMIT))
                .await
        })
    }

    fn put_ticket(
        &self,
        token: TicketToken,
        holder: TicketHolder,
        rules: TicketRules,
    ) -> SharedAnswer<'_, PutTicket> {
        Box::pin(async move {
            let Counters { connection, keys, .. } = self;
            self.guard.answer(tickets::put(connection, keys, &token, &holder, rules, LIMIT)).await
        })
    }

    fn take_ticket(&self, token: TicketToken) -> SharedAnswer<'_, Option<TicketHolder>> {
        Box::pin(async move {
            let Counters { connection, keys, .. } = self;
            self.guard.answer(tickets::take(connection, keys, &token, LIMIT)).await
        })
    }
}
