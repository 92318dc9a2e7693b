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

use super::class_queue::{ClassQueue, StartTag};
use super::session::Client;
use super::speculation::{Candidate, SpeculativeQueue};
use super::{AnalysisError, ClassCounts, DurationHistogram, QueueCounts};
use crate::engine::StopFlag;

/// How soon an answer is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PriorityClass {
    /// Somebody waits for it.
    Interactive,
    /// It is one of many.
    Batch,
}

/// Whether a piece of work has its turn, or why it never has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    Admitted,
    Rejected(AnalysisError),
}

/// A piece of blocking work, with the span of the request that brought it.
pub(super) struct Task {
    span: Span,
    pub(super) work: Box<dyn FnOnce(Admission) + Send>,
}

impl Task {
    /// Work in the span of the caller.
    pub(super) fn new(work: impl FnOnce(Admission) + Send + 'static) -> Task {
        Task { span: Span::current(), work: Box::new(work) }
    }

    /// Does it, or tells it that it never will be.
    pub(super) fn run(self, admission: Admission) {
        let Task { span, work } = self;
        span.in_scope(|| work(admission));
    }
}

/// A place in the queue, with which its holder can leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QueuePlace {
    class: PriorityClass,
    start_tag: StartTag,
}

impl QueuePlace {
    /// How soon the answer is wanted.
    pub(super) fn class(self) -> PriorityClass {
        self.class
    }
}

/// A client's job that wants so many workers' places.
pub(super) struct QueuedTask {
    client: Client,
    workers: usize,
    queued_at: Instant,
    pub(super) task: Task,
}

impl QueuedTask {
    /// One that comes now.
    pub(super) fn new(client: Client, workers: usize, task: Task) -> QueuedTask {
        QueuedTask { client, workers, queued_at: Instant::now(), task }
    }

    /// How many workers it wants.
    pub(super) fn workers(&self) -> usize {
        self.workers
    }

    /// Whose it is.
    pub(super) fn client(&self) -> &Client {
        &self.client
    }
}

/// A job that had to give way, if one had.
#[must_use = "whoever waits for it has to be told"]
pub(super) struct Evicted(Option<(Task, AnalysisError)>);

impl Evicted {
    /// Tells it that its turn never comes.
    pub(super) fn reject(self) {
        if let Some((task, error)) = self.0 {
            task.run(Admission::Rejected(error));
        }
    }
}

/// What a worker does next.
pub(super) enum Work {
    /// Somebody waits for it.
    Task(QueuedTask),
    /// Nobody does: it is given up as soon as somebody comes.
    Speculative(Candidate, SpeculativeRun),
}

/// A worker's hold on idle work. It says when it has [`rested`](Queue::rested).
#[derive(Debug)]
pub(super) struct SpeculativeRun {
    id: u64,
    /// Set when a real request wants the worker.
    pub(super) stop: Arc<StopFlag>,
}

/// Who comes to the queue, and with what.
#[derive(Clone, Debug)]
pub(super) struct Submitter {
    pub(super) client: Client,
    pub(super) class: PriorityClass,
    /// How many workers the job keeps busy: at least one, and at most all of them.
    pub(super) workers: usize,
}

/// The queue and the count of those who work on what comes out of it.
pub(super) struct Queue {
    state: Mutex<State>,
    work_available: Condvar,
    /// How many jobs wait or run.
    load: watch::Sender<usize>,
    interactive_stats: ClassStats,
    batch_stats: ClassStats,
    workers: usize,
    capacity: usize,
    speculative_queue: SpeculativeQueue,
    /// How long wishes waited.
    speculative_waits: DurationHistogram,
}

/// What became of those who waited in one lane.
#[derive(Debug, Default)]
struct ClassStats {
    waits: DurationHistogram,
    rejected: AtomicU64,
    timed_out: AtomicU64,
}

