//! Rate limits per client: the generic cell rate algorithm (Wikipedia, "Generic cell rate
//! algorithm"), implemented by the crate governor.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::{DefaultKeyedStateStore, ShrinkableKeyedStateStore};
use governor::state::{NotKeyed, StateStore};
use governor::{Quota, RateLimiter};

use crate::analysis::Client;
use crate::http::problem::Problem;

/// Maximum number of clients with their own count. Above it, new clients share [`SHARED_BUCKETS`]
/// counts.
const MAX_CLIENTS: usize = 100_000;
const SHARED_BUCKETS: u64 = 1_024;

/// Number of requests between removals of clients with a full allowance.
const CLEANUP_EVERY: u32 = 4_096;

/// A maximum number of requests in a time window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// The requests per window, which may also come in one burst.
    pub requests: NonZeroU32,
    /// The window; at least 1 ms.
    pub window: Duration,
}

impl RateLimit {
    fn quota(self) -> Option<Quota> {
        Quota::with_period(self.window / self.requests.get())
            .map(|quota| quota.allow_burst(self.requests))
    }
}

/// The remaining requests of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Allowance {
    pub(crate) rate: RateLimit,
    /// Requests that the client may make now.
    pub(crate) remaining: u32,
    /// Time until the allowance is full again or, if no request remains, until the next request.
    pub(crate) reset_after: Duration,
}

impl Allowance {
    /// The problem of a client that makes a request beyond this allowance.
    pub(crate) fn exceeded(self) -> Problem {
        let RateLimit { requests, window } = self.rate;
        Problem::rate_limited(requests.get(), window, self.reset_after)
    }
}

/// The request counts of all clients with the same rate.
pub(crate) struct ClientRateLimiter {
    rate: RateLimit,
    limiter: RateLimiter<LimiterKey, PeekableStore, DefaultClock, StateInformationMiddleware>,
    clock: DefaultClock,
    checks: AtomicU32,
}

impl ClientRateLimiter {
    /// Creates a limiter; `None` for an empty window.
    pub(crate) fn new(rate: RateLimit) -> Option<ClientRateLimiter> {
        let clock = DefaultClock::default();
        let limiter = RateLimiter::new(rate.quota()?, PeekableStore::default(), clock.clone());
        Some(ClientRateLimiter { rate, limiter, clock, checks: AtomicU32::new(0) })
    }

    /// Counts a request and returns the remaining allowance. If the client must wait, the allowance
    /// is the error.
    pub(crate) fn check(&self, client: &Client) -> Result<Allowance, Allowance> {
        if self.checks.fetch_add(1, Ordering::Relaxed).is_multiple_of(CLEANUP_EVERY) {
            self.limiter.retain_recent();
        }
        let remaining =
            self.limiter.check_key(&LimiterKey { client: self.bucket(client), consumes: true });
        match remaining.map(|snapshot| snapshot.remaining_burst_capacity()) {
            Ok(remaining) => Ok(self.allowance(remaining)),
            Err(not_until) => Err(self.exhausted(not_until.wait_time_from(self.clock.now()))),
        }
    }

    /// The remaining allowance, without counting a request.
    pub(crate) fn peek(&self, client: &Client) -> Allowance {
        let key = LimiterKey { client: self.bucket(client), consumes: false };
        match self.limiter.check_key(&key) {
            // The capacity after a request that is not made.
            Ok(snapshot) => self.allowance(snapshot.remaining_burst_capacity() + 1),
            Err(not_until) => self.exhausted(not_until.wait_time_from(self.clock.now())),
        }
    }

    /// The rate of its clients.
    pub(super) fn rate(&self) -> RateLimit {
        self.rate
    }

    /// The allowance of a client that may make so many requests now.
    pub(super) fn allowance(&self, remaining: u32) -> Allowance {
        let rate = self.rate;
        let used = rate.requests.get().saturating_sub(remaining);
        Allowance { rate, remaining, reset_after: rate.window / rate.requests.get() * used }
    }

