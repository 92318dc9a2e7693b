//! The errors of a self-play run.

use std::path::PathBuf;

use kibitzer::engine::TtAllocError;

/// Openings that are tried in a row before a run gives up: all of them were over or decided.
pub(super) const MAX_OPENING_ATTEMPTS: u32 = 1_000;

/// Why games can't be made.
#[derive(Debug, thiserror::Error)]
pub enum DatagenError {
    /// A file or pipe.
    #[error("{}: {source}", path.display())]
    Io {
        /// What was read or written.
        path: PathBuf,
        /// What went wrong.
        source: std::io::Error,
    },
    /// A book's line is no position.
    #[error("{}, line {line}: {detail}", path.display())]
    Book {
        /// The book.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        detail: String,
    },
    /// A book without positions.
    #[error("{} holds no positions", .0.display())]
    EmptyBook(PathBuf),
    /// A file that should hold games holds something else.
    #[error("{} is no file of games: {detail}", path.display())]
    InvalidGameFile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        detail: String,
    },
    /// A file that should tell what games were made by does not.
    #[error("{} does not tell how its games were made ({detail}); take another seed or folder", path.display())]
    InvalidManifest {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        detail: String,
    },
    /// A run goes on only as it began.
    #[error("{setting}: the games of seed {seed} were made with {made}, not with {asked} ({}); take another seed or folder", path.display())]
    SettingsMismatch {
        /// The file that tells how they were made.
        path: PathBuf,
        /// The run's seed.
        seed: u64,
        /// The first setting that differs.
        setting: &'static str,
        /// Its value when the games were made.
        made: String,
        /// Its value now.
        asked: String,
    },
    /// No opening can be played.
    #[error(
        "--most-at-start, --book and --random-plies leave nothing to play: {MAX_OPENING_ATTEMPTS} openings in a row are over, or beyond \
         {most_at_start} linear centipawns at their first move"
    )]
    NoPlayableOpening {
        /// How far from even an opening may be.
        most_at_start: u32,
    },
    /// The system gives no more threads.
    #[error("--workers: there is no thread for worker {worker}: {source}")]
    NoThread {
        /// Counted from 1.
        worker: u64,
        /// What the system says.
        source: std::io::Error,
    },
    /// The tables of all workers do not fit.
    #[error("--hash: {0}")]
    NoMemory(#[from] TtAllocError),
    /// An engine that does not keep to the Universal Chess Interface.
    #[error("{}: {detail}", path.display())]
    Engine {
        /// The engine.
        path: PathBuf,
        /// What is wrong.
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
