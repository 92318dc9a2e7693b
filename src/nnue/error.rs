//! Why a network is not taken.

use std::io;
use std::path::PathBuf;

/// What is wrong with the bytes of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// It does not begin as a network of kibitzer does.
    #[error("not a network of kibitzer: it does not begin with `KIBITZER`")]
    BadMagic,
    /// The version of the format is not the one that is read here.
    #[error("its format has version {found}, but version {expected} is the only one known here")]
    Version {
        /// The version in the file.
        found: u16,
        /// The version that is read.
        expected: u16,
    },
    /// A number of its architecture is not the one that this build is made for.
    #[error("another architecture: {what} {found}, where this build reads {expected} only")]
    Architecture {
        /// What the number tells.
        what: &'static str,
        /// The number in the file.
        found: u32,
        /// The number that is read.
        expected: u32,
    },
    /// It has too few or too many bytes.
    #[error("damaged: {found} bytes long, where a whole one has {expected}")]
    Length {
        /// The bytes that are there; of a file that is too long, not all are counted.
        found: usize,
        /// The bytes of a whole file.
        expected: usize,
    },
    /// Bytes that must be zero are not, or the payload's size is not what the architecture asks.
    #[error("damaged: its header contradicts itself")]
    InvalidHeader,
    /// The SHA-256 of the content is not the one that the header tells.
    #[error("damaged: its content does not have the SHA-256 that its header tells")]
    HashMismatch,
    /// An output weight is greater than the arithmetic allows.
    #[error("an output weight is {found}, beyond ±127")]
    OutputWeight {
        /// The weight.
        found: i16,
    },
    /// The king bucket table names a bucket that does not exist.
    #[error("its table of king buckets names bucket {found}, of {buckets} counted from 0")]
    KingBucket {
        /// The bucket that is named.
        found: u8,
        /// How many there are.
        buckets: usize,
    },
}

/// Why the network of a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NetworkFileError {
    /// The file cannot be read.
    #[error("cannot read the network {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file was read and is refused.
    #[error("the network {} is refused: {source}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: NetworkError,
    },
}
