//! The rounding of weights in training.

use crate::row::Row;

/// The weights that a network in training computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// The exact weights: the loss is a smooth function of them.
    Exact,
    /// The weights rounded to the steps of the quantised form. The gradient moves the unrounded
    /// weights (the straight-through estimator: Bengio, Léonard and Courville 2013,
    /// <https://arxiv.org/abs/1308.3432>). So training takes the rounding into account, and the
    /// training loss is that of the network file.
    Quantised,
}

impl Rounding {
    /// The weights that the network computes with. Of the integer weights, `units` are 1.0; of the
    /// result, `unit`.
    #[inline(always)]
    #[must_use]
    pub fn apply(self, weights: Row, units: f32, unit: f32) -> Row {
        match self {
            Rounding::Exact => weights * unit,
            Rounding::Quantised => (weights * units).round() * (unit / units),
        }
    }
}
