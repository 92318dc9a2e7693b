//! Requests, counted by route and status.
//!
//! This lies on the way of every request, so that a count takes no lock and no allocation: each
//! route finds its counters once, by its pattern, and keeps them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use axum::extract::MatchedPath;

use crate::analysis::{DurationCounts, Durations};

/// What stands for a pattern where no route has one that fits.
const UNMATCHED: &str = "unmatched";

/// The status of a request whose client left before the answer. No such answer exists; servers of
/// the field note it so.
pub(crate) const LEFT: u16 = 499;

const STATUSES: std::ops::Range<u16> = 100..600;

/// All requests.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    /// Locked when a route meets its first request, and to be read.
    routes: Mutex<BTreeMap<Box<str>, Arc<RouteCounts>>>,
}

/// The requests of one route.
#[derive(Debug)]
pub(crate) struct RouteCounts {
    pattern: Box<str>,
    durations: Durations,
    by_status: Box<[AtomicU64]>,
}

/// Where one route of a router finds its counters. Cheap to clone; all clones keep the same.
#[derive(Clone, Debug)]
pub(crate) struct RouteSeat {
    requests: Arc<Requests>,
    counts: Arc<OnceLock<Arc<RouteCounts>>>,
}

impl Requests {
    /// A seat for a route that has not met a request.
    pub(crate) fn seat(self: &Arc<Requests>) -> RouteSeat {
        RouteSeat { requests: self.clone(), counts: Arc::default() }
    }

    /// The counters of every route that has met one.
    pub(super) fn routes(&self) -> Vec<Arc<RouteCounts>> {
        self.routes.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    fn route(&self, pattern: &str) -> Arc<RouteCounts> {
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = routes.get(pattern) {
            return known.clone();
        }
        let counts = Arc::new(RouteCounts::of(pattern));
        routes.insert(pattern.into(), counts.clone());
        counts
    }
}

impl RouteSeat {
    /// The counters of a request that has matched this.
    pub(crate) fn counts(&self, matched: Option<&MatchedPath>) -> Arc<RouteCounts> {
        let pattern = matched.map_or(UNMATCHED, MatchedPath::as_str);
        let kept = self.counts.get_or_init(|| self.requests.route(pattern));
        // A seat belongs to one route, which has one pattern. Were it otherwise, this would be
        // slower and as true.
        if *kept.pattern == *pattern { kept.clone() } else { self.requests.route(pattern) }
    }
}

impl RouteCounts {
    fn of(pattern: &str) -> RouteCounts {
        let by_status = STATUSES.map(|_| AtomicU64::default()).collect();
        RouteCounts { pattern: pattern.into(), durations: Durations::default(), by_status }
    }

    /// Counts a request whose answer took so long to begin.
    pub(crate) fn note(&self, status: u16, took: Duration) {
        self.durations.note(took);
        if let Some(count) = self.by_status.get(usize::from(status.wrapping_sub(STATUSES.start))) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The pattern of the route.
    pub(crate) fn pattern(&self) -> &str {
        &self.pattern
    }

    /// How long the answers took to begin.
    pub(super) fn durations(&self) -> DurationCounts {
        self.durations.counts()
    }

    /// How many there were with each status that there was.
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
    fn requests_count_by_route_and_status() {
        let requests = Arc::new(Requests::default());
        let (first, second) = (requests.seat(), requests.seat());
        for status in [200, 404, 200, 599] {
            first.counts(None).note(status, Duration::from_millis(1));
        }
        second.counts(None).note(LEFT, Duration::ZERO);
        let routes = requests.routes();
        assert_eq!(routes.len(), 1, "both have the same pattern");
        assert_eq!(routes[0].pattern(), UNMATCHED);
        assert_eq!(
            routes[0].by_status().collect::<Vec<_>>(),
            [(200, 2), (404, 1), (LEFT, 1), (599, 1)]
        );
        assert_eq!(routes[0].durations().count(), 5);
    }
}
