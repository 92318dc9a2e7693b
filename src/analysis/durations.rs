//! How long things took, counted in buckets: what a histogram is made of.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The upper bounds of the buckets but the last, which has none.
pub const DURATION_BOUNDS: [Duration; 17] = [
    Duration::from_micros(100),
    Duration::from_micros(500),
    Duration::from_millis(1),
    Duration::from_micros(2_500),
    Duration::from_millis(5),
    Duration::from_millis(10),
    Duration::from_millis(25),
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_millis(2_500),
    Duration::from_secs(5),
    Duration::from_secs(10),
    Duration::from_secs(30),
    Duration::from_secs(60),
];

const BUCKETS: usize = DURATION_BOUNDS.len() + 1;

/// Durations as they come in. To note one takes two atomic additions and no lock.
#[derive(Debug, Default)]
pub struct Durations {
    buckets: [AtomicU64; BUCKETS],
    nanoseconds: AtomicU64,
}

/// Durations at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DurationCounts {
    /// How many lie within each bucket, not within those before it: up to the bound of the same
    /// place, the last ones beyond all bounds.
    pub buckets: [u64; BUCKETS],
    /// All of them added up.
    pub sum: Duration,
}

impl Durations {
    /// Counts one.
    pub fn note(&self, duration: Duration) {
        let bucket = DURATION_BOUNDS.partition_point(|&bound| bound < duration);
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// All that were counted so far.
    pub fn counts(&self) -> DurationCounts {
        let mut counts = DurationCounts::default();
        for (count, bucket) in counts.buckets.iter_mut().zip(&self.buckets) {
            *count = bucket.load(Ordering::Relaxed);
        }
        counts.sum = Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed));
        counts
    }
}

impl DurationCounts {
    /// How many there are.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_belongs_to_its_bucket_and_what_is_beyond_all_to_the_last() {
        let durations = Durations::default();
        let hour = Duration::from_secs(3_600);
        for duration in
            [Duration::ZERO, DURATION_BOUNDS[0], DURATION_BOUNDS[0] + Duration::from_nanos(1), hour]
        {
            durations.note(duration);
        }
        let counts = durations.counts();
        assert_eq!((counts.buckets[0], counts.buckets[1], counts.buckets[BUCKETS - 1]), (2, 1, 1));
        assert_eq!(counts.count(), 4);
        assert_eq!(counts.sum, hour + 2 * DURATION_BOUNDS[0] + Duration::from_nanos(1));
    }

    #[test]
    fn the_bounds_rise() {
        assert!(DURATION_BOUNDS.is_sorted_by(|less, more| less < more));
    }
}
