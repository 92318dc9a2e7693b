//! The queue before the workers: bounded, fair between clients, and anybody may leave it.
//!
//! Those who wait for an answer and those who have given whole lists of work stand in lanes of
//! their own. A job that wants several workers gets all of them at once, so that no two jobs each
//! hold a part of what the other needs. Nobody overtakes the one whose turn is next, so that a
//! stream of small jobs cannot keep a large one waiting: workers that get free before it stay free
//! until there are enough of them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tracing::Span;

use super::idle::{IdleList, Wish};
use super::lane::{Lane, Stamp};
use super::session::Client;
use super::{AnalysisError, Durations, LaneCounts, Turns};
use crate::engine::StopFlag;

/// How soon an answer is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Somebody waits for it.
    Interactive,
    /// It is one of many.
    Batch,
}

/// Whether a piece of work has its turn, or why it never has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Now,
    Never(AnalysisError),
}

/// A piece of blocking work, with the span of the request that brought it.
pub(super) struct Job {
    span: Span,
    pub(super) work: Box<dyn FnOnce(Turn) + Send>,
}

impl Job {
    /// Work in the span of the caller.
    pub(super) fn new(work: impl FnOnce(Turn) + Send + 'static) -> Job {
        Job { span: Span::current(), work: Box::new(work) }
    }

    /// Does it, or tells it that it never will be.
    pub(super) fn run(self, turn: Turn) {
        let Job { span, work } = self;
        span.in_scope(|| work(turn));
    }
}

/// A place in the queue, with which its holder can leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    class: Class,
    stamp: Stamp,
}

impl Place {
    /// How soon the answer is wanted.
    pub(super) fn class(self) -> Class {
        self.class
    }
}

/// A client's job that wants so many workers' places.
pub(super) struct Order {
    client: Client,
    places: usize,
    came: Instant,
    pub(super) job: Job,
}

impl Order {
    /// One that comes now.
    pub(super) fn new(client: Client, places: usize, job: Job) -> Order {
        Order { client, places, came: Instant::now(), job }
    }

    /// How many workers it wants.
    pub(super) fn places(&self) -> usize {
        self.places
    }

    /// Whose it is.
    pub(super) fn client(&self) -> &Client {
        &self.client
    }
}

/// A job that had to give way, if one had.
#[must_use = "whoever waits for it has to be told"]
pub(super) struct CrowdedOut(Option<(Job, AnalysisError)>);

impl CrowdedOut {
    /// Tells it that its turn never comes.
    pub(super) fn dismiss(self) {
        if let Some((job, full)) = self.0 {
            job.run(Turn::Never(full));
        }
    }
}

/// What a worker does next.
pub(super) enum Work {
    /// Somebody waits for it.
    Order(Order),
    /// Nobody does: it is given up as soon as somebody comes.
    Idle(Wish, IdleRun),
}

/// A worker's hold on idle work. It says when it has [`rested`](Queue::rested).
#[derive(Debug)]
pub(super) struct IdleRun {
    number: u64,
    /// Set when a real request wants the worker.
    pub(super) stop: Arc<StopFlag>,
}

/// Who comes to the queue, and with what.
#[derive(Clone, Debug)]
pub(super) struct Comer {
    pub(super) client: Client,
    pub(super) class: Class,
    /// How many workers the job keeps busy: at least one, and at most all of them.
    pub(super) workers: usize,
}

/// The queue and the count of those who work on what comes out of it.
pub(super) struct Queue {
    state: Mutex<State>,
    work_came: Condvar,
    /// How many jobs wait or run.
    load: watch::Sender<usize>,
    interactive: Turnstile,
    batch: Turnstile,
    workers: usize,
    capacity: usize,
    idle: IdleList,
    /// How long wishes waited.
    idle_waits: Durations,
}

/// What became of those who waited in one lane.
#[derive(Debug, Default)]
struct Turnstile {
    waits: Durations,
    refused: AtomicU64,
    late: AtomicU64,
}

struct State {
    interactive: Lane,
    batch: Lane,
    /// How many interactive jobs have had their turn while batch jobs waited.
    streak: usize,
    /// The workers that all who wait want, added up.
    wanted: usize,
    /// Jobs that run.
    running: usize,
    /// Workers that no running job has; those at idle work among them.
    free: usize,
    idle_runs: Vec<IdleRun>,
    idle_begun: u64,
    closed: bool,
    /// Mean time of a job in seconds, the last ones weighing most; a guess before the first.
    mean_seconds: f64,
}

