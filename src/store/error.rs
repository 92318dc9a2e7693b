//! Errors of the store.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use redb::{CommitError, DatabaseError, StorageError, TableError, TransactionError};
use thiserror::Error;

/// The reason why a store was not opened. Every text names the configuration key, because the
/// operator has to correct the cause.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Another process uses the file.
    #[error(
        "store.path: {} is in use by another process; each server needs its own folder",
        path.display()
    )]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// The folder cannot be created, or the file cannot be read or written.
    #[error("store.path: {}: {error}", path.display())]
    Io {
        /// The folder or file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The file is unusable, and the maximum number of quarantined files is reached. Quarantined
    /// files are never overwritten.
    #[error(
        "store.path: {} cannot be used ({reason}), and {max} quarantined files already exist \
         beside it; move them away",
        path.display()
    )]
    TooManyQuarantined {
        /// The file.
        path: PathBuf,
        /// What is wrong with the file.
        reason: String,
        /// Maximum number of quarantined files.
        max: u32,
    },
}

/// The reason why a store could not be read or written.
#[derive(Debug, Error)]
pub enum StoreError {
    /// A write failed, and the file was not reopened yet.
    #[error("the store is closed after a failed write")]
    Closed,
    /// The file cannot be reopened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The server of the jobs cannot be reached, or refuses.
    #[error("the server of the jobs: {0}")]
    Unreachable(String),
    /// An I/O error, or damage that happened after the start.
    #[error("{0}")]
    Failed(String),
}

impl StoreError {
    /// `true` when the store may work again without a change to what is stored.
    pub fn is_temporary(&self) -> bool {
        !matches!(self, StoreError::Failed(_))
    }
}

/// Converts each of redb's error types.
///
/// redb returns `PreviousIo` or `DatabaseClosed` to every caller after another caller's write
/// failed. That means a closed store, not a damaged file.
macro_rules! impl_from_redb_errors {
    ($($error:ty),*) => {
        $(impl From<$error> for StoreError {
            fn from(error: $error) -> StoreError {
                match redb::Error::from(error) {
                    redb::Error::PreviousIo | redb::Error::DatabaseClosed => StoreError::Closed,
                    error => StoreError::Failed(error.to_string()),
                }
            }
        })*
    };
}

impl_from_redb_errors!(CommitError, DatabaseError, StorageError, TableError, TransactionError);

/// Runs an operation and turns a panic into an error.
///
/// redb may panic when another process changed the file. That is damage, and no reason to end a
/// thread.
pub(super) fn catch_panic<T>(
    operation: impl FnOnce() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    catch_unwind(AssertUnwindSafe(operation))
        .unwrap_or_else(|_| Err(StoreError::Failed("redb panicked".to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_of_another_caller_means_closed_and_not_damaged() {
        assert!(matches!(StoreError::from(StorageError::PreviousIo), StoreError::Closed));
        assert!(matches!(
            StoreError::from(TransactionError::Storage(StorageError::PreviousIo)),
            StoreError::Closed
        ));
        assert!(matches!(
            StoreError::from(StorageError::Corrupted("x".to_owned())),
            StoreError::Failed(_)
        ));
    }
}
