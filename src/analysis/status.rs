//! How busy the service is.

use super::{CacheHits, DurationSnapshot};

/// The service at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceStatus {
    /// Requests that somebody waits for and that wait for a worker.
    pub queue_length: usize,
    /// Parts of batches that wait for a worker.
    pub batch_length: usize,
    /// How many of each may wait.
    pub queue_capacity: usize,
    /// Worker threads.
    pub workers: usize,
    /// Workers that search or count now.
    pub busy_workers: usize,
    /// Positions that wait to be deepened in idle time.
    pub speculative_length: usize,
    /// Analyses remembered, in memory or on disk.
    pub cache_entries: usize,
    /// How many may be remembered.
    pub cache_max_entries: usize,
    /// How questions to the dictionary were answered since the start.
    pub cache_hits: CacheHits,
    /// What was searched since the start.
    pub searches: SearchCounts,
    /// What became of those who waited since the start.
    pub queue_counts: QueueCounts,
    /// The dictionary on disk, where there is one.
    pub store: Option<StoreStatus>,
    /// `true` once the service was told to end.
    pub shutting_down: bool,
}

/// The store at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreStatus {
    /// What it takes on disk.
    pub bytes: u64,
    /// Analyses that wait to be written.
    pub waiting: usize,
    /// `true` while it refuses to be written, several times one after the other. Answers go on;
    /// what is new outlasts the process once it can be written again.
    pub failing: bool,
}

/// Searches since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchCounts {
    /// Those that run now.
    pub running: usize,
    /// Those that a worker has taken up.
    pub started: u64,
    /// Those that nobody waited for any more before they came to their end.
    pub cancelled: u64,
    /// Questions that joined the search of another one.
    pub shared: u64,
    /// Make-moves of all searches, those under way included.
    pub nodes: u64,
    /// Searches in idle time that have ended.
    pub speculative: u64,
    /// Make-moves of those.
    pub speculative_nodes: u64,
}

/// What became of those who waited, by class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueCounts {
    /// Those that somebody waits for.
    pub interactive: ClassCounts,
    /// Parts of batches.
    pub batch: ClassCounts,
    /// How long positions waited for idle time that got some.
    pub speculative_waits: DurationSnapshot,
}

/// What became of those who waited in one lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassCounts {
    /// How long they waited who had their turn.
    pub waits: DurationSnapshot,
    /// Those who found no place, or had to give theirs to others.
    pub rejected: u64,
    /// Those who had waited long enough.
    pub timed_out: u64,
}
