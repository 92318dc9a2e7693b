//! The queue of one priority class: fair between clients, first in, first out for each client.
//!
//! Start-time fair queueing (Goyal, Vin and Cheng). Each task gets a start tag: the work that its
//! client has submitted so far, counted from the virtual time at which the client came. The task
//! with the smallest tag runs next. So a client with few tasks never waits behind the whole backlog
//! of another.
//!
//! A new task precedes those that have run for a slice already, because most tasks are short. After
//! a few new tasks in a row one of the others continues. These two orders have tags and a virtual
//! time each: the backlog of new tasks of one client takes no turns from a paused task of another.
//! In the order of new tasks a task counts as one unit per worker when it is queued, and by its
//! first slice once it has run. In the other order the first slice counts too, and each later one
//! counts in full when the task is queued for it.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use super::control::StartTag;
use super::task::QueuedTask;
use crate::analysis::session::Client;

/// How many clients without waiting tasks are remembered at most.
const MAX_INACTIVE_CLIENTS: usize = 4_096;

/// How far the time of one run moves its client's next task at most, for each worker. So a client
/// that had the workers for itself does not wait for long afterwards. The runs of several tasks add
/// up, or a client with many paused tasks would get more turns than others.
const MAX_CHARGE: u64 = 100;

/// After this many new tasks in a row, a task that has run before continues.
const MAX_NEW_STREAK: usize = 4;

/// The time of one worker that counts as one unit of work.
const UNIT: Duration = Duration::from_millis(10);

/// The state of a client in this class.
#[derive(Clone, Copy, Debug, Default)]
struct ClientState {
    /// Its waiting tasks.
    waiting: usize,
    /// Those of them that have not run yet.
    new: usize,
    /// The starts of the client's next tasks.
    finish_tags: Tags,
}

/// A tag in the order of new tasks, and one in the order of those that have run.
#[derive(Clone, Copy, Debug, Default)]
struct Tags {
    new: u64,
    has_run: u64,
}

impl Tags {
    fn of(&self, has_run: bool) -> u64 {
        if has_run { self.has_run } else { self.new }
    }

    /// Lowers the tag of one order by this.
    fn lower(&mut self, has_run: bool, units: u64) {
        let own = if has_run { &mut self.has_run } else { &mut self.new };
        *own = own.saturating_sub(units);
    }

    /// Raises the tag of one order to at least this.
    fn raise(&mut self, has_run: bool, tag: u64) {
        let own = if has_run { &mut self.has_run } else { &mut self.new };
        *own = tag.max(*own);
    }
}

/// The waiting tasks of one class.
pub(super) struct ClassQueue {
    waiting: BTreeMap<StartTag, QueuedTask>,
    clients: HashMap<Client, ClientState>,
    /// The waiting tasks that have not run yet.
    new: usize,
    /// How many new tasks have started in a row while others waited to continue.
    new_streak: usize,
    /// The start of the task that ran last, or of the first one that waits if that is earlier.
    virtual_times: Tags,
    next_sequence: u64,
    /// The work of a task that continues, which lasts a slice, for each of its workers.
    slice_units: u64,
}

impl ClassQueue {
    /// A queue without tasks. Tasks that continue have slices of this length.
    pub(super) fn new(slice: Duration) -> ClassQueue {
        ClassQueue {
            waiting: BTreeMap::new(),
            clients: HashMap::new(),
            new: 0,
            new_streak: 0,
            virtual_times: Tags::default(),
            next_sequence: 0,
            slice_units: units(slice).min(MAX_CHARGE),
        }
    }

    /// How many tasks wait.
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// How many tasks wait that have not run yet.
    pub(super) fn new_tasks(&self) -> usize {
        self.new
    }

    /// How many clients the queue remembers, with or without waiting tasks.
    pub(super) fn known_clients(&self) -> usize {
        self.clients.len()
    }

    /// The next task among those that meet a condition.
    pub(super) fn next(
        &self,
        is_ready: impl Fn(StartTag, &QueuedTask) -> bool,
    ) -> Option<(StartTag, &QueuedTask)> {
        let is_ready = |&(&tag, queued): &(&StartTag, &QueuedTask)| is_ready(tag, queued);
        let first_that_has_run = StartTag { has_run: true, start: 0, sequence: 0 };
        let mut new = self.waiting.range(..first_that_has_run);
        let mut others = self.waiting.range(first_that_has_run..);
        let next = if self.new_streak < MAX_NEW_STREAK {
            new.find(&is_ready).or_else(|| others.find(&is_ready))
        } else {
            others.find(&is_ready).or_else(|| new.find(&is_ready))
        };
        next.map(|(&tag, queued)| (tag, queued))
    }

    /// How many tasks run before this one; `None` if it does not wait here.
    pub(super) fn tasks_before(&self, tag: StartTag) -> Option<usize> {
        self.waiting.contains_key(&tag).then(|| self.waiting.range(..tag).count())
    }

