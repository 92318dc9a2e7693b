//! How long a search may run, and how it is told to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What ends a search; the first that is reached. With none it runs until it is stopped or reaches the greatest depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Iterations, in plies.
    pub depth: Option<u8>,
    /// Make-moves, quiescence included, null moves not.
    pub nodes: Option<u64>,
    /// Wall time from the start of the search.
    pub movetime: Option<Duration>,
    /// A mate in at most so many moves is to be proved, with its shortest distance.
    pub mate: Option<u8>,
}

/// The flag that stops a running search from another thread. Seen within 5 ms.
#[derive(Debug, Default)]
pub struct StopFlag(AtomicBool);

impl StopFlag {
    /// Tells the search to stop.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// `true` once the search was told to stop.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