struct State {
    interactive: ClassQueue,
    batch: ClassQueue,
    /// How many interactive jobs have had their turn while batch jobs waited.
    interactive_streak: usize,
    /// The workers that all who wait want, added up.
    wanted_workers: usize,
    /// Jobs that run.
    running_tasks: usize,
    /// Workers that no running job has; those at idle work among them.
    free_workers: usize,
    speculative_runs: Vec<SpeculativeRun>,
    next_run_id: u64,
    closed: bool,
    /// Mean time of a job in seconds, the last ones weighing most; a guess before the first.
    mean_task_seconds: f64,
}

/// After so many interactive jobs a batch job has its turn.
const MAX_INTERACTIVE_STREAK: usize = 4;

impl Queue {
    /// Nobody is told to come back later than this.
    const MAX_RETRY_SECONDS: f64 = 60.0;

    /// For so many workers; so many of each class may wait while all of them are busy, and so many
    /// wishes for their idle time.
    pub(super) fn new(workers: usize, capacity: usize, max_candidates: usize) -> Queue {
        let state = State {
            interactive: ClassQueue::default(),
            batch: ClassQueue::default(),
            interactive_streak: 0,
            wanted_workers: 0,
            running_tasks: 0,
            free_workers: workers,
            speculative_runs: Vec::with_capacity(workers),
            next_run_id: 0,
            closed: false,
            mean_task_seconds: 1.0,
        };
        Queue {
            state: Mutex::new(state),
            work_available: Condvar::new(),
            load: watch::Sender::new(0),
            interactive_stats: ClassStats::default(),
            batch_stats: ClassStats::default(),
            workers,
            capacity,
            speculative_queue: SpeculativeQueue::new(max_candidates),
            speculative_waits: DurationHistogram::default(),
        }
    }

    /// Takes a place, unless all are taken or the service ends: then the job is not even made. In a
    /// full lane the newest job of the client that has the most waiting gives way, unless that is
    /// the comer himself; it is for the caller to tell it so, once he holds no lock that it may
    /// want.
    pub(super) fn push(
        &self,
        submitter: Submitter,
        make_task: impl FnOnce() -> Task,
    ) -> Result<(QueuePlace, Evicted), AnalysisError> {
        let Submitter { client, class, workers } = submitter;
        let needed_workers = workers.clamp(1, self.workers);
        let mut state = self.lock();
        if state.closed {
            return Err(AnalysisError::shutting_down());
        }
        let runnable = state.runnable();
        let length = state.class_queue(class).len() - runnable.count(class);
        let starts_at_once = state.length() == runnable.tasks()
            && needed_workers <= state.free_workers - runnable.workers;
        let mut evicted = None;
        if !starts_at_once && length >= self.capacity {
            let error = AnalysisError::QueueFull {
                length,
                retry_after: self.retry_after(&state, &runnable),
            };
            // Whoever it is that goes.
            self.class_stats(class).rejected.fetch_add(1, Ordering::Relaxed);
            let Some(queued) = state.class_queue_mut(class).evict_newest(&client) else {
                return Err(error);
            };
            state.wanted_workers -= queued.workers;
            evicted = Some((queued.task, error));
        }
        state.wanted_workers += needed_workers;
        let start_tag =
            state.class_queue_mut(class).push(QueuedTask::new(client, needed_workers, make_task()));
        state.preempt_speculation();
        self.publish_load(&state);
        drop(state);
        self.work_available.notify_one();
        Ok((QueuePlace { class, start_tag }, Evicted(evicted)))
    }

    /// Gives a place back. Its work will not be done, if it has not begun.
    pub(super) fn remove(&self, place: QueuePlace) {
        let mut state = self.lock();
        let queued = state.class_queue_mut(place.class).remove(place.start_tag);
        state.wanted_workers -= queued.as_ref().map_or(0, |order| order.workers);
        state.preempt_speculation();
        self.publish_load(&state);
        drop(state);
        // Whoever stood behind may want no more than what is free.
        self.work_available.notify_one();
        // What the job owns goes only now, with nothing locked.
        drop(queued);
    }

