//! What can go wrong with a store.

use std::io;
use std::path::PathBuf;

use redb::{CommitError, DatabaseError, StorageError, TableError, TransactionError};
use thiserror::Error;

/// Why a store was not opened. All of them are the operator's to mend, so they name the key of the
/// configuration.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Another process has it.
    #[error("store.path: {} is in use by another process; each server needs a folder of its own", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// The folder cannot be made, or the file not be read or written.
    #[error("store.path: {}: {error}", path.display())]
    Io {
        /// The folder or file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// It cannot be used, and neither can those that were set aside before it, none of which may be
    /// written over.
    #[error("store.path: {} cannot be used ({why}), and {most} files like it lie beside it already: move them away", path.display())]
    TooManyQuarantined {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
        /// So many may lie there.
        most: u32,
    },
}

/// Why a store could not be read or written.
#[derive(Debug, Error)]
pub enum StoreError {
    /// A write has failed; until the file has been opened anew there is nothing to read.
    #[error("the store is closed after a write that failed")]
    Closed,
    /// The file cannot be opened anew.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The system, or damage that came after the start.
    #[error("{0}")]
    Failed(String),
}

/// redb has an error for each of its operations; to us they are one. Whoever comes while the write
/// of another fails is told so by redb, and finds nothing wrong with what stands in the file.
macro_rules! failed {
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

failed!(CommitError, DatabaseError, StorageError, TableError, TransactionError);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_callers_failed_write_is_closed_and_not_damage() {
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
