//! What can go wrong with a store.

use std::io;
use std::path::PathBuf;

use redb::{CommitError, DatabaseError, StorageError, TableError, TransactionError};
use thiserror::Error;

/// Why a store was not opened. All of them are the operator's to mend, so they name the key of the configuration.
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

/// redb has an error for each of its operations; to us they are one.
macro_rules! failed {
    ($($error:ty),*) => {
        $(impl From<$error> for StoreError {
            fn from(error: $error) -> StoreError {
                StoreError::Failed(error.to_string())
            }
        })*
    };
}

failed!(CommitError, DatabaseError, StorageError, TableError, TransactionError);