    /// The start tag of another task of this client.
    pub(super) fn start_of(&self, client: &Client, has_run: bool) -> u64 {
        let now = self.virtual_times.of(has_run);
        self.clients.get(client).map_or(now, |state| state.finish_tags.of(has_run).max(now))
    }

    /// Adds a task.
    pub(super) fn push(&mut self, queued: QueuedTask) -> StartTag {
        let sequence = self.next_sequence;
        self.next_sequence += 1;
        self.insert(queued, sequence)
    }

    fn insert(&mut self, mut queued: QueuedTask, sequence: u64) -> StartTag {
        let (client, has_run) = (queued.client().clone(), queued.has_run());
        let start = self.start_of(&client, has_run);
        let finish = start + self.units_of_task(has_run, queued.workers());
        self.record_addition(&client, has_run).finish_tags.raise(has_run, finish);
        let tag = StartTag { has_run, start, sequence };
        queued.payer = client;
        self.waiting.insert(tag, queued);
        tag
    }

    /// Puts a task back at its old place, which its client has paid for.
    pub(super) fn put_back(&mut self, queued: QueuedTask, tag: StartTag) {
        self.record_addition(&queued.client().clone(), tag.has_run);
        self.waiting.insert(tag, queued);
    }

    /// The waiting tasks that have not run yet, in the order of their starts.
    pub(super) fn new_in_order(&self) -> impl Iterator<Item = &QueuedTask> {
        let first_that_has_run = StartTag { has_run: true, start: 0, sequence: 0 };
        self.waiting.range(..first_that_has_run).map(|(_, queued)| queued)
    }

    /// The work that a task counts for when it is queued.
    fn units_of_task(&self, has_run: bool, workers: usize) -> u64 {
        workers as u64 * if has_run { self.slice_units } else { 1 }
    }

    /// Makes a waiting task that of another client. The task keeps its place, and who has paid for
    /// the place still does.
    pub(super) fn change_client(&mut self, tag: StartTag, client: &Client) {
        let Some(queued) = self.waiting.get_mut(&tag) else { return };
        let former = std::mem::replace(&mut queued.submitter.client, client.clone());
        self.record_addition(client, tag.has_run);
        self.record_removal(&former, tag.has_run);
    }

    /// Counts the time that this many workers spent on a task of a client. Of a later slice than
    /// the first, only the time beyond its length is not counted yet.
    pub(super) fn charge(&mut self, client: &Client, workers: usize, time: Duration, is_new: bool) {
        let units = units(time).min(MAX_CHARGE);
        if units == 0 || (self.waiting.is_empty() && self.clients.is_empty()) {
            return;
        }
        let state = self.clients.entry(client.clone()).or_default();
        let (of_new, of_others) =
            if is_new { (units, units) } else { (0, units.saturating_sub(self.slice_units)) };
        for (has_run, units) in [(false, of_new), (true, of_others)] {
            let start = state.finish_tags.of(has_run).max(self.virtual_times.of(has_run));
            state.finish_tags.raise(has_run, start + units * workers as u64);
        }
    }

    /// The waiting task with this tag.
    pub(super) fn get(&self, tag: StartTag) -> Option<&QueuedTask> {
        self.waiting.get(&tag)
    }

    /// Removes a waiting task. The client does not pay for a slice that its last task does not get.
    pub(super) fn remove(&mut self, tag: StartTag) -> Option<QueuedTask> {
        let queued = self.waiting.remove(&tag)?;
        let finish_tag = tag.start + self.units_of_task(true, queued.workers());
        if let Some(state) = self.clients.get_mut(&queued.payer)
            && tag.has_run
            && state.finish_tags.has_run == finish_tag
        {
            state.finish_tags.has_run = tag.start;
        }
        self.record_removal(queued.client(), tag.has_run);
        self.forget_clients();
        Some(queued)
    }

    /// Removes a waiting task for which nobody pays: it was evicted, or moves to another place.
    /// Its payer still pays for the time of tasks that have run since it was queued.
    fn withdraw(&mut self, tag: StartTag) -> Option<QueuedTask> {
        let queued = self.waiting.remove(&tag)?;
        let units = self.units_of_task(tag.has_run, queued.workers());
        if let Some(state) = self.clients.get_mut(&queued.payer) {
            state.finish_tags.lower(tag.has_run, units);
        }
        self.record_removal(queued.client(), tag.has_run);
        Some(queued)
    }

    /// Takes a task out that moves to another class.
    pub(super) fn take_for_other_class(&mut self, tag: StartTag) -> Option<QueuedTask> {
        let queued = self.withdraw(tag);
        self.forget_clients();
        queued
    }

    /// Moves a waiting task to the place that it has as a task of another client. Among tasks with
    /// the same start it keeps its place. Returns its tag.
    pub(super) fn move_to_client(&mut self, tag: StartTag, client: &Client) -> Option<StartTag> {
        let mut queued = self.withdraw(tag)?;
        queued.submitter.client = client.clone();
        Some(self.insert(queued, tag.sequence))
    }

