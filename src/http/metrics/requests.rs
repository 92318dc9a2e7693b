//! Request counters by route and status.
//!
//! Every request is counted, so counting takes no lock and no allocation. Each route looks up its
//! counters once, by its pattern, and keeps them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use axum::extract::MatchedPath;

use crate::analysis::{DurationHistogram, DurationSnapshot};

/// The pattern of requests that match no route.
const UNMATCHED: &str = "unmatched";

/// The status of a request whose client left before the response. It is never sent; nginx
/// introduced it for logs.
pub(crate) const CLIENT_CLOSED_REQUEST: u16 = 499;

const STATUSES: std::ops::Range<u16> = 100..600;

/// The counters of all requests.
#[derive(Debug, Default)]
pub(crate) struct RequestMetrics {
    /// Locked for the first request of a route and for reading.
    routes: Mutex<BTreeMap<Box<str>, Arc<RouteMetrics>>>,
}

/// The counters of one route.
#[derive(Debug)]
pub(crate) struct RouteMetrics {
    pattern: Box<str>,
    durations: DurationHistogram,
    by_status: Box<[AtomicU64]>,
}

/// The cached counters of one route. Cheap to clone; all clones share the cache.
#[derive(Clone, Debug)]
pub(crate) struct RouteHandle {
    requests: Arc<RequestMetrics>,
    metrics: Arc<OnceLock<Arc<RouteMetrics>>>,
}

impl RequestMetrics {
    /// Creates a handle for a route without requests so far.
    pub(crate) fn route_handle(self: &Arc<RequestMetrics>) -> RouteHandle {
        RouteHandle { requests: self.clone(), metrics: Arc::default() }
    }

    /// The counters of every route with at least one request.
    pub(super) fn routes(&self) -> Vec<Arc<RouteMetrics>> {
        self.routes.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    fn route_metrics(&self, pattern: &str) -> Arc<RouteMetrics> {
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(existing) = routes.get(pattern) {
            return existing.clone();
        }
        let counts = Arc::new(RouteMetrics::new(pattern));
        routes.insert(pattern.into(), counts.clone());
        counts
    }
}

impl RouteHandle {
    /// The counters for a request that matched this pattern.
    pub(crate) fn metrics(&self, matched: Option<&MatchedPath>) -> Arc<RouteMetrics> {
        let pattern = matched.map_or(UNMATCHED, MatchedPath::as_str);
        let cached = self.metrics.get_or_init(|| self.requests.route_metrics(pattern));
        // A handle belongs to one route, which has one pattern. With a second pattern this would
        // be slower, but still correct.
        if *cached.pattern == *pattern {
            cached.clone()
        } else {
            self.requests.route_metrics(pattern)
        }
    }
}

impl RouteMetrics {
    fn new(pattern: &str) -> RouteMetrics {
        let by_status = STATUSES.map(|_| AtomicU64::default()).collect();
        RouteMetrics { pattern: pattern.into(), durations: DurationHistogram::default(), by_status }
    }

    /// Counts a request with its status and the time to its response head.
    pub(crate) fn record(&self, status: u16, took: Duration) {
        self.durations.record(took);
        if let Some(count) = self.by_status.get(usize::from(status.wrapping_sub(STATUSES.start))) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The pattern of the route.
    pub(crate) fn pattern(&self) -> &str {
        &self.pattern
    }

    /// The times to the response heads.
    pub(super) fn durations(&self) -> DurationSnapshot {
        self.durations.snapshot()
    }

    /// The counts of all statuses that occurred.
    pub(super) fn by_status(&self) -> impl Iterator<Item = (u16, u64)> {
        let counts = STATUSES
            .zip(self.by_status.iter())
            .map(|(status, count)| (status, count.load(Ordering::Relaxed)));
        counts.filter(|&(_, count)| count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_route_and_status() {
        let requests = Arc::new(RequestMetrics::default());
        let (first, second) = (requests.route_handle(), requests.route_handle());
        for status in [200, 404, 200, 599] {
            first.metrics(None).record(status, Duration::from_millis(1));
        }
        second.metrics(None).record(CLIENT_CLOSED_REQUEST, Duration::ZERO);
        let routes = requests.routes();
        assert_eq!(routes.len(), 1, "both routes have the same pattern");
        assert_eq!(routes[0].pattern(), UNMATCHED);
        assert_eq!(
            routes[0].by_status().collect::<Vec<_>>(),
            [(200, 2), (404, 1), (CLIENT_CLOSED_REQUEST, 1), (599, 1)]
        );
        assert_eq!(routes[0].durations().count(), 5);
    }
}
