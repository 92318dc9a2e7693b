//! Training examples: the network's inputs and target for a position.

use serde::{Deserialize, Serialize};

use crate::features::{self, ActiveFeatures, INPUTS};
use crate::sample::Sample;
use crate::shape::Shape;
use crate::value_parsers;

/// Active inputs, output bucket and target of one position.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    active: [ActiveFeatures; 2],
    count: u8,
    /// The index of the output weights.
    pub output_bucket: u8,
    /// The desired prediction, 0 to 1.
    pub target: f32,
}

impl Example {
    /// The example of a sample for a network of this shape.
    #[must_use]
    pub fn new(sample: &Sample, shape: &Shape, target: &Target) -> Self {
        let count = sample.piece_count();
        Self {
            active: features::active_features(sample, &shape.king_buckets),
            count: count as u8,
            output_bucket: shape.output_bucket(count) as u8,
            target: target.of(sample),
        }
    }

    /// The king buckets of the side to move's perspective and of the opponent's.
    #[inline(always)]
    #[must_use]
    pub fn king_buckets(&self) -> [u16; 2] {
        // A position has kings, so the first input is valid.
        self.active.map(|active| active[0] / INPUTS as u16)
    }

    /// Active inputs of the side to move's perspective.
    #[inline(always)]
    #[must_use]
    pub fn own(&self) -> &[u16] {
        &self.active[0][..usize::from(self.count)]
    }

    /// Active inputs of the opponent's perspective.
    #[inline(always)]
    #[must_use]
    pub fn their(&self) -> &[u16] {
        &self.active[1][..usize::from(self.count)]
    }
}

/// The mix of score and game result: one number between 0 (lost) and 1 (won).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, clap::Args)]
pub struct Target {
    /// Centipawns per unit of the logistic curve: a score s counts as 1 / (1 + exp(−s / scale)).
    /// Also the SCALE of the network file
    #[arg(long, default_value_t = 160, value_parser = clap::value_parser!(u16).range(1..))]
    pub scale: u16,
    /// Weight of the game's result if it is known; the score has the rest
    #[arg(long, default_value_t = 0.1, value_parser = value_parsers::share)]
    pub result_weight: f32,
}

impl Target {
    /// The target of a position, from the side to move's point of view.
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