    /// Takes the next task out, which has this tag.
    pub(super) fn pop(&mut self, tag: StartTag) -> Option<QueuedTask> {
        let queued = self.waiting.remove(&tag)?;
        let others_wait = self.waiting.len() > self.new - usize::from(!tag.has_run);
        self.new_streak = if !tag.has_run && others_wait { self.new_streak + 1 } else { 0 };
        // A task may run out of turn. Whoever comes afterwards must not wait for all before it.
        let first = self.first_start(tag.has_run);
        self.virtual_times
            .raise(tag.has_run, first.map_or(tag.start, |first| first.min(tag.start)));
        self.record_removal(queued.client(), tag.has_run);
        self.forget_clients();
        Some(queued)
    }

    /// The start of the first waiting task of an order.
    fn first_start(&self, has_run: bool) -> Option<u64> {
        let first = StartTag { has_run, start: 0, sequence: 0 };
        let (tag, _) = self.waiting.range(first..).next()?;
        (tag.has_run == has_run).then_some(tag.start)
    }

    /// The waiting tasks with their tags, in order.
    #[cfg(test)]
    pub(super) fn tasks(&self) -> impl Iterator<Item = (&StartTag, &QueuedTask)> {
        self.waiting.iter()
    }

    /// For each client with waiting tasks, how many these are and how many of them are new.
    #[cfg(test)]
    pub(super) fn client_counts(&self) -> HashMap<Client, (usize, usize)> {
        let waits = self.clients.iter().filter(|(_, state)| state.waiting > 0);
        waits.map(|(client, state)| (client.clone(), (state.waiting, state.new))).collect()
    }

    /// Removes all tasks.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = QueuedTask> + use<> {
        self.clients.clear();
        self.new = 0;
        std::mem::take(&mut self.waiting).into_values()
    }

    /// Removes the newest task of the client with the most waiting tasks, for a new task of
    /// `client`. Tasks that have run, here or on another node, stay. Returns `None` when `client` would have the most itself.
    pub(super) fn evict_newest(&mut self, client: &Client) -> Option<QueuedTask> {
        let busiest = self.evictable_client(client)?.clone();
        let newest = self
            .waiting
            .iter()
            .filter(|(_, queued)| *queued.client() == busiest && queued.is_new())
            .map(|(&tag, _)| tag);
        let newest = newest.max_by_key(|tag| tag.sequence)?;
        let queued = self.withdraw(newest);
        self.forget_clients();
        queued
    }

    /// The client with the most waiting tasks, if it has more than `client` with a new task.
    pub(super) fn evictable_client(&self, client: &Client) -> Option<&Client> {
        let (busiest, state) = self.clients.iter().max_by_key(|(_, state)| state.new)?;
        (state.new > self.tasks_of(client) + 1).then_some(busiest)
    }

    /// How many tasks of a client wait that have run already.
    pub(super) fn tasks_to_continue(&self, client: &Client) -> usize {
        self.clients.get(client).map_or(0, |state| state.waiting - state.new)
    }

    /// The clients whose tasks wait that have run already.
    pub(super) fn clients_to_continue(&self) -> impl Iterator<Item = &Client> {
        let waits =
            |(client, state): (_, &ClientState)| (state.waiting > state.new).then_some(client);
        self.clients.iter().filter_map(waits)
    }

    /// How many tasks of a client wait that have not run yet.
    pub(super) fn tasks_of(&self, client: &Client) -> usize {
        self.clients.get(client).map_or(0, |state| state.new)
    }

    /// Counts one waiting task more for a client.
    fn record_addition(&mut self, client: &Client, has_run: bool) -> &mut ClientState {
        let is_new = usize::from(!has_run);
        self.new += is_new;
        let state = self.clients.entry(client.clone()).or_default();
        state.waiting += 1;
        state.new += is_new;
        state
    }

    /// Counts one waiting task less for a client.
    fn record_removal(&mut self, client: &Client, has_run: bool) {
        let is_new = usize::from(!has_run);
        self.new -= is_new;
        if let Some(state) = self.clients.get_mut(client) {
            state.waiting -= 1;
            state.new -= is_new;
        }
    }

    /// Forgets clients without waiting tasks, if there are none with some or too many without.
    fn forget_clients(&mut self) {
        if self.waiting.is_empty() {
            // The queue is empty, so the fairness state can be reset.
            self.clients.clear();
        } else if self.clients.len() > MAX_INACTIVE_CLIENTS {
            let now = self.virtual_times;
            self.clients.retain(|_, state| {
                let tags = state.finish_tags;
                state.waiting > 0 || tags.new > now.new || tags.has_run > now.has_run
            });
            if self.clients.len() > MAX_INACTIVE_CLIENTS {
                self.clients.retain(|_, state| state.waiting > 0);
            }
        }
    }
}

/// The work of one worker in this time.
fn units(time: Duration) -> u64 {
    u64::try_from(time.as_millis() / UNIT.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
