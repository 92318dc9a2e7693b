//! How busy the service is.

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
    /// Analyses remembered.
    pub dictionary_entries: usize,
    /// How many may be remembered.
    pub dictionary_max_entries: usize,
    /// `true` once the service was told to end.
    pub shutting_down: bool,
}
