//! Eviction from the full evaluation cache: the least valuable entry is evicted.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::analysis::cache_key::HistoryContext;

/// The eviction score of an entry: the nodes that a hit saves times the expected hits, as a binary
/// logarithm with the sketch's weights. It is frequency times cost of Greedy-Dual-Size-Frequency
/// (Cherkasova) for entries of equal size.
#[derive(Clone, Copy, Debug)]
pub(super) struct EvictionScore(f32);

impl EvictionScore {
    /// The score of an entry that saves this many nodes, with this popularity in the sketch.
    pub(super) fn new(nodes: u64, requests: f32) -> EvictionScore {
        EvictionScore((nodes.max(1) as f32).log2() + requests)
    }

    /// The binary logarithm of the value.
    pub(super) fn log2(self) -> f32 {
        self.0
    }
}

impl Ord for EvictionScore {
    fn cmp(&self, other: &EvictionScore) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for EvictionScore {
    fn partial_cmp(&self, other: &EvictionScore) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for EvictionScore {
    fn eq(&self, other: &EvictionScore) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for EvictionScore {}

/// A cached entry with its score at the last check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EvictionEntry {
    pub(super) score: EvictionScore,
    pub(super) zobrist_key: u64,
    pub(super) context: HistoryContext,
    /// The number of lines.
    pub(super) lines: u8,
}

/// All entries in memory, the least valuable on top.
///
/// A hit raises the score in the sketch only, so the heap holds lower bounds. The top entry is
/// checked for its current score and inserted again if that has risen. An entry that stays on top
/// is the least of all (lazy evaluation as in the greedy algorithm of Minoux).
#[derive(Debug, Default)]
pub(super) struct EvictionHeap(BinaryHeap<Reverse<EvictionEntry>>);

impl EvictionHeap {
    /// After this many reinsertions the next entry is evicted unchecked. It is near the least, and
    /// the time is bounded.
    const MAX_REINSERTIONS: usize = 64;

    /// An empty heap with capacity for this many entries.
    pub(super) fn with_capacity(entries: usize) -> EvictionHeap {
        EvictionHeap(BinaryHeap::with_capacity(entries))
    }

    /// Adds an entry.
    pub(super) fn push(&mut self, entry: EvictionEntry) {
        self.0.push(Reverse(entry));
    }

    /// Removes the least valuable entry if its score is below `newcomer`. `current_score`
    /// returns `None` for an entry that is no longer cached.
    pub(super) fn evict_least(
        &mut self,
        newcomer: EvictionScore,
        current_score: impl Fn(&EvictionEntry) -> Option<EvictionScore>,
    ) -> Option<EvictionEntry> {
        for attempt in 0.. {
            let Reverse(mut entry) = self.0.pop()?;
            let Some(score) = current_score(&entry) else { continue };
            let risen = score > entry.score;
            entry.score = entry.score.max(score);
            if risen && attempt < Self::MAX_REINSERTIONS {
                self.0.push(Reverse(entry));
            } else if entry.score < newcomer {
                return Some(entry);
            } else {
                self.0.push(Reverse(entry));
                return None;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(zobrist_key: u64, nodes: u64) -> EvictionEntry {
        EvictionEntry {
            score: EvictionScore::new(nodes, 1.0),
            zobrist_key,
            context: HistoryContext::EMPTY,
            lines: 1,
        }
    }

    fn sample_heap() -> EvictionHeap {
        let mut heap = EvictionHeap::default();
        for key in [3, 1, 4, 2] {
            heap.push(entry(key, key * 1_000));
        }
        heap
    }

    #[test]
    fn the_entry_of_least_score_is_evicted_first() {
        let mut heap = sample_heap();
        let evicted: Vec<u64> = std::iter::from_fn(|| {
            heap.evict_least(EvictionScore::new(9_000, 1.0), |entry| Some(entry.score))
        })
        .map(|entry| entry.zobrist_key)
        .collect();
        assert_eq!(evicted, [1, 2, 3, 4]);
    }

    #[test]
    fn a_newcomer_below_every_entry_is_not_admitted() {
        let mut heap = sample_heap();
        assert_eq!(heap.evict_least(EvictionScore::new(900, 1.0), |entry| Some(entry.score)), None);
        assert_eq!(heap.0.len(), 4);
    }

    #[test]
    fn an_entry_hit_since_insertion_stays() {
        let mut heap = sample_heap();
        let current_score = |entry: &EvictionEntry| {
            Some(if entry.zobrist_key == 1 { EvictionScore::new(1_000, 3.0) } else { entry.score })
        };
        assert_eq!(
            heap.evict_least(EvictionScore::new(9_000, 1.0), current_score)
                .map(|entry| entry.zobrist_key),
            Some(2)
        );
    }
}
