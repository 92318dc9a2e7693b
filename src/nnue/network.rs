//! The network in memory, and its decoding from a file.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use sha2::{Digest, Sha256};

use super::architecture::{
    HIDDEN, INPUTS, KING_BUCKETS, MAX_OUTPUT_WEIGHT, OUTPUT_BUCKETS, QA, QB, Row,
};
use super::error::{NetworkError, NetworkFileError};
use super::header::{HASHED_BYTES, HEADER_BYTES, Header};
use super::perspective::{KING_SQUARES, Perspective};
use crate::chess::{Color, Square};

const ROW_BYTES: usize = 2 * HIDDEN;
const FEATURE_BYTES: usize = KING_BUCKETS * INPUTS * ROW_BYTES;
const OUTPUT_BYTES: usize = OUTPUT_BUCKETS * 2 * ROW_BYTES;
const PAYLOAD_BYTES: usize =
    KING_SQUARES + FEATURE_BYTES + ROW_BYTES + OUTPUT_BYTES + 4 * OUTPUT_BUCKETS;

/// The length of a network file of this build's architecture, in bytes.
pub const FILE_BYTES: usize = HEADER_BYTES + PAYLOAD_BYTES;

/// The embedded network. Its type checks its length; a constant checks its header and weights at
/// compile time.
static EMBEDDED: &[u8; FILE_BYTES] = include_bytes!("kibitzer.nnue");

const EMBEDDED_HEADER: Header = match (parse_header(EMBEDDED), validate_weights(EMBEDDED)) {
    (Ok(header), Ok(())) => header,
    _ => panic!("src/nnue/kibitzer.nnue is not a network of this build's architecture"),
};

/// The evaluation network. Each of the two perspectives has 768 inputs and [`HIDDEN`] neurons with
/// squared clipped rectifiers. One of [`OUTPUT_BUCKETS`] outputs is selected by the number of
/// pieces.
///
/// A network is immutable, so any number of searches may share it.
pub struct Network {
    id: String,
    scale: u16,
    /// The perspective of each player, by the square of that player's king.
    perspectives: [[Perspective; 64]; 2],
    /// A row of weights for each input of each king bucket.
    feature_weights: Box<[Row]>,
    biases: Row,
    /// For each output bucket the weights of the neurons of the side to move, then of the other
    /// side.
    output_weights: [[Row; 2]; OUTPUT_BUCKETS],
    output_biases: [i32; OUTPUT_BUCKETS],
}

impl Network {
    /// The embedded network, which is decoded once and then shared.
    pub fn embedded() -> Arc<Network> {
        static NETWORK: LazyLock<Arc<Network>> =
            LazyLock::new(|| Arc::new(Network::decode(EMBEDDED_HEADER, EMBEDDED)));
        Arc::clone(&NETWORK)
    }

    /// Reads the network of a file.
    ///
    /// # Errors
    ///
    /// [`NetworkFileError`] when the file cannot be read or is not a valid network.
    pub fn read(path: &Path) -> Result<Network, NetworkFileError> {
        let mut bytes = Vec::with_capacity(FILE_BYTES + 1);
        // One byte beyond the length of a network shows that the file is too long.
        File::open(path)
            .and_then(|file| file.take(FILE_BYTES as u64 + 1).read_to_end(&mut bytes))
            .map_err(|source| NetworkFileError::Unreadable { path: path.to_path_buf(), source })?;
        Network::from_bytes(&bytes)
            .map_err(|source| NetworkFileError::Invalid { path: path.to_path_buf(), source })
    }

