//! The one queue before the workers: bounded, first in, first out, and anybody may leave it.
//!
//! A job that wants several workers gets all of them at once, so that no two jobs each hold a part of what the other needs. Nobody
//! overtakes the first in the queue, so that a stream of small jobs cannot keep a large one waiting: workers that get free before
//! it stay free until there are enough of them.

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

/// A job that wants so many workers' places.
pub(super) struct Order {
    places: usize,
    pub(super) job: Job,
}

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
    waiting: BTreeMap<Place, Order>,
    /// The workers that all who wait want, added up.
    wanted: usize,
    next_place: u64,
    /// Jobs that run.
    running: usize,
    /// Workers that no running job has.
    free: usize,
    closed: bool,
    /// Mean time of a job in seconds, the last ones weighing most; a guess before the first.
    mean_seconds: f64,
}

impl Queue {
    /// Nobody is told to come back later than this.
    const LONGEST_RETRY: f64 = 60.0;

    /// For so many workers; so many may wait while all of them are busy.
    pub(super) fn new(workers: usize, capacity: usize) -> Queue {
        let state = State {
            waiting: BTreeMap::new(),
            wanted: 0,
            next_place: 0,
            running: 0,
            free: workers,
            closed: false,
            mean_seconds: 1.0,
        };
        Queue { state: Mutex::new(state), work_came: Condvar::new(), load: watch::Sender::new(0), workers, capacity }
    }

    /// Takes the last place, for a job that keeps so many workers busy, unless all are taken or the service ends: then the job is
    /// not even made. At least one worker and at most all of them.
    pub(super) fn push(&self, workers: usize, job: impl FnOnce() -> Job) -> Result<Place, AnalysisError> {
        let places = workers.clamp(1, self.workers);
        let mut state = self.lock();
        if state.closed {
            return Err(AnalysisError::shutting_down());
        }
        let due = state.due();
        let length = state.waiting.len() - due.jobs;
        let begins_at_once = length == 0 && places <= state.free - due.places;
        if !begins_at_once && length >= self.capacity {
            return Err(AnalysisError::QueueFull { length, retry_after: self.retry_after(&state, &due) });
        }
        let place = Place(state.next_place);
        state.next_place += 1;
        state.wanted += places;
        state.waiting.insert(place, Order { places, job: job() });
        self.tell_load(&state);
        drop(state);
        self.work_came.notify_one();
        Ok(place)
    }

    /// Gives a place back. Its work will not be done, if it has not begun.
    pub(super) fn leave(&self, place: Place) {
        let mut state = self.lock();
        let order = state.waiting.remove(&place);
        state.wanted -= order.as_ref().map_or(0, |order| order.places);
        self.tell_load(&state);
        drop(state);
        // Whoever stood behind may want no more than what is free.
        self.work_came.notify_one();
        // What the job owns goes only now, with nothing locked.
        drop(order);
    }

