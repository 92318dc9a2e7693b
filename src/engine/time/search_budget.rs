//! The budget of one search thread: nodes, time and the stop flag.

use std::time::{Duration, Instant};

use crate::engine::limits::{Limits, StopFlag};
use crate::engine::report::StopReason;
use crate::engine::smp::ThreadGroup;

/// The number of nodes between two checks of the clock and the stop flag: a fraction of a
/// millisecond.
const POLL_INTERVAL: u64 = 256;

/// The number of nodes after which even the first iteration obeys the time limit and the stop flag.
/// It normally takes some hundred nodes, but with a dozen queens on each side it may take minutes.
const GRACE_NODES: u64 = 20_000;

/// A thread's node count and the limits that end its search.
#[derive(Clone)]
pub(in crate::engine) struct SearchBudget<'a> {
    start: Instant,
    deadline: Option<Duration>,
    node_limit: u64,
    stop: &'a StopFlag,
    thread_group: &'a ThreadGroup,
    /// The thread's index in its group. The stop reason of thread 0 is the search's.
    thread_index: usize,
    nodes: u64,
    next_poll: u64,
    /// Time limit and stop flag apply. Before, the main thread completes its first iteration, so
    /// that there is a result (Stockfish's `check_time` requires a completed depth, too).
    may_stop: bool,
    stop_reason: Option<StopReason>,
}

impl<'a> SearchBudget<'a> {
    /// Starts the clock of the main thread. The deadline is the hard limit, counted from now.
    pub(in crate::engine) fn start(
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
            may_stop: false,
            stop_reason: None,
        };
        budget.poll();
        budget
    }

    /// The same budget for one thread of the group. A helper searches until the main thread is done
    /// or a limit is reached.
    pub(in crate::engine) fn for_thread(&self, thread_index: usize) -> SearchBudget<'a> {
        SearchBudget { thread_index, may_stop: thread_index > 0, next_poll: 0, ..self.clone() }
    }

    /// Whether the search has a time limit.
    pub(in crate::engine) const fn has_deadline(&self) -> bool {
        self.deadline.is_some()
    }

    /// Counts one move made.
    #[inline]
    pub(in crate::engine) fn count_node(&mut self) {
        self.nodes += 1;
        if self.nodes >= self.next_poll {
            self.poll();
        }
    }

    /// Lets the next node check the limits and the stop flag.
    #[inline]
    pub(in crate::engine) const fn poll_at_next_node(&mut self) {
        self.next_poll = 0;
    }

    #[cold]
    fn poll(&mut self) {
        self.thread_group.set_nodes(self.thread_index, self.nodes);
        self.next_poll = self.nodes + POLL_INTERVAL;
        if self.stop_reason.is_some() {
            return;
        }
        if self.stop.is_paused() {
            self.stop.wait_while_paused();
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
        if self.may_stop() && self.stop.is_stopped() {
            Some(StopReason::Stopped)
        } else if total >= self.node_limit {
            Some(StopReason::Nodes)
        } else if self.is_past_deadline() {
            Some(StopReason::Time)
        } else if self.thread_group.is_depth_reached() {
            Some(StopReason::Depth)
        } else {
            None
        }
    }

    /// A helper checks the limits itself: with more threads than cores, the main thread may wait
    /// for a core until the helpers have ended.
    fn helper_stop_reason(&self) -> Option<StopReason> {
        if self.thread_group.is_main_thread_done() || self.stop.is_stopped() {
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
        let has_passed = |deadline| !self.stop.is_pondering() && self.elapsed() >= deadline;
        self.may_stop() && self.deadline.is_some_and(has_passed)
    }

    fn may_stop(&self) -> bool {
        self.may_stop || self.nodes >= GRACE_NODES
    }

    /// Applies time limit and stop flag from now on: the first iteration is complete.
    pub(in crate::engine) fn allow_stop(&mut self) {
        self.may_stop = true;
        self.poll();
    }

    /// Tells the main thread that this helper has completed the requested depth.
    pub(in crate::engine) fn signal_depth_reached(&self) {
        self.thread_group.signal_depth_reached();
    }

    /// Ends the search between two iterations, for lack of time.
    pub(in crate::engine) fn stop_for_time(&mut self) {
        self.stop_reason = self.stop_reason.or(Some(StopReason::Time));
    }

    /// `true` once the search must end.
    #[inline]
    pub(in crate::engine) const fn is_stopped(&self) -> bool {
        self.stop_reason.is_some()
    }

    /// The limit that ended the search; `None` while it may continue.
    pub(in crate::engine) const fn stop_reason(&self) -> Option<StopReason> {
        self.stop_reason
    }

    /// The flag that stops and pauses the search.
    pub(in crate::engine) const fn stop_flag(&self) -> &'a StopFlag {
        self.stop
    }

    /// `true` while the search runs on the opponent's time.
    pub(in crate::engine) fn is_pondering(&self) -> bool {
        self.stop.is_pondering()
    }

    /// The moves made by this thread so far.
    #[inline]
    pub(in crate::engine) const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The moves made by all threads so far.
    pub(in crate::engine) fn total_nodes(&self) -> u64 {
        self.nodes + self.thread_group.nodes_excluding(self.thread_index)
    }

    /// The wall time so far, without pauses.
    pub(in crate::engine) fn elapsed(&self) -> Duration {
        self.start.elapsed().saturating_sub(self.stop.ended_pauses())
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
        main_budget.allow_stop();
        assert_eq!(main_budget.stop_reason(), Some(StopReason::Time));

        let mut main_budget = SearchBudget::start(&Limits::default(), None, &stop, &thread_group);
        stop.stop();
        count_nodes(&mut main_budget, 3 * POLL_INTERVAL);
        assert!(!main_budget.is_stopped());
        main_budget.allow_stop();
        assert_eq!(main_budget.stop_reason(), Some(StopReason::Stopped));
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
