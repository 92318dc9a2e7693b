//! The popularity of positions: how often each was requested lately, cached or not.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

const ROWS: usize = 4;

/// A count-min sketch (Cormode and Muthukrishnan) with forward decay (Cormode, Shkapenyuk,
/// Srivastava, Xu).
///
/// A request weighs `2^now`, where `now` counts half-lives. So a request counts half of one that
/// comes a half-life later, and no counter is ever halved. Cells hold the binary logarithm of the
/// sum of weights. They only grow, so a computed score stays a lower bound, which the eviction heap
/// relies on.
///
/// As in TinyLFU (Einziger, Friedman, Manes) the sketch also counts positions that are not cached,
/// for the admission of new entries. It is lock-free; a lost race loses one count.
#[derive(Debug)]
pub(super) struct FrequencySketch {
    /// `ROWS` rows of `mask + 1` cells. A cell holds the bits of a non-negative `f32`, which sort
    /// like the number. 0 means no request.
    cells: Box<[AtomicU32]>,
    mask: usize,
    requests: AtomicU64,
    half_life: f64,
}

impl FrequencySketch {
    /// The most memory for each cache entry, in bytes: a row has twice as many cells as the cache
    /// has entries, rounded up to a power of two.
    pub(super) const BYTES_PER_ENTRY: usize = 4 * ROWS * size_of::<AtomicU32>();

    /// A sketch for about this many cache entries. The half-life is sixteen requests per entry.
    pub(super) fn new(entries: usize) -> FrequencySketch {
        let width = entries.saturating_mul(2).next_power_of_two().max(256);
        FrequencySketch {
            cells: (0..ROWS * width).map(|_| AtomicU32::new(0)).collect(),
            mask: width - 1,
            requests: AtomicU64::new(0),
            half_life: entries.max(64) as f64 * 16.0,
        }
    }

    /// Counts a request for the position with this hash.
    pub(super) fn increment(&self, hash: u64) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let raised = log_add(self.estimate(hash), self.request_log_weight()).to_bits();
        for cell in self.cells_of(hash) {
            cell.fetch_max(raised, Ordering::Relaxed);
        }
    }

    /// The logarithm of the weight of all requests for the position with this hash; 0 if there were
    /// none. Never too low.
    pub(super) fn estimate(&self, hash: u64) -> f32 {
        let least = self.cells_of(hash).map(|cell| cell.load(Ordering::Relaxed)).min();
        f32::from_bits(least.unwrap_or(0))
    }

    /// The logarithm of the weight of a request now; at least 1.
    pub(super) fn request_log_weight(&self) -> f32 {
        (1.0 + self.requests.load(Ordering::Relaxed) as f64 / self.half_life) as f32
    }

    fn cells_of(&self, hash: u64) -> impl Iterator<Item = &AtomicU32> {
        // Each row multiplies by an odd constant and uses the high bits, which mix well.
        const FACTORS: [u64; ROWS] = [
            0x9e37_79b9_7f4a_7c15,
            0xc2b2_ae3d_27d4_eb4f,
            0x1656_67b1_9e37_79f9,
            0xd6e8_feb8_6659_fd93,
        ];
        FACTORS.into_iter().enumerate().map(move |(row, factor)| {
            let mixed = (hash ^ (hash >> 32)).wrapping_mul(factor);
            &self.cells[row * (self.mask + 1) + ((mixed >> 32) as usize & self.mask)]
        })
    }
}

/// The logarithm of the sum of two weights, given their logarithms. A `sum` of 0 means no weight.
fn log_add(sum: f32, one: f32) -> f32 {
    if sum == 0.0 {
        return one;
    }
    let (greater, less) = if sum > one { (sum, one) } else { (one, sum) };
    greater + (1.0 + (less - greater).exp2()).log2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unseen_hash_has_no_weight() {
        assert_eq!(FrequencySketch::new(100).estimate(7), 0.0);
    }

    #[test]
    fn a_hundred_requests_weigh_a_hundred_times_one() {
        let sketch = FrequencySketch::new(1_000_000);
        for _ in 0..100 {
            sketch.increment(7);
        }
        let count = (sketch.estimate(7) - sketch.request_log_weight()).exp2();
        assert!((99.0..101.0).contains(&count), "{count}");
    }

    #[test]
    fn a_request_counts_half_after_a_half_life() {
        let sketch = FrequencySketch::new(64);
        sketch.increment(7);
        let before = sketch.estimate(7);
        for _ in 0..64 * 16 {
            sketch.increment(0x1234_5678_9abc_def0);
        }
        assert_eq!(sketch.estimate(7), before, "weights never fall");
        let count = (sketch.estimate(7) - sketch.request_log_weight()).exp2();
        assert!((0.49..0.51).contains(&count), "{count}");
    }

    #[test]
    fn estimates_are_never_too_low_and_seldom_too_high() {
        let sketch = FrequencySketch::new(10_000);
        let hash = |n: u64| n.wrapping_mul(0x2545_f491_4f6c_dd1d);
        for n in 0..10_000 {
            for _ in 0..n % 8 {
                sketch.increment(hash(n));
            }
        }
        let counts = (0..10_000).map(|n| {
            ((sketch.estimate(hash(n)) - sketch.request_log_weight()).exp2(), (n % 8) as f32)
        });
        let too_high = counts.inspect(|(seen, true_count)| {
            assert!(*seen >= true_count * 0.85, "{seen} of {true_count}")
        });
        let too_high = too_high.filter(|(seen, true_count)| *seen > true_count + 1.0).count();
        assert!(too_high < 300, "{too_high}");
    }
}
