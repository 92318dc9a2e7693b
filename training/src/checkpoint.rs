//! A run's state on disk: what it takes to go on as if it had never stopped.
//!
//! Little-endian: magic `KIBITRUN`, u32 length of the JSON state, the state, then every parameter
//! group's weights, means and squares as f32, tile by tile, the output biases last, and the SHA-256
//! of all that.

use std::fmt;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::config::Config;
use crate::network::Network;
use crate::optimiser::Parameters;
use crate::row::{LANES, Row};

const MAGIC: &[u8; 8] = b"KIBITRUN";
const HASH_BYTES: usize = 32;

/// Where a run stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    /// Its settings.
    pub config: Config,
    /// Epochs done.
    pub epochs: u32,
    /// Steps done.
    pub steps: u64,
    /// Losses of the epochs done.
    pub losses: Vec<Losses>,
}

/// Mean losses of one epoch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Losses {
    /// Over the positions learned from, while they were learned.
    pub training: f64,
    /// Over the held-out positions, after the epoch; `None` where none are held out.
    pub held_out: Option<f64>,
}

impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "loss {:.6}", self.training)?;
        match self.held_out {
            Some(held_out) => write!(f, ", held out {held_out:.6}"),
            None => Ok(()),
        }
    }
}

/// Writes the run's state; a crash on the way leaves the file that was there before.
///
/// # Errors
///
/// When the file cannot be written.
pub fn save(path: &Path, state: &RunState, network: &Network) -> Result<()> {
    let json = serde_json::to_vec(state)?;
    let mut bytes = Vec::new();
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&u32::try_from(json.len())?.to_le_bytes());
    bytes.extend_from_slice(&json);
    for group in parameter_groups(network) {
        for row in [&group.value, &group.mean, &group.square].into_iter().flatten() {
            bytes.extend(row.iter().flat_map(f32::to_le_bytes));
        }
    }
    let hash = Sha256::digest(&bytes);
    bytes.extend_from_slice(&hash);
    write_atomically(path, &bytes)
}

/// `true` when a file begins like a checkpoint.
///
/// # Errors
///
/// When the file cannot be read.
pub fn is_checkpoint(path: &Path) -> Result<bool> {
    let mut start = Vec::new();
    fs::File::open(path)
        .and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut start))
        .with_context(|| format!("cannot read {}", path.display()))?;
    Ok(start == MAGIC)
}

/// Reads what [`save`] wrote.
///
/// # Errors
///
/// When the file cannot be read, is damaged or of another format.
pub fn load(path: &Path) -> Result<(RunState, Network)> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(&bytes)
        .with_context(|| format!("{} is no checkpoint of a run, or damaged", path.display()))
}

fn parse(bytes: &[u8]) -> Result<(RunState, Network)> {
    let (content, hash) = bytes.split_last_chunk::<HASH_BYTES>().context("too short")?;
    ensure!(
        content.starts_with(MAGIC),
        "it does not begin with {}",
        String::from_utf8_lossy(MAGIC)
    );
    ensure!(Sha256::digest(content).as_slice() == hash, "its checksum does not fit");

    let (length, rest) = content[MAGIC.len()..].split_first_chunk::<4>().context("too short")?;
    let (json, mut numbers) =
        rest.split_at_checked(u32::from_le_bytes(*length) as usize).context("too short")?;
    let state: RunState = serde_json::from_slice(json)?;
    let mut network = Network::zeros(state.config.shape()?, state.config.rounding());
    for group in parameter_groups_mut(&mut network) {
        for row in [&mut group.value, &mut group.mean, &mut group.square].into_iter().flatten() {
            numbers = read_row(numbers, row)?;
        }
    }
    ensure!(numbers.is_empty(), "{} bytes too many", numbers.len());
    for tile in &mut network.tiles {
        tile.refresh();
    }
    Ok((state, network))
}

fn read_row<'a>(bytes: &'a [u8], row: &mut Row) -> Result<&'a [u8]> {
    let (numbers, rest) = bytes.split_at_checked(4 * LANES).context("too short")?;
    for (number, bytes) in row.iter_mut().zip(numbers.as_chunks().0) {
        *number = f32::from_le_bytes(*bytes);
    }
    Ok(rest)
}

fn parameter_groups(network: &Network) -> impl Iterator<Item = &Parameters> {
    network.tiles.iter().flat_map(|tile| tile.parameter_groups()).chain([&network.output_bias])
}

fn parameter_groups_mut(network: &mut Network) -> impl Iterator<Item = &mut Parameters> {
    network
        .tiles
        .iter_mut()
        .flat_map(|tile| tile.parameter_groups_mut())
        .chain([&mut network.output_bias])
}

/// Writes a file beside its place and moves it there, so that a reader never sees half of it.
///
/// # Errors
///
/// When it cannot be written or moved.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    let temporary = path.with_extension("part");
    let write = || -> std::io::Result<()> {
        let mut file = fs::File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}
