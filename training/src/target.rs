//! What the network shall answer: a mix of the score and the game's result.

use serde::{Deserialize, Serialize};

use crate::number;
use crate::sample::Sample;

/// How score and result become one number between 0 (lost) and 1 (won).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, clap::Args)]
pub struct Target {
    /// Centipawns per unit of the logistic curve: a score s counts as 1 / (1 + exp(−s / scale)).
    /// Also the SCALE of the network file
    #[arg(long, default_value_t = 160, value_parser = clap::value_parser!(u16).range(1..))]
    pub scale: u16,
    /// Weight of the game's result where it is known; the rest is the score's
    #[arg(long, default_value_t = 0.1, value_parser = number::share)]
    pub result_weight: f32,
}

impl Target {
    /// The target of a position, for its side to move.
    #[must_use]
    pub fn of(&self, sample: &Sample) -> f32 {
        let score = logistic(f32::from(sample.score()) / f32::from(self.scale));
        match sample.result().points() {
            Some(points) => score + self.result_weight * (points - score),
            None => score,
        }
    }
}

/// 1 / (1 + e⁻ˣ).
#[must_use]
pub fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}
