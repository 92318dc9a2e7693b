//! Fits a [`WinModel`] to games.
//!
//! Maximum likelihood: the coefficients under which the results that the games had are most likely.
//! Found by Fisher scoring (Newton's method with the expected curvature, which is never negative)
//! with the damping of Levenberg and Marquardt: a step that makes the results less likely, or the
//! model unsound, is taken back and tried shorter.

use anyhow::{Result, bail, ensure};
use nalgebra::{SMatrix, SVector};

use crate::tally::{Cell, Tally};
use crate::wdl_model::{FULL, TERMS, WdlModel};

/// Coefficients of both polynomials.
const COEFFICIENTS: usize = 2 * TERMS;

type Matrix = SMatrix<f64, COEFFICIENTS, COEFFICIENTS>;
type Vector = SVector<f64, COEFFICIENTS>;

/// What the search for the best coefficients begins with, in linear centipawns.
const FIRST_GUESS: (f64, f64) = (100.0, 50.0);

/// The fit is done when a step makes a result more likely by less than this, in natural logarithms
/// a position.
const TOLERANCE: f64 = 1e-12;

/// A fit takes about ten steps; one that takes so many does not end.
const MAX_STEPS: u32 = 500;

/// Beyond this damping a step moves nothing any more.
const MAX_DAMPING: f64 = 1e12;

/// What a model is fitted to.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
pub struct FitRange {
    /// Fit to scores up to this many centipawns: the few games that are not won from beyond
    /// (fortresses, blunders) would bend the curve where most is decided
    #[arg(long, default_value_t = 400)]
    pub fit_to: u16,
    /// Less material than this counts as this (both sides: pawn 1, knight and bishop 3, rook 5,
    /// queen 9)
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u8).range(0..i64::from(FULL)))]
    pub least_material: u8,
}

/// The model under which the results of `tallies` are most likely.
///
/// # Errors
///
/// When the games hold no win, no draw or no loss: then no model is the likeliest. Or when the
/// search for it does not end.
pub fn fit(tallies: &[&Tally], range: &FitRange) -> Result<WdlModel> {
    let least = range.least_material;
    ensure!(least < FULL, "the material goes from {least} to {FULL}");
    let within = |cell: &&Cell| cell.score.unsigned_abs() <= range.fit_to;
    let cells: Vec<Cell> =
        tallies.iter().flat_map(|tally| &tally.cells).filter(within).copied().collect();
    let total = cells.iter().fold([0_u64; 3], |sums, cell| {
        std::array::from_fn(|i| sums[i] + u64::from(cell.counts[i]))
    });
    ensure!(
        total.iter().all(|&count| count > 0),
        "{} wins, {} draws, {} losses: each is needed",
        total[0],
        total[1],
        total[2]
    );
    let positions = total.iter().sum::<u64>() as f64;

    let mut model = WdlModel::constant(least, FIRST_GUESS.0, FIRST_GUESS.1);
    let mut likelihood = log_likelihood(&model, &cells);
    let mut damping = 1e-3;
    for _ in 0..MAX_STEPS {
        let (gradient, curvature) = gradient_and_curvature(&model, &cells);
        let (next, better) = loop {
            let next = damped_step(&model, &gradient, &curvature, damping);
            let reached = next.as_ref().map(|next| log_likelihood(next, &cells));
            match (next, reached) {
                (Some(next), Some(reached)) if reached >= likelihood => break (next, reached),
                _ if damping >= MAX_DAMPING => return Ok(model),
                _ => damping *= 10.0,
            }
        };
        let gained = (better - likelihood) / positions;
        (model, likelihood) = (next, better);
        if gained < TOLERANCE {
            return Ok(model);
        }
        damping = (damping / 10.0).max(1e-12);
    }
    bail!("no likeliest model was found in {MAX_STEPS} steps")
}

/// The logarithm of how likely the results are.
#[must_use]
pub fn log_likelihood(model: &WdlModel, cells: &[Cell]) -> f64 {
    let of_cell = |cell: &Cell| {
        let chances = model.at(cell.material).chances(f64::from(cell.score));
        // A result that the model takes for impossible is a bad fit, not an infinitely bad one.
        let logarithm = |chance: f64| chance.max(f64::MIN_POSITIVE).ln();
        let [won, drawn, lost] = cell.counts.map(f64::from);
        won * logarithm(chances.win)
            + drawn * logarithm(chances.draw)
            + lost * logarithm(chances.loss)
    };
    cells.iter().map(of_cell).sum()
}

/// How the log-likelihood rises with each coefficient, and the expected curvature.
fn gradient_and_curvature(model: &WdlModel, cells: &[Cell]) -> (Vector, Matrix) {
    let (mut gradient, mut curvature) = (Vector::zeros(), Matrix::zeros());
    for cell in cells {
        let curve = model.at(cell.material);
        let score = f64::from(cell.score);
        let chances = curve.chances(score);
        let chance = [chances.win, chances.draw, chances.loss];
        // How win and loss change with a and with b; what they gain the draw loses.
        let change = |own_score: f64, chance: f64| {
            let slope = -chance * (1.0 - chance) / curve.spread;
            [slope, slope * (own_score - curve.half) / curve.spread]
        };
        let (win, loss) = (change(score, chances.win), change(-score, chances.loss));
        let draw = [-win[0] - loss[0], -win[1] - loss[1]];
        let positions = f64::from(cell.counts.iter().sum::<u32>());
        let powers = model.powers(cell.material);

        let (mut local_gradient, mut local_curvature) = ([0.0; 2], [[0.0; 2]; 2]);
        for ((change, chance), count) in [win, draw, loss].iter().zip(chance).zip(cell.counts) {
            if chance < f64::MIN_POSITIVE {
                continue;
            }
            for i in 0..2 {
                local_gradient[i] += f64::from(count) * change[i] / chance;
                for j in 0..2 {
                    local_curvature[i][j] += positions * change[i] * change[j] / chance;
                }
            }
        }
        for (row, i) in (0..COEFFICIENTS).map(|row| (row, row / TERMS)) {
            gradient[row] += local_gradient[i] * powers[row % TERMS];
            for (column, j) in (0..COEFFICIENTS).map(|column| (column, column / TERMS)) {
                curvature[(row, column)] +=
                    local_curvature[i][j] * powers[row % TERMS] * powers[column % TERMS];
            }
        }
    }
    (gradient, curvature)
}

/// The model a damped step further; `None` when there is no such step or the model is none.
fn damped_step(
    model: &WdlModel,
    gradient: &Vector,
    curvature: &Matrix,
    damping: f64,
) -> Option<WdlModel> {
    let mut damped = *curvature;
    for i in 0..COEFFICIENTS {
        damped[(i, i)] *= 1.0 + damping;
    }
    let step = damped.cholesky()?.solve(gradient);
    let moved =
        |terms: [f64; TERMS], first: usize| std::array::from_fn(|i| terms[i] + step[first + i]);
    let next = WdlModel {
        least_material: model.least_material,
        half: moved(model.half, 0),
        spread: moved(model.spread, TERMS),
    };
    next.is_sound().then_some(next)
}
