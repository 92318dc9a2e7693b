//! The errors of a self-play run.

use std::path::PathBuf;

use kibitzer::engine::TtAllocError;

/// Openings that are tried in a row before a run gives up: all of them were over or decided.
pub(super) const MAX_OPENING_ATTEMPTS: u32 = 1_000;

/// A self-play run that cannot start or go on.
#[derive(Debug, thiserror::Error)]
pub enum DatagenError {
    /// A file or a pipe failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or the program.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A line of the book is not a position.
    #[error("{}, line {line}: {detail}", path.display())]
    Book {
        /// Path of the book.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// The reason.
        detail: String,
    },
    /// The book has no positions.
    #[error("{} has no positions", .0.display())]
    EmptyBook(PathBuf),
    /// A game file has other content.
    #[error("{} is not a game file: {detail}", path.display())]
    InvalidGameFile {
        /// Path of the file.
        path: PathBuf,
        /// The reason.
        detail: String,
    },
    /// A manifest cannot be parsed.
    #[error("{} is not a manifest ({detail}); use another seed or folder", path.display())]
    InvalidManifest {
        /// Path of the file.
        path: PathBuf,
        /// The reason.
        detail: String,
    },
    /// The settings differ from those of the existing games.
    #[error(
        "{setting}: the games of seed {seed} were made with {recorded}, not with {requested} ({}); \
         use another seed or folder",
        path.display()
    )]
    SettingsMismatch {
        /// The manifest.
        path: PathBuf,
        /// Seed of the run.
        seed: u64,
        /// The first setting that differs.
        setting: &'static str,
        /// Its value in the manifest.
        recorded: String,
        /// Its value in this run.
        requested: String,
    },
    /// No opening is playable.
    #[error(
        "--most-at-start, --book and --random-plies leave no playable opening: \
         {MAX_OPENING_ATTEMPTS} openings in a row are over, or beyond {most_at_start} linear \
         centipawns at their first move"
    )]
    NoPlayableOpening {
        /// Largest first score of an opening, in linear centipawns.
        most_at_start: u32,
    },
    /// The system refuses a thread.
    #[error("--workers: cannot start a thread for worker {worker}: {source}")]
    NoThread {
        /// Number of the worker, from 1.
        worker: u64,
        /// The system's error.
        source: std::io::Error,
    },
    /// There is not enough memory for the transposition tables.
    #[error("--hash: {0}")]
    NoMemory(#[from] TtAllocError),
    /// An engine violates the Universal Chess Interface.
    #[error("{}: {detail}", path.display())]
    Engine {
        /// Path of the engine.
        path: PathBuf,
        /// The reason.
        detail: String,
    },
}

impl DatagenError {
    pub(super) fn io(path: impl Into<PathBuf>, source: std::io::Error) -> DatagenError {
        DatagenError::Io { path: path.into(), source }
    }

    pub(super) fn engine(path: impl Into<PathBuf>, detail: impl Into<String>) -> DatagenError {
        DatagenError::Engine { path: path.into(), detail: detail.into() }
    }
}
