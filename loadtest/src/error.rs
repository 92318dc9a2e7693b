//! The errors of a load test.

use std::io;

use kibitzer::chess::InvalidPosition;
use kibitzer::client::RemoteError;

/// A load test that did not run.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The URL is invalid.
    #[error("{0}: {1}")]
    InvalidUrl(String, String),
    /// An API key cannot be sent in a header.
    #[error("API key number {0} has characters that a header cannot have")]
    InvalidApiKey(usize),
    /// The file of positions cannot be read.
    #[error("{0}: {1}")]
    File(String, io::Error),
    /// A line of the file is not a position.
    #[error("{file}, line {line}: {error}")]
    Position {
        /// Path of the file.
        file: String,
        /// Line number, from 1.
        line: usize,
        /// The reason.
        error: InvalidPosition,
    },
    /// There are no positions.
    #[error("{0}: no positions")]
    NoPositions(String),
    /// The server is not ready.
    #[error("{0} is not ready: {1}")]
    NotReady(String, String),
    /// The server refuses requests without a key.
    #[error("{0} requires an API key; give it with --key or KIBITZER_KEY")]
    KeyRequired(String),
    /// A position could not be searched before the measurement.
    #[error("the warm-up failed: {0}")]
    WarmUpFailed(String),
    /// The HTTP client cannot be built.
    #[error("{0}")]
    Client(#[from] reqwest::Error),
    /// The HTTP client cannot be set up.
    #[error("{0}")]
    Setup(#[from] RemoteError),
    /// The histogram cannot be created.
    #[error("{0}")]
    Histogram(#[from] hdrhistogram::CreationError),
}
