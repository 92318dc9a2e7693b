//! The network in memory, and its decoding from a file.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use sha2::{Digest, Sha256};

use super::architecture::{
    HIDDEN, INPUTS, KING_BUCKETS, LAYERED_HIDDEN, OUTPUT_BUCKETS, SECOND_LAYER, THIRD_LAYER,
};
use super::error::{NetworkError, NetworkFileError};
use super::header::{Format, HASHED_BYTES, HEADER_BYTES, Header};
use super::layered::LayeredNetwork;
use super::payload::Payload;
use super::perspective::{KING_SQUARES, PerspectiveTable};
use super::single_layer::SingleLayerNetwork;

/// The embedded network. A constant checks its header, length and weights at compile time.
static EMBEDDED: &[u8] = include_bytes!("kibitzer.nnue");

const EMBEDDED_HEADER: Header = match (parse_header(EMBEDDED), validate_payload(EMBEDDED)) {
    (Ok(header), Ok(())) => header,
    _ => panic!("src/nnue/kibitzer.nnue is not a network of an architecture of this build"),
};

/// The length of the longest network file, in bytes.
const MAX_FILE_BYTES: usize = {
    let (single_layer, layered) = (Format::SingleLayer.file_bytes(), Format::Layered.file_bytes());
    if single_layer > layered { single_layer } else { layered }
};

/// The evaluation network. Each of the two perspectives has 768 inputs and the neurons of the first
/// layer. What follows them depends on the form.
///
/// A network is immutable, so any number of searches may share it.
pub struct Network {
    id: String,
    perspectives: PerspectiveTable,
    form: NetworkForm,
}

/// The layers of a network.
#[derive(Clone)]
pub(super) enum NetworkForm {
    SingleLayer(Arc<SingleLayerNetwork>),
    Layered(Arc<LayeredNetwork>),
}

impl Network {
    /// The embedded network, which is decoded once and then shared.
    pub fn embedded() -> Arc<Network> {
        static NETWORK: LazyLock<Arc<Network>> =
            LazyLock::new(|| Arc::new(Network::decode(&EMBEDDED_HEADER, EMBEDDED)));
        Arc::clone(&NETWORK)
    }

    /// Reads the network of a file.
    ///
    /// # Errors
    ///
    /// [`NetworkFileError`] when the file cannot be read or is not a valid network.
    pub fn read(path: &Path) -> Result<Network, NetworkFileError> {
        let mut bytes = Vec::with_capacity(MAX_FILE_BYTES + 1);
        // One byte beyond the length of a network shows that the file is too long.
        File::open(path)
            .and_then(|file| file.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes))
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
        if content_hash(bytes) != header.hash {
            return Err(NetworkError::HashMismatch);
        }
        validate_payload(bytes)?;
        Ok(Network::decode(&header, bytes))
    }

    /// Decodes a validated file.
    fn decode(header: &Header, bytes: &[u8]) -> Network {
        let mut payload = Payload::new(&bytes[HEADER_BYTES..]);
        Network {
            id: header.hash[..6].iter().fold(String::new(), |mut id, byte| {
                // Writing to a string cannot fail.
                let _ = write!(id, "{byte:02x}");
                id
            }),
            perspectives: PerspectiveTable::new(&payload.read_u8()),
            form: match header.format {
                Format::SingleLayer => NetworkForm::SingleLayer(Arc::new(
                    SingleLayerNetwork::decode(payload, header.scale),
                )),
                Format::Layered => {
                    NetworkForm::Layered(Arc::new(LayeredNetwork::decode(payload, header.scale)))
                }
            },
        }
    }

    /// The identifier of the network: the first twelve hexadecimal digits of its SHA-256.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The architecture in short form, such as `8x768 -> 512x2 -> 1x8` or
    /// `8x768 -> 1024x2 -> 16 -> 32 -> 1x8`: king buckets × inputs, neurons × perspectives, neurons
    /// of later layers, outputs × output buckets. A single king bucket is omitted.
    pub fn architecture(&self) -> String {
        let buckets = if KING_BUCKETS == 1 { String::new() } else { format!("{KING_BUCKETS}x") };
        let neurons = match self.form {
            NetworkForm::SingleLayer(_) => format!("{HIDDEN}x2"),
            NetworkForm::Layered(_) => {
                format!("{LAYERED_HIDDEN}x2 -> {SECOND_LAYER} -> {THIRD_LAYER}")
            }
        };
        format!("{buckets}{INPUTS} -> {neurons} -> 1x{OUTPUT_BUCKETS}")
    }

    #[inline]
    pub(super) const fn perspectives(&self) -> &PerspectiveTable {
        &self.perspectives
    }

    pub(super) const fn form(&self) -> &NetworkForm {
        &self.form
    }
}

/// Parses the header of a file that may not be a network, and checks the file's length.
const fn parse_header(bytes: &[u8]) -> Result<Header, NetworkError> {
    let header = match Header::parse(bytes) {
        Ok(header) => header,
        Err(error) => return Err(error),
    };
    let expected = header.format.file_bytes();
    if bytes.len() != expected {
        return Err(NetworkError::Length { found: bytes.len(), expected });
    }
    Ok(header)
}

/// SHA-256 of the hashed part of the header and of the payload.
fn content_hash(bytes: &[u8]) -> [u8; 32] {
    Sha256::new()
        .chain_update(&bytes[..HASHED_BYTES])
        .chain_update(&bytes[HEADER_BYTES..])
        .finalize()
        .into()
}

/// Checks the ranges that the arithmetic and the indices rely on, in a file of the right length.
const fn validate_payload(bytes: &[u8]) -> Result<(), NetworkError> {
    let header = match parse_header(bytes) {
        Ok(header) => header,
        Err(error) => return Err(error),
    };
    let (_, payload) = bytes.split_at(HEADER_BYTES);
    let Some((buckets, layers)) = payload.split_first_chunk::<KING_SQUARES>() else {
        unreachable!()
    };
    if let Err(error) = PerspectiveTable::validate(buckets) {
        return Err(error);
    }
    match header.format {
        Format::SingleLayer => SingleLayerNetwork::validate(layers),
        Format::Layered => LayeredNetwork::validate(layers),
    }
}
