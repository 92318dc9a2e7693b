//! Who has to go when the dictionary is full: the analysis that is least worth keeping.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::cache_key::HistoryContext;

/// The work that keeping an analysis saves: nodes per hit times hits expected, as a logarithm in
/// the sketch's terms. The frequency times cost of Greedy-Dual-Size-Frequency (Cherkasova), where
/// all things have one size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worth(f32);

impl Worth {
    /// Of an analysis that took so many nodes, with this weight of requests in the sketch.
    pub(super) fn new(nodes: u64, requests: f32) -> Worth {
        Worth((nodes.max(1) as f32).log2() + requests)
    }

    /// The logarithm.
    pub(super) fn log2(self) -> f32 {
        self.0
    }
}

impl Ord for Worth {
    fn cmp(&self, other: &Worth) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Worth {
    fn partial_cmp(&self, other: &Worth) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Worth {
    fn eq(&self, other: &Worth) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Worth {}

/// One remembered analysis, with what it was worth when somebody last looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EvictionEntry {
    pub(super) worth: Worth,
    pub(super) zobrist_key: u64,
    pub(super) context: HistoryContext,
    /// How many lines it has.
    pub(super) lines: u8,
}

/// All remembered analyses, the least worth on top.
///
/// Hits do not come here: they raise worths in the sketch alone, and the heap holds lower bounds.
/// Whoever comes to the top is asked for its worth of today, and sinks back if that has risen; who
/// stays on top is the least of all (lazy evaluation as in the greedy algorithm of Minoux).
#[derive(Debug, Default)]
pub(super) struct EvictionHeap(BinaryHeap<Reverse<EvictionEntry>>);

impl EvictionHeap {
    /// After so many that sank back, the next one goes as it is: near enough to the least, and the
    /// time is bounded.
    const MAX_REINSERTIONS: usize = 64;

    /// With room for so many.
    pub(super) fn with_capacity(entries: usize) -> EvictionHeap {
        EvictionHeap(BinaryHeap::with_capacity(entries))
    }

    /// Adds an analysis.
    pub(super) fn push(&mut self, entry: EvictionEntry) {
        self.0.push(Reverse(entry));
    }

    /// Takes out the least worth if that is less than `newcomer`. `today` tells a worth; `None` for
    /// what is no longer there.
    pub(super) fn evict_least(
        &mut self,
        newcomer: Worth,
        current_worth: impl Fn(&EvictionEntry) -> Option<Worth>,
    ) -> Option<EvictionEntry> {
        for attempt in 0.. {
            let Reverse(mut entry) = self.0.pop()?;
            let Some(worth) = current_worth(&entry) else { continue };
            let risen = worth > entry.worth;
            entry.worth = entry.worth.max(worth);
            if risen && attempt < Self::MAX_REINSERTIONS {
                self.0.push(Reverse(entry));
            } else if entry.worth < newcomer {
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
            worth: Worth::new(nodes, 1.0),
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
    fn the_entry_of_least_worth_is_evicted_first() {
        let mut heap = sample_heap();
        let evicted: Vec<u64> = std::iter::from_fn(|| {
            heap.evict_least(Worth::new(9_000, 1.0), |ticket| Some(ticket.worth))
        })
        .map(|t| t.zobrist_key)
        .collect();
        assert_eq!(evicted, [1, 2, 3, 4]);
    }

    #[test]
    fn a_newcomer_worth_less_than_every_entry_is_not_admitted() {
        let mut heap = sample_heap();
        assert_eq!(heap.evict_least(Worth::new(900, 1.0), |ticket| Some(ticket.worth)), None);
        assert_eq!(heap.0.len(), 4);
    }

    #[test]
    fn an_entry_hit_since_insertion_stays() {
        let mut heap = sample_heap();
        let current_worth = |ticket: &EvictionEntry| {
            Some(if ticket.zobrist_key == 1 { Worth::new(1_000, 3.0) } else { ticket.worth })
        };
        assert_eq!(
            heap.evict_least(Worth::new(9_000, 1.0), current_worth)
                .map(|ticket| ticket.zobrist_key),
            Some(2)
        );
    }
}
