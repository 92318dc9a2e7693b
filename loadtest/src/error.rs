//! Why nothing could be measured.

use std::io;

use kibitzer::chess::InvalidPosition;

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The text is no address.
    #[error("{0}: {1}")]
    InvalidUrl(String, String),
    /// The text can't stand in a header.
    #[error("the {0}. API key has letters that none can have")]
    InvalidApiKey(usize),
    /// The file can't be read.
    #[error("{0}: {1}")]
    File(String, io::Error),
    /// A line of it is no position.
    #[error("{file}, line {line}: {why}")]
    Position {
        /// The file.
        file: String,
        /// Which one, from 1.
        line: usize,
        /// What is wrong with it.
        why: InvalidPosition,
    },
    /// There is nothing to ask about.
    #[error("{0}: no positions")]
    NoPositions(String),
    /// The server does not answer as one that is ready would.
    #[error("{0} is not ready to be asked: {1}")]
    NotReady(String, String),
    /// A position could not be searched before the measurement.
    #[error("the server could not be prepared: {0}")]
    WarmUpFailed(String),
    /// The HTTP client does not start.
    #[error("{0}")]
    Client(#[from] reqwest::Error),
    /// The figures can't be kept.
    #[error("{0}")]
    Histogram(#[from] hdrhistogram::CreationError),
}
