//! The budget of one search: nodes, time, and the order to stop; and the threads that share it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::{Limits, StopFlag, StopReason};

/// So many nodes pass between two looks at the clock and the stop flag: a fraction of a millisecond.
const POLL_EVERY: u64 = 256;

/// A thread's count of nodes, on a cache line of its own.
#[derive(Default)]
#[repr(align(64))]
struct Count(AtomicU64);

/// What the threads of one search tell each other.
pub(super) struct Crew {
    /// The first thread is done.
    done: AtomicBool,
    /// A helper has come to the depth that was asked for.
    arrived: AtomicBool,
    counts: Vec<Count>,
}

impl Crew {
    /// Of so many threads, at least one.
    pub(super) fn new(threads: usize) -> Crew {
        let counts = (0..threads.max(1)).map(|_| Count::default()).collect();
        Crew { done: AtomicBool::new(false), arrived: AtomicBool::new(false), counts }
    }

    /// What tells every helper to stop, at the latest when it goes.
    pub(super) fn dismissal(&self) -> Dismissal<'_> {
        Dismissal(self)
    }

    /// The nodes of all threads but the first, as far as they have been told.
    fn helpers_nodes(&self) -> u64 {
        self.counts[1..].iter().map(|count| count.0.load(Ordering::Relaxed)).sum()
    }
}

/// The first thread's word that the search is over. However that thread ends, the helpers hear it.
pub(super) struct Dismissal<'a>(&'a Crew);

impl Dismissal<'_> {
    /// Tells every helper to stop.
    pub(super) fn give(&self) {
        self.0.done.store(true, Ordering::Relaxed);
    }
}

impl Drop for Dismissal<'_> {
    fn drop(&mut self) {
        self.give();
    }
}

/// Counts nodes and knows when it is over.
#[derive(Clone)]
pub(super) struct Budget<'a> {
    start: Instant,
    deadline: Option<Duration>,
    node_limit: u64,
    stop: &'a StopFlag,
    crew: &'a Crew,
    /// Which of the crew this is; the first decides for all.
    index: usize,
    nodes: u64,
    next_poll: u64,
    over: Option<StopReason>,
}

impl<'a> Budget<'a> {
    /// Starts the clock of the crew's first thread. The deadline is the hard one, counted from now.
    pub(super) fn start(limits: &Limits, deadline: Option<Duration>, stop: &'a StopFlag, crew: &'a Crew) -> Budget<'a> {
        let mut budget = Budget {
            start: Instant::now(),
            deadline,
            node_limit: limits.nodes.unwrap_or(u64::MAX),
            stop,
            crew,
            index: 0,
            nodes: 0,
            next_poll: 0,
            over: None,
        };
        budget.poll();
        budget
    }

    /// The same for one of the crew: its first, or a helper, which goes on until the first is done.
    pub(super) fn of(&self, index: usize) -> Budget<'a> {
        Budget { index, over: self.over.filter(|_| index == 0), ..self.clone() }
    }

    /// Counts one make-move.
    #[inline]
    pub(super) fn count_node(&mut self) {
        self.nodes += 1;
        if self.nodes >= self.next_poll {
            self.poll();
        }
    }

    #[cold]
    fn poll(&mut self) {
        self.crew.counts[self.index].0.store(self.nodes, Ordering::Relaxed);
        self.next_poll = self.nodes + POLL_EVERY;
        if self.over.is_some() {
            return;
        }
        if self.index > 0 {
            self.over = self.crew.done.load(Ordering::Relaxed).then_some(StopReason::Stopped);
            return;
        }
        let total = self.total_nodes();
        self.stop.tell_nodes(total);
        self.next_poll = self.next_poll.min(self.nodes.saturating_add(self.node_limit.saturating_sub(total)));
        self.over = if self.stop.is_stopped() {
            Some(StopReason::Stopped)
        } else if total >= self.node_limit {
            Some(StopReason::Nodes)
        } else if self.deadline.is_some_and(|deadline| !self.stop.is_pondering() && self.start.elapsed() >= deadline) {
            Some(StopReason::Time)
        } else if self.crew.arrived.load(Ordering::Relaxed) {
            Some(StopReason::Depth)
        } else {
            None
        };
    }

    /// A helper's word to the first thread that it has come to the depth that was asked for.
    pub(super) fn arrive(&self) {
        self.crew.arrived.store(true, Ordering::Relaxed);
    }

    /// Ends the search for want of time, between two iterations.
    pub(super) fn end_in_time(&mut self) {
        self.over = self.over.or(Some(StopReason::Time));
    }

    /// `true` once the search has to end.
    #[inline]
    pub(super) const fn is_over(&self) -> bool {
        self.over.is_some()
    }

    /// Why it has to end.
    pub(super) const fn reason(&self) -> Option<StopReason> {
        self.over
    }

    /// `true` while the search runs on the opponent's time.
    pub(super) fn is_pondering(&self) -> bool {
        self.stop.is_pondering()
    }

    /// Make-moves of this thread so far.
    #[inline]
    pub(super) const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Make-moves of all threads so far; to be asked of the first thread.
    pub(super) fn total_nodes(&self) -> u64 {
        self.nodes + self.crew.helpers_nodes()
    }

    /// Wall time so far.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}
