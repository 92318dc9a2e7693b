//! The budget of one search: nodes, time, and the order to stop; and the threads that share it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::{Limits, StopFlag, StopReason};

/// So many nodes pass between two looks at the clock and the stop flag: a fraction of a
/// millisecond.
const POLL_EVERY: u64 = 256;

/// So many nodes the first iteration may take beyond its time. It has some hundreds, but where a
/// dozen queens stand on each side it may go on for minutes.
const GRACE_NODES: u64 = 20_000;

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

    /// The nodes of all threads but one, as far as they have been told.
    fn nodes_without(&self, index: usize) -> u64 {
        let others = self.counts.iter().enumerate().filter(|&(other, _)| other != index);
        others.map(|(_, count)| count.0.load(Ordering::Relaxed)).sum()
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
    /// Which of the crew this is; the first one's reason is the search's.
    index: usize,
    nodes: u64,
    next_poll: u64,
    /// Time has a say. Before, the first thread finishes its first iteration, so that there is
    /// something to say (Stockfish's `check_time` asks for a completed depth, too).
    timed: bool,
    over: Option<StopReason>,
}

impl<'a> Budget<'a> {
    /// Starts the clock of the crew's first thread. The deadline is the hard one, counted from now.
    pub(super) fn start(
        limits: &Limits,
        deadline: Option<Duration>,
        stop: &'a StopFlag,
        crew: &'a Crew,
    ) -> Budget<'a> {
        let mut budget = Budget {
            start: Instant::now(),
            deadline,
            node_limit: limits.nodes.unwrap_or(u64::MAX),
            stop,
            crew,
            index: 0,
            nodes: 0,
            next_poll: 0,
            timed: false,
            over: None,
        };
        budget.poll();
        budget
    }

    /// The same for one of the crew: its first, or a helper, which goes on until the first is done
    /// or a limit is reached.
    pub(super) fn of(&self, index: usize) -> Budget<'a> {
        Budget { index, timed: index > 0, next_poll: 0, ..self.clone() }
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
        self.over = if self.index == 0 { self.first_reason() } else { self.helper_reason() };
    }

    fn first_reason(&mut self) -> Option<StopReason> {
        let total = self.total_nodes();
        self.stop.tell_nodes(total);
        self.next_poll =
            self.next_poll.min(self.nodes.saturating_add(self.node_limit.saturating_sub(total)));
        if self.stop.is_stopped() {
            Some(StopReason::Stopped)
        } else if total >= self.node_limit {
            Some(StopReason::Nodes)
        } else if self.is_late() {
            Some(StopReason::Time)
        } else if self.crew.arrived.load(Ordering::Relaxed) {
            Some(StopReason::Depth)
        } else {
            None
        }
    }

    /// A helper sees the limits by itself: with more threads than cores the first thread may be
    /// waiting for a core, and has one once the helpers have ended.
    fn helper_reason(&self) -> Option<StopReason> {
        if self.crew.done.load(Ordering::Relaxed) || self.stop.is_stopped() {
            Some(StopReason::Stopped)
        } else if self.node_limit < u64::MAX && self.total_nodes() >= self.node_limit {
            Some(StopReason::Nodes)
        } else if self.is_late() {
            Some(StopReason::Time)
        } else {
            None
        }
    }

    fn is_late(&self) -> bool {
        let passed = |deadline| !self.stop.is_pondering() && self.start.elapsed() >= deadline;
        (self.timed || self.nodes >= GRACE_NODES) && self.deadline.is_some_and(passed)
    }

    /// The first iteration is finished: from now on the time counts.
    pub(super) fn count_time(&mut self) {
        self.timed = true;
        self.poll();
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

    /// Make-moves of all threads so far.
    pub(super) fn total_nodes(&self) -> u64 {
        self.nodes + self.crew.nodes_without(self.index)
    }

    /// Wall time so far.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(budget: &mut Budget<'_>, nodes: u64) {
        (0..nodes).for_each(|_| budget.count_node());
    }

    #[test]
    fn helpers_see_every_limit_without_the_first_thread() {
        let limits = Limits { nodes: Some(10_000), ..Limits::default() };
        let (stop, crew) = (StopFlag::default(), Crew::new(3));
        let first = Budget::start(&limits, None, &stop, &crew);
        let (mut one, mut other) = (first.of(1), first.of(2));
        count(&mut one, 6_000);
        assert_eq!(one.reason(), None);
        count(&mut other, 4_000 + 2 * POLL_EVERY);
        assert_eq!(other.reason(), Some(StopReason::Nodes));

        let crew = Crew::new(2);
        let first = Budget::start(&Limits::default(), Some(Duration::ZERO), &stop, &crew);
        let mut helper = first.of(1);
        count(&mut helper, POLL_EVERY);
        assert_eq!(helper.reason(), Some(StopReason::Time));

        let crew = Crew::new(2);
        let first = Budget::start(&Limits::default(), None, &stop, &crew);
        let mut helper = first.of(1);
        stop.stop();
        count(&mut helper, POLL_EVERY);
        assert_eq!(helper.reason(), Some(StopReason::Stopped));
    }

    #[test]
    fn the_first_thread_has_the_time_for_one_iteration() {
        let (stop, crew) = (StopFlag::default(), Crew::new(1));
        let mut first = Budget::start(&Limits::default(), Some(Duration::ZERO), &stop, &crew);
        count(&mut first, 3 * POLL_EVERY);
        assert!(!first.is_over());
        first.count_time();
        assert_eq!(first.reason(), Some(StopReason::Time));
    }

    #[test]
    fn an_iteration_without_end_ends_in_time_all_the_same() {
        let (stop, crew) = (StopFlag::default(), Crew::new(1));
        let mut first = Budget::start(&Limits::default(), Some(Duration::ZERO), &stop, &crew);
        count(&mut first, GRACE_NODES + POLL_EVERY);
        assert_eq!(first.reason(), Some(StopReason::Time));
    }
}
