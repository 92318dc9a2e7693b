//! The reliability of a model of win, draw and loss: predicted against observed frequencies.

use crate::tally::Tally;
use crate::wdl_model::WdlModel;

/// Bins of equal width from 0 to 1.
pub const BINS: usize = 10;

/// A result that a model predicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredictedResult {
    /// The side to move wins.
    Win,
    /// The game is drawn.
    Draw,
    /// The side to move loses.
    Loss,
}

/// Positions with about the same predicted probability of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    /// The number of positions.
    pub positions: u64,
    /// The sum of the predicted probabilities.
    predicted: f64,
    /// The number of games that had the result.
    observed: u64,
}

impl Bin {
    /// The mean predicted probability.
    #[must_use]
    pub fn predicted(&self) -> f64 {
        self.predicted / self.positions.max(1) as f64
    }

    /// The share of positions whose game had the result.
    #[must_use]
    pub fn observed(&self) -> f64 {
        self.observed as f64 / self.positions.max(1) as f64
    }

    /// The absolute difference between predicted and observed.
    #[must_use]
    pub fn error(&self) -> f64 {
        (self.predicted() - self.observed()).abs()
    }
}

/// Predicted and observed frequencies of each result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calibration {
    bins: [[Bin; BINS]; 3],
}

impl Calibration {
    /// Adds the positions of a tally, predicted by a model that was preferably fitted to other
    /// games.
    pub fn add(&mut self, model: &WdlModel, tally: &Tally) {
        for cell in &tally.cells {
            let chances = model.at(cell.material).chances(f64::from(cell.score));
            let positions = cell.counts.iter().map(|&count| u64::from(count)).sum::<u64>();
            for ((bins, chance), count) in
                self.bins.iter_mut().zip([chances.win, chances.draw, chances.loss]).zip(cell.counts)
            {
                let bin = &mut bins[((chance * BINS as f64) as usize).min(BINS - 1)];
                bin.positions += positions;
                bin.predicted += chance * positions as f64;
                bin.observed += u64::from(count);
            }
        }
    }

    /// The bins of a result, by rising probability.
    #[must_use]
    pub fn bins(&self, result: PredictedResult) -> &[Bin; BINS] {
        &self.bins[result as usize]
    }

    /// The greatest and the mean error of the bins with at least `min_positions` positions.
    #[must_use]
    pub fn errors(&self, min_positions: u64) -> (f64, f64) {
        let errors =
            self.bins.iter().flatten().filter(|bin| bin.positions >= min_positions).map(Bin::error);
        let (greatest, sum, count) = errors
            .fold((0.0_f64, 0.0, 0_u32), |(greatest, sum, count), error| {
                (greatest.max(error), sum + error, count + 1)
            });
        (greatest, sum / f64::from(count.max(1)))
    }
}
