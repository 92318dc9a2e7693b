//! The queue before the workers: bounded, fair between clients, and open to cancellation.
//!
//! Each priority class has its own queue. A task that needs several workers gets all of them at
//! once, so that no two tasks each hold a part of what the other needs. No task overtakes the next
//! one, so that a stream of small tasks cannot delay a large one: workers that become free stay
//! free until there are enough of them for it.

mod batch_waiters;
mod class_queue;
mod speculation;
mod task;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::futures::Notified;
use tokio::sync::{Notify, watch};

use self::batch_waiters::BatchWaiters;
use self::class_queue::ClassQueue;
pub(super) use self::speculation::{Candidate, SpeculativeQueue};
pub(super) use self::task::{
    Admission, Evicted, QueuePlace, QueuedTask, Refused, Submitter, Task, TaskBody,
};
use super::answer::AnalysisError;
use super::counters::{ClassCounts, QueueCounts};
use super::duration_histogram::DurationHistogram;
use super::request::PriorityClass;
use super::session::Client;
use crate::engine::StopFlag;

/// What a worker does next.
pub(super) enum Work {
    /// A client's task.
    Task(QueuedTask),
    /// A speculative search, which any task preempts.
    Speculative(Candidate, SpeculativeRun),
}

/// A running speculative search. The worker ends it with [`Queue::finish_speculation`].
#[derive(Debug)]
pub(super) struct SpeculativeRun {
    id: u64,
    /// Set when a task needs the worker.
    pub(super) stop: Arc<StopFlag>,
}

/// A client's wait for a place in the batch class.
///
/// Each place wakes one waiter of the client with the fewest waiting tasks. The waiter enables
/// [`BatchWaiter::woken`], tries [`Queue::push`], and awaits the future if the class was full. So
/// it misses no place that becomes free in between. It is dropped after the attempt that took a
/// place or needed none; then the next waiter is woken if another task would be accepted.
pub(super) struct BatchWaiter<'a> {
    queue: &'a Queue,
    client: Client,
    notify: Arc<Notify>,
}

impl BatchWaiter<'_> {
    /// Resolves when a task of the client may be accepted, or the queue is closed.
    pub(super) fn woken(&self) -> Notified<'_> {
        self.notify.notified()
    }
}

impl Drop for BatchWaiter<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        state.batch_waiters.remove(&self.client);
        self.queue.wake_batch_waiter(&mut state);
    }
}

/// The queue, with the count of the workers that serve it.
pub(super) struct Queue {
    state: Mutex<State>,
    work_available: Condvar,
    /// How many tasks wait or run.
    load: watch::Sender<usize>,
    interactive_stats: ClassStats,
    batch_stats: ClassStats,
    workers: usize,
    capacity: usize,
    speculative_queue: SpeculativeQueue,
    /// How long candidates waited.
    speculative_waits: DurationHistogram,
}

/// Waits and refusals of one class.
#[derive(Debug, Default)]
struct ClassStats {
    waits: DurationHistogram,
    rejected: AtomicU64,
    timed_out: AtomicU64,
}

struct State {
    interactive: ClassQueue,
    batch: ClassQueue,
    batch_waiters: BatchWaiters,
    /// How many interactive tasks have started in a row while batch tasks waited.
    interactive_streak: usize,
    /// The workers that all waiting tasks need, added up.
    wanted_workers: usize,
    /// Tasks that run.
    running_tasks: usize,
    /// Workers without a task, including those that search speculatively.
    free_workers: usize,
    speculative_runs: Vec<SpeculativeRun>,
    next_run_id: u64,
    closed: bool,
    /// Mean run time of a task in seconds, weighted to the latest; a guess before the first.
    mean_task_seconds: f64,
}

/// After this many interactive tasks in a row a batch task runs.
const MAX_INTERACTIVE_STREAK: usize = 4;

impl Queue {
    /// The longest retry time that a client is given.
    const MAX_RETRY_SECONDS: f64 = 60.0;

