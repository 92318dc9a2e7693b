//! The control of a task: what the task's clients and the queue change from outside while it waits
//! or runs.

use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, watch};

use super::clock;
use crate::analysis::request::PriorityClass;
use crate::analysis::session::Client;
use crate::engine::StopFlag;

/// How many clients of a shared task are remembered. More of them change nothing, since one that
/// holds few workers is among the first with near certainty.
const MAX_CLIENTS: usize = 8;

/// A task that other nodes have given back so often runs where it came in.
const MAX_GIVEN_BACK: u8 = 2;

/// The position of a task in its class queue: the least tag runs first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StartTag {
    /// Tasks that have not run yet come first.
    pub(super) has_run: bool,
    /// The work of the client's earlier tasks, from the virtual time on.
    pub(super) start: u64,
    pub(super) sequence: u64,
}

/// The place of a waiting task in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QueuePlace {
    pub(super) class: PriorityClass,
    pub(super) start_tag: StartTag,
}

/// The control of a task. It stops, pauses and restarts the work, and knows the clients that wait
/// for its result.
#[derive(Debug)]
pub(in crate::analysis) struct TaskControl {
    state: Mutex<State>,
    /// `true` while the task waits for its next slice.
    paused: watch::Sender<bool>,
    /// Wakes who waits for the end, which may have to reach another node.
    stop_signal: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// The flag of the current run.
    flag: Arc<StopFlag>,
    /// The task must end; no restart follows.
    is_stopped: bool,
    /// The current run ends for a restart.
    is_restarting: bool,
    /// The nodes of earlier runs.
    earlier_nodes: u64,
    /// The nodes of runs on other nodes of the cluster, which count there.
    nodes_elsewhere: u64,
    /// The time between slices so far.
    paused_time: Duration,
    paused_at: Option<Instant>,
    place: Option<QueuePlace>,
    /// The task is offered to other nodes.
    is_offered: bool,
    /// How often another node has given the task back.
    given_back: u8,
    /// The clients, with the number of their requests.
    clients: Vec<(Client, usize)>,
}

impl TaskControl {
    /// The control of a new task of this client.
    pub(in crate::analysis) fn new(client: Client) -> TaskControl {
        let state = State { clients: vec![(client, 1)], ..State::default() };
        TaskControl {
            state: Mutex::new(state),
            paused: watch::Sender::new(false),
            stop_signal: Notify::new(),
        }
    }

    /// The flag that the current run checks.
    pub(in crate::analysis) fn flag(&self) -> Arc<StopFlag> {
        self.lock().flag.clone()
    }

    /// Ends the task. A paused task ends at once.
    pub(in crate::analysis) fn stop(&self) {
        let mut state = self.lock();
        state.is_stopped = true;
        state.flag.stop();
        drop(state);
        self.stop_signal.notify_waiters();
    }

    /// Resolves once the task must end.
    pub(in crate::analysis) async fn stopped(&self) {
        let mut signal = pin!(self.stop_signal.notified());
        signal.as_mut().enable();
        if !self.is_stopped() {
            signal.await;
        }
    }

    /// Notes that the task is offered to other nodes. Returns `false` if it is already, or has come
    /// back too often.
    pub(super) fn offer(&self) -> bool {
        let mut state = self.lock();
        state.given_back < MAX_GIVEN_BACK && !std::mem::replace(&mut state.is_offered, true)
    }

    /// Notes that the task waits, because another node has given it back. One that has run there
    /// pauses.
    pub(super) fn give_back(&self, has_run: bool) {
        let mut state = self.lock();
        state.is_offered = false;
        state.given_back = state.given_back.saturating_add(1);
        if !state.is_stopped {
            state.earlier_nodes = state.earlier_nodes.saturating_add(state.flag.nodes());
            state.flag = Arc::default();
        }
        if has_run {
            state.paused_at = Some(clock::now());
        }
        drop(state);
        self.paused.send_replace(has_run);
    }

    /// `true` if another node has given the task back.
    pub(super) fn has_come_back(&self) -> bool {
        self.lock().given_back > 0
    }

    /// Notes that the task is not offered any more.
    pub(in crate::analysis) fn end_offer(&self) {
        self.lock().is_offered = false;
    }

    /// `true` once the task must end.
    pub(super) fn is_stopped(&self) -> bool {
        self.lock().is_stopped
    }

    /// The nodes of all runs so far.
    pub(in crate::analysis) fn nodes(&self) -> u64 {
        let state = self.lock();
        state.earlier_nodes.saturating_add(state.flag.nodes())
    }

