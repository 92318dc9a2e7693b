//! Whether what is said to happen in seven games of ten happens in seven games of ten.

use crate::tally::Tally;
use crate::wdl_model::WdlModel;

/// Bins of equal width from 0 to 1.
pub const BINS: usize = 10;

/// A result, as a model foretells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredictedResult {
    /// The side to move wins.
    Win,
    /// Nobody wins.
    Draw,
    /// The side to move loses.
    Loss,
}

/// Positions for which about the same chance was foretold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    /// How many there are.
    pub positions: u64,
    /// The sum of the chances that were foretold.
    predicted: f64,
    /// How often it came true.
    observed: u64,
}

impl Bin {
    /// The mean chance that was foretold.
    #[must_use]
    pub fn predicted(&self) -> f64 {
        self.predicted / self.positions.max(1) as f64
    }

    /// The share in which it came true.
    #[must_use]
    pub fn observed(&self) -> f64 {
        self.observed as f64 / self.positions.max(1) as f64
    }

    /// How far the two lie apart.
    #[must_use]
    pub fn error(&self) -> f64 {
        (self.predicted() - self.observed()).abs()
    }
}

/// Chances that were foretold, and what became of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calibration {
    bins: [[Bin; BINS]; 3],
}

impl Calibration {
    /// Holds a model against games, best against ones that it was not fitted to.
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

    /// The bins of a result, by rising chance.
    #[must_use]
    pub fn bins(&self, result: PredictedResult) -> &[Bin; BINS] {
        &self.bins[result as usize]
    }

    /// The errors of all bins that hold at least so many positions: the greatest and the mean.
    #[must_use]
    pub fn errors(&self, least: u64) -> (f64, f64) {
        let errors =
            self.bins.iter().flatten().filter(|bin| bin.positions >= least).map(Bin::error);
        let (greatest, sum, count) = errors
            .fold((0.0_f64, 0.0, 0_u32), |(greatest, sum, count), error| {
                (greatest.max(error), sum + error, count + 1)
            });
        (greatest, sum / f64::from(count.max(1)))
    }
}
