//! The dataset: all positions of some files in memory.

use std::path::PathBuf;

use anyhow::{Result, ensure};

use crate::data_file::{self, DataFile};
use crate::sample::Sample;
use crate::selection::{Games, Selection};

/// The sources of positions to measure on.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
#[allow(
    missing_docs,
    reason = "doc comments on flattened groups would become the heading of the command's help"
)]
pub struct Sources {
    /// viriformat game files, and label files
    #[arg(long, num_args = 1.., required = true)]
    pub data: Vec<PathBuf>,
    #[command(flatten)]
    pub selection: Selection,
}

impl Sources {
    /// The held-out positions, at least one.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or is damaged, or no position is held out.
    pub fn held_out(&self) -> Result<Vec<Sample>> {
        let files =
            self.data.iter().map(|path| DataFile::open(path)).collect::<Result<Vec<_>>>()?;
        let samples = data_file::held_out(&files, &self.selection)?;
        ensure!(!samples.is_empty(), "the data has no held-out position");
        Ok(samples)
    }
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
            dataset.add_file(&DataFile::open(path)?, &sources.selection)?;
        }
        Ok(dataset)
    }

    fn add_file(&mut self, file: &DataFile, selection: &Selection) -> Result<()> {
        let mut stats = FileStats { path: file.path().to_owned(), games: 0, positions: 0, kept: 0 };
        let units: Vec<_> = (0..file.units()).map(|unit| (file, unit)).collect();
        data_file::for_each_unit(&units, Games::All, selection, |unit| {
            stats.games += unit.games;
            stats.positions += unit.positions;
            stats.kept += unit.training.len() + unit.validation.len();
            self.training.extend(unit.training);
            self.validation.extend(unit.validation);
            Ok(())
        })?;
        self.files.push(stats);
        Ok(())
    }
}
