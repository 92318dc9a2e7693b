//! What holds a running search: the flag that stops it, and whether its move may be told yet.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::engine::StopFlag;

/// Holds one search. `go infinite` and `go ponder` keep their move back, also when the search has
/// nothing left to find.
pub(super) struct Leash {
    flag: StopFlag,
    infinite: bool,
    held: Mutex<bool>,
    released: Condvar,
}

impl Leash {
    /// For a search that is about to begin.
    pub(super) fn new(ponder: bool, infinite: bool) -> Leash {
        let flag = if ponder { StopFlag::pondering() } else { StopFlag::default() };
        Leash { flag, infinite, held: Mutex::new(ponder || infinite), released: Condvar::new() }
    }

    /// What the search looks at.
    pub(super) fn flag(&self) -> &StopFlag {
        &self.flag
    }

    /// Ends the search.
    pub(super) fn stop(&self) {
        self.flag.stop();
        self.release();
    }

    /// The expected move was played: limits of time hold from now on, and the move may be told.
    pub(super) fn ponder_hit(&self) {
        self.flag.ponder_hit();
        if !self.infinite {
            self.release();
        }
    }

    /// Waits until the move may be told.
    pub(super) fn wait_until_released(&self) {
        let mut held = self.lock();
        while *held {
            held = self.released.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn release(&self) {
        *self.lock() = false;
        self.released.notify_all();
    }

    /// A `bool` cannot be left half-written by a thread that panicked.
    fn lock(&self) -> MutexGuard<'_, bool> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
