//! The budget of one search: nodes, time, and the order to stop.

use std::time::{Duration, Instant};

use super::{Limits, StopFlag, StopReason};

/// So many nodes pass between two looks at the clock and the stop flag: well under a millisecond.
const POLL_EVERY: u64 = 1024;

/// Counts nodes and knows when it is over.
pub(super) struct Budget<'a> {
    start: Instant,
    deadline: Option<Instant>,
    node_limit: u64,
    stop: &'a StopFlag,
    nodes: u64,
    next_poll: u64,
    over: Option<StopReason>,
}

impl<'a> Budget<'a> {
    /// Starts the clock.
    pub(super) fn start(limits: &Limits, stop: &'a StopFlag) -> Budget<'a> {
        let start = Instant::now();
        let mut budget = Budget {
            start,
            deadline: limits
                .movetime
                .or(limits.clock.map(|clock| clock.remaining / 30 + clock.increment / 2))
                .and_then(|time| start.checked_add(time)),
            node_limit: limits.nodes.unwrap_or(u64::MAX),
            stop,
            nodes: 0,
            next_poll: 0,
            over: None,
        };
        budget.poll();
        budget
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
        self.next_poll = (self.nodes + POLL_EVERY).min(self.node_limit);
        if self.over.is_some() {
            return;
        }
        self.over = if self.stop.is_stopped() {
            Some(StopReason::Stopped)
        } else if self.nodes >= self.node_limit {
            Some(StopReason::Nodes)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(StopReason::Time)
        } else {
            None
        };
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

    /// Make-moves so far.
    #[inline]
    pub(super) const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Wall time so far.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}
