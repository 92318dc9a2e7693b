//! The time of the queue, which a test can simulate.

use std::time::{Duration, Instant};

/// The current time.
pub(super) fn now() -> Instant {
    #[cfg(test)]
    if let Some(time) = simulation::time() {
        return time;
    }
    Instant::now()
}

/// The time since an earlier one.
pub(super) fn elapsed_since(earlier: Instant) -> Duration {
    now().saturating_duration_since(earlier)
}

/// A clock that passes only when a test says so, on the test's thread.
#[cfg(test)]
pub(super) mod simulation {
    use std::cell::Cell;
    use std::time::{Duration, Instant};

    thread_local! {
        static TIME: Cell<Option<Instant>> = const { Cell::new(None) };
    }

    pub(super) fn time() -> Option<Instant> {
        TIME.get()
    }

    /// Stops the clock of this thread, which then shows simulated time.
    pub(in crate::analysis::queue) fn start() {
        TIME.set(Some(Instant::now()));
    }

    /// Lets simulated time pass.
    pub(in crate::analysis::queue) fn pass(time: Duration) {
        TIME.set(TIME.get().map(|now| now + time));
    }
}
