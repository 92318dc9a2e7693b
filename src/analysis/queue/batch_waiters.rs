//! Waiters for a place in the full batch class, woken fairly between clients.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::Notify;

use crate::analysis::session::Client;

/// The waiters of all clients.
#[derive(Default)]
pub(super) struct BatchWaiters {
    clients: HashMap<Client, ClientWaiters>,
    wakes: u64,
}

/// The waiters of one client, woken first in, first out.
#[derive(Default)]
struct ClientWaiters {
    notify: Arc<Notify>,
    waiters: usize,
    /// The number of the client's last wake-up.
    last_wake: u64,
}

impl BatchWaiters {
    /// Adds a waiter of a client and returns the source of its wake-ups.
    pub(super) fn add(&mut self, client: &Client) -> Arc<Notify> {
        let waiters = self.clients.entry(client.clone()).or_default();
        waiters.waiters += 1;
        waiters.notify.clone()
    }

    /// Removes a waiter of a client.
    pub(super) fn remove(&mut self, client: &Client) {
        if let Some(waiters) = self.clients.get_mut(client) {
            waiters.waiters -= 1;
            if waiters.waiters == 0 {
                self.clients.remove(client);
            }
        }
    }

    /// The client whose waiter is next: the one with the fewest tasks, of equals the one whose last
    /// wake-up is the oldest.
    pub(super) fn next_client(&self, tasks_of: impl Fn(&Client) -> usize) -> Option<Client> {
        let by_turn =
            |(client, waiters): &(&Client, &ClientWaiters)| (tasks_of(client), waiters.last_wake);
        self.clients.iter().min_by_key(by_turn).map(|(client, _)| client.clone())
    }

    /// Wakes a waiter of a client.
    pub(super) fn wake(&mut self, client: &Client) {
        self.wakes += 1;
        if let Some(waiters) = self.clients.get_mut(client) {
            waiters.last_wake = self.wakes;
            waiters.notify.notify_one();
        }
    }

    /// Wakes all waiters.
    pub(super) fn wake_all(&self) {
        self.clients.values().for_each(|waiters| waiters.notify.notify_waiters());
    }
}