    /// Somebody waits now for a job that stands in a slower lane: it changes over, if it has not
    /// begun.
    pub(super) fn promote(
        &self,
        place: QueuePlace,
        class: PriorityClass,
        client: &Client,
    ) -> QueuePlace {
        let mut state = self.lock();
        if class >= place.class {
            return place;
        }
        let Some(queued) = state.class_queue_mut(place.class).remove(place.start_tag) else {
            return place;
        };
        let start_tag =
            state.class_queue_mut(class).push(QueuedTask { client: client.clone(), ..queued });
        state.preempt_speculation();
        drop(state);
        self.work_available.notify_one();
        QueuePlace { class, start_tag }
    }

    /// Waits for work; `None` when there will be none any more. Blocks: for worker threads, each of
    /// which says when it has
    /// [`finished`](Queue::finished) or has [`rested`](Queue::rested).
    pub(super) fn next_work(&self) -> Option<Work> {
        let mut state = self.lock();
        loop {
            if let Some((class, queued)) = state.take_task() {
                self.publish_load(&state);
                let has_more_work =
                    state.runnable().tasks() > 0 || self.speculative_queue.len() > 0;
                drop(state);
                self.class_stats(class).waits.record(queued.queued_at.elapsed());
                if has_more_work {
                    self.work_available.notify_one();
                }
                return Some(Work::Task(queued));
            }
            if state.closed {
                return None;
            }
            if let Some((candidate, run)) = self.take_candidate(&mut state) {
                return Some(Work::Speculative(candidate, run));
            }
            state = self.work_available.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Says that work for so many workers is done, after so long. Whoever says so comes for the
    /// [`next`](Queue::next).
    pub(super) fn finish_task(&self, workers: usize, elapsed: Duration) {
        let mut state = self.lock();
        state.running_tasks -= 1;
        state.free_workers += workers;
        state.preempt_speculation();
        state.mean_task_seconds += (elapsed.as_secs_f64() - state.mean_task_seconds) / 8.0;
        self.publish_load(&state);
    }

    /// Says that idle work is over; what a real request has cut short is wished for again. Whoever
    /// says so comes for the
    /// [`next`](Queue::next).
    pub(super) fn finish_speculation(&self, candidate: Candidate, run: &SpeculativeRun) {
        let mut state = self.lock();
        state.speculative_runs.retain(|other| other.id != run.id);
        let is_closed = state.closed;
        drop(state);
        if run.stop.is_stopped() && !is_closed {
            self.speculative_queue.put_back(candidate);
        }
    }

    /// What the workers' idle time is wished for, if it is.
    pub(super) fn speculative_queue(&self) -> Option<&SpeculativeQueue> {
        self.speculative_queue.is_enabled().then_some(&self.speculative_queue)
    }

    /// Says that there are new wishes: a worker that rests takes one up.
    pub(super) fn wake_for_candidates(&self) {
        // A worker looks for wishes and goes to sleep under this lock: one that looked before they
        // came is asleep by now.
        drop(self.lock());
        self.work_available.notify_all();
    }

    /// Takes no more work, and tells those who wait that their turn never comes.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let waiting: Vec<QueuedTask> =
            state.interactive.drain().chain(state.batch.drain()).collect();
        state.wanted_workers = 0;
        state.speculative_runs.iter().for_each(|run| run.stop.stop());
        self.speculative_queue.clear();
        self.publish_load(&state);
        drop(state);
        self.work_available.notify_all();
        for queued in waiting {
            queued.task.run(Admission::Rejected(AnalysisError::shutting_down()));
        }
    }

    /// How many of the same lane have their turn before this place; `None` for one who has his turn
    /// or has left.
    pub(super) fn tasks_ahead(&self, place: QueuePlace) -> Option<usize> {
        let state = self.lock();
        state
            .class_queue(place.class)
            .tasks_before(place.start_tag)?
            .checked_sub(state.runnable().count(place.class))
    }

    /// Changes whenever somebody comes, gets his turn or leaves.
    pub(super) fn watch_load(&self) -> watch::Receiver<usize> {
        self.load.subscribe()
    }

    /// How many wait for a worker.
    #[cfg(test)]
    fn length(&self) -> usize {
        let state = self.lock();
        state.length() - state.runnable().tasks()
    }

    /// How many of a class wait for a worker.
    pub(super) fn length_of(&self, class: PriorityClass) -> usize {
        let state = self.lock();
        state.class_queue(class).len() - state.runnable().count(class)
    }

    /// How many workers are busy.
    pub(super) fn busy_workers(&self) -> usize {
        let state = self.lock();
        self.workers - state.free_workers + state.runnable().workers
    }

    /// How many of each class may wait.
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Resolves when nothing waits or runs.
    pub(super) async fn wait_until_idle(&self) {
        // The sender lives in `self`, so that the only error, its end, cannot come.
        let _ = self.load.subscribe().wait_for(|&load| load == 0).await;
    }

    /// What somebody of this class is told who has waited so long and long enough.
    pub(super) fn time_out(&self, class: PriorityClass, waited: Duration) -> AnalysisError {
        self.class_stats(class).timed_out.fetch_add(1, Ordering::Relaxed);
        let state = self.lock();
        // By then those who wait will have been worked off.
        AnalysisError::Deadline { waited, retry_after: self.retry_after(&state, &state.runnable()) }
    }

    /// What became of those who waited so far.
    pub(super) fn counts(&self) -> QueueCounts {
        QueueCounts {
            interactive: self.class_stats(PriorityClass::Interactive).counts(),
            batch: self.class_stats(PriorityClass::Batch).counts(),
            speculative_waits: self.speculative_waits.snapshot(),
        }
    }

    /// What to do for nobody yet, where that is in nobody's way. Of several workers one rests: what
    /// needs no search, such as answers from memory, then finds a processor free.
    fn take_candidate(&self, state: &mut State) -> Option<(Candidate, SpeculativeRun)> {
        let is_at_limit = state.speculative_runs.len() >= self.workers.saturating_sub(1).max(1);
        // Whoever is due wants more workers than this one: it stays free for that.
        if is_at_limit || state.length() > 0 {
            return None;
        }
        let candidate = self.speculative_queue.pop()?;
        self.speculative_waits.record(candidate.queued_at.elapsed());
        Some((candidate, state.start_speculation()))
    }

    fn class_stats(&self, class: PriorityClass) -> &ClassStats {
        match class {
            PriorityClass::Interactive => &self.interactive_stats,
            PriorityClass::Batch => &self.batch_stats,
        }
    }

    fn retry_after(&self, state: &State, runnable: &Runnable) -> Duration {
        let rounds = (state.wanted_workers - runnable.workers) as f64 / self.workers as f64;
        Duration::from_secs_f64(
            (rounds * state.mean_task_seconds).clamp(1.0, Self::MAX_RETRY_SECONDS),
        )
    }

    fn publish_load(&self, state: &State) {
        self.load.send_replace(state.length() + state.running_tasks);
    }

    /// No code of others runs under the lock, so that a panic cannot have left it half done.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClassStats {
    fn counts(&self) -> ClassCounts {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        ClassCounts {
            waits: self.waits.snapshot(),
            rejected: count(&self.rejected),
            timed_out: count(&self.timed_out),
        }
    }
}

/// Those at the head of the queue who have their turn, though no worker has come for them yet.
#[derive(Default)]
struct Runnable {
    interactive: usize,
    batch: usize,
    workers: usize,
}

impl Runnable {
    fn tasks(&self) -> usize {
        self.interactive + self.batch
    }

