//! A histogram of durations with fixed buckets.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The upper bounds of all buckets but the last, which is unbounded.
pub const DURATION_BUCKET_BOUNDS: [Duration; 17] = [
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

const BUCKETS: usize = DURATION_BUCKET_BOUNDS.len() + 1;

/// A histogram of durations. A record takes two atomic additions and no lock.
#[derive(Debug, Default)]
pub struct DurationHistogram {
    buckets: [AtomicU64; BUCKETS],
    nanoseconds: AtomicU64,
}

/// The histogram at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DurationSnapshot {
    /// The number of durations in each bucket, not cumulative. The bounds are inclusive; the last
    /// bucket holds the durations above all bounds.
    pub buckets: [u64; BUCKETS],
    /// The sum of all durations.
    pub sum: Duration,
}

impl DurationHistogram {
    /// Counts a duration.
    pub fn record(&self, duration: Duration) {
        let bucket = DURATION_BUCKET_BOUNDS.partition_point(|&bound| bound < duration);
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// The durations counted so far.
    pub fn snapshot(&self) -> DurationSnapshot {
        let mut snapshot = DurationSnapshot::default();
        for (count, bucket) in snapshot.buckets.iter_mut().zip(&self.buckets) {
            *count = bucket.load(Ordering::Relaxed);
        }
        snapshot.sum = Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed));
        snapshot
    }
}

impl DurationSnapshot {
    /// The number of durations.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_inclusive_and_the_last_bucket_is_unbounded() {
        let histogram = DurationHistogram::default();
        let hour = Duration::from_secs(3_600);
        for duration in [
            Duration::ZERO,
            DURATION_BUCKET_BOUNDS[0],
            DURATION_BUCKET_BOUNDS[0] + Duration::from_nanos(1),
            hour,
        ] {
            histogram.record(duration);
        }
        let snapshot = histogram.snapshot();
        assert_eq!(
            (snapshot.buckets[0], snapshot.buckets[1], snapshot.buckets[BUCKETS - 1]),
            (2, 1, 1)
        );
        assert_eq!(snapshot.count(), 4);
        assert_eq!(snapshot.sum, hour + 2 * DURATION_BUCKET_BOUNDS[0] + Duration::from_nanos(1));
    }

    #[test]
    fn bucket_bounds_ascend() {
        assert!(DURATION_BUCKET_BOUNDS.is_sorted_by(|less, more| less < more));
    }
}
