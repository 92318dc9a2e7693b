//! The limit of open files. A tablebase file stays open from its first probe on, and connections
//! must not run out of files because of that.

use std::io;

/// Open files besides tables and connections: the listener, the store, the runtime's own.
const OTHER_FILES: u64 = 256;

/// The system does not let this process open enough files.
#[derive(Debug, thiserror::Error)]
pub enum OpenFilesError {
    /// The limit is too low and cannot be raised.
    #[error(
        "syzygy.paths: {tables} tables and {connections} connections need up to {needed} open \
         files, but this process may open {limit}; raise the limit (`ulimit -n`, LimitNOFILE of \
         systemd, `--ulimit nofile` of Docker), name fewer folders, or lower http.connections"
    )]
    TooFew {
        /// Table files.
        tables: usize,
        /// `http.connections`.
        connections: usize,
        /// The files that may be open at once.
        needed: u64,
        /// The limit of the process.
        limit: u64,
    },
    /// The limit cannot be read.
    #[error("the limit of open files cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// Raises the process's limit of open files so far that all tables and connections fit.
///
/// # Errors
/// The system's hard limit is too low.
pub(super) fn allow_open_files(tables: usize, connections: usize) -> Result<(), OpenFilesError> {
    let needed = tables as u64 + connections as u64 + OTHER_FILES;
    let limit = rlimit::increase_nofile_limit(needed)?;
    if limit < needed {
        return Err(OpenFilesError::TooFew { tables, connections, needed, limit });
    }
    Ok(())
}
