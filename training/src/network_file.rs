//! The network files that the engine reads: format 1 for networks with a single layer, format 2 for
//! layered ones. `docs/network.md` specifies both.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha256};

use crate::king_buckets::KingBuckets;
use crate::layered::quantised::QuantisedLayers;
use crate::network_payload::{Reader, put};
use crate::quantised_features::QuantisedFeatures;
use crate::quantised_network::{QuantisedNetwork, QuantisedOutput};
use crate::shape::{Architecture, QA, QB, SECOND_NEURONS, Shape, THIRD_NEURONS};
use crate::single_layer::quantised::QuantisedSingleLayer;

const MAGIC: &[u8; 8] = b"KIBITZER";
const HEADER_BYTES: usize = 64;
const HASHED_HEADER_BYTES: usize = 32;

/// The header fields that an architecture determines.
struct Format {
    version: u16,
    /// The activation of the first layer: 1 SCReLU, 2 the product of clipped pairs.
    activation: u8,
    /// Neurons of the second and third layer, 0 without these layers.
    later_neurons: [u8; 2],
}

impl Format {
    const fn of(architecture: Architecture) -> Format {
        match architecture {
            Architecture::SingleLayer => {
                Format { version: 1, activation: 1, later_neurons: [0, 0] }
            }
            Architecture::Layered => Format {
                version: 2,
                activation: 2,
                later_neurons: [SECOND_NEURONS as u8, THIRD_NEURONS as u8],
            },
        }
    }
}

/// The bytes of a network's file.
///
/// # Errors
///
/// When a size of the network exceeds its header field.
pub fn write(network: &QuantisedNetwork) -> Result<Vec<u8>> {
    let payload = payload(network);
    let format = Format::of(network.shape.architecture);
    let mut bytes = Vec::with_capacity(HEADER_BYTES + payload.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&format.version.to_le_bytes());
    bytes.extend_from_slice(&u16::try_from(network.shape.hidden)?.to_le_bytes());
    bytes.push(u8::try_from(network.shape.king_buckets.count())?);
    bytes.push(u8::try_from(network.shape.output_buckets)?);
    bytes.extend_from_slice(&[format.activation, 0]);
    for number in [QA, QB, network.scale] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(&format.later_neurons);
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(&u32::try_from(payload.len())?.to_le_bytes());
    let hash = hash(&bytes, &payload);
    bytes.extend_from_slice(&hash);
    bytes.extend_from_slice(&payload);
    Ok(bytes)
}

fn payload(network: &QuantisedNetwork) -> Vec<u8> {
    let mut payload = network.shape.king_buckets.table().to_vec();
    put(&mut payload, &network.features.weights, i16::to_le_bytes);
    put(&mut payload, &network.features.biases, i16::to_le_bytes);
    match &network.output {
        QuantisedOutput::SingleLayer(output) => output.write(&mut payload),
        QuantisedOutput::Layered(output) => output.write(&mut payload),
    }
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
    let architecture = match read_u16(8) {
        1 => Architecture::SingleLayer,
        2 => Architecture::Layered,
        other => bail!("the format is {other}; it must be 1 or 2"),
    };
    let format = Format::of(architecture);
    ensure!(
        hash(&header[..HASHED_HEADER_BYTES], payload) == header[HASHED_HEADER_BYTES..],
        "the file is damaged: its hash does not match"
    );
    ensure!(
        header[14] == format.activation && header[22..24] == format.later_neurons,
        "the activation is {} and the later layers have {} and {} neurons; they must be {}, {} \
         and {}",
        header[14],
        header[22],
        header[23],
        format.activation,
        format.later_neurons[0],
        format.later_neurons[1]
    );
    ensure!(
        read_u16(16) == QA && read_u16(18) == QB,
        "the quantisation is {} and {}; it must be {QA} and {QB}",
        read_u16(16),
        read_u16(18)
    );

    let mut reader = Reader::new(payload);
    let table = reader.take(32, u8::from_le_bytes)?;
    let king_buckets = KingBuckets::from_table(
        table.try_into().ok().context("the king bucket table is too short")?,
    )?;
    ensure!(
        king_buckets.count() == usize::from(header[12]),
        "the header has {} king buckets, the table {}",
        header[12],
        king_buckets.count()
    );
    let hidden = usize::from(read_u16(10));
    let shape = Shape::new(architecture, hidden, king_buckets, usize::from(header[13]))?;

    let features = QuantisedFeatures {
        hidden,
        weights: reader.take(shape.inputs() * hidden, i16::from_le_bytes)?,
        biases: reader.take(hidden, i16::from_le_bytes)?,
    };
    let output = match architecture {
        Architecture::SingleLayer => {
            QuantisedOutput::SingleLayer(QuantisedSingleLayer::read(&mut reader, &shape)?)
        }
        Architecture::Layered => {
            QuantisedOutput::Layered(QuantisedLayers::read(&mut reader, &shape)?)
        }
    };
    reader.finish()?;
    Ok(QuantisedNetwork { shape, scale: read_u16(20), features, output })
}

/// The network's id: the first 12 hex digits of its hash.
#[must_use]
pub fn id(file: &[u8]) -> String {
    file.iter().skip(HASHED_HEADER_BYTES).take(6).map(|byte| format!("{byte:02x}")).collect()
}

fn hash(header: &[u8], payload: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(header).chain_update(payload).finalize().into()
}
