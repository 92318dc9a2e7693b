//! The order in which waiting tasks get workers.
//!
//! A task for which others have given way runs first. Then come the tasks of clients that hold less
//! than their share of the workers, then all others. Among them the classes take turns, and each
//! class has an order of its own. A client with many tasks that have run already continues these
//! before it starts new ones, so that it leaves places for the tasks of other clients. A task that
//! could not start even if other clients gave way does not keep their tasks waiting.

use std::cell::OnceCell;
use std::collections::HashSet;

use super::class_queue::ClassQueue;
use super::clock;
use super::control::StartTag;
use super::running::{RunningTask, Shares};
use super::state::State;
use super::task::QueuedTask;
use crate::analysis::request::PriorityClass;
use crate::analysis::session::{CLIENT_SHARES, Client, client_share};

/// After this many interactive tasks in a row a batch task runs.
const MAX_INTERACTIVE_STREAK: usize = 4;

/// A waiting task that is next.
#[derive(Clone, Copy)]
pub(super) struct NextTask<'a> {
    pub(super) class: PriorityClass,
    pub(super) tag: StartTag,
    pub(super) queued: &'a QueuedTask,
}

/// The waiting tasks in the order in which they run.
pub(super) struct Schedule<'a> {
    state: &'a State,
    /// The tasks that it has yielded.
    earlier: Vec<NextTask<'a>>,
    /// How many interactive tasks have started in a row while batch tasks waited.
    streak: usize,
}

impl<'a> Schedule<'a> {
    /// The order at this moment.
    pub(super) fn of(state: &'a State) -> Schedule<'a> {
        Schedule { state, earlier: Vec::new(), streak: state.interactive_streak }
    }

    fn choose(&self) -> Option<NextTask<'a>> {
        self.prepared_task().or_else(|| {
            let limit = StartLimit::of(self.state);
            let may_start = |queued: &QueuedTask| limit.admits(queued);
            let next = self.choose_fairly(may_start)?;
            let shares = OnceCell::new();
            if self.can_get_workers(next.queued, &shares) {
                return Some(next);
            }
            let of_others = |queued: &QueuedTask| {
                queued.client() != next.queued.client()
                    && may_start(queued)
                    && self.can_get_workers(queued, &shares)
            };
            self.choose_fairly(of_others).or(Some(next))
        })
    }