    fn count(&self, class: PriorityClass) -> usize {
        match class {
            PriorityClass::Interactive => self.interactive,
            PriorityClass::Batch => self.batch,
        }
    }
}

impl State {
    fn class_queue(&self, class: PriorityClass) -> &ClassQueue {
        match class {
            PriorityClass::Interactive => &self.interactive,
            PriorityClass::Batch => &self.batch,
        }
    }

    fn class_queue_mut(&mut self, class: PriorityClass) -> &mut ClassQueue {
        match class {
            PriorityClass::Interactive => &mut self.interactive,
            PriorityClass::Batch => &mut self.batch,
        }
    }

    fn length(&self) -> usize {
        self.interactive.len() + self.batch.len()
    }

    fn runnable(&self) -> Runnable {
        let mut runnable = Runnable::default();
        let (mut interactive, mut batch) =
            (self.interactive.tasks().peekable(), self.batch.tasks().peekable());
        let mut streak = self.interactive_streak;
        while let Some(class) =
            next_class(interactive.peek().is_some(), batch.peek().is_some(), streak)
        {
            let (queued, tasks) = match class {
                PriorityClass::Interactive => (interactive.next(), &mut runnable.interactive),
                PriorityClass::Batch => (batch.next(), &mut runnable.batch),
            };
            let workers = queued.map_or(0, QueuedTask::workers);
            if runnable.workers + workers > self.free_workers {
                break;
            }
            *tasks += 1;
            runnable.workers += workers;
            streak = streak_after(class, batch.peek().is_some(), streak);
        }
        runnable
    }

