//! The network file that the engine reads, format 1. All numbers are little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 0–7 | `KIBITZER` |
//! | 8–9 | format version, 1 |
//! | 10–11 | neurons of the hidden layer per perspective |
//! | 12, 13 | king buckets, output buckets |
//! | 14 | activation: 1 SCReLU |
//! | 15 | 0 |
//! | 16–17, 18–19 | QA (255), QB (64) |
//! | 20–21 | SCALE: evaluation = output · SCALE |
//! | 22–27 | 0 |
//! | 28–31 | length of the payload in bytes |
//! | 32–63 | SHA-256 of bytes 0–31 and the payload |
//!
//! Payload: king bucket table u8\[32\]; feature weights i16\[768·king buckets\]\[hidden\]; feature
//! biases i16\[hidden\]; output weights i16\[output buckets\]\[2·hidden\], the side to move's
//! first; output biases i32\[output buckets\].

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};

use crate::king_buckets::KingBuckets;
use crate::quantised_network::QuantisedNetwork;
use crate::shape::{QA, QB, Shape};

const MAGIC: &[u8; 8] = b"KIBITZER";
const VERSION: u16 = 1;
const SCRELU: u8 = 1;
const HEADER_BYTES: usize = 64;
const HASHED_HEADER_BYTES: usize = 32;

/// The bytes of a network's file.
///
/// # Errors
///
/// When a size of the network exceeds its header field.
pub fn write(network: &QuantisedNetwork) -> Result<Vec<u8>> {
    let payload = payload(network);
    let mut bytes = Vec::with_capacity(HEADER_BYTES + payload.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&u16::try_from(network.shape.hidden)?.to_le_bytes());
    bytes.push(u8::try_from(network.shape.king_buckets.count())?);
    bytes.push(u8::try_from(network.shape.output_buckets)?);
    bytes.extend_from_slice(&[SCRELU, 0]);
    for number in [QA, QB, network.scale] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(&[0; 6]);
    bytes.extend_from_slice(&u32::try_from(payload.len())?.to_le_bytes());
    let hash = hash(&bytes, &payload);
    bytes.extend_from_slice(&hash);
    bytes.extend_from_slice(&payload);
    Ok(bytes)
}

fn payload(network: &QuantisedNetwork) -> Vec<u8> {
    let mut payload = network.shape.king_buckets.table().to_vec();
    for numbers in [&network.features, &network.biases, &network.outputs] {
        payload.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }
    payload.extend(network.output_biases.iter().flat_map(|number| number.to_le_bytes()));
    payload
}

/// The network of the file at this path.
///
/// # Errors
///
/// When the file cannot be read or [`read`] fails.
pub fn load(path: &Path) -> Result<QuantisedNetwork> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    read(&bytes).with_context(|| path.display().to_string())
}

/// The network of a file's bytes.
///
/// # Errors
///
/// When the bytes are not a network file of this format, or are damaged.
pub fn read(bytes: &[u8]) -> Result<QuantisedNetwork> {
    let (header, payload) =
        bytes.split_first_chunk::<HEADER_BYTES>().context("the file is shorter than its header")?;
    let read_u16 = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
    ensure!(header.starts_with(MAGIC), "the file is not a kibitzer network");
    ensure!(read_u16(8) == VERSION, "the format is {}; it must be {VERSION}", read_u16(8));
    ensure!(
        hash(&header[..HASHED_HEADER_BYTES], payload) == header[HASHED_HEADER_BYTES..],
        "the file is damaged: its hash does not match"
    );
    ensure!(header[14] == SCRELU, "the activation is {}; it must be {SCRELU}", header[14]);
    ensure!(
        read_u16(16) == QA && read_u16(18) == QB,
        "the quantisation is {} and {}; it must be {QA} and {QB}",
        read_u16(16),
        read_u16(18)
    );

    let mut rest = payload;
    let table = take(&mut rest, 1, 32)?;
    let king_buckets =
        KingBuckets::from_table(<[u8; 32]>::try_from(table).context("king bucket table")?)?;
    ensure!(
        king_buckets.count() == usize::from(header[12]),
        "the header has {} king buckets, the table {}",
        header[12],
        king_buckets.count()
    );
    let shape = Shape::new(usize::from(read_u16(10)), king_buckets, usize::from(header[13]))?;

    let features = read_i16s(take(&mut rest, 2, shape.inputs() * shape.hidden)?);
    let biases = read_i16s(take(&mut rest, 2, shape.hidden)?);
    let outputs = read_i16s(take(&mut rest, 2, 2 * shape.hidden * shape.output_buckets)?);
    let output_biases = take(&mut rest, 4, shape.output_buckets)?
        .as_chunks()
        .0
        .iter()
        .map(|b| i32::from_le_bytes(*b))
        .collect();
    ensure!(rest.is_empty(), "{} bytes follow the payload", rest.len());
    Ok(QuantisedNetwork { shape, scale: read_u16(20), features, biases, outputs, output_biases })
}

/// The network's id: the first 12 hex digits of its hash.
#[must_use]
pub fn id(file: &[u8]) -> String {
    file.iter().skip(HASHED_HEADER_BYTES).take(6).map(|byte| format!("{byte:02x}")).collect()
}

fn hash(header: &[u8], payload: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(header).chain_update(payload).finalize().into()
}

fn take<'a>(bytes: &mut &'a [u8], size: usize, count: usize) -> Result<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(size * count).context("the payload is too short")?;
    *bytes = rest;
    Ok(taken)
}

fn read_i16s(bytes: &[u8]) -> Vec<i16> {
    bytes.as_chunks().0.iter().map(|bytes| i16::from_le_bytes(*bytes)).collect()
}
