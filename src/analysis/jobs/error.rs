//! Errors of the job service.

use thiserror::Error;

use super::usage::ExceededLimit;
use crate::store::StoreError;
use crate::store::jobs::GameError;

/// The reason why a job was refused or cannot be shown. The list is closed; the HTTP layer maps
/// each variant to a status and a code.
#[derive(Debug, Error)]
pub enum JobError {
    /// There is no such job, and no tombstone of one.
    #[error("no such job")]
    NotFound,
    /// The job was deleted, has expired, or was evicted.
    #[error("the job was deleted or has expired")]
    Gone,
    /// The text contains no readable game. The errors of the first unreadable ones are included.
    #[error("the text contains no readable game")]
    NoGame(Vec<GameError>),
    /// The job is larger than the quota of its client.
    #[error("the job takes up to {bytes} bytes; the jobs of the client may take {max}")]
    TooLarge {
        /// Maximum size of the job in bytes.
        bytes: u64,
        /// Quota of the client in bytes.
        max: u64,
        /// Whether the client has no key, and so a smaller quota.
        is_anonymous: bool,
    },
    /// The text contains too many games.
    #[error("the text contains more than {max} games")]
    TooManyGames {
        /// Maximum number of games of a job.
        max: usize,
    },
    /// The searches of the job would take too many nodes.
    #[error("{nodes} nodes for each of {positions} positions; a job may have {max} nodes")]
    TooManyNodes {
        /// Requested nodes per position.
        nodes: u64,
        /// Number of positions.
        positions: u64,
        /// Maximum nodes of the whole job.
        max: u64,
        /// Maximum nodes per position of a job with so many positions.
        max_per_position: u64,
    },
    /// The client used the idempotency key for a job with another text or other limits.
    #[error("the idempotency key belongs to another job")]
    IdempotencyConflict,
    /// The client's unfinished jobs use its quota.
    #[error("the quota of the client is used by its {unfinished} unfinished jobs")]
    QuotaExceeded {
        /// Number of the client's unfinished jobs.
        unfinished: usize,
        /// The exceeded part of the quota.
        exceeded: ExceededLimit,
    },
    /// Unfinished jobs use the whole capacity.
    #[error("the capacity is used by {unfinished} unfinished jobs")]
    Full {
        /// Number of unfinished jobs.
        unfinished: usize,
        /// The exceeded part of the capacity.
        exceeded: ExceededLimit,
    },
    /// The service is shutting down and accepts no jobs.
    #[error("the service is shutting down")]
    ShuttingDown,
    /// The store cannot be read or written now.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An internal error. The text is not for clients.
    #[error("internal error: {0}")]
    Internal(String),
}

impl JobError {
    /// `true` when the jobs are on another machine, which cannot be reached or refuses.
    pub fn is_unreachable(&self) -> bool {
        matches!(self, JobError::Store(StoreError::Unreachable(_)))
    }
}