    /// The allowance of a client that must wait.
    pub(super) fn exhausted(&self, reset_after: Duration) -> Allowance {
        Allowance { rate: self.rate, remaining: 0, reset_after }
    }

    /// The client under which requests are counted.
    fn bucket(&self, client: &Client) -> Client {
        if self.limiter.len() < MAX_CLIENTS { client.clone() } else { shared_bucket(client) }
    }
}

/// The key of a check.
#[derive(Clone, PartialEq, Eq, Hash)]
struct LimiterKey {
    client: Client,
    /// Whether the check counts a request, or only peeks.
    consumes: bool,
}

/// The counts by client. A check that only peeks leaves them unchanged.
#[derive(Default)]
struct PeekableStore(DefaultKeyedStateStore<Client>);

impl StateStore for PeekableStore {
    type Key = LimiterKey;

    fn measure_and_replace<T, F, E>(&self, key: &LimiterKey, measure: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        if key.consumes {
            return self.0.measure_and_replace(&key.client, measure);
        }
        let Some(state) = self.0.get(&key.client) else {
            return measure(None).map(|(outcome, _)| outcome);
        };
        // An error keeps the state from being replaced.
        let peeked: Result<(), Result<T, E>> = state
            .measure_and_replace(&NotKeyed::NonKey, |arrival| {
                Err(measure(arrival).map(|(outcome, _)| outcome))
            });
        match peeked {
            Err(outcome) => outcome,
            Ok(()) => measure(None).map(|(outcome, _)| outcome),
        }
    }
}

impl ShrinkableKeyedStateStore<LimiterKey> for PeekableStore {
    fn retain_recent(&self, drop_below: Nanos) {
        self.0.retain_recent(drop_below);
    }

    fn shrink_to_fit(&self) {
        self.0.shrink_to_fit();
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn shared_bucket(client: &Client) -> Client {
    let mut hasher = DefaultHasher::new();
    client.hash(&mut hasher);
    Client::new(&format!("shared {}", hasher.finish() % SHARED_BUCKETS))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: RateLimit =
        RateLimit { requests: NonZeroU32::new(3).unwrap(), window: Duration::from_secs(3_600) };

    #[test]
    fn each_client_has_as_many_requests_as_the_window_allows() {
        let limits = ClientRateLimiter::new(RATE).unwrap();
        let (ann, bob) = (Client::new("ann"), Client::new("bob"));
        let remaining: Vec<u32> = (0..3).map(|_| limits.check(&ann).unwrap().remaining).collect();
        assert_eq!(remaining, [2, 1, 0]);
        let refused = limits.check(&ann).unwrap_err();
        assert!(
            refused.reset_after > Duration::from_secs(1_100)
                && refused.reset_after <= Duration::from_secs(1_200),
            "{refused:?}"
        );
        assert_eq!(limits.check(&bob).unwrap().remaining, 2);
    }

    #[test]
    fn peeking_does_not_consume_a_request() {
        let limits = ClientRateLimiter::new(RATE).unwrap();
        let ann = Client::new("ann");
        for used in 0..3 {
            let peeked = [limits.peek(&ann), limits.peek(&ann)];
            assert!(peeked.iter().all(|allowance| allowance.remaining == 3 - used), "{peeked:?}");
            let checked = limits.check(&ann).unwrap();
            assert_eq!(checked.remaining, 2 - used);
        }
        assert_eq!(limits.peek(&ann).remaining, 0);
        assert!(limits.peek(&ann).reset_after > Duration::from_secs(1_100));
        limits.peek(&Client::new("bob"));
        assert_eq!(limits.limiter.len(), 1, "peeking creates no entry");
    }

    #[test]
    fn the_number_of_tracked_clients_is_bounded() {
        let limits = ClientRateLimiter::new(RATE).unwrap();
        for number in 0..MAX_CLIENTS + 20_000 {
            let _ = limits.check(&Client::new(&number.to_string()));
        }
        assert!(
            limits.limiter.len() <= MAX_CLIENTS + SHARED_BUCKETS as usize,
            "{}",
            limits.limiter.len()
        );
    }
}
