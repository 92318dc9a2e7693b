//! The stream of training positions: passes over files that need not fit in memory.
//!
//! A pass has each unit of the files as often as the file's weight says, in a random order. It is
//! divided into superbatches of consecutive units. A superbatch is decoded, and its positions are
//! shuffled. The data, the settings, the seed and the number of a superbatch determine it, so that
//! a run can continue at any superbatch.

use anyhow::{Context, Result, ensure};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng, seq::SliceRandom};

use crate::data_file::{self, DataFile};
use crate::sample::Sample;
use crate::selection::{Games, Selection};
use crate::weighted_file::WeightedFile;

/// Settings of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// The seed of a run.
    pub seed: u64,
    /// Distinguishes the streams of a run.
    pub number: u32,
    /// The most units of a superbatch, at least 1.
    pub shuffle_units: usize,
}

/// Files as an endless sequence of superbatches.
#[derive(Debug)]
pub struct Stream {
    files: Vec<(DataFile, f64)>,
    order: Order,
}

/// A unit of one of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnitId {
    /// The number of the file.
    pub file: usize,
    /// The number of the unit in the file.
    pub unit: usize,
}

/// Decoded positions in a random order.
#[derive(Clone, Debug)]
pub struct Superbatch {
    /// The positions, unit by unit.
    pub samples: Vec<Sample>,
    order: Vec<u32>,
}

impl Superbatch {
    /// The whole batches: indices of positions. The rest is left out.
    pub fn batches(&self, size: usize) -> impl ExactSizeIterator<Item = &[u32]> {
        self.order.chunks_exact(size)
    }
}

/// What random numbers are for.
#[derive(Clone, Copy)]
enum Purpose {
    /// Whether a pass has a unit once more. Indexed by pass.
    Repetitions,
    /// The order of a pass's units. Indexed by pass.
    Units,
    /// The order of a superbatch's positions. Indexed by superbatch.
    Positions,
}

impl Stream {
    /// Opens the files.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or is damaged, or no file has a game.
    pub fn open(files: &[WeightedFile], order: Order) -> Result<Stream> {
        let open = |file: &WeightedFile| Ok((DataFile::open(&file.path)?, file.weight));
        let files: Vec<(DataFile, f64)> = files.iter().map(open).collect::<Result<_>>()?;
        ensure!(files.iter().any(|(file, _)| file.units() > 0), "the data has no game");
        Ok(Stream { files, order })
    }

    /// The files with their weights.
    #[must_use]
    pub fn files(&self) -> &[(DataFile, f64)] {
        &self.files
    }

    /// The units of a superbatch.
    #[must_use]
    pub fn units(&self, superbatch: u64) -> Vec<UnitId> {
        let (mut pass, mut first) = (0, 0);
        loop {
            let mut units = self.units_of_pass(pass);
            let parts = units.len().div_ceil(self.order.shuffle_units) as u64;
            if superbatch < first + parts {
                units.shuffle(&mut self.random(Purpose::Units, pass));
                // Parts of about the same size: a small last part would be shuffled worse.
                let (part, count) = ((superbatch - first) as usize, units.len());
                let place = |part: usize| part * count / parts as usize;
                return units[place(part)..place(part + 1)].to_vec();
            }
            (pass, first) = (pass + 1, first + parts);
        }
    }

    /// Decodes the training positions of a superbatch and draws their order.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or is damaged, or there are too many positions.
    pub fn read(&self, superbatch: u64, selection: &Selection) -> Result<Superbatch> {
        let units: Vec<(&DataFile, usize)> = self
            .units(superbatch)
            .into_iter()
            .map(|UnitId { file, unit }| (&self.files[file].0, unit))
            .collect();
        let most: usize = units.iter().map(|(file, unit)| file.most_positions(*unit)).sum();
        let most_index = u32::try_from(most).with_context(|| {
            format!("a superbatch may have {most} positions; choose smaller --shuffle-units")
        })?;
        let mut samples = Vec::with_capacity(most_index as usize);
        data_file::for_each_unit(&units, Games::Training, selection, |unit| {
            samples.extend(unit.training);
            Ok(())
        })?;
        let mut order: Vec<u32> = (0..samples.len() as u32).collect();
        order.shuffle(&mut self.random(Purpose::Positions, superbatch));
        Ok(Superbatch { samples, order })
    }

    /// The units of a pass in the order of the files.
    fn units_of_pass(&self, pass: u64) -> Vec<UnitId> {
        let mut random = self.random(Purpose::Repetitions, pass);
        let mut units = Vec::new();
        for (file, (data, weight)) in self.files.iter().enumerate() {
            let (whole, share) = (weight.trunc() as usize, weight.fract());
            for unit in 0..data.units() {
                let count = whole + usize::from(share > 0.0 && random.random_bool(share));
                units.extend(std::iter::repeat_n(UnitId { file, unit }, count));
            }
        }
        units
    }

    fn random(&self, purpose: Purpose, index: u64) -> ChaCha8Rng {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.order.seed.to_le_bytes());
        key[8..16].copy_from_slice(&index.to_le_bytes());
        key[16..20].copy_from_slice(&self.order.number.to_le_bytes());
        key[20] = purpose as u8;
        ChaCha8Rng::from_seed(key)
    }
}
