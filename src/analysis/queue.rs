//! The queue before the workers: bounded, fair between clients, and open to cancellation.
//!
//! Each priority class has its own queue. A task that needs several workers gets all of them at
//! once, so that no two tasks each hold a part of what the other needs. No task overtakes the next
//! one, so that a stream of small tasks cannot delay a large one: workers that become free stay
//! free until there are enough of them for it.
//!
//! A task that has run for a time slice gives way to a task of another client that waits, if its
//! own clients hold more than their share of the workers.

mod batch_waiters;
mod class_queue;
mod clock;
mod control;
mod remote;
mod running;
mod schedule;
mod slices;
mod speculation;
mod state;
mod task;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::futures::Notified;
use tokio::sync::{Notify, watch};

pub(super) use self::control::TaskControl;
pub(super) use self::remote::RemoteTask;
use self::running::RunningTask;
use self::schedule::Runnable;
pub(super) use self::speculation::{Candidate, SpeculativeQueue};
pub(super) use self::state::SpeculativeRun;
use self::state::State;
pub(super) use self::task::{
    Admission, Evicted, LendableBody, Location, Refused, StartedTask, Submitter, Task, TaskBody,
};
use self::task::{QueuedTask, QueuedWork};
use super::answer::AnalysisError;
use super::counters::{ClassCounts, QueueCounts};
use super::duration_histogram::DurationHistogram;
use super::request::PriorityClass;
use super::session::Client;

/// What a worker does next.
pub(super) enum Work {
    /// A client's task.
    Task(StartedTask),
    /// A speculative search, which any task preempts.
    Speculative(Candidate, SpeculativeRun),
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
    /// Wakes the thread that ends time slices.
    slice_check: Condvar,
    /// How many tasks wait or run.
    load: watch::Sender<usize>,
    interactive_stats: ClassStats,
    batch_stats: ClassStats,
    workers: usize,
    capacity: usize,
    /// How long a task runs before it gives way to another client.
    slice: Duration,
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

impl Queue {
    /// The longest retry time that a client is given.
    const MAX_RETRY_SECONDS: f64 = 60.0;

