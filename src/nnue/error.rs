//! Errors of reading a network.

use std::io;
use std::path::PathBuf;

/// An error in the bytes of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// The file does not begin with the magic bytes.
    #[error("not a network of kibitzer: the file does not begin with `KIBITZER`")]
    BadMagic,
    /// The file ends within the header.
    #[error("damaged: the length is {found} bytes; the header alone has 64")]
    IncompleteHeader {
        /// The length in bytes.
        found: usize,
    },
    /// The format version is not supported.
    #[error("the format version is {found}; it must be 1 or 2")]
    Version {
        /// The version in the file.
        found: u16,
    },
    /// A number of the architecture differs from this build's.
    #[error(
        "unsupported architecture: {what} is {found}; it must be {expected} in format {version}"
    )]
    Architecture {
        /// The format version of the file.
        version: u16,
        /// The meaning of the number.
        what: &'static str,
        /// The number in the file.
        found: u16,
        /// The supported number.
        expected: usize,
    },
    /// The file has too few or too many bytes.
    #[error("damaged: the length is {found} bytes; it must be {expected}")]
    Length {
        /// The length in bytes; of a file that is too long, only as much as was read.
        found: usize,
        /// The length of a complete file in bytes.
        expected: usize,
    },
    /// A reserved byte of the header is not zero.
    #[error("damaged: byte {offset} is {found}; it is reserved and must be 0")]
    ReservedByte {
        /// The place of the byte in the file.
        offset: usize,
        /// The byte.
        found: u8,
    },
    /// The scale is zero.
    #[error("the scale is 0; it must be 1 to 65535")]
    Scale,
    /// The length in the header is not that of the architecture.
    #[error("damaged: the header announces {found} bytes after it; it must announce {expected}")]
    PayloadLength {
        /// The length in the header.
        found: u32,
        /// The length by the architecture.
        expected: u32,
    },
    /// The SHA-256 of the content is not the one in the header.
    #[error("damaged: the SHA-256 of the content differs from the one in the header")]
    HashMismatch,
    /// An output weight is larger than the arithmetic allows.
    #[error("an output weight is {found}; it must be -{max} to {max}")]
    OutputWeight {
        /// The weight.
        found: i16,
        /// The largest weight.
        max: i16,
    },
    /// A bias is larger than the arithmetic allows.
    #[error("a bias of {layer} is {found}; it must be -{max} to {max}")]
    Bias {
        /// The layer with its article.
        layer: &'static str,
        /// The bias.
        found: i32,
        /// The largest bias.
        max: i32,
    },
    /// The king bucket table names a bucket that does not exist.
    #[error("a king bucket is {found}; it must be 0 to {}", buckets - 1)]
    KingBucket {
        /// The bucket in the table.
        found: u8,
        /// The number of buckets.
        buckets: usize,
    },
}

/// The reason why a network file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NetworkFileError {
    /// The file cannot be read.
    #[error("cannot read the network {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file is not a valid network.
    #[error("invalid network {}: {source}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The error in its bytes.
        source: NetworkError,
    },
}
