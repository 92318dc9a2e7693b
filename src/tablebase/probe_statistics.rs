//! Counts of probes, for the metrics.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Counts of the probes since the tables were opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProbeStatistics {
    /// All probes.
    pub probes: u64,
    /// Probes with a result.
    pub hits: u64,
    /// The time that all probes took together.
    pub time: Duration,
}

/// The counters behind [`ProbeStatistics`].
#[derive(Debug, Default)]
pub(super) struct ProbeCounters {
    probes: AtomicU64,
    hits: AtomicU64,
    nanos: AtomicU64,
}

impl ProbeCounters {
    /// Runs a probe and counts it.
    #[inline]
    pub(super) fn count<T, E>(&self, probe: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let start = Instant::now();
        let result = probe();
        let nanos = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.probes.fetch_add(1, Ordering::Relaxed);
        self.hits.fetch_add(u64::from(result.is_ok()), Ordering::Relaxed);
        self.nanos.fetch_add(nanos, Ordering::Relaxed);
        result
    }

    pub(super) fn read(&self) -> ProbeStatistics {
        ProbeStatistics {
            probes: self.probes.load(Ordering::Relaxed),
            hits: self.hits.load(Ordering::Relaxed),
            time: Duration::from_nanos(self.nanos.load(Ordering::Relaxed)),
        }
    }
}