    /// A queue for this many workers. While all workers are busy, `capacity` tasks of each class
    /// and `max_candidates` candidates for speculative search may wait.
    pub(super) fn new(
        workers: usize,
        capacity: usize,
        max_candidates: usize,
        slice: Duration,
    ) -> Queue {
        Queue {
            state: Mutex::new(State::new(workers, capacity, slice)),
            work_available: Condvar::new(),
            slice_check: Condvar::new(),
            load: watch::Sender::new(0),
            interactive_stats: ClassStats::default(),
            batch_stats: ClassStats::default(),
            workers,
            capacity,
            slice,
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
        control: &Arc<TaskControl>,
        task: Task,
    ) -> Result<Evicted, Refused> {
        let class = submitter.class;
        let submitter =
            Submitter { workers: submitter.workers.clamp(1, self.workers), ..submitter };
        let mut state = self.lock();
        if state.closed {
            return Err(Refused { error: AnalysisError::shutting_down(), task });
        }
        let runnable = state.runnable();
        let mut evicted = None;
        if !self.has_place(&state, &runnable, class, submitter.workers) {
            let error = AnalysisError::QueueFull {
                length: state.waiting(&runnable, class),
                retry_after: self.retry_after(&state, &runnable),
            };
            // Either the new task or an older one is rejected.
            self.class_stats(class).rejected.fetch_add(1, Ordering::Relaxed);
            let Some(queued) = state.evict_newest(class, &submitter.client) else {
                return Err(Refused { error, task });
            };
            evicted = Some((queued, error));
        }
        state.enqueue(QueuedTask::new(submitter, control.clone(), QueuedWork::Start(task)));
        state.preempt_speculation();
        self.publish_change(&mut state);
        drop(state);
        self.work_available.notify_one();
        Ok(Evicted(evicted))
    }

    /// Removes a task that has not started, or waits for its restart. It never runs.
    pub(super) fn remove(&self, control: &TaskControl) {
        let mut state = self.lock();
        let queued = state.remove_waiting(control, |queued| !queued.is_paused());
        state.preempt_speculation();
        self.publish_change(&mut state);
        drop(state);
        // The task behind it may need no more workers than are free.
        self.work_available.notify_one();
        // The task is dropped without any lock held.
        drop(queued);
    }

    /// Moves a task to a more urgent class or an earlier place for a client that joins it.
    pub(super) fn promote(&self, control: &TaskControl, class: PriorityClass, client: &Client) {
        let mut state = self.lock();
        state.replace_departed_client(control);
        if let Some(running) = state.running_mut(control) {
            running.submitter.class = running.submitter.class.min(class);
        } else if state.is_earlier_for(control, class, client) {
            state.move_to_client(control, class, client);
        }
        self.publish_clients(state);
    }

    /// Removes a request of a client from a shared task. If the task is that of the client, it
    /// becomes the task of another client that waits for it. Otherwise it would count for the
    /// client that has left.
    pub(super) fn leave(&self, control: &TaskControl, client: &Client) {
        if !control.remove_client(client) {
            return;
        }
        let mut state = self.lock();
        state.replace_departed_client(control);
        self.publish_clients(state);
    }

    /// Publishes that the clients of a task have changed. Their shares change with them, so another
    /// task may be next.
    fn publish_clients(&self, mut state: MutexGuard<'_, State>) {
        state.preempt_speculation();
        self.publish_change(&mut state);
        drop(state);
        self.work_available.notify_one();
    }

    /// Waits for work; `None` once the queue is closed and empty. Blocks a worker thread. The
    /// worker reports the end of the work with [`Queue::finish_task`] or
    /// [`Queue::finish_speculation`].
    pub(super) fn next_work(&self) -> Option<Work> {
        let mut state = self.lock();
        loop {
            if let Some(queued) = state.take_task() {
                if queued.is_new() {
                    let stats = self.class_stats(queued.submitter.class);
                    stats.waits.record(clock::elapsed_since(queued.queued_at));
                }
                let QueuedTask { control, work, .. } = queued;
                control.resume();
                self.publish_change(&mut state);
                match work {
                    QueuedWork::Start(task) | QueuedWork::Restart(task) => {
                        let has_more_work =
                            state.runnable().tasks() > 0 || self.speculative_queue.len() > 0;
                        drop(state);
                        if has_more_work {
                            self.work_available.notify_one();
                        }
                        return Some(Work::Task(StartedTask { control, task }));
                    }
                    // The paused run has a thread of its own.
                    QueuedWork::Continue => continue,
                }
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

    /// Ends a task that has searched for this long. The worker then calls [`Queue::next_work`].
    pub(super) fn finish_task(&self, control: &TaskControl, elapsed: Duration) {
        let mut state = self.lock();
        match state.remove_running(control) {
            Some(running) => state.release(&running),
            // It ended while it was being paused.
            None => drop(state.remove_waiting(control, QueuedTask::is_paused)),
        }
        state.preempt_speculation();
        state.mean_task_seconds += (elapsed.as_secs_f64() - state.mean_task_seconds) / 8.0;
        self.publish_change(&mut state);
    }

    /// Queues the rest of a task whose run has ended for a restart.
    pub(super) fn requeue(&self, control: &Arc<TaskControl>, task: Task) {
        let mut state = self.lock();
        let Some(running) = state.remove_running(control) else { return };
        state.release(&running);
        let queued = QueuedTask::new(running.submitter, control.clone(), QueuedWork::Restart(task));
        if state.closed {
            self.publish_change(&mut state);
            drop(state);
            return queued.reject(AnalysisError::shutting_down());
        }
        if control.is_stopped() {
            // Its last client has left. The task is dropped without any lock held.
            self.publish_change(&mut state);
            drop(state);
            return drop(queued);
        }
        state.enqueue(queued);
        state.preempt_speculation();
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
        let waiting = state.drain();
        for queued in waiting.iter().filter(|queued| queued.is_paused()) {
            // It needs no worker for the moment in which it ends.
            let mut running = RunningTask::new(queued);
            running.submitter.workers = 0;
            state.running.push(running);
        }
        state.speculative_runs.iter().for_each(|run| run.stop.stop());
        self.speculative_queue.clear();
        self.publish_change(&mut state);
        state.batch_waiters.wake_all();
        drop(state);
        self.work_available.notify_all();
        self.slice_check.notify_all();
        for queued in waiting {
            queued.reject(AnalysisError::shutting_down());
        }
    }

    /// How many tasks of the same class run before this one; `None` for a task that runs or was
    /// removed.
    pub(super) fn tasks_ahead(&self, control: &TaskControl) -> Option<usize> {
        let state = self.lock();
        let place = control.place()?;
        state
            .class_queue(place.class)
            .tasks_before(place.start_tag)?
            .checked_sub(state.runnable().count(place.class))
    }

    /// `true` for a task that waits and has not run yet.
    pub(super) fn is_unstarted(&self, control: &TaskControl) -> bool {
        let state = self.lock();
        control.place().is_some_and(|place| {
            let queued = state.class_queue(place.class).get(place.start_tag);
            queued.is_some_and(|queued| !queued.has_run())
        })
    }

    /// `true` while a worker is free and no task waits.
    pub(super) fn has_free_worker(&self) -> bool {
        self.lock().has_free_worker()
    }

    /// Resolves when a worker is free and no task waits.
    pub(super) async fn worker_is_free(&self) {
        let mut load = self.watch_load();
        while !self.has_free_worker() {
            // The sender lives as long as the queue.
            let _ = load.changed().await;
        }
    }

    /// `true` once the queue takes no more tasks.
    pub(super) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// `true` if a task that has not started waits.
    pub(super) fn has_waiting(&self) -> bool {
        let state = self.lock();
        let classes = [PriorityClass::Interactive, PriorityClass::Batch];
        classes.into_iter().any(|class| state.class_queue(class).new_tasks() > 0)
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

    /// How many workers the tasks need that run or wait.
    pub(super) fn demand(&self) -> usize {
        let state = self.lock();
        self.workers - state.free_workers + state.wanted_workers
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
    pub(super) fn time_out(&self, control: &TaskControl, waited: Duration) -> AnalysisError {
        let class = control.place().map_or(PriorityClass::Interactive, |place| place.class);
        self.class_stats(class).timed_out.fetch_add(1, Ordering::Relaxed);
        let state = self.lock();
        let runnable = state.runnable();
        AnalysisError::Deadline { waited, retry_after: self.retry_after(&state, &runnable) }
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
        let speculating = state.speculative_runs.len();
        let is_at_limit = speculating >= self.workers.saturating_sub(1).max(1)
            || speculating >= state.free_workers;
        // A waiting task needs more workers than this one, which stays free for it.
        if is_at_limit || state.length() > 0 {
            return None;
        }
        let candidate = self.speculative_queue.pop()?;
        self.speculative_waits.record(clock::elapsed_since(candidate.queued_at));
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
        self.load.send_replace(state.length() + state.running.len());
        self.wake_batch_waiter(state);
        if state.is_slicer_idle && state.is_blocked() {
            self.slice_check.notify_one();
        }
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

#[cfg(test)]
mod tests;
