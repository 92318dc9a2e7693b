//! What can go wrong with a question.

use std::time::Duration;

use thiserror::Error;

/// Why a question was not answered. A closed list; the HTTP layer gives each its status and code.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum AnalysisError {
    /// All places in the queue are taken.
    #[error("all {length} places of the queue are taken")]
    QueueFull {
        /// How many wait.
        length: usize,
        /// When it is worth to ask again; at least a second.
        retry_after: Duration,
    },
    /// It has waited too long for a worker.
    #[error("no worker was free within {waited:?}")]
    Deadline {
        /// How long it has waited.
        waited: Duration,
        /// When it is worth to ask again; at least a second.
        retry_after: Duration,
    },
    /// The service ends and takes no new work.
    #[error("the service is shutting down")]
    ShuttingDown {
        /// When it is worth to ask again, of the process that comes after this one.
        retry_after: Duration,
    },
    /// The count would have taken longer than perft may.
    #[error("perft took longer than {max:?}")]
    PerftTooLarge {
        /// What it was allowed.
        max: Duration,
    },
    /// A panic of ours, which the panic hook has logged. The text is not for clients.
    #[error("internal error: {0}")]
    Internal(&'static str),
}

impl AnalysisError {
    /// After a shutdown the next process is up within about this time.
    pub const fn shutting_down() -> AnalysisError {
        AnalysisError::ShuttingDown { retry_after: Duration::from_secs(5) }
    }
}
