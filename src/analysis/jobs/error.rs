//! What can go wrong with a job.

use thiserror::Error;

use super::usage::Shortage;
use crate::store::StoreError;
use crate::store::jobs::GameError;

/// Why a job was not taken, or is not shown. A closed list; the HTTP layer gives each its status
/// and code.
#[derive(Debug, Error)]
pub enum JobError {
    /// There is no such job, and none is known to have been.
    #[error("no such job")]
    NotFound,
    /// It was deleted or has expired.
    #[error("the job is gone")]
    Gone,
    /// The text has no game that can be read; why each of the first is none.
    #[error("the text has no game")]
    NoGame(Vec<GameError>),
    /// It would take more than the jobs of a client together may.
    #[error("the job would take {bytes} bytes, more than the {most} of a client's jobs")]
    TooLarge {
        /// What it would take.
        bytes: u64,
        /// What all of a client's may.
        most: u64,
    },
    /// The text has more games than a job may.
    #[error("more than {most} games")]
    TooManyGames {
        /// What a job may have.
        most: usize,
    },
    /// The client has given another job under that name.
    #[error("another job has this key")]
    IdempotencyConflict,
    /// The client's jobs that have something to do take its share.
    #[error("{unfinished} jobs of the client that are not done take its share")]
    QuotaExceeded {
        /// How many there are.
        unfinished: usize,
        /// What there is too little of, within the share.
        shortage: Shortage,
    },
    /// Jobs that have something to do take all the room.
    #[error("{unfinished} jobs that are not done take all the room")]
    Full {
        /// How many there are.
        unfinished: usize,
        /// What there is too little of.
        shortage: Shortage,
    },
    /// The service ends and takes no new work.
    #[error("the service is shutting down")]
    ShuttingDown,
    /// What is kept cannot be read or written now.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A fault of ours. The text is not for clients.
    #[error("internal error: {0}")]
    Internal(String),
}