    /// The next of the tasks that meet a condition; those of clients below their share come first.
    fn choose_fairly(&self, is_ready: impl Fn(&QueuedTask) -> bool) -> Option<NextTask<'a>> {
        let next = self.choose_among(&is_ready)?;
        if self.is_surely_below_share(next.queued) {
            return Some(next);
        }
        let at_share = self.clients_at_share();
        let below_share =
            |queued: &QueuedTask| queued.control.has_client_besides(&at_share) && is_ready(queued);
        self.choose_among(below_share).or(Some(next))
    }

    /// The clients that hold their share of the workers or more. A client that holds no worker is
    /// below its share, so these are few, whatever waits.
    fn clients_at_share(&self) -> Vec<Client> {
        let shares = self.state.shares();
        let running = shares.running.iter().flat_map(|(_, clients)| clients);
        let holders: HashSet<&Client> =
            running.chain(self.earlier.iter().map(|next| next.queued.client())).collect();
        let is_at_share = |client: &&Client| {
            (shares.held_by(client) + self.given_to(client)) as f64 >= shares.share
        };
        holders.into_iter().filter(is_at_share).cloned().collect()
    }

    /// The task for which others have given way.
    fn prepared_task(&self) -> Option<NextTask<'a>> {
        let place = self.state.prepared_task.as_ref()?.place()?;
        let (class, tag) = (place.class, place.start_tag);
        let queued = self.state.class_queue(class).get(tag)?;
        self.is_left(class, tag).then_some(NextTask { class, tag, queued })
    }

    /// The next of the tasks that meet a condition.
    fn choose_among(&self, is_ready: impl Fn(&QueuedTask) -> bool) -> Option<NextTask<'a>> {
        let next_of = |class, queue: &'a ClassQueue| {
            let next = queue.next(|tag, queued| self.is_left(class, tag) && is_ready(queued));
            next.map(|(tag, queued)| NextTask { class, tag, queued })
        };
        let interactive = next_of(PriorityClass::Interactive, &self.state.interactive);
        let batch = next_of(PriorityClass::Batch, &self.state.batch);
        match (interactive, batch) {
            (Some(interactive), Some(batch)) => {
                Some(if self.batch_goes_first(interactive.queued, batch.queued) {
                    batch
                } else {
                    interactive
                })
            }
            (interactive, batch) => interactive.or(batch),
        }
    }

    /// `true` if a batch task runs before an interactive one. While an interactive task of another
    /// client waits, batch tasks hold at most all workers but one, except for single slices of
    /// tasks that need all of them and would never run otherwise.
    fn batch_goes_first(&self, interactive: &QueuedTask, batch: &QueuedTask) -> bool {
        let workers = self.state.workers;
        let leaves_one_worker = || {
            workers == 1
                || interactive.client() == batch.client()
                || self.batch_workers() + batch.workers() < workers
        };
        (self.streak >= MAX_INTERACTIVE_STREAK && leaves_one_worker())
            || self.has_waited_for_all_workers(batch)
    }

    /// `true` for a batch task that needs all of several workers, if it has waited long enough, and
    /// as much time has passed since the last such task.
    fn has_waited_for_all_workers(&self, batch: &QueuedTask) -> bool {
        let State { workers, max_batch_wait, last_full_batch, .. } = *self.state;
        workers > 1
            && batch.workers() == workers
            && clock::elapsed_since(batch.queued_at) >= max_batch_wait
            && last_full_batch.is_none_or(|start| clock::elapsed_since(start) >= max_batch_wait)
    }

    /// The workers of the batch tasks that run or are next.
    fn batch_workers(&self) -> usize {
        let running = self.state.running.iter().map(|running| &running.submitter);
        let next = self.earlier.iter().map(|next| &next.queued.submitter);
        let of_class = running.chain(next).filter(|one| one.class == PriorityClass::Batch);
        of_class.map(|submitter| submitter.workers).sum()
    }

    /// `false` for a task of several workers that would not have them even if each running task
    /// gave way that can: other tasks of its own client hold them.
    fn can_get_workers(&self, queued: &QueuedTask, shares: &OnceCell<Shares<'a>>) -> bool {
        let State { workers, free_workers, .. } = *self.state;
        if queued.workers() == 1 || (self.earlier.is_empty() && queued.workers() <= free_workers) {
            return true;
        }
        let shares = shares.get_or_init(|| self.state.shares());
        let client = shares.client_with_least(queued);
        let held = shares.running.iter().filter(|(_, clients)| clients.contains(&client));
        let held: usize = held.map(|(running, _)| running.submitter.workers).sum();
        held + self.given_to(&client) + queued.workers() <= workers
    }

    /// `true` if the client that queued the task is below its share in any case: it holds no
    /// worker, or the queue knows no other client. A client that has left the task does not count:
    /// those that still wait for it may be at their share.
    fn is_surely_below_share(&self, queued: &QueuedTask) -> bool {
        let State { interactive, batch, running, .. } = self.state;
        let client = queued.client();
        let holds_no_worker = || {
            running.iter().all(|running| !running.control.has_client(client))
                && self.given_to(client) == 0
        };
        queued.control.has_client(client)
            && (interactive.known_clients() + batch.known_clients() <= 1 || holds_no_worker())
    }

    /// The workers of a client's tasks that are next.
    fn given_to(&self, client: &Client) -> usize {
        let of_client = self.earlier.iter().filter(|next| next.queued.client() == client);
        of_client.map(|next| next.queued.workers()).sum()
    }

    fn is_left(&self, class: PriorityClass, tag: StartTag) -> bool {
        !self.earlier.iter().any(|next| (next.class, next.tag) == (class, tag))
    }
}

impl<'a> Iterator for Schedule<'a> {
    type Item = NextTask<'a>;

    fn next(&mut self) -> Option<NextTask<'a>> {
        let next = self.choose()?;
        self.earlier.push(next);
        let batch_tasks = self.earlier.iter().filter(|next| next.class == PriorityClass::Batch);
        let batch_waits = self.state.batch.len() > batch_tasks.count();
        self.streak = streak_after(next.class, batch_waits, self.streak);
        Some(next)
    }
}

/// Which clients may start new tasks.
struct StartLimit<'a> {
    state: &'a State,
    /// How many tasks of a class may wait to continue before their client starts no new one.
    max_to_continue: usize,
    /// The clients with started tasks, if no more of these may wait: see [`StartLimit::admits`].
    started_clients: HashSet<Client>,
}

