//! The log of one kind of refusals: a warning for the first one since the last success.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};

/// The log.
#[derive(Debug)]
pub(super) struct RefusalLog {
    /// What the server refuses.
    message: &'static str,
    is_logged: AtomicBool,
}

impl RefusalLog {
    /// A log with this message.
    pub(super) fn new(message: &'static str) -> RefusalLog {
        RefusalLog { message, is_logged: AtomicBool::new(false) }
    }

    /// Logs a refusal, unless it follows another one.
    pub(super) fn note_refusal(&self, error: &dyn Display) {
        if !self.is_logged.swap(true, Ordering::Relaxed) {
            tracing::warn!(error = error.to_string(), "{}", self.message);
        }
    }

    /// Notes that the server has not refused a command.
    pub(super) fn note_success(&self) {
        self.is_logged.store(false, Ordering::Relaxed);
    }
}
