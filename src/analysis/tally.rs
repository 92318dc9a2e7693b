//! What has been searched since the start, in counters that cost a search nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::SearchCounts;

/// Counts searches. Cheap to clone; all clones are one.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    running: AtomicUsize,
    begun: AtomicU64,
    cancelled: AtomicU64,
    shared: AtomicU64,
    nodes: AtomicU64,
    idle: AtomicU64,
    idle_nodes: AtomicU64,
}

/// A search that runs, as the tally sees it: until this is dropped.
#[derive(Debug)]
pub(super) struct Running(Tally);

/// How many nodes of a search have been counted.
#[derive(Debug, Default)]
pub(super) struct NodesCounted(AtomicU64);

impl Tally {
    /// A worker has taken up a search.
    pub(super) fn begin(&self) -> Running {
        self.0.begun.fetch_add(1, Ordering::Relaxed);
        self.0.running.fetch_add(1, Ordering::Relaxed);
        Running(self.clone())
    }

    /// Nobody waits for a search any more that has not come to its end.
    pub(super) fn cancel(&self) {
        self.0.cancelled.fetch_add(1, Ordering::Relaxed);
    }

    /// A question has joined the search of another.
    pub(super) fn share(&self) {
        self.0.shared.fetch_add(1, Ordering::Relaxed);
    }

    /// A search that nobody had asked for has ended with so many nodes.
    pub(super) fn count_idle(&self, nodes: u64) {
        self.0.idle.fetch_add(1, Ordering::Relaxed);
        self.0.idle_nodes.fetch_add(nodes, Ordering::Relaxed);
    }

    /// A search has made so many nodes by now: those that were not counted yet are. In whatever
    /// order it is told of a search, none counts twice, and the sum never falls.
    pub(super) fn count_nodes(&self, counted: &NodesCounted, nodes: u64) {
        let before = counted.0.fetch_max(nodes, Ordering::Relaxed);
        self.0.nodes.fetch_add(nodes.saturating_sub(before), Ordering::Relaxed);
    }

    /// All of it, now.
    pub(super) fn counts(&self) -> SearchCounts {
        let Counters { running, begun, cancelled, shared, nodes, idle, idle_nodes } = &*self.0;
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        SearchCounts {
            running: running.load(Ordering::Relaxed),
            begun: count(begun),
            cancelled: count(cancelled),
            shared: count(shared),
            nodes: count(nodes),
            idle: count(idle),
            idle_nodes: count(idle_nodes),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_count_once_however_often_they_are_told() {
        let (tally, [first, second]) =
            (Tally::default(), [NodesCounted::default(), NodesCounted::default()]);
        for (search, nodes) in
            [(&first, 100), (&second, 30), (&first, 250), (&first, 200), (&second, 30)]
        {
            tally.count_nodes(search, nodes);
        }
        assert_eq!(tally.counts().nodes, 280);
    }

    #[test]
    fn a_search_runs_until_it_is_dropped() {
        let tally = Tally::default();
        let search = tally.begin();
        assert_eq!((tally.counts().running, tally.counts().begun), (1, 1));
        drop(search);
        assert_eq!((tally.counts().running, tally.counts().begun), (0, 1));
    }
}
