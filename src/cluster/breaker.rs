//! A circuit breaker: after several failures in a row it refuses attempts for a while, so that a
//! slow server delays only few requests.
//!
//! Source: Nygard, "Release It!" (2007), chapter 5.2.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// After this many failures in a row the breaker opens.
const FAILURES_TO_OPEN: u32 = 3;

/// How long an open breaker refuses attempts. Then a single failure opens it again.
const OPEN: Duration = Duration::from_secs(1);

/// A breaker, closed at first.
#[derive(Debug, Default)]
pub(super) struct Breaker(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    failures: u32,
    open_until: Option<Instant>,
}

impl Breaker {
    /// `true` if an attempt may be made now.
    pub(super) fn allows(&self) -> bool {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.open_until.is_none_or(|until| Instant::now() >= until)
    }

    /// Notes how an attempt ended.
    pub(super) fn record(&self, is_success: bool) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if is_success {
            *state = State::default();
            return;
        }
        state.failures = state.failures.saturating_add(1);
        if state.failures >= FAILURES_TO_OPEN {
            state.open_until = Some(Instant::now() + OPEN);
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn three_failures_in_a_row_refuse_attempts_for_a_second() {
        let breaker = Breaker::default();
        [false, false, true, false, false].into_iter().for_each(|end| breaker.record(end));
        assert!(breaker.allows(), "a success in between counts anew");
        breaker.record(false);
        assert!(!breaker.allows());
        advance(OPEN - Duration::from_millis(1)).await;
        assert!(!breaker.allows());
        advance(Duration::from_millis(1)).await;
        assert!(breaker.allows());
        breaker.record(false);
        assert!(!breaker.allows(), "one failure opens it again");
        advance(OPEN).await;
        breaker.record(true);
        breaker.record(false);
        assert!(breaker.allows());
    }
}