/// After so many interactive jobs a batch job has its turn.
const STREAK: usize = 4;

impl Queue {
    /// Nobody is told to come back later than this.
    const LONGEST_RETRY: f64 = 60.0;

    /// For so many workers; so many of each class may wait while all of them are busy, and so many
    /// wishes for their idle time.
    pub(super) fn new(workers: usize, capacity: usize, wishes: usize) -> Queue {
        let state = State {
            interactive: Lane::default(),
            batch: Lane::default(),
            streak: 0,
            wanted: 0,
            running: 0,
            free: workers,
            idle_runs: Vec::with_capacity(workers),
            idle_begun: 0,
            closed: false,
            mean_seconds: 1.0,
        };
        Queue {
            state: Mutex::new(state),
            work_came: Condvar::new(),
            load: watch::Sender::new(0),
            interactive: Turnstile::default(),
            batch: Turnstile::default(),
            workers,
            capacity,
            idle: IdleList::new(wishes),
            idle_waits: Durations::default(),
        }
    }

    /// Takes a place, unless all are taken or the service ends: then the job is not even made. In a
    /// full lane the newest job of the client that has the most waiting gives way, unless that is
    /// the comer himself; it is for the caller to tell it so, once he holds no lock that it may
    /// want.
    pub(super) fn push(
        &self,
        comer: Comer,
        job: impl FnOnce() -> Job,
    ) -> Result<(Place, CrowdedOut), AnalysisError> {
        let Comer { client, class, workers } = comer;
        let places = workers.clamp(1, self.workers);
        let mut state = self.lock();
        if state.closed {
            return Err(AnalysisError::shutting_down());
        }
        let due = state.due();
        let length = state.lane(class).len() - due.of(class);
        let begins_at_once = state.length() == due.jobs() && places <= state.free - due.places;
        let mut crowded_out = None;
        if !begins_at_once && length >= self.capacity {
            let full =
                AnalysisError::QueueFull { length, retry_after: self.retry_after(&state, &due) };
            // Whoever it is that goes.
            self.turnstile(class).refused.fetch_add(1, Ordering::Relaxed);
            let Some(order) = state.lane_mut(class).make_way(&client) else { return Err(full) };
            state.wanted -= order.places;
            crowded_out = Some((order.job, full));
        }
        state.wanted += places;
        let stamp = state.lane_mut(class).push(Order::new(client, places, job()));
        state.call_back();
        self.tell_load(&state);
        drop(state);
        self.work_came.notify_one();
        Ok((Place { class, stamp }, CrowdedOut(crowded_out)))
    }

    /// Gives a place back. Its work will not be done, if it has not begun.
    pub(super) fn leave(&self, place: Place) {
        let mut state = self.lock();
        let order = state.lane_mut(place.class).remove(place.stamp);
        state.wanted -= order.as_ref().map_or(0, |order| order.places);
        state.call_back();
        self.tell_load(&state);
        drop(state);
        // Whoever stood behind may want no more than what is free.
        self.work_came.notify_one();
        // What the job owns goes only now, with nothing locked.
        drop(order);
    }

    /// Somebody waits now for a job that stands in a slower lane: it changes over, if it has not
    /// begun.
    pub(super) fn hasten(&self, place: Place, class: Class, client: &Client) -> Place {
        let mut state = self.lock();
        if class >= place.class {
            return place;
        }
        let Some(order) = state.lane_mut(place.class).remove(place.stamp) else { return place };
        let stamp = state.lane_mut(class).push(Order { client: client.clone(), ..order });
        state.call_back();
        drop(state);
        self.work_came.notify_one();
        Place { class, stamp }
    }