    /// Reads a network from the bytes of its file.
    ///
    /// # Errors
    ///
    /// [`NetworkError`] when they are not a network, damaged, or of another architecture.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        let header = parse_header(bytes)?;
        let whole: &[u8; FILE_BYTES] = bytes
            .try_into()
            .map_err(|_| NetworkError::Length { found: bytes.len(), expected: FILE_BYTES })?;
        if content_hash(whole) != header.hash {
            return Err(NetworkError::HashMismatch);
        }
        validate_weights(whole)?;
        Ok(Network::decode(header, whole))
    }

    /// Decodes a validated file.
    fn decode(header: Header, bytes: &[u8; FILE_BYTES]) -> Network {
        let (buckets, rest) = split(&bytes[HEADER_BYTES..], KING_SQUARES);
        let (features, rest) = split(rest, FEATURE_BYTES);
        let (biases, rest) = split(rest, ROW_BYTES);
        let (outputs, output_biases) = split(rest, OUTPUT_BYTES);
        let buckets = std::array::from_fn(|n| buckets[n]);
        let rows = outputs.as_chunks::<ROW_BYTES>().0;
        Network {
            id: header.hash[..6].iter().fold(String::new(), |mut id, byte| {
                // Writing to a string cannot fail.
                let _ = write!(id, "{byte:02x}");
                id
            }),
            scale: header.scale,
            perspectives: Color::ALL.map(|color| {
                std::array::from_fn(|king| {
                    Perspective::new(color, Square::from_index(king as u8), &buckets)
                })
            }),
            feature_weights: features
                .as_chunks::<ROW_BYTES>()
                .0
                .iter()
                .map(|row| Row::from_bytes(row))
                .collect(),
            biases: Row::from_bytes(biases),
            output_weights: std::array::from_fn(|n| {
                [Row::from_bytes(&rows[2 * n]), Row::from_bytes(&rows[2 * n + 1])]
            }),
            output_biases: std::array::from_fn(|n| {
                i32::from_le_bytes(output_biases.as_chunks::<4>().0[n])
            }),
        }
    }

    /// The identifier of the network: the first twelve hexadecimal digits of its SHA-256.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The architecture in short form, such as `8x768 -> 512x2 -> 1x8`: king buckets × inputs,
    /// neurons × perspectives, outputs × output buckets. A single king bucket is omitted.
    pub fn architecture(&self) -> String {
        let buckets = if KING_BUCKETS == 1 { String::new() } else { format!("{KING_BUCKETS}x") };
        format!("{buckets}{INPUTS} -> {HIDDEN}x2 -> 1x{OUTPUT_BUCKETS}")
    }

    #[inline]
    pub(super) fn perspective(&self, color: Color, king: Square) -> Perspective {
        self.perspectives[color as usize][king.index()]
    }

    #[inline]
    pub(super) fn feature_weights(&self, index: usize) -> &Row {
        &self.feature_weights[index]
    }

    pub(super) const fn biases(&self) -> &Row {
        &self.biases
    }

    #[inline]
    pub(super) const fn output_weights(&self, bucket: usize) -> &[Row; 2] {
        &self.output_weights[bucket]
    }

    /// Converts Σ v²·w, the sum of an output bucket over both perspectives, to a unit that divides
    /// 100 raw centipawns into `units_per_pawn` parts.
    #[inline]
    pub(super) fn scale_output(&self, sum: i64, bucket: usize, units_per_pawn: i32) -> i32 {
        let raw = sum / i64::from(QA) + i64::from(self.output_biases[bucket]);
        let value =
            raw * i64::from(self.scale) * i64::from(units_per_pawn) / i64::from(100 * QA * QB);
        value.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
    }
}

/// Parses the header of a file that may not be a network.
const fn parse_header(bytes: &[u8]) -> Result<Header, NetworkError> {
    match (bytes.first_chunk::<HEADER_BYTES>(), bytes.first_chunk::<8>()) {
        (Some(header), _) => Header::parse(header, PAYLOAD_BYTES),
        (None, Some(b"KIBITZER")) => {
            Err(NetworkError::Length { found: bytes.len(), expected: FILE_BYTES })
        }
        (None, _) => Err(NetworkError::BadMagic),
    }
}

fn split(bytes: &[u8], at: usize) -> (&[u8], &[u8]) {
    bytes.split_at(at)
}

/// SHA-256 of the hashed part of the header and of the payload.
fn content_hash(bytes: &[u8; FILE_BYTES]) -> [u8; 32] {
    Sha256::new()
        .chain_update(&bytes[..HASHED_BYTES])
        .chain_update(&bytes[HEADER_BYTES..])
        .finalize()
        .into()
}

/// Checks the ranges that the arithmetic and the indices rely on.
const fn validate_weights(bytes: &[u8; FILE_BYTES]) -> Result<(), NetworkError> {
    let mut offset = HEADER_BYTES;
    while offset < HEADER_BYTES + KING_SQUARES {
        if bytes[offset] as usize >= KING_BUCKETS {
            return Err(NetworkError::KingBucket { found: bytes[offset], buckets: KING_BUCKETS });
        }
        offset += 1;
    }
    offset = HEADER_BYTES + KING_SQUARES + FEATURE_BYTES + ROW_BYTES;
    let end = offset + OUTPUT_BYTES;
    while offset < end {
        let weight = i16::from_le_bytes([bytes[offset], bytes[offset + 1]]);
        if weight < -MAX_OUTPUT_WEIGHT || weight > MAX_OUTPUT_WEIGHT {
            return Err(NetworkError::OutputWeight { found: weight });
        }
        offset += 2;
    }
    Ok(())
}
