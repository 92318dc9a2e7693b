//! Prometheus metrics: counted where events happen, rendered on request.

mod cluster;
mod exposition;
mod family_writer;
mod process;
mod requests;

pub(crate) use exposition::{CoreSnapshot, MetricsSnapshot, TextFormat, render};
pub(crate) use requests::{CLIENT_CLOSED_REQUEST, RequestMetrics, RouteHandle, RouteMetrics};

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A count that goes up and down. Cheap to clone; all clones share the count.
#[derive(Clone, Debug, Default)]
pub struct Gauge(Arc<AtomicUsize>);

/// Counts one until it is dropped.
#[derive(Debug)]
pub struct GaugeGuard(Gauge);

impl Gauge {
    /// Adds one until the guard is dropped.
    pub fn increment(&self) -> GaugeGuard {
        self.0.fetch_add(1, Ordering::Relaxed);
        GaugeGuard(self.clone())
    }

    /// The current count.
    pub fn value(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_guard_decrements_the_gauge() {
        let gauge = Gauge::default();
        let (first, second) = (gauge.increment(), gauge.clone().increment());
        assert_eq!(gauge.value(), 2);
        drop(first);
        assert_eq!(gauge.value(), 1);
        drop(second);
        assert_eq!(gauge.value(), 0);
    }
}