    /// Waits for work; `None` when there will be none any more. Blocks: for worker threads, each of
    /// which says when it has
    /// [`finished`](Queue::finished) or has [`rested`](Queue::rested).
    pub(super) fn next(&self) -> Option<Work> {
        let mut state = self.lock();
        loop {
            if let Some((class, order)) = state.take() {
                self.tell_load(&state);
                let is_more_to_do = state.due().jobs() > 0 || self.idle.len() > 0;
                drop(state);
                self.turnstile(class).waits.note(order.came.elapsed());
                if is_more_to_do {
                    self.work_came.notify_one();
                }
                return Some(Work::Order(order));
            }
            if state.closed {
                return None;
            }
            if let Some((wish, run)) = self.take_idle(&mut state) {
                return Some(Work::Idle(wish, run));
            }
            state = self.work_came.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Says that work for so many workers is done, after so long. Whoever says so comes for the
    /// [`next`](Queue::next).
    pub(super) fn finished(&self, places: usize, took: Duration) {
        let mut state = self.lock();
        state.running -= 1;
        state.free += places;
        state.call_back();
        state.mean_seconds += (took.as_secs_f64() - state.mean_seconds) / 8.0;
        self.tell_load(&state);
    }

    /// Says that idle work is over; what a real request has cut short is wished for again. Whoever
    /// says so comes for the
    /// [`next`](Queue::next).
    pub(super) fn rested(&self, wish: Wish, run: &IdleRun) {
        let mut state = self.lock();
        state.idle_runs.retain(|other| other.number != run.number);
        let is_closed = state.closed;
        drop(state);
        if run.stop.is_stopped() && !is_closed {
            self.idle.put_back(wish);
        }
    }

    /// What the workers' idle time is wished for, if it is.
    pub(super) fn idle(&self) -> Option<&IdleList> {
        self.idle.is_on().then_some(&self.idle)
    }

    /// Says that there are new wishes: a worker that rests takes one up.
    pub(super) fn wake_for_wishes(&self) {
        // A worker looks for wishes and goes to sleep under this lock: one that looked before they
        // came is asleep by now.
        drop(self.lock());
        self.work_came.notify_all();
    }

    /// Takes no more work, and tells those who wait that their turn never comes.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let waiting: Vec<Order> = state.interactive.drain().chain(state.batch.drain()).collect();
        state.wanted = 0;
        state.idle_runs.iter().for_each(|run| run.stop.stop());
        self.idle.clear();
        self.tell_load(&state);
        drop(state);
        self.work_came.notify_all();
        for order in waiting {
            order.job.run(Turn::Never(AnalysisError::shutting_down()));
        }
    }

    /// How many of the same lane have their turn before this place; `None` for one who has his turn
    /// or has left.
    pub(super) fn position(&self, place: Place) -> Option<usize> {
        let state = self.lock();
        state.lane(place.class).before(place.stamp)?.checked_sub(state.due().of(place.class))
    }

    /// Changes whenever somebody comes, gets his turn or leaves.
    pub(super) fn load(&self) -> watch::Receiver<usize> {
        self.load.subscribe()
    }

    /// How many wait for a worker.
    #[cfg(test)]
    fn length(&self) -> usize {
        let state = self.lock();
        state.length() - state.due().jobs()
    }

    /// How many of a class wait for a worker.
    pub(super) fn length_of(&self, class: Class) -> usize {
        let state = self.lock();
        state.lane(class).len() - state.due().of(class)
    }

    /// How many workers are busy.
    pub(super) fn running(&self) -> usize {
        let state = self.lock();
        self.workers - state.free + state.due().places
    }

    /// How many of each class may wait.
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Resolves when nothing waits or runs.
    pub(super) async fn empty(&self) {
        // The sender lives in `self`, so that the only error, its end, cannot come.
        let _ = self.load.subscribe().wait_for(|&load| load == 0).await;
    }

    /// What somebody of this class is told who has waited so long and long enough.
    pub(super) fn late(&self, class: Class, waited: Duration) -> AnalysisError {
        self.turnstile(class).late.fetch_add(1, Ordering::Relaxed);
        let state = self.lock();
        // By then those who wait will have been worked off.
        AnalysisError::Deadline { waited, retry_after: self.retry_after(&state, &state.due()) }
    }

    /// What became of those who waited so far.
    pub(super) fn turns(&self) -> Turns {
        Turns {
            interactive: self.turnstile(Class::Interactive).counts(),
            batch: self.turnstile(Class::Batch).counts(),
            idle_waits: self.idle_waits.counts(),
        }
    }

    /// What to do for nobody yet, where that is in nobody's way. Of several workers one rests: what
    /// needs no search, such as answers from memory, then finds a processor free.
    fn take_idle(&self, state: &mut State) -> Option<(Wish, IdleRun)> {
        let is_enough = state.idle_runs.len() >= self.workers.saturating_sub(1).max(1);
        // Whoever is due wants more workers than this one: it stays free for that.
        if is_enough || state.length() > 0 {
            return None;
        }
        let wish = self.idle.take()?;
        self.idle_waits.note(wish.came.elapsed());
        Some((wish, state.begin_idle_run()))
    }

    fn turnstile(&self, class: Class) -> &Turnstile {
        match class {
            Class::Interactive => &self.interactive,
            Class::Batch => &self.batch,
        }
    }

    fn retry_after(&self, state: &State, due: &Due) -> Duration {
        let rounds = (state.wanted - due.places) as f64 / self.workers as f64;
        Duration::from_secs_f64((rounds * state.mean_seconds).clamp(1.0, Self::LONGEST_RETRY))
    }

    fn tell_load(&self, state: &State) {
        self.load.send_replace(state.length() + state.running);
    }

    /// No code of others runs under the lock, so that a panic cannot have left it half done.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turnstile {
    fn counts(&self) -> LaneCounts {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        LaneCounts {
            waits: self.waits.counts(),
            refused: count(&self.refused),
            late: count(&self.late),
        }
    }
}

/// Those at the head of the queue who have their turn, though no worker has come for them yet.
#[derive(Default)]
struct Due {
    interactive: usize,
    batch: usize,
    places: usize,
}

impl Due {
    fn jobs(&self) -> usize {
        self.interactive + self.batch
    }

