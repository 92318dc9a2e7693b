//! The histogram of latencies.

use std::time::Duration;

use hdrhistogram::Histogram;
use serde::Serialize;

use crate::error::LoadError;

/// A histogram of times up to an hour, with three significant digits and constant memory
/// (HdrHistogram).
#[derive(Clone, Debug)]
pub(crate) struct LatencyHistogram(Histogram<u64>);

/// A summary of latencies, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct LatencySummary {
    pub(crate) count: u64,
    pub(crate) mean: f64,
    pub(crate) p50: f64,
    pub(crate) p90: f64,
    pub(crate) p99: f64,
    pub(crate) p999: f64,
    pub(crate) max: f64,
}

impl LatencyHistogram {
    const MAX_LATENCY: Duration = Duration::from_secs(3_600);

    /// An empty histogram.
    pub(crate) fn new() -> Result<LatencyHistogram, LoadError> {
        Ok(LatencyHistogram(Histogram::new_with_bounds(
            1,
            microseconds(LatencyHistogram::MAX_LATENCY),
            3,
        )?))
    }

    /// Records a time. A time above an hour counts as an hour.
    pub(crate) fn record(&mut self, time: Duration) {
        self.0.saturating_record(microseconds(time).max(1));
    }

    /// The summary; `None` of an empty histogram.
    pub(crate) fn summary(&self) -> Option<LatencySummary> {
        let to_milliseconds = |microseconds: f64| microseconds / 1_000.0;
        let quantile_ms = |quantile| to_milliseconds(self.0.value_at_quantile(quantile) as f64);
        (!self.0.is_empty()).then(|| LatencySummary {
            count: self.0.len(),
            mean: to_milliseconds(self.0.mean()),
            p50: quantile_ms(0.5),
            p90: quantile_ms(0.9),
            p99: quantile_ms(0.99),
            p999: quantile_ms(0.999),
            max: to_milliseconds(self.0.max() as f64),
        })
    }
}

fn microseconds(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_match_the_recorded_times() {
        let mut histogram = LatencyHistogram::new().unwrap();
        assert_eq!(histogram.summary(), None);
        (1..=1_000).for_each(|ms| histogram.record(Duration::from_millis(ms)));
        let summary = histogram.summary().unwrap();
        let near = |found: f64, wanted: f64| (found - wanted).abs() <= wanted / 500.0;
        assert!(
            near(summary.mean, 500.5) && near(summary.p50, 500.0) && near(summary.p90, 900.0),
            "{summary:?}"
        );
        assert!(
            near(summary.p99, 990.0) && near(summary.p999, 999.0) && near(summary.max, 1_000.0),
            "{summary:?}"
        );
    }

    #[test]
    fn times_over_an_hour_count_as_an_hour() {
        let mut histogram = LatencyHistogram::new().unwrap();
        histogram.record(Duration::MAX);
        assert!((3_590_000.0..3_610_000.0).contains(&histogram.summary().unwrap().max));
    }
}
