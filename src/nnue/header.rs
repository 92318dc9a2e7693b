//! The header of a network file: its first 64 bytes.

use super::architecture::{
    HIDDEN, KING_BUCKETS, LAYERED_HIDDEN, OUTPUT_BUCKETS, QA, QB, SECOND_LAYER, THIRD_LAYER,
};
use super::error::NetworkError;
use super::layered::LayeredNetwork;
use super::perspective::KING_SQUARES;
use super::single_layer::SingleLayerNetwork;

/// The length of the header, in bytes.
pub(super) const HEADER_BYTES: usize = 64;

/// The length of the part of the header that the hash covers, in bytes; the hash itself follows.
pub(super) const HASHED_BYTES: usize = 32;

const MAGIC: [u8; 8] = *b"KIBITZER";

/// A format of network files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Version 1: the output follows the accumulators.
    SingleLayer,
    /// Version 2: two more layers lie between the accumulators and the output.
    Layered,
}

impl Format {
    const fn from_version(version: u16) -> Result<Format, NetworkError> {
        match version {
            1 => Ok(Format::SingleLayer),
            2 => Ok(Format::Layered),
            found => Err(NetworkError::Version { found }),
        }
    }

    /// The bytes after the header.
    const fn payload_bytes(self) -> usize {
        KING_SQUARES
            + match self {
                Format::SingleLayer => SingleLayerNetwork::FILE_BYTES,
                Format::Layered => LayeredNetwork::FILE_BYTES,
            }
    }

    /// The length of a file, in bytes.
    pub(super) const fn file_bytes(self) -> usize {
        HEADER_BYTES + self.payload_bytes()
    }
}

/// The fields of a header that differ between the files that this build reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) format: Format,
    /// The raw centipawns of an output of 1.0.
    pub(super) scale: u16,
    /// The SHA-256 of the header's first 32 bytes and the payload.
    pub(super) hash: [u8; 32],
}

impl Header {
    /// Parses the header of a file that may not be a network.
    ///
    /// # Errors
    ///
    /// [`NetworkError`] for a foreign file, another version, another architecture, or a header with
    /// an invalid number.
    pub(super) const fn parse(file: &[u8]) -> Result<Header, NetworkError> {
        match file.first_chunk() {
            Some(magic) if u64::from_le_bytes(*magic) == u64::from_le_bytes(MAGIC) => {}
            _ => return Err(NetworkError::BadMagic),
        }
        let Some(header) = file.first_chunk::<HEADER_BYTES>() else {
            return Err(NetworkError::IncompleteHeader { found: file.len() });
        };
        let format = match Format::from_version(read_u16(header, 8)) {
            Ok(format) => format,
            Err(error) => return Err(error),
        };
        if let Err(error) = check_architecture(header, format) {
            return Err(error);
        }
        if let Err(error) = check_reserved_bytes(header, format) {
            return Err(error);
        }
        let scale = read_u16(header, 20);
        if scale == 0 {
            return Err(NetworkError::Scale);
        }
        let [.., p0, p1, p2, p3] = *split_hash(header).0;
        let (found, expected) =
            (u32::from_le_bytes([p0, p1, p2, p3]), format.payload_bytes() as u32);
        if found != expected {
            return Err(NetworkError::PayloadLength { found, expected });
        }
        Ok(Header { format, scale, hash: *split_hash(header).1 })
    }
}

const fn read_u16(header: &[u8; HEADER_BYTES], offset: usize) -> u16 {
    u16::from_le_bytes([header[offset], header[offset + 1]])
}

/// The hashed part of a header, and the hash.
const fn split_hash(header: &[u8; HEADER_BYTES]) -> (&[u8; HASHED_BYTES], &[u8; 32]) {
    match (header.first_chunk(), header.last_chunk()) {
        (Some(hashed), Some(hash)) => (hashed, hash),
        _ => unreachable!(),
    }
}

/// Compares the sizes and factors of a header with those of this build.
const fn check_architecture(
    header: &[u8; HEADER_BYTES],
    format: Format,
) -> Result<(), NetworkError> {
    let (neurons, activation, second_layer, third_layer) = match format {
        Format::SingleLayer => (HIDDEN, 1, 0, 0),
        Format::Layered => (LAYERED_HIDDEN, 2, SECOND_LAYER, THIRD_LAYER),
    };
    let numbers = [
        ("the size of the first layer", read_u16(header, 10), neurons),
        ("the number of king buckets", header[12] as u16, KING_BUCKETS),
        ("the number of output buckets", header[13] as u16, OUTPUT_BUCKETS),
        ("the activation of the first layer", header[14] as u16, activation),
        ("the quantisation factor QA", read_u16(header, 16), QA as usize),
        ("the quantisation factor QB", read_u16(header, 18), QB as usize),
        ("the size of the second layer", header[22] as u16, second_layer),
        ("the size of the third layer", header[23] as u16, third_layer),
    ];
    // The last two bytes are reserved in format 1, where their error says so.
    let count = match format {
        Format::SingleLayer => numbers.len() - 2,
        Format::Layered => numbers.len(),
    };
    let mut n = 0;
    while n < count {
        let (what, found, expected) = numbers[n];
        if found as usize != expected {
            let version = read_u16(header, 8);
            return Err(NetworkError::Architecture { version, what, found, expected });
        }
        n += 1;
    }
    Ok(())
}

const fn check_reserved_bytes(
    header: &[u8; HEADER_BYTES],
    format: Format,
) -> Result<(), NetworkError> {
    let mut offset = 15;
    while offset < 28 {
        if header[offset] != 0 {
            return Err(NetworkError::ReservedByte { offset, found: header[offset] });
        }
        offset = match (offset, format) {
            (15, Format::SingleLayer) => 22,
            (15, Format::Layered) => 24,
            _ => offset + 1,
        };
    }
    Ok(())
}
