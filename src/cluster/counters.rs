//! Counts of all nodes, behind the interface of the HTTP layer.
//!
//! A slow or missing server delays few requests, by [`LIMIT`] at most for each command: a breaker
//! then lets each node count alone for a while.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::breaker::Breaker;
use super::command_error::CommandError;
use super::connection::Connection;
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
    breaker: Breaker,
    /// A refusal of the server was logged.
    is_refusal_logged: AtomicBool,
}

impl Counters {
    /// The counters, which use this connection.
    pub(super) fn new(connection: Arc<Connection>, keys: Keys) -> Counters {
        let is_refusal_logged = AtomicBool::new(false);
        Counters { connection, keys, breaker: Breaker::default(), is_refusal_logged }
    }

    /// The answer to a command, unless the server is slow, cannot be reached, or refuses it.
    async fn answer<T>(&self, command: impl Future<Output = Result<T, CommandError>>) -> Option<T> {
        if !self.connection.is_connected() || !self.breaker.allows() {
            return None;
        }
        match command.await {
            Ok(answer) => {
                self.breaker.record(true);
                self.is_refusal_logged.store(false, Ordering::Relaxed);
                Some(answer)
            }
            Err(error) => {
                self.note_failure(&error);
                None
            }
        }
    }

    fn note_failure(&self, error: &CommandError) {
        if error.server_code().is_none() {
            self.breaker.record(false);
        } else if !self.is_refusal_logged.swap(true, Ordering::Relaxed) {
            let error = error.to_string();
            tracing::warn!(error, "the cluster's server refuses counts; each node counts alone");
        }
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
            self.answer(request_counts::count(connection, keys, &client, rate, mode, LIMIT)).await
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
            self.answer(tickets::put(connection, keys, &token, &holder, rules, LIMIT)).await
        })
    }

    fn take_ticket(&self, token: TicketToken) -> SharedAnswer<'_, Option<TicketHolder>> {
        Box::pin(async move {
            let Counters { connection, keys, .. } = self;
            self.answer(tickets::take(connection, keys, &token, LIMIT)).await
        })
    }
}
