//! How often clients may ask: the generic cell rate algorithm (Wikipedia, "Generic cell rate
//! algorithm"), by the crate governor.

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

/// So many clients are counted apart; beyond it, newcomers share [`CROWDS`] counts.
const MOST_CLIENTS: usize = 100_000;
const CROWDS: u64 = 1_024;

/// After so many requests those are forgotten who have all of their requests again.
const FORGET_EVERY: u32 = 4_096;

/// So many requests in any window of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// How many at once, and in a window.
    pub requests: NonZeroU32,
    /// The window; at least a millisecond.
    pub window: Duration,
}

impl Rate {
    fn quota(self) -> Option<Quota> {
        Quota::with_period(self.window / self.requests.get())
            .map(|quota| quota.allow_burst(self.requests))
    }
}

/// What a client has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Allowance {
    pub(crate) rate: Rate,
    /// Requests that it may make at once.
    pub(crate) remaining: u32,
    /// When there are more: all of them again, or, when none are left, the next one.
    pub(crate) after: Duration,
}

/// The counts of all clients with the same rate.
pub(crate) struct RateLimits {
    rate: Rate,
    limiter: RateLimiter<Question, Counts, DefaultClock, StateInformationMiddleware>,
    clock: DefaultClock,
    asked: AtomicU32,
}

impl RateLimits {
    /// `None` for a window of no time.
    pub(crate) fn new(rate: Rate) -> Option<RateLimits> {
        let clock = DefaultClock::default();
        let limiter = RateLimiter::new(rate.quota()?, Counts::default(), clock.clone());
        Some(RateLimits { rate, limiter, clock, asked: AtomicU32::new(0) })
    }

    /// Counts a request: what is left, or as an error the allowance of one who has to wait.
    pub(crate) fn ask(&self, client: &Client) -> Result<Allowance, Allowance> {
        if self.asked.fetch_add(1, Ordering::Relaxed).is_multiple_of(FORGET_EVERY) {
            self.limiter.retain_recent();
        }
        let remaining =
            self.limiter.check_key(&Question { client: self.counted(client), is_counted: true });
        match remaining.map(|snapshot| snapshot.remaining_burst_capacity()) {
            Ok(remaining) => Ok(self.allowance(remaining)),
            Err(not_until) => Err(self.spent(not_until.wait_time_from(self.clock.now()))),
        }
    }

    /// What is left, without counting anything.
    pub(crate) fn look(&self, client: &Client) -> Allowance {
        let question = Question { client: self.counted(client), is_counted: false };
        match self.limiter.check_key(&question) {
            // What would be left after a request.
            Ok(snapshot) => self.allowance(snapshot.remaining_burst_capacity() + 1),
            Err(not_until) => self.spent(not_until.wait_time_from(self.clock.now())),
        }
    }

    fn allowance(&self, remaining: u32) -> Allowance {
        let rate = self.rate;
        let used = rate.requests.get().saturating_sub(remaining);
        Allowance { rate, remaining, after: rate.window / rate.requests.get() * used }
    }

    fn spent(&self, after: Duration) -> Allowance {
        Allowance { rate: self.rate, remaining: 0, after }
    }

    /// Whom a client is counted as.
    fn counted(&self, client: &Client) -> Client {
        if self.limiter.len() < MOST_CLIENTS { client.clone() } else { crowd(client) }
    }
}

/// What the limiter is asked.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Question {
    client: Client,
    /// A request is made. Else it is only asked what would be left after one.
    is_counted: bool,
}

/// The counts by client; who only looks leaves them as they are.
#[derive(Default)]
struct Counts(DefaultKeyedStateStore<Client>);

impl StateStore for Counts {
    type Key = Question;

    fn measure_and_replace<T, F, E>(&self, question: &Question, count: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        if question.is_counted {
            return self.0.measure_and_replace(&question.client, count);
        }
        let Some(known) = self.0.get(&question.client) else {
            return count(None).map(|(told, _)| told);
        };
        // Nothing is replaced where the answer is an error.
        let looked: Result<(), Result<T, E>> = known
            .measure_and_replace(&NotKeyed::NonKey, |counted| {
                Err(count(counted).map(|(told, _)| told))
            });
        match looked {
            Err(told) => told,
            Ok(()) => count(None).map(|(told, _)| told),
        }
    }
}

impl ShrinkableKeyedStateStore<Question> for Counts {
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

fn crowd(client: &Client) -> Client {
    let mut hasher = DefaultHasher::new();
    client.hash(&mut hasher);
    Client::new(&format!("crowd {}", hasher.finish() % CROWDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate =
        Rate { requests: NonZeroU32::new(3).unwrap(), window: Duration::from_secs(3_600) };

    #[test]
    fn each_client_has_as_many_requests_as_the_window_allows() {
        let limits = RateLimits::new(RATE).unwrap();
        let (ann, bob) = (Client::new("ann"), Client::new("bob"));
        let remaining: Vec<u32> = (0..3).map(|_| limits.ask(&ann).unwrap().remaining).collect();
        assert_eq!(remaining, [2, 1, 0]);
        let refused = limits.ask(&ann).unwrap_err();
        assert!(
            refused.after > Duration::from_secs(1_100)
                && refused.after <= Duration::from_secs(1_200),
            "{refused:?}"
        );
        assert_eq!(limits.ask(&bob).unwrap().remaining, 2);
    }

    #[test]
    fn who_looks_is_told_what_is_left_and_not_counted() {
        let limits = RateLimits::new(RATE).unwrap();
        let ann = Client::new("ann");
        for used in 0..3 {
            let looked = [limits.look(&ann), limits.look(&ann)];
            assert!(looked.iter().all(|allowance| allowance.remaining == 3 - used), "{looked:?}");
            let asked = limits.ask(&ann).unwrap();
            assert_eq!(asked.remaining, 2 - used);
        }
        assert_eq!(limits.look(&ann).remaining, 0);
        assert!(limits.look(&ann).after > Duration::from_secs(1_100));
        limits.look(&Client::new("bob"));
        assert_eq!(limits.limiter.len(), 1, "who only looks is not kept");
    }

    #[test]
    fn the_clients_that_are_counted_apart_are_bounded() {
        let limits = RateLimits::new(RATE).unwrap();
        for number in 0..MOST_CLIENTS + 20_000 {
            let _ = limits.ask(&Client::new(&number.to_string()));
        }
        assert!(limits.limiter.len() <= MOST_CLIENTS + CROWDS as usize, "{}", limits.limiter.len());
    }
}