impl<'a> StartLimit<'a> {
    /// The limit at this moment.
    fn of(state: &'a State) -> StartLimit<'a> {
        let State { capacity, workers, .. } = *state;
        let to_continue = state.tasks_to_continue();
        let free = capacity.saturating_sub(to_continue);
        let max_to_continue = client_share(free, CLIENT_SHARES).max(1);
        let is_full = to_continue >= capacity.max(workers);
        let started_clients = if is_full { state.started_clients() } else { HashSet::new() };
        StartLimit { state, max_to_continue, started_clients }
    }

    /// `false` for a new task whose clients all have too many tasks that wait to continue.
    ///
    /// If as many tasks wait to continue as may wait for their start, only clients without a
    /// started task start new ones. Otherwise each slice would make room for one more waiting task.
    fn admits(&self, queued: &QueuedTask) -> bool {
        let class_queue = self.state.class_queue(queued.submitter.class);
        let leaves_places = |client: &Client| {
            class_queue.tasks_to_continue(client) < self.max_to_continue
                && !self.started_clients.contains(client)
        };
        queued.has_run()
            || leaves_places(queued.client())
            || queued.control.clients().iter().any(leaves_places)
    }
}

/// How many interactive tasks have started in a row after the start of a task of this class.
fn streak_after(class: PriorityClass, batch_waits: bool, streak: usize) -> usize {
    if class == PriorityClass::Interactive && batch_waits { streak + 1 } else { 0 }
}

/// The tasks at the head of the queue for which there are enough free workers, though no worker has
/// taken them yet.
#[derive(Default)]
pub(super) struct Runnable {
    interactive: ClassTally,
    batch: ClassTally,
    pub(super) workers: usize,
}

/// Tasks of one class.
#[derive(Clone, Copy, Default)]
struct ClassTally {
    tasks: usize,
    /// Those that have not run yet.
    new: usize,
}

impl Runnable {
    /// How many tasks these are.
    pub(super) fn tasks(&self) -> usize {
        self.interactive.tasks + self.batch.tasks
    }

    fn tally(&self, class: PriorityClass) -> ClassTally {
        match class {
            PriorityClass::Interactive => self.interactive,
            PriorityClass::Batch => self.batch,
        }
    }

    /// How many of them are of a class.
    pub(super) fn count(&self, class: PriorityClass) -> usize {
        self.tally(class).tasks
    }
}

impl State {
    /// How many tasks of a class wait for their first worker.
    pub(super) fn waiting(&self, runnable: &Runnable, class: PriorityClass) -> usize {
        self.class_queue(class).new_tasks() - runnable.tally(class).new
    }

    /// `true` if a task waits for which there are not enough free workers.
    pub(super) fn is_blocked(&self) -> bool {
        self.length() > self.runnable().tasks()
    }

    /// The tasks for which there are enough free workers.
    pub(super) fn runnable(&self) -> Runnable {
        let mut runnable = Runnable::default();
        if self.length() == 0 || self.free_workers == 0 {
            return runnable;
        }
        for NextTask { class, queued, .. } in Schedule::of(self) {
            if runnable.workers + queued.workers() > self.free_workers {
                break;
            }
            let tally = match class {
                PriorityClass::Interactive => &mut runnable.interactive,
                PriorityClass::Batch => &mut runnable.batch,
            };
            tally.tasks += 1;
            tally.new += usize::from(!queued.has_run());
            runnable.workers += queued.workers();
        }
        runnable
    }

    /// The clients whose tasks run, or wait to continue.
    fn started_clients(&self) -> HashSet<Client> {
        let waiting = [&self.interactive, &self.batch].into_iter();
        let waiting = waiting.flat_map(ClassQueue::clients_to_continue).cloned();
        // Those that other nodes run hold no worker here.
        let running = self.running.iter().filter(|running| running.submitter.workers > 0);
        let running = running.flat_map(|running| running.control.clients());
        waiting.chain(running).collect()
    }

    /// The shares of the clients at this moment.
    pub(super) fn shares(&self) -> Shares<'_> {
        Shares::new(self.workers, &self.running, &self.waiting_clients)
    }

    /// The task that runs next, once there are enough free workers.
    pub(super) fn next_task(&self) -> Option<NextTask<'_>> {
        Schedule::of(self).next()
    }

    /// Stops enough speculative searches to cover the workers that runnable tasks need and idle
    /// workers cannot supply.
    pub(super) fn preempt_speculation(&mut self) {
        if self.speculative_runs.is_empty() {
            return;
        }
        let wanted = self.runnable().workers;
        let active = self.speculative_runs.iter().filter(|run| !run.stop.is_stopped());
        let idle_workers = self.free_workers.saturating_sub(active.clone().count());
        active.take(wanted.saturating_sub(idle_workers)).for_each(|run| run.stop.stop());
    }

    /// Takes the next task if enough workers are free for it, and registers it as running.
    pub(super) fn take_task(&mut self) -> Option<QueuedTask> {
        if self.free_workers == 0 {
            return None;
        }
        let NextTask { class, tag, queued } = self.next_task()?;
        if queued.workers() > self.free_workers {
            return None;
        }
        let queued = self.class_queue_mut(class).pop(tag)?;
        self.interactive_streak =
            streak_after(class, self.batch.len() > 0, self.interactive_streak);
        self.record_dequeue(&queued);
        if class == PriorityClass::Batch && queued.workers() == self.workers {
            self.last_full_batch = Some(clock::now());
        }
        self.free_workers -= queued.workers();
        self.running.push(RunningTask::new(&queued));
        Some(queued)
    }
}
