//! How fast the network learns, step by step.

use serde::{Deserialize, Serialize};

use crate::number;

/// A short linear warm-up, then half a cosine down to a small share of the peak
/// (Loshchilov and Hutter, <https://arxiv.org/abs/1608.03983>).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, clap::Args)]
pub struct Schedule {
    /// Highest learning rate
    #[arg(long, default_value_t = 0.001, value_parser = number::positive)]
    pub learning_rate: f32,
    /// Learning rate of the last step, as a share of the highest
    #[arg(long, default_value_t = 0.005, value_parser = number::share)]
    pub final_share: f32,
    /// Steps until the highest learning rate
    #[arg(long, default_value_t = 400)]
    pub warm_up: u64,
}

impl Schedule {
    /// The learning rate of step `number` (the first is 1) of `total`.
    #[must_use]
    pub fn rate(&self, number: u64, total: u64) -> f32 {
        if number < self.warm_up {
            return self.learning_rate * number as f32 / self.warm_up as f32;
        }
        let progress =
            (number - self.warm_up) as f64 / total.saturating_sub(self.warm_up).max(1) as f64;
        let cosine = 0.5 + 0.5 * (std::f64::consts::PI * progress.min(1.0)).cos();
        self.learning_rate * (self.final_share + (1.0 - self.final_share) * cosine as f32)
    }
}
