//! How often each score at each material won, drew and lost.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use rayon::prelude::*;
use viriformat::chess::piece::Colour;

use crate::dataset::fold_of;
use crate::filter::MATE_THRESHOLD;
use crate::games;
use crate::sample::GameResult;
use crate::wdl_model::material;

/// Positions of one score at one material, by the result that their games had for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// As [`material`] counts it.
    pub material: u8,
    /// In linear centipawns, from the view of the side to move.
    pub score: i16,
    /// Won, drawn, lost.
    pub counts: [u32; 3],
}

/// The positions of some games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// By material, then by score.
    pub cells: Vec<Cell>,
    /// Games that they come from.
    pub games: usize,
}

/// Games decoded by one task.
const GAMES_PER_TASK: usize = 256;

/// What one task or one fold has seen.
#[derive(Clone, Default)]
struct TallyBuilder {
    cells: BTreeMap<(u8, i16), [u32; 3]>,
    games: usize,
}

impl TallyBuilder {
    /// Positions where a mate was found are left out: they need no model.
    fn add(&mut self, game: &[u8]) -> Result<()> {
        self.games += 1;
        games::visit(game, |board, _, white_score, white_result| {
            if white_score.unsigned_abs() >= MATE_THRESHOLD {
                return;
            }
            let (score, result) = match board.turn() {
                Colour::White => (white_score, white_result),
                Colour::Black => (-white_score, white_result.reversed()),
            };
            let result_index = match result {
                GameResult::Win => 0,
                GameResult::Draw => 1,
                GameResult::Loss => 2,
                GameResult::Unknown => return,
            };
            self.cells.entry((material(board), score)).or_default()[result_index] += 1;
        })
    }

    fn merge(&mut self, other: Self) {
        self.games += other.games;
        for (key, counts) in other.cells {
            let sums = self.cells.entry(key).or_default();
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += count;
            }
        }
    }

    fn build(self) -> Tally {
        let cell = |((material, score), counts)| Cell { material, score, counts };
        Tally { cells: self.cells.into_iter().map(cell).collect(), games: self.games }
    }
}

impl Tally {
    /// Positions.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.cells.iter().flat_map(|cell| cell.counts).map(u64::from).sum()
    }
}

/// The games of all files in so many folds. Which fold a game belongs to a hash of file name and
/// number decides; the first fold is what [`crate::dataset`] holds out.
///
/// # Errors
///
/// A file that cannot be read, a damaged game in it, or less than two folds.
pub fn folds<P: AsRef<Path>>(files: &[P], folds: u32) -> Result<Vec<Tally>> {
    ensure!(folds >= 2, "at least two folds");
    let mut all = vec![TallyBuilder::default(); folds as usize];
    for path in files {
        let path = path.as_ref();
        let bytes = games::read(path)?;
        let games = games::split(&bytes).with_context(|| path.display().to_string())?;
        let name =
            path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let parts: Vec<Vec<TallyBuilder>> = games
            .par_chunks(GAMES_PER_TASK)
            .enumerate()
            .map(|(chunk, games)| {
                let mut part = vec![TallyBuilder::default(); folds as usize];
                for (i, game) in games.iter().enumerate() {
                    let number = chunk * GAMES_PER_TASK + i;
                    part[fold_of(&name, number, folds) as usize]
                        .add(game)
                        .with_context(|| format!("{}, game {number}", path.display()))?;
                }
                Ok(part)
            })
            .collect::<Result<_>>()?;
        for part in parts {
            all.iter_mut().zip(part).for_each(|(seen, more)| seen.merge(more));
        }
    }
    Ok(all.into_iter().map(TallyBuilder::build).collect())
}
