//! The budget of one search: nodes, time, and the order to stop; and the threads that share it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::{Limits, StopFlag, StopReason};

/// So many nodes pass between two looks at the clock and the stop flag: a fraction of a
/// millisecond.
const POLL_INTERVAL: u64 = 256;

/// So many nodes the first iteration may take beyond its time. It has some hundreds, but where a
/// dozen queens stand on each side it may go on for minutes.
const GRACE_NODES: u64 = 20_000;

/// A thread's count of nodes, on a cache line of its own.
#[derive(Default)]
#[repr(align(64))]
struct NodeCounter(AtomicU64);

/// What the threads of one search tell each other.
pub(super) struct ThreadGroup {
    /// The first thread is done.
    main_thread_done: AtomicBool,
    /// A helper has come to the depth that was asked for.
    depth_reached: AtomicBool,
    node_counters: Vec<NodeCounter>,
}

impl ThreadGroup {
    /// Of so many threads, at least one.
    pub(super) fn new(threads: usize) -> ThreadGroup {
        let node_counters = (0..threads.max(1)).map(|_| NodeCounter::default()).collect();
        ThreadGroup {
            main_thread_done: AtomicBool::new(false),
            depth_reached: AtomicBool::new(false),
            node_counters,
        }
    }

    /// What tells every helper to stop, at the latest when it goes.
    pub(super) fn stop_on_drop(&self) -> StopOnDrop<'_> {
        StopOnDrop(self)
    }

    /// The nodes of all threads but one, as far as they have been told.
    fn nodes_excluding(&self, index: usize) -> u64 {
        let others = self.node_counters.iter().enumerate().filter(|&(other, _)| other != index);
        others.map(|(_, count)| count.0.load(Ordering::Relaxed)).sum()
    }
}

/// The first thread's word that the search is over. However that thread ends, the helpers hear it.
pub(super) struct StopOnDrop<'a>(&'a ThreadGroup);

impl StopOnDrop<'_> {
    /// Tells every helper to stop.
    pub(super) fn stop_helpers(&self) {
        self.0.main_thread_done.store(true, Ordering::Relaxed);
    }
}

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.stop_helpers();
    }
}

/// Counts nodes and knows when it is over.
#[derive(Clone)]
pub(super) struct SearchBudget<'a> {
    start: Instant,
    deadline: Option<Duration>,
    node_limit: u64,
    stop: &'a StopFlag,
    thread_group: &'a ThreadGroup,
    /// Which of the crew this is; the first one's reason is the search's.
    thread_index: usize,
    nodes: u64,
    next_poll: u64,
    /// Time has a say. Before, the first thread finishes its first iteration, so that there is
    /// something to say (Stockfish's `check_time` asks for a completed depth, too).
    time_limit_active: bool,
    stop_reason: Option<StopReason>,
}

