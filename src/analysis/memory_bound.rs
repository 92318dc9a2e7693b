//! The memory bound of the service: its share of the configuration's sizing rule.

use super::evaluation_cache::EvaluationCache;
use super::queue::SpeculativeQueue;
use super::request::AnalysisRequest;
use super::service_options::ServiceOptions;
use crate::store;

/// The memory of a search thread, in bytes: the used part of its stack, and the data of its search
/// besides the transposition table (histories, accumulators, lines, and the table of a mate search
/// or of a search of limited strength).
/// Histories and accumulators take 9 MiB. Measured: 12 MiB; the allocator may keep as much again of
/// the memory that searches have freed.
const WORKER_BYTES: usize = 24 << 20;

/// The most memory of each part of the service, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryBound {
    /// The transposition table.
    pub hash: usize,
    /// The full evaluation cache.
    pub evaluation_cache: usize,
    /// Waiting and running requests, each with the longest game that it can keep.
    pub requests: usize,
    /// Candidates for speculative search, each with the longest game that it can keep.
    pub candidates: usize,
    /// Worker threads: their stacks and the data of their searches, as many paused as running.
    pub workers: usize,
}

impl MemoryBound {
    /// The sum of all parts, in bytes.
    pub const fn total(&self) -> usize {
        let parts = [self.evaluation_cache, self.requests, self.candidates, self.workers];
        let (mut sum, mut part) = (self.hash, 0);
        while part < parts.len() {
            sum = usize::saturating_add(sum, parts[part]);
            part += 1;
        }
        sum
    }
}

/// The most memory of the service with a transposition table of `hash_mb` MiB. The process itself,
/// connections and request bodies come on top.
pub const fn memory_bound(options: &ServiceOptions, hash_mb: usize) -> MemoryBound {
    let workers = if options.workers == 0 { 1 } else { options.workers };
    // Both classes have this capacity, and so have the searches that wait for their next slice.
    let requests =
        options.queue_capacity.saturating_mul(3).saturating_add(workers.saturating_mul(2));
    MemoryBound {
        hash: hash_mb.saturating_mul(1 << 20),
        evaluation_cache: options.cache_max_entries.saturating_mul(bytes_per_entry()),
        requests: requests.saturating_mul(AnalysisRequest::MAX_BYTES),
        candidates: options.speculative_queue_capacity.saturating_mul(SpeculativeQueue::MAX_BYTES),
        workers: workers.saturating_mul(2 * WORKER_BYTES),
    }
}

/// The most memory of a store besides the cache, in bytes: its pages and its write queue.
pub const fn store_bound() -> usize {
    store::MEMORY_BYTES + EvaluationCache::MAX_WAITING_BYTES
}

/// The most memory of a request whose search another node runs, in bytes.
pub const fn bytes_per_request() -> usize {
    AnalysisRequest::MAX_BYTES
}

/// The most memory of a cached analysis, in bytes, with its share of the tables.
pub const fn bytes_per_entry() -> usize {
    EvaluationCache::BYTES_PER_ENTRY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_the_sum_of_its_parts() {
        let options = ServiceOptions {
            workers: 2,
            queue_capacity: 49,
            speculative_queue_capacity: 10,
            cache_max_entries: 1_000,
            ..ServiceOptions::default()
        };
        let bound = memory_bound(&options, 64);
        assert_eq!(bound.hash, 64 << 20);
        assert_eq!(bound.evaluation_cache, 1_000 * bytes_per_entry());
        assert_eq!(bound.requests, (3 * 49 + 2 * 2) * AnalysisRequest::MAX_BYTES);
        assert_eq!(bound.candidates, 10 * SpeculativeQueue::MAX_BYTES);
        assert_eq!(
            bound.total(),
            bound.hash + bound.evaluation_cache + bound.requests + bound.candidates + bound.workers
        );
        println!(
            "bytes of an entry: {}, of a request: {}, of a worker: {}",
            bytes_per_entry(),
            AnalysisRequest::MAX_BYTES,
            bound.workers / 2
        );
    }

    #[test]
    fn absurd_settings_do_not_overflow() {
        let options = ServiceOptions {
            workers: usize::MAX,
            queue_capacity: usize::MAX,
            speculative_queue_capacity: usize::MAX,
            cache_max_entries: usize::MAX,
            ..ServiceOptions::default()
        };
        assert_eq!(memory_bound(&options, usize::MAX).total(), usize::MAX);
    }
}
