//! The one queue before the workers: bounded, first in, first out, and anybody may leave it.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tracing::Span;

use super::AnalysisError;

/// Whether a piece of work has its turn, or the service ends before it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Now,
    Never,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place(u64);

/// The queue and the count of those who work on what comes out of it.
pub(super) struct Queue {
    state: Mutex<State>,
    work_came: Condvar,
    /// How many jobs wait or run.
    load: watch::Sender<usize>,
    workers: usize,
    capacity: usize,
}

struct State {
    waiting: BTreeMap<Place, Job>,
    next_place: u64,
    running: usize,
    closed: bool,
    /// Mean time of a job in seconds, the last ones weighing most; a guess before the first.
    mean_seconds: f64,
}

impl Queue {
    /// Nobody is told to come back later than this.
    const LONGEST_RETRY: f64 = 60.0;

    /// For so many workers; so many may wait while all of them are busy.
    pub(super) fn new(workers: usize, capacity: usize) -> Queue {
        let state = State { waiting: BTreeMap::new(), next_place: 0, running: 0, closed: false, mean_seconds: 1.0 };
        Queue { state: Mutex::new(state), work_came: Condvar::new(), load: watch::Sender::new(0), workers, capacity }
    }

    /// Takes the last place, unless all are taken or the service ends: then the job is not even made.
    pub(super) fn push(&self, job: impl FnOnce() -> Job) -> Result<Place, AnalysisError> {
        let mut state = self.lock();
        if state.closed {
            return Err(AnalysisError::shutting_down());
        }
        if state.load() >= self.workers + self.capacity {
            let length = state.load() - self.workers;
            return Err(AnalysisError::QueueFull { length, retry_after: self.retry_after(&state, length) });
        }
        let place = Place(state.next_place);
        state.next_place += 1;
        state.waiting.insert(place, job());
        self.tell_load(&state);
        drop(state);
        self.work_came.notify_one();
        Ok(place)
    }

    /// Gives a place back. Its work will not be done, if it has not begun.
    pub(super) fn leave(&self, place: Place) {
        let mut state = self.lock();
        let job = state.waiting.remove(&place);
        self.tell_load(&state);
        drop(state);
        // What the job owns goes only now, with nothing locked.
        drop(job);
    }

    /// Waits for work; `None` when there will be none any more. Blocks: for worker threads.
    pub(super) fn next(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if let Some((_, job)) = state.waiting.pop_first() {
                state.running += 1;
                return Some(job);
            }
            if state.closed {
                return None;
            }
            state = self.work_came.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Says that the work that came out last is done, after so long.
    pub(super) fn finished(&self, took: Duration) {
        let mut state = self.lock();
        state.running -= 1;
        state.mean_seconds += (took.as_secs_f64() - state.mean_seconds) / 8.0;
        self.tell_load(&state);
    }

    /// Takes no more work, and tells those who wait that their turn never comes.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let waiting = std::mem::take(&mut state.waiting);
        self.tell_load(&state);
        drop(state);
        self.work_came.notify_all();
        for job in waiting.into_values() {
            job.run(Turn::Never);
        }
    }

    /// How many wait for a worker.
    pub(super) fn length(&self) -> usize {
        self.lock().load().saturating_sub(self.workers)
    }

    /// How many jobs run.
    pub(super) fn running(&self) -> usize {
        self.lock().load().min(self.workers)
    }

    /// How many may wait.
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Resolves when nothing waits or runs.
    pub(super) async fn empty(&self) {
        // The sender lives in `self`, so that the only error, its end, cannot come.
        let _ = self.load.subscribe().wait_for(|&load| load == 0).await;
    }

    fn retry_after(&self, state: &State, length: usize) -> Duration {
        let rounds = length as f64 / self.workers as f64;
        Duration::from_secs_f64((rounds * state.mean_seconds).clamp(1.0, Self::LONGEST_RETRY))
    }

    fn tell_load(&self, state: &State) {
        self.load.send_if_modified(|load| std::mem::replace(load, state.load()) != state.load());
    }

    /// No code of others runs under the lock, so that a panic cannot have left it half done.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn load(&self) -> usize {
        self.waiting.len() + self.running
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(queue: &Queue) -> Duration {
        match queue.push(|| Job::new(|_| ())) {
            Err(AnalysisError::QueueFull { retry_after, .. }) => retry_after,
            other => panic!("{other:?}"),
        }
    }

    fn full_queue(workers: usize, capacity: usize) -> Queue {
        let queue = Queue::new(workers, capacity);
        for _ in 0..workers + capacity {
            queue.push(|| Job::new(|_| ())).unwrap();
        }
        queue
    }

    /// Works one job off that took so long, and fills its place again.
    fn work_off(queue: &Queue, took: Duration) {
        drop(queue.next());
        queue.finished(took);
        queue.push(|| Job::new(|_| ())).unwrap();
    }

    #[test]
    fn who_is_refused_is_told_to_wait_about_as_long_as_the_queue_takes() {
        let queue = full_queue(2, 8);
        for _ in 0..100 {
            work_off(&queue, Duration::from_secs(3));
        }
        let told = refusal(&queue);
        assert!((Duration::from_millis(11_900)..=Duration::from_secs(12)).contains(&told), "{told:?}");
        for _ in 0..100 {
            work_off(&queue, Duration::from_millis(1));
        }
        assert_eq!(refusal(&queue), Duration::from_secs(1), "but never less than a second");
        for _ in 0..100 {
            work_off(&queue, Duration::from_secs(3_600));
        }
        assert_eq!(refusal(&queue), Duration::from_secs(60), "and never more than a minute");
    }

    #[test]
    fn a_place_that_was_left_is_free_at_once() {
        let queue = full_queue(1, 2);
        refusal(&queue);
        let Err(AnalysisError::QueueFull { length: 2, .. }) = queue.push(|| Job::new(|_| ())) else { panic!("not full") };
        queue.leave(Place(1));
        assert_eq!(queue.length(), 1);
        queue.push(|| Job::new(|_| ())).unwrap();
        queue.leave(Place(77));
        assert_eq!(queue.length(), 2, "who has no place has none to leave");
    }

    #[test]
    fn a_closed_queue_refuses_those_who_wait_and_those_who_come() {
        use std::sync::Arc;
        use std::sync::atomic::{AtomicUsize, Ordering};

        let refused = Arc::new(AtomicUsize::new(0));
        let queue = Queue::new(1, 5);
        for _ in 0..3 {
            let refused = refused.clone();
            let job = move |turn| {
                assert_eq!(turn, Turn::Never);
                refused.fetch_add(1, Ordering::SeqCst);
            };
            queue.push(|| Job::new(job)).unwrap();
        }
        queue.close();
        assert_eq!(refused.load(Ordering::SeqCst), 3);
        assert!(matches!(queue.push(|| Job::new(|_| ())), Err(AnalysisError::ShuttingDown { .. })));
        assert!(queue.next().is_none());
    }
}
