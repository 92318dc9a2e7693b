//! Tasks that run on the workers, and the shares of the workers that their clients hold.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use super::clock;
use super::control::TaskControl;
use super::task::{Location, QueuedTask, Submitter};
use crate::analysis::session::Client;

/// A task that runs.
pub(super) struct RunningTask {
    pub(super) submitter: Submitter,
    pub(super) control: Arc<TaskControl>,
    /// When the task started, or continued after its last pause.
    pub(super) slice_start: Instant,
    /// This is its first slice.
    pub(super) is_new: bool,
    /// Its run ends within milliseconds, for a restart.
    pub(super) is_restarting: bool,
    /// Where it runs.
    pub(super) location: Location,
}

impl RunningTask {
    /// A task that starts or continues now.
    pub(super) fn new(queued: &QueuedTask) -> RunningTask {
        RunningTask {
            submitter: queued.submitter.clone(),
            control: queued.control.clone(),
            slice_start: clock::now(),
            is_new: !queued.has_run(),
            is_restarting: false,
            location: Location::Here,
        }
    }

    /// A task that another node runs.
    pub(super) fn lent(
        submitter: &Submitter,
        control: &Arc<TaskControl>,
        location: Location,
    ) -> RunningTask {
        RunningTask {
            submitter: Submitter { workers: 0, ..submitter.clone() },
            control: control.clone(),
            location,
            slice_start: clock::now(),
            is_new: true,
            is_restarting: false,
        }
    }

    /// `true` for the task with this control.
    pub(super) fn is_of(&self, control: &TaskControl) -> bool {
        std::ptr::eq(&*self.control, control)
    }
}

/// Which workers the running tasks hold for which clients.
pub(super) struct Shares<'a> {
    /// The running tasks with the clients that wait for them.
    pub(super) running: Vec<(&'a RunningTask, Vec<Client>)>,
    /// The workers that each client would have if all had equally many: all workers divided by the
    /// number of clients whose tasks run or wait.
    pub(super) share: f64,
    /// The clients whose tasks run or wait.
    pub(super) clients: usize,
}

impl<'a> Shares<'a> {
    /// The shares of the clients with waiting tasks and of those with running ones.
    pub(super) fn new(
        workers: usize,
        running: &'a [RunningTask],
        waiting: &HashMap<Client, usize>,
    ) -> Shares<'a> {
        // Tasks that other nodes run hold no worker here.
        let holding = running.iter().filter(|running| running.submitter.workers > 0);
        let running: Vec<_> = holding.map(|running| (running, running.control.clients())).collect();
        let of_running = running.iter().flat_map(|(_, clients)| clients);
        let others: HashSet<&Client> =
            of_running.filter(|client| !waiting.contains_key(client)).collect();
        let clients = waiting.len() + others.len();
        let share = workers as f64 / clients.max(1) as f64;
        Shares { running, share, clients }
    }

    /// The client that holds the fewest workers, of those that wait for a task. Whoever queued the
    /// task first, it waits for its turn as a task of this client.
    pub(super) fn client_with_least(&self, queued: &QueuedTask) -> Client {
        let clients = queued.control.clients();
        let least = clients.into_iter().min_by_key(|client| self.held_by(client));
        least.unwrap_or_else(|| queued.client().clone())
    }

    /// How many workers run tasks for which a client waits.
    pub(super) fn held_by(&self, client: &Client) -> usize {
        let of_client = self.running.iter().filter(|(_, clients)| clients.contains(client));
        of_client.map(|(running, _)| running.submitter.workers).sum()
    }
}
