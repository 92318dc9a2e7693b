//! The least rate at which a client must take a response that waits for it.

use std::time::Duration;

use tokio::time::Instant;

/// The least number of bytes per second. A client that takes everything in time may be slower.
const MIN_BYTES_PER_SECOND: f64 = 1_024.0;

/// The bytes that a client has taken since a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadRate {
    since: Instant,
    bytes: usize,
}

impl ReadRate {
    /// A client that has taken nothing yet.
    pub(super) fn start() -> ReadRate {
        ReadRate { since: Instant::now(), bytes: 0 }
    }

    /// Counts bytes that the client has taken.
    pub(super) fn add(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// The time until which the client must have taken enough.
    pub(super) fn deadline(&self, window: Duration) -> Instant {
        self.since + window
    }

    /// Starts the next window once the deadline is over. Returns `false` if the client was too
    /// slow in the last one.
    pub(super) fn next_window(&mut self, window: Duration) -> bool {
        let is_fast_enough = self.bytes as f64 >= MIN_BYTES_PER_SECOND * window.as_secs_f64();
        *self = ReadRate::start();
        is_fast_enough
    }
}
