//! How much memory the service can come to take: its share of the sizing rule that the
//! configuration states.

use super::ServiceOptions;
use super::evaluation_cache::EvaluationCache;
use super::request::AnalysisRequest;
use super::speculation::SpeculativeQueue;
use crate::store;

/// What a worker takes: the part of its stack that a search comes to use, and what the search keeps
/// there and elsewhere besides the shared table (histories, accumulators, lines, the table of the
/// mate prover). Histories and accumulators are 9 MiB. Measured: 12 MiB; an allocator that has to
/// serve many threads may keep as much again of what searches have given back.
const WORKER_BYTES: usize = 24 << 20;

/// The most memory that each part comes to take, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryBound {
    /// The shared transposition table.
    pub hash: usize,
    /// The evaluation dictionary when it is full.
    pub evaluation_cache: usize,
    /// Requests that wait or are searched, each with the longest game that it needs.
    pub requests: usize,
    /// Positions that wait to be deepened, each with the longest game that leads to it.
    pub candidates: usize,
    /// Worker threads: their stacks, and what their searches keep.
    pub workers: usize,
}

impl MemoryBound {
    /// All of it, in bytes.
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

/// The most memory that the service takes with an engine whose shared table has so many MiB. The
/// process itself, connections and request bodies come on top.
pub const fn memory_bound(options: &ServiceOptions, hash_mb: usize) -> MemoryBound {
    let workers = if options.workers == 0 { 1 } else { options.workers };
    // Each class has as many places.
    let requests = options.queue_capacity.saturating_mul(2).saturating_add(workers);
    MemoryBound {
        hash: hash_mb.saturating_mul(1 << 20),
        evaluation_cache: options.dictionary_max_entries.saturating_mul(bytes_per_entry()),
        requests: requests.saturating_mul(AnalysisRequest::MAX_BYTES),
        candidates: options.idle_positions.saturating_mul(SpeculativeQueue::MAX_BYTES),
        workers: workers.saturating_mul(WORKER_BYTES),
    }
}

/// What a store takes in memory besides the dictionary, in bytes: its pages, and what waits for it.
pub const fn store_bound() -> usize {
    store::MEMORY_BYTES + EvaluationCache::MAX_WAITING_BYTES
}

/// What one analysis in the dictionary takes at most, in bytes, with its share of the tables around
/// it.
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
            idle_positions: 10,
            dictionary_max_entries: 1_000,
            ..ServiceOptions::default()
        };
        let bound = memory_bound(&options, 64);
        assert_eq!(bound.hash, 64 << 20);
        assert_eq!(bound.evaluation_cache, 1_000 * bytes_per_entry());
        assert_eq!(bound.requests, 100 * AnalysisRequest::MAX_BYTES);
        assert_eq!(bound.candidates, 10 * SpeculativeQueue::MAX_BYTES);
        assert_eq!(
            bound.total(),
            bound.hash + bound.evaluation_cache + bound.requests + bound.candidates + bound.workers
        );
        println!(
            "an entry {}, a request {}, a worker {}",
            bytes_per_entry(),
            bound.requests / 100,
            bound.workers / 2
        );
    }

    #[test]
    fn absurd_settings_do_not_overflow() {
        let options = ServiceOptions {
            workers: usize::MAX,
            queue_capacity: usize::MAX,
            idle_positions: usize::MAX,
            dictionary_max_entries: usize::MAX,
            ..ServiceOptions::default()
        };
        assert_eq!(memory_bound(&options, usize::MAX).total(), usize::MAX);
    }
}
