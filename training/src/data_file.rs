//! A data file that is decoded in parts: label files and viriformat game files.
//!
//! A unit is a part that is read and decoded on its own: a block of a label file, or consecutive
//! games of a game file.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rayon::prelude::*;

use crate::game_file::{GameFile, GameRange};
use crate::games;
use crate::labels::{self, BlockInfo, LabelFile};
use crate::sample::{GameResult, Sample};
use crate::selection::{Games, Selection, is_held_out};

/// Units that are decoded before their positions move to the common list. More of them would hold
/// more positions twice, fewer would leave threads without work.
const UNITS_AT_ONCE: usize = 32;

/// An open data file.
#[derive(Debug)]
pub struct DataFile {
    path: PathBuf,
    format: Format,
}

#[derive(Debug)]
enum Format {
    Labels(LabelFile),
    Games(GameFile),
}

/// Positions of a unit.
#[derive(Clone, Debug, Default)]
pub struct DecodedUnit {
    /// Positions to train on.
    pub training: Vec<Sample>,
    /// Positions of held-out games.
    pub validation: Vec<Sample>,
    /// Number of decoded games.
    pub games: usize,
    /// Number of positions in the decoded games, before the filter.
    pub positions: usize,
}

impl DecodedUnit {
    fn samples(&mut self, is_held_out: bool) -> &mut Vec<Sample> {
        if is_held_out { &mut self.validation } else { &mut self.training }
    }
}

impl DataFile {
    /// Opens a data file and finds its units.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or does not have the format that its extension says.
    pub fn open(path: &Path) -> Result<DataFile> {
        let format = if labels::is_label_file(path) {
            Format::Labels(LabelFile::open(path)?)
        } else {
            Format::Games(GameFile::open(path)?)
        };
        Ok(DataFile { path: path.to_owned(), format })
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number of units.
    #[must_use]
    pub fn units(&self) -> usize {
        match &self.format {
            Format::Labels(file) => file.blocks().len(),
            Format::Games(file) => file.ranges().len(),
        }
    }

    /// The number of games.
    #[must_use]
    pub fn games(&self) -> usize {
        match &self.format {
            Format::Labels(file) => file.blocks().iter().map(|block| block.games as usize).sum(),
            Format::Games(file) => file.ranges().iter().map(|range| range.games).sum(),
        }
    }

    /// A number of positions that no unit's decoded positions exceed.
    #[must_use]
    pub fn most_positions(&self, unit: usize) -> usize {
        match &self.format {
            Format::Labels(file) => file.blocks()[unit].labels as usize,
            Format::Games(file) => file.ranges()[unit].most_positions(),
        }
    }

    /// Decodes and filters games of a unit. The other games are skipped.
    ///
    /// # Errors
    ///
    /// When the unit cannot be read or is damaged.
    pub fn decode(&self, unit: usize, games: Games, selection: &Selection) -> Result<DecodedUnit> {
        match &self.format {
            Format::Labels(file) => decode_block(file, &file.blocks()[unit], games, selection),
            Format::Games(file) => decode_games(file, &file.ranges()[unit], games, selection),
        }
    }
}

/// The positions of the held-out games, in the order of the files.
///
/// # Errors
///
/// When a file cannot be read or is damaged.
pub fn held_out<'a>(
    files: impl IntoIterator<Item = &'a DataFile>,
    selection: &Selection,
) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    if selection.hold_out > 0 {
        for file in files {
            let units: Vec<_> = (0..file.units()).map(|unit| (file, unit)).collect();
            for_each_unit(&units, Games::HeldOut, selection, |unit| {
                samples.extend(unit.validation);
                Ok(())
            })?;
        }
    }
    Ok(samples)
}

/// Decodes units in parallel and visits them in their order.
///
/// # Errors
///
/// When a unit cannot be read or is damaged, and the first error of `visit`.
pub fn for_each_unit(
    units: &[(&DataFile, usize)],
    games: Games,
    selection: &Selection,
    mut visit: impl FnMut(DecodedUnit) -> Result<()>,
) -> Result<()> {
    for units in units.chunks(UNITS_AT_ONCE) {
        let decoded: Vec<DecodedUnit> = units
            .par_iter()
            .map(|(file, unit)| file.decode(*unit, games, selection))
            .collect::<Result<_>>()?;
        decoded.into_iter().try_for_each(&mut visit)?;
    }
    Ok(())
}

fn decode_block(
    file: &LabelFile,
    info: &BlockInfo,
    games: Games,
    selection: &Selection,
) -> Result<DecodedUnit> {
    let name = &file.manifest().games.file;
    let has_results = !selection.unknown_results.contains(name);
    let block = file.read(info)?;
    let mut unit = DecodedUnit::default();
    for (number, game) in block.games().with_context(|| file.describe(info))? {
        let is_held_out = is_held_out(name, number, selection.hold_out);
        if !games.include(is_held_out) {
            continue;
        }
        unit.games += 1;
        unit.positions += game.labels as usize;
        let samples = unit.samples(is_held_out);
        game.for_each_sample(|sample| {
            if selection.filter.keeps_label(&sample) {
                samples.push(if has_results { sample } else { sample.without_result() });
            }
        })
        .with_context(|| format!("{}, game {number}", file.describe(info)))?;
    }
    Ok(unit)
}

fn decode_games(
    file: &GameFile,
    range: &GameRange,
    games: Games,
    selection: &Selection,
) -> Result<DecodedUnit> {
    let name = games::file_name(file.path());
    let has_results = !selection.unknown_results.contains(&name);
    let bytes = file.read(range)?;
    let mut unit = DecodedUnit::default();
    for (number, game) in (range.first_game..).zip(games::split(&bytes)?) {
        let is_held_out = is_held_out(&name, number, selection.hold_out);
        if !games.include(is_held_out) {
            continue;
        }
        unit.games += 1;
        let mut positions = 0;
        let samples = unit.samples(is_held_out);
        games::visit(game, |board, mv, score, result| {
            positions += 1;
            if selection.filter.keeps(board, mv, score) {
                let result = if has_results { result } else { GameResult::Unknown };
                samples.push(Sample::new(board, score, result));
            }
        })
        .with_context(|| format!("{}, game {number}", file.path().display()))?;
        unit.positions += positions;
    }
    Ok(unit)
}
