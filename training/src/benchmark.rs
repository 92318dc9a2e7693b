//! The benchmark of static evaluations: their errors on positions of strong engines' games.
//!
//! An evaluation becomes a win share by a logistic curve with the scale that fits this evaluator
//! best. The error is its squared distance from the share of a deep evaluation, or from the game's
//! result. Positions of one game are not independent, so a game is one cluster in the standard
//! errors.

mod report;

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use kibitzer::chess;
use kibitzer::engine::WdlModel;
use rayon::prelude::*;
use serde::Deserialize;

use crate::quantised_network::QuantisedNetwork;
use crate::sample::{GameResult, Sample};

pub use report::write_errors;

/// Centipawns per unit of the logistic curve of the deep evaluations. It fits the results of their
/// games best.
const DEEP_SCALE: f64 = 111.0;

/// The range of all numbers of men.
pub const ALL_MEN: (usize, usize) = (0, 32);
/// The ranges of the number of men that a report lists, both ends included.
pub const MEN: [(usize, usize); 4] = [(8, 16), (17, 22), (23, 28), (29, 32)];

/// A position of the benchmark.
#[derive(Clone, Debug)]
pub struct Position {
    /// The board and the side to move.
    pub board: chess::Position,
    /// The number of its game.
    game: usize,
    /// White's win share by a deep search.
    deep_share: f64,
    /// White's points in the game: 0, ½ or 1.
    result: f64,
}

/// A line of the benchmark's file. Other columns are ignored.
#[derive(Deserialize)]
struct Line {
    fen: String,
    engine_score_cp_white: i32,
    result: f64,
    game_id: String,
}

/// What an evaluation is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// The evaluation of a deep search.
    DeepEvaluation,
    /// The result of the game.
    GameResult,
}

impl Reference {
    fn of(self, position: &Position) -> f64 {
        match self {
            Reference::DeepEvaluation => position.deep_share,
            Reference::GameResult => position.result,
        }
    }
}

/// A mean over positions with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Its standard error, with one cluster per game.
    pub standard_error: f64,
}

impl fmt::Display for Estimate {
    /// Writes `mean ± standard error`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.5} ± {:.5}", self.mean, self.standard_error)
    }
}

/// The positions of a CSV file with the columns `fen`, `engine_score_cp_white`, `result` and
/// `game_id`.
///
/// # Errors
///
/// When the file cannot be read, has no position, or a line is invalid.
pub fn load(path: &Path) -> Result<Vec<Position>> {
    let mut reader =
        csv::Reader::from_path(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut games = HashMap::new();
    let mut positions = Vec::new();
    for (index, line) in reader.deserialize().enumerate() {
        let place = || format!("{}, position {}", path.display(), index + 1);
        let line: Line = line.with_context(place)?;
        let result = line.result;
        ensure!([0.0, 0.5, 1.0].contains(&result), "{}: the result is {result}", place());
        let next = games.len();
        positions.push(Position {
            board: chess::Position::from_fen(&line.fen).with_context(place)?,
            game: *games.entry(line.game_id).or_insert(next),
            deep_share: win_share(f64::from(line.engine_score_cp_white), DEEP_SCALE),
            result,
        });
    }
    ensure!(!positions.is_empty(), "{} has no position", path.display());
    Ok(positions)
}

/// White's evaluations of the positions, as the engine reports them with this network. Unlike the
/// engine, this function evaluates with networks of any size.
#[must_use]
pub fn evaluate(network: &QuantisedNetwork, positions: &[Position]) -> Vec<i32> {
    let evaluate = |Position { board, .. }: &Position| {
        let raw = network.evaluate(&Sample::from_position(board, 0, GameResult::Unknown));
        let white_raw = if board.turn().is_white() { raw } else { -raw };
        WdlModel::for_position(board).centipawns(f64::from(white_raw))
    };
    positions.par_iter().map(evaluate).collect()
}

/// The scale, in centipawns, with which White's centipawns come closest to the reference.
#[must_use]
pub fn best_scale(scores: &[i32], positions: &[Position], reference: Reference) -> f64 {
    let error = |scale: &f64| squared_errors(scores, positions, reference, *scale).iter().sum();
    let best_of = |scales: Vec<f64>| {
        let errors: Vec<f64> = scales.par_iter().map(error).collect();
        let best = scales.iter().zip(errors).min_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or(DEEP_SCALE, |(scale, _)| *scale)
    };
    // From 10 to 2,000 in steps of a tenth, then three times finer around the best.
    let coarse = best_of((23..77).map(|step| (f64::from(step) / 10.0).exp()).collect());
    [1.03_f64, 1.01, 1.003]
        .iter()
        .fold(coarse, |best, step| best_of((-4..5).map(|power| best * step.powi(power)).collect()))
}

/// The squared differences from the reference at this scale, one for each position.
#[must_use]
pub fn squared_errors(
    scores: &[i32],
    positions: &[Position],
    reference: Reference,
    scale: f64,
) -> Vec<f64> {
    let error = |(score, position): (&i32, &Position)| {
        (win_share(f64::from(*score), scale) - reference.of(position)).powi(2)
    };
    scores.iter().zip(positions).map(error).collect()
}

/// The mean of the values of these positions. With fewer than two positions it is `None`.
#[must_use]
pub fn estimate(
    values: &[f64],
    positions: &[Position],
    men: (usize, usize),
) -> Option<(usize, Estimate)> {
    let chosen: Vec<(f64, usize)> = values
        .iter()
        .zip(positions)
        .filter(|(_, position)| (men.0..=men.1).contains(&position.board.occupied().len()))
        .map(|(value, position)| (*value, position.game))
        .collect();
    if chosen.len() < 2 {
        return None;
    }
    let count = chosen.len() as f64;
    let mean = chosen.iter().map(|(value, _)| value).sum::<f64>() / count;
    let mut sums: HashMap<usize, f64> = HashMap::new();
    for (value, game) in &chosen {
        *sums.entry(*game).or_default() += value - mean;
    }
    let clusters = sums.len().max(2) as f64;
    let squares = sums.values().map(|sum| sum * sum).sum::<f64>();
    let standard_error = (squares * clusters / (clusters - 1.0)).sqrt() / count;
    Some((chosen.len(), Estimate { mean, standard_error }))
}

fn win_share(centipawns: f64, scale: f64) -> f64 {
    1.0 / (1.0 + (-(centipawns / scale).clamp(-50.0, 50.0)).exp())
}
