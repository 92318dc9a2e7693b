//! AdamW: Loshchilov and Hutter, "Decoupled Weight Decay Regularization" (2019),
//! <https://arxiv.org/abs/1711.05101>.

use serde::{Deserialize, Serialize};

use crate::number;
use crate::row::Row;

/// The constants of AdamW that do not change during a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, clap::Args)]
pub struct AdamW {
    /// Decay of the gradient's running mean
    #[arg(long, default_value_t = 0.9, value_parser = number::decay)]
    pub beta1: f32,
    /// Decay of the squared gradient's running mean
    #[arg(long, default_value_t = 0.999, value_parser = number::decay)]
    pub beta2: f32,
    /// Added to the divisor
    #[arg(long, default_value_t = 1e-8, value_parser = number::positive)]
    pub epsilon: f32,
    /// Share of a weight that goes with each step, times the learning rate
    #[arg(long, default_value_t = 0.01, value_parser = number::not_negative)]
    pub weight_decay: f32,
}

/// What one step of AdamW needs to know.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    beta1: f32,
    beta2: f32,
    epsilon: f32,
    /// Learning rate with the mean's bias correction in it.
    rate: f32,
    /// 1 / √(bias correction of the squares).
    second_moment_scale: f32,
    /// What a weight is multiplied with.
    decay_factor: f32,
}

impl AdamW {
    /// The step of this number (the first is 1) at this learning rate.
    #[must_use]
    pub fn step(&self, number: u64, learning_rate: f32) -> Step {
        let correction = |beta: f32| 1.0 - f64::from(beta).powf(number as f64);
        Step {
            beta1: self.beta1,
            beta2: self.beta2,
            epsilon: self.epsilon,
            rate: (f64::from(learning_rate) / correction(self.beta1)) as f32,
            second_moment_scale: (1.0 / correction(self.beta2).sqrt()) as f32,
            decay_factor: 1.0 - learning_rate * self.weight_decay,
        }
    }
}

/// Weights with their gradient and AdamW's two running means.
#[derive(Clone, Debug)]
pub struct Parameters {
    /// The weights.
    pub value: Vec<Row>,
    /// The loss's derivative by each weight, summed over the batch; [`Parameters::update`] sets it
    /// back to zero.
    pub gradient: Vec<Row>,
    /// Running mean of the gradient.
    pub mean: Vec<Row>,
    /// Running mean of its square.
    pub square: Vec<Row>,
    /// No weight grows beyond ± this, so that its quantised form fits.
    pub limit: f32,
}

impl Parameters {
    /// So many rows of zeros.
    #[must_use]
    pub fn zeros(rows: usize, limit: f32) -> Self {
        let zeros = vec![Row::ZERO; rows];
        Self {
            value: zeros.clone(),
            gradient: zeros.clone(),
            mean: zeros.clone(),
            square: zeros,
            limit,
        }
    }

    /// Takes over other weights, as far as the limit allows, but not their running means.
    pub fn start_from(&mut self, other: &Parameters) {
        for (value, other) in self.value.iter_mut().zip(&other.value) {
            *value = other.clamp(-self.limit, self.limit);
        }
    }

    /// One step of AdamW with the gradient gathered so far.
    pub fn update(&mut self, step: &Step) {
        let rows =
            self.value.iter_mut().zip(&mut self.gradient).zip(&mut self.mean).zip(&mut self.square);
        for (((value, gradient), mean), square) in rows {
            let g = *gradient;
            *mean = *mean * step.beta1 + g * (1.0 - step.beta1);
            *square = *square * step.beta2 + g * g * (1.0 - step.beta2);
            let change = *mean * step.rate
                / (square.sqrt() * step.second_moment_scale + Row::splat(step.epsilon));
            *value = (*value * step.decay_factor - change).clamp(-self.limit, self.limit);
            *gradient = Row::ZERO;
        }
    }
}
