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

/// A clock that advances only when a test advances it, on the test's thread.
#[cfg(test)]
pub(super) mod simulation {
    use std::cell::Cell;
    use std::marker::PhantomData;
    use std::time::{Duration, Instant};

    thread_local! {
        static TIME: Cell<Option<Instant>> = const { Cell::new(None) };
    }

    pub(super) fn time() -> Option<Instant> {
        TIME.get()
    }

    /// The simulated time of this thread. When it is dropped, the thread has the real time again.
    pub(in crate::analysis::queue) struct SimulatedTime {
        /// It belongs to the thread that started it.
        not_send: PhantomData<*const ()>,
    }

    impl SimulatedTime {
        /// Stops the clock of this thread.
        pub(in crate::analysis::queue) fn start() -> SimulatedTime {
            TIME.set(Some(Instant::now()));
            SimulatedTime { not_send: PhantomData }
        }

        /// Lets simulated time pass.
        pub(in crate::analysis::queue) fn pass(&self, time: Duration) {
            TIME.set(TIME.get().map(|now| now + time));
        }
    }

    impl Drop for SimulatedTime {
        fn drop(&mut self) {
            TIME.set(None);
        }
    }
}
