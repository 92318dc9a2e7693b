//! Errors of opening and probing tables.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// The reason why the tables were not opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// A folder or file cannot be read.
    #[error("{}: {error}", path.display())]
    Io {
        /// The folder or file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// A file is no Syzygy table of standard chess, or not of the kind that its name says.
    #[error(
        "{} is not a Syzygy table of standard chess: its first bytes are wrong", path.display()
    )]
    WrongMagic {
        /// The file.
        path: PathBuf,
    },
    /// A file is incomplete.
    #[error(
        "{} has {bytes} bytes, which no complete Syzygy table has; copy it again", path.display()
    )]
    WrongLength {
        /// The file.
        path: PathBuf,
        /// Its length.
        bytes: u64,
    },
    /// A folder has no table.
    #[error("{} has no file that is named as a Syzygy table, such as KQvK.rtbw", path.display())]
    NoTables {
        /// The folder.
        path: PathBuf,
    },
}

/// The reason why a position has no result.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProbeError {
    /// The position has more men than any table.
    #[error("the position has {men} men; the largest table has {max}")]
    TooManyMen {
        /// The men of the position, kings and pawns included.
        men: u32,
        /// The men of the largest table.
        max: u32,
    },
    /// The position has castling rights. Tables know none.
    #[error("the position has castling rights, which tablebases do not know")]
    CastlingRights,
    /// The table of the position, or of one that a capture or promotion leads to, is missing.
    #[error("the table {table} is missing")]
    MissingTable {
        /// The file name of the table.
        table: String,
    },
    /// A file could not be read, or its content is damaged.
    #[error("the tables cannot be read: {0}")]
    Read(String),
}
