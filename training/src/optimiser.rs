//! The optimiser AdamW and its learning-rate schedule.
//!
//! AdamW: Loshchilov and Hutter, "Decoupled Weight Decay Regularization" (2019),
//! <https://arxiv.org/abs/1711.05101>.

use serde::{Deserialize, Serialize};

use crate::row::Row;
use crate::value_parsers;

/// The constants of AdamW that do not change during a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, clap::Args)]
pub struct AdamW {
    /// Decay of the gradient's running mean
    #[arg(long, default_value_t = 0.9, value_parser = value_parsers::decay)]
    pub beta1: f32,
    /// Decay of the squared gradient's running mean
    #[arg(long, default_value_t = 0.999, value_parser = value_parsers::decay)]
    pub beta2: f32,
    /// Number added to the divisor
    #[arg(long, default_value_t = 1e-8, value_parser = value_parsers::positive)]
    pub epsilon: f32,
    /// Share of a weight that each step subtracts, times the learning rate
    #[arg(long, default_value_t = 0.01, value_parser = value_parsers::not_negative)]
    pub weight_decay: f32,
}

/// The factors of one AdamW step.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    beta1: f32,
    beta2: f32,
    epsilon: f32,
    /// The learning rate with the bias correction of the mean.
    rate: f32,
    /// 1 / √(bias correction of the squares).
    second_moment_scale: f32,
    /// The factor of each weight.
    decay_factor: f32,
}

impl AdamW {
    /// The factors of step `number` (the first is 1) at this learning rate.
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
    /// The derivative of the loss with respect to each weight, summed over the batch.
    /// [`Parameters::update`] resets it to zero.
    pub gradient: Vec<Row>,
    /// Running mean of the gradient.
    pub mean: Vec<Row>,
    /// Running mean of the squared gradient.
    pub square: Vec<Row>,
    /// Weights are clamped to ± this, so that the quantised weight fits its integer type.
    pub limit: f32,
}

impl Parameters {
    /// `rows` rows of zeros.
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

    /// Copies the weights of `other`, clamped to the limit, without the running means.
    pub fn start_from(&mut self, other: &Parameters) {
        for (value, other) in self.value.iter_mut().zip(&other.value) {
            *value = other.clamp(-self.limit, self.limit);
        }
    }

    /// Adds the weights of `other`, times `factor`, without the running means.
    pub fn add(&mut self, other: &Parameters, factor: f32) {
        for (value, other) in self.value.iter_mut().zip(&other.value) {
            *value += *other * factor;
        }
    }

    /// Takes one AdamW step with the accumulated gradient.
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

/// The learning rate: a short linear warm-up, then half a cosine down to a small share of the peak
/// (Loshchilov and Hutter, <https://arxiv.org/abs/1608.03983>).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, clap::Args)]
pub struct Schedule {
    /// Highest learning rate
    #[arg(long, default_value_t = 0.001, value_parser = value_parsers::positive)]
    pub learning_rate: f32,
    /// Learning rate of the last step, as a share of the highest
    #[arg(long, default_value_t = 0.005, value_parser = value_parsers::share)]
    pub final_share: f32,
    /// Steps before the highest learning rate
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
