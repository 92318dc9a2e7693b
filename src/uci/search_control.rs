//! What holds a running search: the flag that stops it, and whether its move may be told yet.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::engine::StopFlag;

/// Holds one search. `go infinite` and `go ponder` keep their move back, also when the search has
/// nothing left to find.
pub(super) struct SearchControl {
    stop_flag: StopFlag,
    infinite: bool,
    is_best_move_withheld: Mutex<bool>,
    best_move_allowed: Condvar,
}

impl SearchControl {
    /// For a search that is about to begin.
    pub(super) fn new(ponder: bool, infinite: bool) -> SearchControl {
        let stop_flag = if ponder { StopFlag::pondering() } else { StopFlag::default() };
        SearchControl {
            stop_flag,
            infinite,
            is_best_move_withheld: Mutex::new(ponder || infinite),
            best_move_allowed: Condvar::new(),
        }
    }

    /// What the search looks at.
    pub(super) fn stop_flag(&self) -> &StopFlag {
        &self.stop_flag
    }

    /// Ends the search.
    pub(super) fn stop(&self) {
        self.stop_flag.stop();
        self.allow_best_move();
    }

    /// The expected move was played: limits of time hold from now on, and the move may be told.
    pub(super) fn ponder_hit(&self) {
        self.stop_flag.ponder_hit();
        if !self.infinite {
            self.allow_best_move();
        }
    }

    /// Waits until the move may be told.
    pub(super) fn wait_until_best_move_allowed(&self) {
        let mut is_withheld = self.lock();
        while *is_withheld {
            is_withheld =
                self.best_move_allowed.wait(is_withheld).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn allow_best_move(&self) {
        *self.lock() = false;
        self.best_move_allowed.notify_all();
    }

    /// A `bool` cannot be left half-written by a thread that panicked.
    fn lock(&self) -> MutexGuard<'_, bool> {
        self.is_best_move_withheld.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
