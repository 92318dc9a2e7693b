//! The maximum-likelihood fit of a [`WdlModel`] to games.
//!
//! The fit uses Fisher scoring: Newton's method with the expected curvature, which is never
//! negative. The steps are damped as in Levenberg–Marquardt. A step that lowers the likelihood, or
//! makes the model unsound, is retried with more damping.

use anyhow::{Result, bail, ensure};
use nalgebra::{SMatrix, SVector};

use crate::tally::{Cell, Tally};
use crate::wdl_model::{FULL_MATERIAL, TERMS, WdlModel};

/// Coefficients of both polynomials.
const COEFFICIENTS: usize = 2 * TERMS;

type Matrix = SMatrix<f64, COEFFICIENTS, COEFFICIENTS>;
type Vector = SVector<f64, COEFFICIENTS>;

/// The initial coefficients, in linear centipawns.
const FIRST_GUESS: (f64, f64) = (100.0, 50.0);

/// The fit ends when a step gains less log-likelihood per position than this, in natural
/// logarithms.
const TOLERANCE: f64 = 1e-12;

/// The limit of steps. A fit takes about ten.
const MAX_STEPS: u32 = 500;

/// The largest damping. Beyond it a step changes nothing.
const MAX_DAMPING: f64 = 1e12;

/// The range of scores and material that a model is fitted to.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
pub struct FitRange {
    /// Fit to scores up to this many centipawns: the few games not won from beyond (fortresses,
    /// blunders) would distort the curve where most games are decided
    #[arg(long, default_value_t = 400)]
    pub fit_to: u16,
    /// Lower bound of the material of both sides (pawn 1, knight and bishop 3, rook 5, queen 9);
    /// positions with less count as this
    #[arg(
        long,
        default_value_t = 10,
        value_parser = clap::value_parser!(u8).range(0..i64::from(FULL_MATERIAL))
    )]
    pub least_material: u8,
}

/// The model that maximises the likelihood of the results of `tallies`.
///
/// # Errors
///
/// When the games have no win, no draw or no loss, because no maximum exists. When the fit does not
/// converge.
pub fn fit(tallies: &[&Tally], range: &FitRange) -> Result<WdlModel> {
    let least = range.least_material;
    ensure!(
        least < FULL_MATERIAL,
        "the least material is {least}; it must be below {FULL_MATERIAL}"
    );
    let within = |cell: &&Cell| cell.score.unsigned_abs() <= range.fit_to;
    let cells: Vec<Cell> =
        tallies.iter().flat_map(|tally| &tally.cells).filter(within).copied().collect();
    let total = cells.iter().fold([0_u64; 3], |sums, cell| {
        std::array::from_fn(|i| sums[i] + u64::from(cell.counts[i]))
    });
    ensure!(
        total.iter().all(|&count| count > 0),
        "the games have {} wins, {} draws and {} losses; the fit needs at least one of each",
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
            let next_likelihood = next.as_ref().map(|next| log_likelihood(next, &cells));
            match (next, next_likelihood) {
                (Some(next), Some(better)) if better >= likelihood => break (next, better),
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
    bail!("the fit did not converge in {MAX_STEPS} steps")
}

/// The log-likelihood of the results.
#[must_use]
pub fn log_likelihood(model: &WdlModel, cells: &[Cell]) -> f64 {
    let of_cell = |cell: &Cell| {
        let chances = model.at(cell.material).chances(f64::from(cell.score));
        // A result with probability 0 gets a finite penalty.
        let logarithm = |chance: f64| chance.max(f64::MIN_POSITIVE).ln();
        let [won, drawn, lost] = cell.counts.map(f64::from);
        won * logarithm(chances.win)
            + drawn * logarithm(chances.draw)
            + lost * logarithm(chances.loss)
    };
    cells.iter().map(of_cell).sum()
}

/// The gradient of the log-likelihood and its expected curvature.
fn gradient_and_curvature(model: &WdlModel, cells: &[Cell]) -> (Vector, Matrix) {
    let (mut gradient, mut curvature) = (Vector::zeros(), Matrix::zeros());
    for cell in cells {
        let curve = model.at(cell.material);
        let score = f64::from(cell.score);
        let chances = curve.chances(score);
        let chance = [chances.win, chances.draw, chances.loss];
        // Derivatives of win and loss with respect to a and b; those of the draw balance them.
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

/// The model after a damped step; `None` if the step does not exist or the model is unsound.
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
