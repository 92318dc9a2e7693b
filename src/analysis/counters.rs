//! Counters of the analysis service since its start, and the snapshots that report them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::cluster::ClusterStatus;
use super::duration_histogram::DurationSnapshot;

/// The state of the service at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceStatus {
    /// Interactive requests that wait for a worker.
    pub queue_length: usize,
    /// Batch requests that wait for a worker.
    pub batch_length: usize,
    /// How many requests of each class may wait.
    pub queue_capacity: usize,
    /// Worker threads.
    pub workers: usize,
    /// Workers that run a search or a perft now.
    pub busy_workers: usize,
    /// Workers that running and waiting searches of clients need.
    pub demand: usize,
    /// Positions that wait for a speculative search.
    pub speculative_length: usize,
    /// Cached analyses, in memory or on disk.
    pub cache_entries: usize,
    /// How many analyses the cache may hold.
    pub cache_max_entries: usize,
    /// How the cache answered lookups since the start.
    pub cache_lookups: CacheLookupCounts,
    /// Searches since the start.
    pub searches: SearchCounts,
    /// Queue waits and refusals since the start.
    pub queue_counts: QueueCounts,
    /// The store on disk, if there is one.
    pub store: Option<StoreStatus>,
    /// The cluster, if this node belongs to one.
    pub cluster: Option<ClusterStatus>,
    /// `true` after the start of the shutdown.
    pub shutting_down: bool,
}

/// The state of the store at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreStatus {
    /// Size on disk, in bytes.
    pub bytes: u64,
    /// Analyses that wait to be written.
    pub waiting: usize,
    /// `true` while several writes in a row have failed. Requests are still answered; new analyses
    /// become durable once a write succeeds.
    pub failing: bool,
}

/// Searches since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchCounts {
    /// Searches that run now.
    pub running: usize,
    /// Searches that a worker has started.
    pub started: u64,
    /// Searches whose last subscriber left before their end.
    pub cancelled: u64,
    /// Requests that joined the search of another request.
    pub shared: u64,
    /// Nodes of all searches, running ones included.
    pub nodes: u64,
    /// Speculative searches that have ended.
    pub speculative: u64,
    /// Nodes of the speculative searches.
    pub speculative_nodes: u64,
}

/// Queue waits and refusals, by class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueCounts {
    /// Interactive requests.
    pub interactive: ClassCounts,
    /// Batch requests.
    pub batch: ClassCounts,
    /// How long candidates waited for their speculative search.
    pub speculative_waits: DurationSnapshot,
}

/// Queue waits and refusals of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassCounts {
    /// How long the started tasks waited.
    pub waits: DurationSnapshot,
    /// Tasks that found no place or were evicted.
    pub rejected: u64,
    /// Tasks that waited too long.
    pub timed_out: u64,
}

/// The number of cache lookups: hits by the tier that answered, and misses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheLookupCounts {
    /// From memory.
    pub memory: u64,
    /// From disk.
    pub disk: u64,
    /// From another node of the cluster.
    pub cluster: u64,
    /// Lookups without an answer.
    pub misses: u64,
    /// Lookups answered by a speculative search of this process.
    pub speculative: u64,
}

/// Counts searches. Clones share the counters.
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

/// Counts a search as running until it is dropped.
#[derive(Debug)]
pub(super) struct RunningGuard(SearchCounters);

/// How many nodes of a search are already counted.
#[derive(Debug, Default)]
pub(super) struct CountedNodes(AtomicU64);

impl SearchCounters {
    /// Counts a search that a worker starts.
    pub(super) fn start(&self) -> RunningGuard {
        self.0.started.fetch_add(1, Ordering::Relaxed);
        self.0.running.fetch_add(1, Ordering::Relaxed);
        RunningGuard(self.clone())
    }

    /// Counts an unfinished search whose last subscriber has left.
    pub(super) fn record_cancelled(&self) {
        self.0.cancelled.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a request that joined the search of another.
    pub(super) fn record_shared(&self) {
        self.0.shared.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a finished speculative search and its nodes.
    pub(super) fn record_speculative(&self, nodes: u64) {
        self.0.speculative.fetch_add(1, Ordering::Relaxed);
        self.0.speculative_nodes.fetch_add(nodes, Ordering::Relaxed);
    }

    /// Counts the nodes of a search that are not counted yet, given its total so far. In any order
    /// of calls no node counts twice, and the sum never falls.
    pub(super) fn record_nodes(&self, counted: &CountedNodes, nodes: u64) {
        let before = counted.0.fetch_max(nodes, Ordering::Relaxed);
        self.0.nodes.fetch_add(nodes.saturating_sub(before), Ordering::Relaxed);
    }

    /// All counters now.
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
