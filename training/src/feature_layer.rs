//! The first layer of a tile: the weights from the inputs to its neurons.

use crate::features::INPUTS;
use crate::optimiser::Parameters;
use crate::rounding::Rounding;
use crate::row::Row;
use crate::shape::{QA, Shape};

/// The largest feature weight or bias: at 255 units, the sum of 32 active inputs and the bias fits
/// an int16.
pub const FEATURE_LIMIT: f32 = 1.98;
/// The largest weight of a king bucket, which is added to a shared weight. The shared weights have
/// the rest of [`FEATURE_LIMIT`].
pub const BUCKET_LIMIT: f32 = 0.58;

/// The weights and biases of a tile's neurons.
#[derive(Clone, Debug)]
pub struct FeatureLayer {
    /// One row for each input of each king bucket.
    pub weights: Parameters,
    /// With more than one king bucket, one row for each input that is added in every bucket. So the
    /// network learns once what is independent of the king's square
    /// (<https://www.chessprogramming.org/NNUE#Feature_Factorization>).
    pub shared: Option<Parameters>,
    /// One row: the biases of the neurons.
    pub bias: Parameters,
    /// What a weight of 1.0 is in the passes.
    unit: f32,
    /// The sums of own and shared weights that forward and backward pass compute with.
    effective_weights: Vec<Row>,
    effective_bias: Row,
}

impl FeatureLayer {
    /// A layer whose weights are all zero. In the passes, a weight of 1.0 is `unit`: 1, or [`QA`] for
    /// sums of integers.
    #[must_use]
    pub fn zeros(shape: &Shape, unit: f32) -> Self {
        let buckets = shape.king_buckets.count();
        let (limit, shared_limit) = if buckets > 1 {
            (BUCKET_LIMIT, FEATURE_LIMIT - BUCKET_LIMIT)
        } else {
            (FEATURE_LIMIT, 0.0)
        };
        Self {
            weights: Parameters::zeros(shape.inputs(), limit),
            shared: (buckets > 1).then(|| Parameters::zeros(INPUTS, shared_limit)),
            bias: Parameters::zeros(1, FEATURE_LIMIT),
            unit,
            effective_weights: vec![Row::ZERO; shape.inputs()],
            effective_bias: Row::ZERO,
        }
    }

    /// All parameter groups, in a fixed order.
    pub fn parameter_groups(&self) -> impl Iterator<Item = &Parameters> {
        [&self.weights].into_iter().chain(&self.shared).chain([&self.bias])
    }

    /// All parameter groups, in the order of [`FeatureLayer::parameter_groups`].
    pub fn parameter_groups_mut(&mut self) -> impl Iterator<Item = &mut Parameters> {
        [&mut self.weights].into_iter().chain(&mut self.shared).chain([&mut self.bias])
    }

    /// Recomputes the effective weights. Call it after setting parameters from outside.
    pub fn refresh(&mut self, rounding: Rounding) {
        let shared = self.shared.as_ref().map_or([].as_slice(), |shared| &shared.value);
        let buckets = self.effective_weights.chunks_mut(INPUTS);
        for (bucket, values) in buckets.zip(self.weights.value.chunks(INPUTS)) {
            for (input, (effective, value)) in bucket.iter_mut().zip(values).enumerate() {
                let sum = shared.get(input).map_or(*value, |shared| *value + *shared);
                *effective = rounding.apply(sum, QA, self.unit);
            }
        }
        self.effective_bias = rounding.apply(self.bias.value[0], QA, self.unit);
    }

    /// With king buckets, moves their mean to the shared weights, as far as the limits of both
    /// allow. The effective weights do not change.
    pub fn factorise(&mut self) {
        let Some(shared) = &mut self.shared else { return };
        let buckets = self.weights.value.len() / INPUTS;
        let (own_limit, shared_limit) = (self.weights.limit, shared.limit);
        for (input, shared) in shared.value.iter_mut().enumerate() {
            for (neuron, shared) in shared.iter_mut().enumerate() {
                let weights = (0..buckets)
                    .map(|bucket| self.weights.value[bucket * INPUTS + input].get(neuron));
                let (least, most) =
                    weights.clone().fold((f32::MAX, f32::MIN), |(a, b), w| (a.min(w), b.max(w)));
                let mean = weights.sum::<f32>() / buckets as f32;
                *shared = mean
                    .max(most - own_limit)
                    .min(least + own_limit)
                    .clamp(-shared_limit, shared_limit);
            }
            for bucket in 0..buckets {
                let own = &mut self.weights.value[bucket * INPUTS + input];
                *own = *own - *shared;
            }
        }
    }

    /// Copies the weights of a trained layer, which has the same sizes or no king buckets. Without
    /// king buckets, every bucket gets the same weights.
    pub fn start_from(&mut self, other: &FeatureLayer) {
        match (&mut self.shared, &other.shared) {
            (Some(_), None) => {
                for bucket in self.weights.value.chunks_mut(INPUTS) {
                    bucket.copy_from_slice(&other.weights.value);
                }
                self.factorise();
            }
            (Some(shared), Some(other_shared)) => {
                shared.start_from(other_shared);
                self.weights.start_from(&other.weights);
            }
            (None, _) => self.weights.start_from(&other.weights),
        }
        self.bias.start_from(&other.bias);
    }

    /// What a weight of 1.0 is in the passes.
    #[must_use]
    pub fn unit(&self) -> f32 {
        self.unit
    }

    /// The weights of one input of a king bucket, including the shared ones, as the passes use
    /// them.
    #[must_use]
    pub fn effective_weights(&self, input: usize) -> Row {
        self.effective_weights[input]
    }

    /// The biases as the passes use them.
    #[must_use]
    pub fn effective_bias(&self) -> Row {
        self.effective_bias
    }

    /// The accumulator: the sum of the bias and the weights of the active inputs.
    #[inline(always)]
    #[must_use]
    pub fn accumulate(&self, active: &[u16]) -> Row {
        let mut sum = self.effective_bias;
        for input in active {
            sum += self.effective_weights[usize::from(*input)];
        }
        sum
    }

    /// Adds the gradient of an accumulator to the weights of its active inputs.
    #[inline(always)]
    pub fn add_gradient(&mut self, active: &[u16], gradient: Row) {
        for input in active {
            self.weights.gradient[usize::from(*input)] += gradient;
        }
    }

    /// Completes the gradient of a batch: the sum of its accumulators' gradients is that of the
    /// bias, and the shared weights get the sum over the buckets.
    pub fn complete_gradient(&mut self, bias: Row) {
        self.bias.gradient[0] += bias;
        if let Some(shared) = &mut self.shared {
            for bucket in self.weights.gradient.chunks_exact(INPUTS) {
                for (shared, gradient) in shared.gradient.iter_mut().zip(bucket) {
                    *shared += *gradient;
                }
            }
        }
    }
}