    fn of(&self, class: Class) -> usize {
        match class {
            Class::Interactive => self.interactive,
            Class::Batch => self.batch,
        }
    }
}

impl State {
    fn lane(&self, class: Class) -> &Lane {
        match class {
            Class::Interactive => &self.interactive,
            Class::Batch => &self.batch,
        }
    }

    fn lane_mut(&mut self, class: Class) -> &mut Lane {
        match class {
            Class::Interactive => &mut self.interactive,
            Class::Batch => &mut self.batch,
        }
    }

    fn length(&self) -> usize {
        self.interactive.len() + self.batch.len()
    }

    fn due(&self) -> Due {
        let mut due = Due::default();
        let (mut interactive, mut batch) =
            (self.interactive.orders().peekable(), self.batch.orders().peekable());
        let mut streak = self.streak;
        while let Some(class) =
            next_class(interactive.peek().is_some(), batch.peek().is_some(), streak)
        {
            let (order, jobs) = match class {
                Class::Interactive => (interactive.next(), &mut due.interactive),
                Class::Batch => (batch.next(), &mut due.batch),
            };
            let places = order.map_or(0, Order::places);
            if due.places + places > self.free {
                break;
            }
            *jobs += 1;
            due.places += places;
            streak = streak_after(class, batch.peek().is_some(), streak);
        }
        due
    }

    /// Notes that a free worker does idle work.
    fn begin_idle_run(&mut self) -> IdleRun {
        let run = IdleRun { number: self.idle_begun, stop: Arc::default() };
        self.idle_begun += 1;
        self.idle_runs.push(IdleRun { number: run.number, stop: run.stop.clone() });
        run
    }

    /// Takes back as many workers from idle work as those want who have their turn and find none
    /// that rests.
    fn call_back(&mut self) {
        if self.idle_runs.is_empty() {
            return;
        }
        let wanted = self.due().places;
        let at_work = self.idle_runs.iter().filter(|run| !run.stop.is_stopped());
        let resting = self.free.saturating_sub(at_work.clone().count());
        at_work.take(wanted.saturating_sub(resting)).for_each(|run| run.stop.stop());
    }

    /// The first one, if there are enough workers for it, and its class.
    fn take(&mut self) -> Option<(Class, Order)> {
        let class = next_class(self.interactive.len() > 0, self.batch.len() > 0, self.streak)?;
        self.lane(class).orders().next().filter(|order| order.places <= self.free)?;
        let order = self.lane_mut(class).pop()?;
        self.streak = streak_after(class, self.batch.len() > 0, self.streak);
        self.free -= order.places;
        self.wanted -= order.places;
        self.running += 1;
        Some((class, order))
    }
}

/// The lane whose turn is next.
fn next_class(interactive: bool, batch: bool, streak: usize) -> Option<Class> {
    match (interactive, batch) {
        (false, false) => None,
        (true, false) => Some(Class::Interactive),
        (false, true) => Some(Class::Batch),
        (true, true) => Some(if streak >= STREAK { Class::Batch } else { Class::Interactive }),
    }
}

fn streak_after(class: Class, batch_waits: bool, streak: usize) -> usize {
    if class == Class::Interactive && batch_waits { streak + 1 } else { 0 }
}

#[cfg(test)]
mod tests;