    /// Notes that a free worker does idle work.
    fn start_speculation(&mut self) -> SpeculativeRun {
        let run = SpeculativeRun { id: self.next_run_id, stop: Arc::default() };
        self.next_run_id += 1;
        self.speculative_runs.push(SpeculativeRun { id: run.id, stop: run.stop.clone() });
        run
    }

    /// Takes back as many workers from idle work as those want who have their turn and find none
    /// that rests.
    fn preempt_speculation(&mut self) {
        if self.speculative_runs.is_empty() {
            return;
        }
        let wanted = self.runnable().workers;
        let active = self.speculative_runs.iter().filter(|run| !run.stop.is_stopped());
        let idle_workers = self.free_workers.saturating_sub(active.clone().count());
        active.take(wanted.saturating_sub(idle_workers)).for_each(|run| run.stop.stop());
    }

    /// The first one, if there are enough workers for it, and its class.
    fn take_task(&mut self) -> Option<(PriorityClass, QueuedTask)> {
        let class =
            next_class(self.interactive.len() > 0, self.batch.len() > 0, self.interactive_streak)?;
        self.class_queue(class)
            .tasks()
            .next()
            .filter(|queued| queued.workers <= self.free_workers)?;
        let queued = self.class_queue_mut(class).pop()?;
        self.interactive_streak =
            streak_after(class, self.batch.len() > 0, self.interactive_streak);
        self.free_workers -= queued.workers;
        self.wanted_workers -= queued.workers;
        self.running_tasks += 1;
        Some((class, queued))
    }
}

/// The lane whose turn is next.
fn next_class(interactive: bool, batch: bool, streak: usize) -> Option<PriorityClass> {
    match (interactive, batch) {
        (false, false) => None,
        (true, false) => Some(PriorityClass::Interactive),
        (false, true) => Some(PriorityClass::Batch),
        (true, true) => Some(if streak >= MAX_INTERACTIVE_STREAK {
            PriorityClass::Batch
        } else {
            PriorityClass::Interactive
        }),
    }
}

fn streak_after(class: PriorityClass, batch_waits: bool, streak: usize) -> usize {
    if class == PriorityClass::Interactive && batch_waits { streak + 1 } else { 0 }
}

#[cfg(test)]
mod tests;