    /// A queue for this many workers. While all workers are busy, `capacity` tasks of each class
    /// and `max_candidates` candidates for speculative search may wait.
    pub(super) fn new(workers: usize, capacity: usize, max_candidates: usize) -> Queue {
        let state = State {
            interactive: ClassQueue::default(),
            batch: ClassQueue::default(),
            batch_waiters: BatchWaiters::default(),
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

    /// Queues a task. In a full class the newest task of the client with the most waiting tasks is
    /// evicted, unless that is the new task. The caller rejects the evicted task once it holds no
    /// lock that the rejection may need.
    ///
    /// # Errors
    /// A full class, or a closed queue. Both give the task back.
    pub(super) fn push(
        &self,
        submitter: Submitter,
        task: Task,
    ) -> Result<(QueuePlace, Evicted), Refused> {
        let Submitter { client, class, workers } = submitter;
        let needed_workers = workers.clamp(1, self.workers);
        let mut state = self.lock();
        if state.closed {
            return Err(Refused { error: AnalysisError::shutting_down(), task });
        }
        let runnable = state.runnable();
        let mut evicted = None;
        if !self.has_place(&state, &runnable, class, needed_workers) {
            let error = AnalysisError::QueueFull {
                length: state.waiting(&runnable, class),
                retry_after: self.retry_after(&state, &runnable),
            };
            // Either the new task or an older one is rejected.
            self.class_stats(class).rejected.fetch_add(1, Ordering::Relaxed);
            let Some(queued) = state.class_queue_mut(class).evict_newest(&client) else {
                return Err(Refused { error, task });
            };
            state.wanted_workers -= queued.workers;
            evicted = Some((queued.task, error));
        }
        state.wanted_workers += needed_workers;
        let start_tag =
            state.class_queue_mut(class).push(QueuedTask::new(client, needed_workers, task));
        state.preempt_speculation();
        self.publish_change(&mut state);
        drop(state);
        self.work_available.notify_one();
        Ok((QueuePlace { class, start_tag }, Evicted(evicted)))
    }

    /// Removes a task that has not started. It never runs.
    pub(super) fn remove(&self, place: QueuePlace) {
        let mut state = self.lock();
        let queued = state.class_queue_mut(place.class).remove(place.start_tag);
        state.wanted_workers -= queued.as_ref().map_or(0, |queued| queued.workers);
        state.preempt_speculation();
        self.publish_change(&mut state);
        drop(state);
        // The task behind it may need no more workers than are free.
        self.work_available.notify_one();
        // The task is dropped without any lock held.
        drop(queued);
    }

    /// Moves a waiting task to a more urgent class for a client that joins it.
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
        self.wake_batch_waiter(&mut state);
        drop(state);
        self.work_available.notify_one();
        QueuePlace { class, start_tag }
    }

    /// Waits for work; `None` once the queue is closed and empty. Blocks a worker thread. The
    /// worker reports the end of the work with [`Queue::finish_task`] or
    /// [`Queue::finish_speculation`].
    pub(super) fn next_work(&self) -> Option<Work> {
        let mut state = self.lock();
        loop {
            if let Some((class, queued)) = state.take_task() {
                self.publish_change(&mut state);
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

    /// Ends a task that took this many workers and this long. The worker then calls
    /// [`Queue::next_work`].
    pub(super) fn finish_task(&self, workers: usize, elapsed: Duration) {
        let mut state = self.lock();
        state.running_tasks -= 1;
        state.free_workers += workers;
        state.preempt_speculation();
        state.mean_task_seconds += (elapsed.as_secs_f64() - state.mean_task_seconds) / 8.0;
        self.publish_change(&mut state);
    }

    /// Ends a speculative search; a preempted candidate is queued again. The worker then calls
    /// [`Queue::next_work`].
    pub(super) fn finish_speculation(&self, candidate: Candidate, run: &SpeculativeRun) {
        let mut state = self.lock();
        state.speculative_runs.retain(|other| other.id != run.id);
        let is_closed = state.closed;
        drop(state);
        if run.stop.is_stopped() && !is_closed {
            self.speculative_queue.put_back(candidate);
        }
    }

    /// The candidates for speculative search; `None` if it is disabled.
    pub(super) fn speculative_queue(&self) -> Option<&SpeculativeQueue> {
        self.speculative_queue.is_enabled().then_some(&self.speculative_queue)
    }

    /// Wakes the idle workers for new candidates.
    pub(super) fn wake_for_candidates(&self) {
        // A worker looks for candidates and falls asleep under this lock. So a worker that looked
        // before the candidates came is asleep once the lock is free.
        drop(self.lock());
        self.work_available.notify_all();
    }

    /// Closes the queue: it accepts no more tasks, and rejects those that wait.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let waiting: Vec<QueuedTask> =
            state.interactive.drain().chain(state.batch.drain()).collect();
        state.wanted_workers = 0;
        state.speculative_runs.iter().for_each(|run| run.stop.stop());
        self.speculative_queue.clear();
        self.publish_change(&mut state);
        state.batch_waiters.wake_all();
        drop(state);
        self.work_available.notify_all();
        for queued in waiting {
            queued.task.run(Admission::Rejected(AnalysisError::shutting_down()));
        }
    }

    /// How many tasks of the same class run before this one; `None` for a task that runs or was
    /// removed.
    pub(super) fn tasks_ahead(&self, place: QueuePlace) -> Option<usize> {
        let state = self.lock();
        state
            .class_queue(place.class)
            .tasks_before(place.start_tag)?
            .checked_sub(state.runnable().count(place.class))
    }

    /// Changes when a task comes, starts, ends or is removed.
    pub(super) fn watch_load(&self) -> watch::Receiver<usize> {
        self.load.subscribe()
    }

    /// Registers a waiter for a place in the batch class.
    pub(super) fn batch_waiter(&self, client: &Client) -> BatchWaiter<'_> {
        let notify = self.lock().batch_waiters.add(client);
        BatchWaiter { queue: self, client: client.clone(), notify }
    }

    /// How many tasks wait for a worker.
    #[cfg(test)]
    fn length(&self) -> usize {
        let state = self.lock();
        state.length() - state.runnable().tasks()
    }

    /// How many tasks of a class wait for a worker.
    pub(super) fn length_of(&self, class: PriorityClass) -> usize {
        let state = self.lock();
        state.waiting(&state.runnable(), class)
    }

    /// How many workers are busy.
    pub(super) fn busy_workers(&self) -> usize {
        let state = self.lock();
        self.workers - state.free_workers + state.runnable().workers
    }

    /// How many tasks of each class may wait.
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Resolves when no task waits or runs.
    pub(super) async fn wait_until_idle(&self) {
        // The only error is the end of the sender, which lives in `self`.
        let _ = self.load.subscribe().wait_for(|&load| load == 0).await;
    }

    /// Counts a task that waited too long, and returns its error.
    pub(super) fn time_out(&self, class: PriorityClass, waited: Duration) -> AnalysisError {
        self.class_stats(class).timed_out.fetch_add(1, Ordering::Relaxed);
        let state = self.lock();
        AnalysisError::Deadline { waited, retry_after: self.retry_after(&state, &state.runnable()) }
    }

    /// Waits and refusals since the start.
    pub(super) fn counts(&self) -> QueueCounts {
        QueueCounts {
            interactive: self.class_stats(PriorityClass::Interactive).counts(),
            batch: self.class_stats(PriorityClass::Batch).counts(),
            speculative_waits: self.speculative_waits.snapshot(),
        }
    }

    /// Takes a candidate for a speculative search if that delays no task. Of several workers one
    /// stays idle, so that requests without a search, such as cache hits, find a core free.
    fn take_candidate(&self, state: &mut State) -> Option<(Candidate, SpeculativeRun)> {
        let is_at_limit = state.speculative_runs.len() >= self.workers.saturating_sub(1).max(1);
        // A waiting task needs more workers than this one, which stays free for it.
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

    /// `true` if a new task that needs this many workers has a place without an eviction: because
    /// it starts at once, or because its class is not full.
    fn has_place(
        &self,
        state: &State,
        runnable: &Runnable,
        class: PriorityClass,
        needed_workers: usize,
    ) -> bool {
        let starts_at_once = state.length() == runnable.tasks()
            && needed_workers <= state.free_workers - runnable.workers;
        starts_at_once || state.waiting(runnable, class) < self.capacity
    }

    /// The time in which the workers finish all waiting tasks.
    fn retry_after(&self, state: &State, runnable: &Runnable) -> Duration {
        let rounds = (state.wanted_workers - runnable.workers) as f64 / self.workers as f64;
        Duration::from_secs_f64(
            (rounds * state.mean_task_seconds).clamp(1.0, Self::MAX_RETRY_SECONDS),
        )
    }

    /// Publishes a change of the waiting and running tasks.
    fn publish_change(&self, state: &mut State) {
        self.load.send_replace(state.length() + state.running_tasks);
        self.wake_batch_waiter(state);
    }

    /// Wakes the next waiter for a batch place if a task of its client would be accepted now.
    fn wake_batch_waiter(&self, state: &mut State) {
        let next = state.batch_waiters.next_client(|client| state.batch.tasks_of(client));
        if let Some(client) = next
            && (self.has_place(state, &state.runnable(), PriorityClass::Batch, 1)
                || state.batch.evictable_client(&client).is_some())
        {
            state.batch_waiters.wake(&client);
        }
    }

    /// Locks the state. No foreign code runs under the lock, so a panic cannot leave the state
    /// inconsistent.
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

/// The tasks at the head of the queue for which there are enough free workers, though no worker has
/// taken them yet.
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

    /// How many tasks of a class wait for a worker.
    fn waiting(&self, runnable: &Runnable, class: PriorityClass) -> usize {
        self.class_queue(class).len() - runnable.count(class)
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

    /// Registers a speculative search of a free worker.
    fn start_speculation(&mut self) -> SpeculativeRun {
        let run = SpeculativeRun { id: self.next_run_id, stop: Arc::default() };
        self.next_run_id += 1;
        self.speculative_runs.push(SpeculativeRun { id: run.id, stop: run.stop.clone() });
        run
    }

    /// Stops enough speculative searches to cover the workers that runnable tasks need and idle
    /// workers cannot supply.
    fn preempt_speculation(&mut self) {
        if self.speculative_runs.is_empty() {
            return;
        }
        let wanted = self.runnable().workers;
        let active = self.speculative_runs.iter().filter(|run| !run.stop.is_stopped());
        let idle_workers = self.free_workers.saturating_sub(active.clone().count());
        active.take(wanted.saturating_sub(idle_workers)).for_each(|run| run.stop.stop());
    }

    /// Takes the next task, with its class, if enough workers are free for it.
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

/// The class of the next task.
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
