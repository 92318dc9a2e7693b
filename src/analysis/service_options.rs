//! The limits of the analysis service, and what it uses besides its own memory.

use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use super::cluster::Cluster;
use crate::store::Store;

/// The limits of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceOptions {
    /// Worker threads; at least one.
    pub workers: usize,
    /// How many requests of each class may wait while all workers are busy.
    pub queue_capacity: usize,
    /// How many positions may wait for a speculative search; 0 disables speculative searches.
    pub speculative_queue_capacity: usize,
    /// How many analyses the cache holds in memory.
    pub cache_max_entries: usize,
    /// The longest search of a request without a time limit.
    pub max_movetime: Duration,
    /// The longest search of a request without any limit.
    pub max_infinite: Duration,
    /// The longest that an interactive request waits for a worker.
    pub max_wait: Duration,
    /// How long a search runs before it gives way to another client that waits.
    pub slice: Duration,
}

impl Default for ServiceOptions {
    fn default() -> ServiceOptions {
        let workers = available_parallelism().map_or(1, usize::from);
        ServiceOptions {
            workers,
            queue_capacity: 128,
            speculative_queue_capacity: 0,
            cache_max_entries: 100_000,
            max_movetime: Duration::from_secs(60),
            max_infinite: Duration::from_secs(3_600),
            max_wait: Duration::from_secs(30),
            slice: Duration::from_millis(500),
        }
    }
}

/// What the service uses besides its own memory.
#[derive(Clone, Debug, Default)]
pub struct Backends {
    /// The store of the evaluation cache. A new analysis is in it within the flush interval, as
    /// long as the disk writes a batch in a quarter of it.
    pub store: Option<(Arc<dyn Store>, Duration)>,
    /// The cluster to which the node belongs.
    pub cluster: Option<Arc<dyn Cluster>>,
}
