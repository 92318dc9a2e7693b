//! How busy the service is.

use super::DictionaryHits;

/// The service at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Requests that somebody waits for and that wait for a worker.
    pub queue_length: usize,
    /// Parts of batches that wait for a worker.
    pub batch_length: usize,
    /// How many of each may wait.
    pub queue_capacity: usize,
    /// Worker threads.
    pub workers: usize,
    /// Workers that search or count now.
    pub running: usize,
    /// Positions that wait to be deepened in idle time.
    pub idle_length: usize,
    /// Analyses remembered, in memory or on disk.
    pub dictionary_entries: usize,
    /// How many may be remembered.
    pub dictionary_max_entries: usize,
    /// How questions to the dictionary were answered since the start.
    pub dictionary_hits: DictionaryHits,
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
    /// `true` while it refuses to be written, several times one after the other. Answers go on; what is new outlasts the process once it
    /// can be written again.
    pub failing: bool,
}