    /// Waits for work; `None` when there will be none any more. Blocks: for worker threads, each of which says when it has
    /// [`finished`](Queue::finished).
    pub(super) fn next(&self) -> Option<Order> {
        let mut state = self.lock();
        loop {
            if let Some(order) = state.take() {
                let is_more_due = state.due().jobs > 0;
                drop(state);
                if is_more_due {
                    self.work_came.notify_one();
                }
                return Some(order);
            }
            if state.closed {
                return None;
            }
            state = self.work_came.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Says that work for so many workers is done, after so long. Whoever says so comes for the [`next`](Queue::next).
    pub(super) fn finished(&self, places: usize, took: Duration) {
        let mut state = self.lock();
        state.running -= 1;
        state.free += places;
        state.mean_seconds += (took.as_secs_f64() - state.mean_seconds) / 8.0;
        self.tell_load(&state);
    }

    /// Takes no more work, and tells those who wait that their turn never comes.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let waiting = std::mem::take(&mut state.waiting);
        state.wanted = 0;
        self.tell_load(&state);
        drop(state);
        self.work_came.notify_all();
        for order in waiting.into_values() {
            order.job.run(Turn::Never);
        }
    }

    /// How many stand before this place; `None` for one who has his turn or has left.
    pub(super) fn position(&self, place: Place) -> Option<usize> {
        let state = self.lock();
        let due = state.due().jobs;
        state.waiting.contains_key(&place).then(|| state.waiting.range(..place).count().checked_sub(due)).flatten()
    }

    /// Changes whenever somebody comes, gets his turn or leaves.
    pub(super) fn load(&self) -> watch::Receiver<usize> {
        self.load.subscribe()
    }

    /// How many wait for a worker.
    pub(super) fn length(&self) -> usize {
        let state = self.lock();
        state.waiting.len() - state.due().jobs
    }

    /// How many workers are busy.
    pub(super) fn running(&self) -> usize {
        let state = self.lock();
        self.workers - state.free + state.due().places
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

    fn retry_after(&self, state: &State, due: &Due) -> Duration {
        let rounds = (state.wanted - due.places) as f64 / self.workers as f64;
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

/// Those at the head of the queue who have their turn, though no worker has come for them yet.
#[derive(Default)]
struct Due {
    jobs: usize,
    places: usize,
}

impl Order {
    /// How many workers it wants.
    pub(super) fn places(&self) -> usize {
        self.places
    }
}

impl State {
    fn load(&self) -> usize {
        self.waiting.len() + self.running
    }

    fn due(&self) -> Due {
        let mut due = Due::default();
        for order in self.waiting.values() {
            if due.places + order.places > self.free {
                break;
            }
            due.jobs += 1;
            due.places += order.places;
        }
        due
    }

    /// The first one, if there are enough workers for it.
    fn take(&mut self) -> Option<Order> {
        let first = self.waiting.first_entry().filter(|first| first.get().places <= self.free)?;
        let order = first.remove();
        self.free -= order.places;
        self.wanted -= order.places;
        self.running += 1;
        Some(order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(queue: &Queue) -> Duration {
        match queue.push(1, || Job::new(|_| ())) {
            Err(AnalysisError::QueueFull { retry_after, .. }) => retry_after,
            other => panic!("{other:?}"),
        }
    }

    fn full_queue(workers: usize, capacity: usize) -> Queue {
        let queue = Queue::new(workers, capacity);
        for _ in 0..workers + capacity {
            queue.push(1, || Job::new(|_| ())).unwrap();
        }
        queue
    }

    /// Works one job off that took so long, and fills its place again.
    fn work_off(queue: &Queue, took: Duration) {
        drop(queue.next());
        queue.finished(1, took);
        queue.push(1, || Job::new(|_| ())).unwrap();
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
        let Err(AnalysisError::QueueFull { length: 2, .. }) = queue.push(1, || Job::new(|_| ())) else { panic!("not full") };
        queue.leave(Place(1));
        assert_eq!(queue.length(), 1);
        queue.push(1, || Job::new(|_| ())).unwrap();
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
            queue.push(1, || Job::new(job)).unwrap();
        }
        queue.close();
        assert_eq!(refused.load(Ordering::SeqCst), 3);
        assert!(matches!(queue.push(1, || Job::new(|_| ())), Err(AnalysisError::ShuttingDown { .. })));
        assert!(queue.next().is_none());
    }

    /// How many workers the next job wants that has its turn now.
    fn due(queue: &Queue) -> Option<usize> {
        queue.lock().take().map(|order| order.places())
    }

    #[test]
    fn a_job_for_two_waits_for_both_and_nobody_overtakes_it() {
        let queue = Queue::new(2, 8);
        for workers in [1, 2, 1, 1] {
            queue.push(workers, || Job::new(|_| ())).unwrap();
        }
        assert_eq!((due(&queue), due(&queue)), (Some(1), None), "one worker is free, and kept free");
        assert_eq!((queue.running(), queue.length()), (1, 3));
        queue.finished(1, Duration::ZERO);
        assert_eq!((due(&queue), due(&queue)), (Some(2), None));
        assert_eq!((queue.running(), queue.length()), (2, 2));
        queue.finished(2, Duration::ZERO);
        assert_eq!((due(&queue), due(&queue), due(&queue)), (Some(1), Some(1), None));
    }

    #[test]
    fn a_job_for_more_workers_than_there_are_gets_all_and_one_for_none_gets_one() {
        let queue = Queue::new(3, 8);
        queue.push(99, || Job::new(|_| ())).unwrap();
        queue.push(0, || Job::new(|_| ())).unwrap();
        assert_eq!((due(&queue), due(&queue)), (Some(3), None));
        queue.finished(3, Duration::ZERO);
        assert_eq!(due(&queue), Some(1));
    }

    #[test]
    fn who_wants_more_workers_than_are_free_counts_among_those_who_wait() {
        let queue = Queue::new(2, 1);
        queue.push(1, || Job::new(|_| ())).unwrap();
        assert_eq!(due(&queue), Some(1));
        queue.push(2, || Job::new(|_| ())).unwrap();
        assert_eq!((queue.running(), queue.length()), (1, 1));
        refusal(&queue);
        queue.leave(Place(1));
        queue.push(1, || Job::new(|_| ())).unwrap();
        assert_eq!((queue.running(), queue.length()), (2, 0), "once it has left, one that is small enough has its turn");
    }
}
