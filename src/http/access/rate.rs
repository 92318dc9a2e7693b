//! How often clients may ask: the generic cell rate algorithm (Wikipedia, "Generic cell rate algorithm"), by the crate governor.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
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
        Quota::with_period(self.window / self.requests.get()).map(|quota| quota.allow_burst(self.requests))
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
    limiter: RateLimiter<Client, DefaultKeyedStateStore<Client>, DefaultClock, StateInformationMiddleware>,
    clock: DefaultClock,
    asked: AtomicU32,
}

impl RateLimits {
    /// `None` for a window of no time.
    pub(crate) fn new(rate: Rate) -> Option<RateLimits> {
        let limiter = RateLimiter::keyed(rate.quota()?).with_middleware::<StateInformationMiddleware>();
        Some(RateLimits { rate, limiter, clock: DefaultClock::default(), asked: AtomicU32::new(0) })
    }

    /// Counts a request: what is left, or as an error the allowance of one who has to wait.
    pub(crate) fn ask(&self, client: &Client) -> Result<Allowance, Allowance> {
        if self.asked.fetch_add(1, Ordering::Relaxed).is_multiple_of(FORGET_EVERY) {
            self.limiter.retain_recent();
        }
        let client = if self.limiter.len() < MOST_CLIENTS { client.clone() } else { crowd(client) };
        let rate = self.rate;
        match self.limiter.check_key(&client) {
            Ok(snapshot) => {
                let remaining = snapshot.remaining_burst_capacity();
                let used = rate.requests.get().saturating_sub(remaining);
                Ok(Allowance { rate, remaining, after: rate.window / rate.requests.get() * used })
            }
            Err(not_until) => Err(Allowance { rate, remaining: 0, after: not_until.wait_time_from(self.clock.now()) }),
        }
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

    const RATE: Rate = Rate { requests: NonZeroU32::new(3).unwrap(), window: Duration::from_secs(3_600) };

    #[test]
    fn each_client_has_as_many_requests_as_the_window_allows() {
        let limits = RateLimits::new(RATE).unwrap();
        let (ann, bob) = (Client::new("ann"), Client::new("bob"));
        let remaining: Vec<u32> = (0..3).map(|_| limits.ask(&ann).unwrap().remaining).collect();
        assert_eq!(remaining, [2, 1, 0]);
        let refused = limits.ask(&ann).unwrap_err();
        assert!(refused.after > Duration::from_secs(1_100) && refused.after <= Duration::from_secs(1_200), "{refused:?}");
        assert_eq!(limits.ask(&bob).unwrap().remaining, 2);
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
