//! Checkpoints: the state of a run on disk, from which it resumes bit for bit.
//!
//! All numbers are little-endian. The file holds, in this order: the magic `KIBITRUN`, the u32
//! length of the JSON state, the JSON state, the parameters and the SHA-256 of all preceding bytes.
//! The parameters are each group's weights, means and squares as f32, tile by tile, the output
//! biases last.

use std::fmt;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::config::Config;
use crate::network::Network;
use crate::row::{LANES, Row};

const MAGIC: &[u8; 8] = b"KIBITRUN";
const HASH_BYTES: usize = 32;

/// The settings and the progress of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    /// The run's settings.
    pub config: Config,
    /// Completed superbatches.
    pub superbatches: u64,
    /// Completed superbatches of the late phase.
    pub late_superbatches: u64,
    /// Completed steps.
    pub steps: u64,
    /// Positions before the last measurement of the held-out positions and the benchmark.
    pub measured: u64,
    /// The training loss since the last checkpoint.
    pub recent: LossSum,
    /// Losses at the checkpoints.
    pub losses: Vec<Losses>,
}

impl RunState {
    /// The state of a run before its first step.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            config,
            superbatches: 0,
            late_superbatches: 0,
            steps: 0,
            measured: 0,
            recent: LossSum::default(),
            losses: Vec::new(),
        }
    }

    /// The positions of the completed steps. A position counts again in each pass.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.steps * self.config.batch as u64
    }
}

/// The sum of the losses of some positions, each measured before its step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LossSum {
    /// The sum.
    pub sum: f64,
    /// The number of positions.
    pub positions: u64,
}

impl LossSum {
    /// Adds the losses of further positions.
    pub fn add(&mut self, other: Self) {
        self.sum += other.sum;
        self.positions += other.positions;
    }

    /// The mean loss.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.sum / self.positions as f64
    }
}

/// Mean losses at a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Losses {
    /// Positions trained on before.
    pub positions: u64,
    /// Over the training positions since the checkpoint before.
    pub training: f64,
    /// Over the held-out positions; `None` if it was not measured or no position is held out.
    pub held_out: Option<f64>,
}

impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} positions, loss {:.6}", self.positions, self.training)?;
        match self.held_out {
            Some(held_out) => write!(f, ", held out {held_out:.6}"),
            None => Ok(()),
        }
    }
}

/// Writes a run's state. A crash leaves the previous file in place.
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
    for group in network.parameter_groups() {
        for row in [&group.value, &group.mean, &group.square].into_iter().flatten() {
            bytes.extend(row.iter().flat_map(f32::to_le_bytes));
        }
    }
    let hash = Sha256::digest(&bytes);
    bytes.extend_from_slice(&hash);
    write_atomically(path, &bytes)
}

/// Whether a file starts with a checkpoint's magic bytes.
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
/// When the file cannot be read, is damaged or has another format.
pub fn load(path: &Path) -> Result<(RunState, Network)> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(&bytes).with_context(|| format!("{} is not a checkpoint, or is damaged", path.display()))
}

fn parse(bytes: &[u8]) -> Result<(RunState, Network)> {
    let (content, hash) =
        bytes.split_last_chunk::<HASH_BYTES>().context("the file is too short")?;
    ensure!(
        content.starts_with(MAGIC),
        "the file does not start with {}",
        String::from_utf8_lossy(MAGIC)
    );
    ensure!(Sha256::digest(content).as_slice() == hash, "the checksum does not match");

    let (length, rest) =
        content[MAGIC.len()..].split_first_chunk::<4>().context("the file is too short")?;
    let (json, mut numbers) = rest
        .split_at_checked(u32::from_le_bytes(*length) as usize)
        .context("the file is too short")?;
    let state: RunState = serde_json::from_slice(json)
        .context("its state is not that of this version; --start-from can read net.nnue instead")?;
    let mut network = Network::zeros(state.config.shape()?, state.config.rounding());
    for group in network.parameter_groups_mut() {
        for row in [&mut group.value, &mut group.mean, &mut group.square].into_iter().flatten() {
            numbers = read_row(numbers, row)?;
        }
    }
    ensure!(numbers.is_empty(), "{} bytes follow the last parameter", numbers.len());
    network.refresh();
    Ok((state, network))
}

fn read_row<'a>(bytes: &'a [u8], row: &mut Row) -> Result<&'a [u8]> {
    let (numbers, rest) = bytes.split_at_checked(4 * LANES).context("the file is too short")?;
    for (number, bytes) in row.iter_mut().zip(numbers.as_chunks().0) {
        *number = f32::from_le_bytes(*bytes);
    }
    Ok(rest)
}

/// Writes a temporary file and renames it to `path`, so that a reader never sees a partial file.
///
/// # Errors
///
/// When the file cannot be written or renamed.
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