impl<'a> SearchBudget<'a> {
    /// Starts the clock of the crew's first thread. The deadline is the hard one, counted from now.
    pub(super) fn start(
        limits: &Limits,
        deadline: Option<Duration>,
        stop: &'a StopFlag,
        thread_group: &'a ThreadGroup,
    ) -> SearchBudget<'a> {
        let mut budget = SearchBudget {
            start: Instant::now(),
            deadline,
            node_limit: limits.nodes.unwrap_or(u64::MAX),
            stop,
            thread_group,
            thread_index: 0,
            nodes: 0,
            next_poll: 0,
            time_limit_active: false,
            stop_reason: None,
        };
        budget.poll();
        budget
    }

    /// The same for one of the crew: its first, or a helper, which goes on until the first is done
    /// or a limit is reached.
    pub(super) fn for_thread(&self, thread_index: usize) -> SearchBudget<'a> {
        SearchBudget {
            thread_index,
            time_limit_active: thread_index > 0,
            next_poll: 0,
            ..self.clone()
        }
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
        self.thread_group.node_counters[self.thread_index].0.store(self.nodes, Ordering::Relaxed);
        self.next_poll = self.nodes + POLL_INTERVAL;
        if self.stop_reason.is_some() {
            return;
        }
        self.stop_reason = if self.thread_index == 0 {
            self.main_thread_stop_reason()
        } else {
            self.helper_stop_reason()
        };
    }

    fn main_thread_stop_reason(&mut self) -> Option<StopReason> {
        let total = self.total_nodes();
        self.stop.set_nodes(total);
        self.next_poll =
            self.next_poll.min(self.nodes.saturating_add(self.node_limit.saturating_sub(total)));
        if self.stop.is_stopped() {
            Some(StopReason::Stopped)
        } else if total >= self.node_limit {
            Some(StopReason::Nodes)
        } else if self.is_past_deadline() {
            Some(StopReason::Time)
        } else if self.thread_group.depth_reached.load(Ordering::Relaxed) {
            Some(StopReason::Depth)
        } else {
            None
        }
    }

    /// A helper sees the limits by itself: with more threads than cores the first thread may be
    /// waiting for a core, and has one once the helpers have ended.
    fn helper_stop_reason(&self) -> Option<StopReason> {
        if self.thread_group.main_thread_done.load(Ordering::Relaxed) || self.stop.is_stopped() {
            Some(StopReason::Stopped)
        } else if self.node_limit < u64::MAX && self.total_nodes() >= self.node_limit {
            Some(StopReason::Nodes)
        } else if self.is_past_deadline() {
            Some(StopReason::Time)
        } else {
            None
        }
    }

    fn is_past_deadline(&self) -> bool {
        let passed = |deadline| !self.stop.is_pondering() && self.start.elapsed() >= deadline;
        (self.time_limit_active || self.nodes >= GRACE_NODES) && self.deadline.is_some_and(passed)
    }

    /// The first iteration is finished: from now on the time counts.
    pub(super) fn activate_time_limit(&mut self) {
        self.time_limit_active = true;
        self.poll();
    }

    /// A helper's word to the first thread that it has come to the depth that was asked for.
    pub(super) fn signal_depth_reached(&self) {
        self.thread_group.depth_reached.store(true, Ordering::Relaxed);
    }

    /// Ends the search for want of time, between two iterations.
    pub(super) fn stop_for_time(&mut self) {
        self.stop_reason = self.stop_reason.or(Some(StopReason::Time));
    }

    /// `true` once the search has to end.
    #[inline]
    pub(super) const fn is_stopped(&self) -> bool {
        self.stop_reason.is_some()
    }

    /// Why it has to end.
    pub(super) const fn stop_reason(&self) -> Option<StopReason> {
        self.stop_reason
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
        self.nodes + self.thread_group.nodes_excluding(self.thread_index)
    }

    /// Wall time so far.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count_nodes(budget: &mut SearchBudget<'_>, nodes: u64) {
        (0..nodes).for_each(|_| budget.count_node());
    }

    #[test]
    fn helpers_check_every_limit_without_the_main_thread() {
        let limits = Limits { nodes: Some(10_000), ..Limits::default() };
        let (stop, thread_group) = (StopFlag::default(), ThreadGroup::new(3));
        let main_budget = SearchBudget::start(&limits, None, &stop, &thread_group);
        let (mut one, mut other) = (main_budget.for_thread(1), main_budget.for_thread(2));
        count_nodes(&mut one, 6_000);
        assert_eq!(one.stop_reason(), None);
        count_nodes(&mut other, 4_000 + 2 * POLL_INTERVAL);
        assert_eq!(other.stop_reason(), Some(StopReason::Nodes));

        let thread_group = ThreadGroup::new(2);
        let main_budget =
            SearchBudget::start(&Limits::default(), Some(Duration::ZERO), &stop, &thread_group);
        let mut helper = main_budget.for_thread(1);
        count_nodes(&mut helper, POLL_INTERVAL);
        assert_eq!(helper.stop_reason(), Some(StopReason::Time));

        let thread_group = ThreadGroup::new(2);
        let main_budget = SearchBudget::start(&Limits::default(), None, &stop, &thread_group);
        let mut helper = main_budget.for_thread(1);
        stop.stop();
        count_nodes(&mut helper, POLL_INTERVAL);
        assert_eq!(helper.stop_reason(), Some(StopReason::Stopped));
    }

    #[test]
    fn the_main_thread_always_completes_one_iteration() {
        let (stop, thread_group) = (StopFlag::default(), ThreadGroup::new(1));
        let mut main_budget =
            SearchBudget::start(&Limits::default(), Some(Duration::ZERO), &stop, &thread_group);
        count_nodes(&mut main_budget, 3 * POLL_INTERVAL);
        assert!(!main_budget.is_stopped());
        main_budget.activate_time_limit();
        assert_eq!(main_budget.stop_reason(), Some(StopReason::Time));
    }

    #[test]
    fn an_endless_first_iteration_stops_at_the_deadline() {
        let (stop, thread_group) = (StopFlag::default(), ThreadGroup::new(1));
        let mut main_budget =
            SearchBudget::start(&Limits::default(), Some(Duration::ZERO), &stop, &thread_group);
        count_nodes(&mut main_budget, GRACE_NODES + POLL_INTERVAL);
        assert_eq!(main_budget.stop_reason(), Some(StopReason::Time));
    }
}
