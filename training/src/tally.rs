//! Tallies of wins, draws and losses by score and material.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, ensure};
use viriformat::chess::piece::Colour;

use crate::filter::MATE_THRESHOLD;
use crate::games;
use crate::sample::GameResult;
use crate::selection::fold_of;
use crate::wdl_model::material;

/// Positions of one score at one material, by the result for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The material as [`material`] counts it.
    pub material: u8,
    /// The score in linear centipawns, from the side to move's point of view.
    pub score: i16,
    /// Won, drawn, lost.
    pub counts: [u32; 3],
}

/// The tallied positions of some games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The cells, sorted by material, then by score.
    pub cells: Vec<Cell>,
    /// The number of games.
    pub games: usize,
}

/// The counts of one task or one fold.
#[derive(Clone, Default)]
struct TallyBuilder {
    cells: BTreeMap<(u8, i16), [u32; 3]>,
    games: usize,
}

impl TallyBuilder {
    /// Adds a game. Positions where a mate was found are skipped, because they need no model.
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
    /// The number of positions.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.cells.iter().flat_map(|cell| cell.counts).map(u64::from).sum()
    }
}

/// The games of all files in `folds` folds. A hash of file name and number selects a game's fold.
/// The first fold holds the games that [`crate::dataset`] holds out.
///
/// # Errors
///
/// When a file cannot be read, a game is damaged or `folds` is below 2.
pub fn folds<P: AsRef<Path>>(files: &[P], folds: u32) -> Result<Vec<Tally>> {
    ensure!(folds >= 2, "there are {folds} folds; there must be at least 2");
    let mut all = vec![TallyBuilder::default(); folds as usize];
    for path in files {
        let path = path.as_ref();
        let name = games::file_name(path);
        let parts = games::decode_file(
            path,
            || vec![TallyBuilder::default(); folds as usize],
            |part, number, game| part[fold_of(&name, number, folds) as usize].add(game),
        )?;
        for part in parts {
            all.iter_mut().zip(part).for_each(|(sum, counts)| sum.merge(counts));
        }
    }
    Ok(all.into_iter().map(TallyBuilder::build).collect())
}