    /// Notes the nodes of a run on another node of the cluster so far.
    pub(in crate::analysis) fn note_nodes_elsewhere(&self, nodes: u64) {
        let mut state = self.lock();
        // A node that has taken the task over begins anew.
        let nodes = nodes.max(state.flag.nodes());
        state.flag.set_nodes(nodes);
        state.nodes_elsewhere = state.earlier_nodes.saturating_add(nodes);
    }

    /// The nodes of all runs on this node so far, given the total if that is known better.
    pub(in crate::analysis) fn nodes_here(&self, total: u64) -> u64 {
        let state = self.lock();
        let total = total.max(state.earlier_nodes.saturating_add(state.flag.nodes()));
        total.saturating_sub(state.nodes_elsewhere)
    }

    /// The time that the task has spent between slices.
    pub(in crate::analysis) fn paused_time(&self) -> Duration {
        let state = self.lock();
        state.paused_time + state.paused_at.map_or(Duration::ZERO, clock::elapsed_since)
    }

    /// Changes when the task pauses or continues.
    pub(in crate::analysis) fn watch_paused(&self) -> watch::Receiver<bool> {
        self.paused.subscribe()
    }

    /// Ends a run, which its flag has stopped or which has reached its own end. Returns `true` if
    /// it was stopped for a restart, which the caller must queue.
    pub(in crate::analysis) fn end_run(&self, was_stopped: bool) -> bool {
        let mut state = self.lock();
        if !std::mem::take(&mut state.is_restarting) || state.is_stopped || !was_stopped {
            return false;
        }
        state.earlier_nodes += state.flag.nodes();
        state.flag = Arc::default();
        true
    }

    /// Adds a request of a client to a shared task.
    pub(in crate::analysis) fn add_client(&self, client: &Client) {
        let mut state = self.lock();
        // One without requests has stayed only because it was the last known one.
        state.clients.retain(|(other, requests)| *requests > 0 || other == client);
        match state.clients.iter().position(|(other, _)| other == client) {
            Some(index) => state.clients[index].1 += 1,
            None if state.clients.len() < MAX_CLIENTS => state.clients.push((client.clone(), 1)),
            None => {}
        }
    }

    /// Removes a request of a client from a shared task. The last known client stays until another
    /// one joins: those beyond [`MAX_CLIENTS`] may still wait, and the task counts for one client
    /// in any case. Returns `true` if other clients are known and this one is not, or no more.
    pub(super) fn remove_client(&self, client: &Client) -> bool {
        let mut state = self.lock();
        let is_last = state.clients.len() == 1;
        let Some(index) = state.clients.iter().position(|(other, _)| other == client) else {
            return true;
        };
        let requests = &mut state.clients[index].1;
        *requests = requests.saturating_sub(1);
        let is_gone = *requests == 0 && !is_last;
        if is_gone {
            state.clients.swap_remove(index);
        }
        is_gone
    }

    /// The clients that wait for the result.
    pub(super) fn clients(&self) -> Vec<Client> {
        self.lock().clients.iter().map(|(client, _)| client.clone()).collect()
    }

    /// `true` if this client waits for the result.
    pub(super) fn has_client(&self, client: &Client) -> bool {
        self.lock().clients.iter().any(|(other, _)| other == client)
    }

    /// `true` if a client that waits for the result is none of these.
    pub(super) fn has_client_besides(&self, others: &[Client]) -> bool {
        self.lock().clients.iter().any(|(client, _)| !others.contains(client))
    }

    /// Pauses the run where it is.
    pub(super) fn pause(&self) {
        let mut state = self.lock();
        state.paused_at = Some(clock::now());
        state.flag.pause();
        drop(state);
        self.paused.send_replace(true);
    }

    /// Ends the run, so that the task starts anew from the transposition table later.
    pub(super) fn restart(&self) {
        let mut state = self.lock();
        state.is_restarting = true;
        state.paused_at = Some(clock::now());
        state.flag.stop();
        drop(state);
        self.paused.send_replace(true);
    }

    /// Continues a paused run, or begins the run of a task that waited.
    pub(super) fn resume(&self) {
        let mut state = self.lock();
        if let Some(since) = state.paused_at.take() {
            state.paused_time += clock::elapsed_since(since);
            state.flag.resume();
            drop(state);
            self.paused.send_replace(false);
        }
    }

    /// The place of the waiting task in the queue.
    pub(super) fn place(&self) -> Option<QueuePlace> {
        self.lock().place
    }

    /// Sets the place; `None` for a task that runs or was removed.
    pub(super) fn set_place(&self, place: Option<QueuePlace>) {
        self.lock().place = place;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
