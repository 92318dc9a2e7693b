//! The dataset: training positions and held-out positions in memory.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::filter::Filter;
use crate::games;
use crate::labels::{self, BlockInfo, LabelFile};
use crate::sample::{GameResult, Sample};

/// The sources of positions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, clap::Args)]
pub struct Sources {
    /// viriformat game files, and label files
    #[arg(long, num_args = 1.., required = true)]
    pub data: Vec<PathBuf>,
    /// Files (by name, without folder) whose results are unknown: the score alone is the target. Of
    /// a label file, the name of its game file counts
    #[arg(long, num_args = 0.., default_value = "masters.vf")]
    pub unknown_results: Vec<String>,
    /// One of this many games is held out to measure the loss on; 0 holds out none
    #[arg(long, default_value_t = 100)]
    pub hold_out: u32,
    #[command(flatten)]
    #[serde(flatten)]
    #[allow(
        missing_docs,
        reason = "a doc comment here would become the heading of the command's help"
    )]
    pub filter: Filter,
}

/// The counts of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStats {
    /// The file.
    pub path: PathBuf,
    /// Games in it.
    pub games: usize,
    /// Positions in it.
    pub positions: usize,
    /// Positions that passed the filter, held-out positions included.
    pub kept: usize,
}

/// Positions in memory, in the order of the files.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    /// Positions to train on.
    pub training: Vec<Sample>,
    /// Positions of held-out games.
    pub validation: Vec<Sample>,
    /// The counts of each file.
    pub files: Vec<FileStats>,
}

impl Dataset {
    /// Reads and filters all files.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or a game is damaged.
    pub fn load(sources: &Sources) -> Result<Self> {
        let mut dataset = Self::default();
        for path in &sources.data {
            dataset.add_file(path, sources)?;
        }
        Ok(dataset)
    }

    fn add_file(&mut self, path: &Path, sources: &Sources) -> Result<()> {
        let parts = if labels::is_label_file(path) {
            decode_labels(path, sources)?
        } else {
            decode_games(path, sources)?
        };
        let before = self.training.len() + self.validation.len();
        let (mut games, mut positions) = (0, 0);
        for part in parts {
            games += part.games;
            positions += part.positions;
            self.training.extend(part.training);
            self.validation.extend(part.validation);
        }
        let kept = self.training.len() + self.validation.len() - before;
        self.files.push(FileStats { path: path.to_owned(), games, positions, kept });
        Ok(())
    }
}

fn decode_games(path: &Path, sources: &Sources) -> Result<Vec<DatasetPart>> {
    let name = games::file_name(path);
    let has_results = !sources.unknown_results.contains(&name);
    let filter = &sources.filter;
    games::decode_file(path, DatasetPart::default, |part, number, game| {
        part.games += 1;
        let is_held_out = is_held_out(&name, number, sources.hold_out);
        let samples = if is_held_out { &mut part.validation } else { &mut part.training };
        games::visit(game, |board, mv, score, result| {
            part.positions += 1;
            if filter.keeps(board, mv, score) {
                let result = if has_results { result } else { GameResult::Unknown };
                samples.push(Sample::new(board, score, result));
            }
        })
    })
}

fn decode_labels(path: &Path, sources: &Sources) -> Result<Vec<DatasetPart>> {
    let file = LabelFile::open(path)?;
    file.blocks().par_iter().map(|block| DatasetPart::of_block(&file, block, sources)).collect()
}

/// Positions of consecutive games.
#[derive(Clone, Debug, Default)]
pub struct DatasetPart {
    /// Positions to train on.
    pub training: Vec<Sample>,
    /// Positions of held-out games.
    pub validation: Vec<Sample>,
    /// Number of games.
    pub games: usize,
    /// Number of positions, before the filter.
    pub positions: usize,
}

impl DatasetPart {
    /// Decodes and filters a block of labels. The games that [`is_held_out`] selects from the game
    /// file are held out here, too.
    ///
    /// # Errors
    ///
    /// When the block cannot be read or is damaged.
    pub fn of_block(file: &LabelFile, info: &BlockInfo, sources: &Sources) -> Result<Self> {
        let name = &file.manifest().games.file;
        let has_results = !sources.unknown_results.contains(name);
        let block = file.read(info)?;
        let mut part = Self::default();
        for (number, game) in block.games().with_context(|| file.describe(info))? {
            part.games += 1;
            part.positions += game.labels as usize;
            let is_held_out = is_held_out(name, number, sources.hold_out);
            let samples = if is_held_out { &mut part.validation } else { &mut part.training };
            game.for_each_sample(|sample| {
                if sources.filter.keeps_label(&sample) {
                    samples.push(if has_results { sample } else { sample.without_result() });
                }
            })
            .with_context(|| format!("{}, game {number}", file.describe(info)))?;
        }
        Ok(part)
    }
}

/// Whether a game is held out. A hash of the file's name and the game's number selects whole games,
/// independently of the other files.
#[must_use]
pub fn is_held_out(name: &str, game: usize, one_of: u32) -> bool {
    one_of > 0 && fold_of(name, game, one_of) == 0
}

/// The fold of a game, from 0 to `folds` − 1; `folds` is at least 1. The hash is FNV-1a, which is
/// simple and frozen: `label/label.cpp` computes it too.
#[must_use]
pub fn fold_of(name: &str, game: usize, folds: u32) -> u32 {
    let hash =
        name.bytes().chain(game.to_le_bytes()).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    ((hash >> 32) % u64::from(folds)) as u32
}
