//! What has been searched since the start, in counters that cost a search nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::SearchCounts;

/// Counts searches. Cheap to clone; all clones are one.
#[derive(Clone, Debug, Default)]
pub(super) struct SearchCounters(Arc<AtomicCounts>);

#[derive(Debug, Default)]
struct AtomicCounts {
    running: AtomicUsize,
    started: AtomicU64,
    cancelled: AtomicU64,
    shared: AtomicU64,
    nodes: AtomicU64,
    speculative: AtomicU64,
    speculative_nodes: AtomicU64,
}

/// A search that runs, as the tally sees it: until this is dropped.
#[derive(Debug)]
pub(super) struct RunningGuard(SearchCounters);

/// How many nodes of a search have been counted.
#[derive(Debug, Default)]
pub(super) struct CountedNodes(AtomicU64);

impl SearchCounters {
    /// A worker has taken up a search.
    pub(super) fn start(&self) -> RunningGuard {
        self.0.started.fetch_add(1, Ordering::Relaxed);
        self.0.running.fetch_add(1, Ordering::Relaxed);
        RunningGuard(self.clone())
    }

    /// Nobody waits for a search any more that has not come to its end.
    pub(super) fn record_cancelled(&self) {
        self.0.cancelled.fetch_add(1, Ordering::Relaxed);
    }

    /// A question has joined the search of another.
    pub(super) fn record_shared(&self) {
        self.0.shared.fetch_add(1, Ordering::Relaxed);
    }

    /// A search that nobody had asked for has ended with so many nodes.
    pub(super) fn record_speculative(&self, nodes: u64) {
        self.0.speculative.fetch_add(1, Ordering::Relaxed);
        self.0.speculative_nodes.fetch_add(nodes, Ordering::Relaxed);
    }

    /// A search has made so many nodes by now: those that were not counted yet are. In whatever
    /// order it is told of a search, none counts twice, and the sum never falls.
    pub(super) fn record_nodes(&self, counted: &CountedNodes, nodes: u64) {
        let before = counted.0.fetch_max(nodes, Ordering::Relaxed);
        self.0.nodes.fetch_add(nodes.saturating_sub(before), Ordering::Relaxed);
    }

    /// All of it, now.
    pub(super) fn counts(&self) -> SearchCounts {
        let AtomicCounts {
            running,
            started,
            cancelled,
            shared,
            nodes,
            speculative,
            speculative_nodes,
        } = &*self.0;
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        SearchCounts {
            running: running.load(Ordering::Relaxed),
            started: count(started),
            cancelled: count(cancelled),
            shared: count(shared),
            nodes: count(nodes),
            speculative: count(speculative),
            speculative_nodes: count(speculative_nodes),
        }
    }
}

impl Drop for RunningGuard {
    fn drop(&mut self) {
        self.0.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_count_once_however_often_they_are_reported() {
        let (counters, [first, second]) =
            (SearchCounters::default(), [CountedNodes::default(), CountedNodes::default()]);
        for (search, nodes) in
            [(&first, 100), (&second, 30), (&first, 250), (&first, 200), (&second, 30)]
        {
            counters.record_nodes(search, nodes);
        }
        assert_eq!(counters.counts().nodes, 280);
    }

    #[test]
    fn a_search_counts_as_running_until_its_guard_is_dropped() {
        let counters = SearchCounters::default();
        let guard = counters.start();
        assert_eq!((counters.counts().running, counters.counts().started), (1, 1));
        drop(guard);
        assert_eq!((counters.counts().running, counters.counts().started), (0, 1));
    }
}
