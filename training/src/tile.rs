//! Tiles: groups of [`LANES`](crate::row::LANES) neurons of the hidden layer with their weights.
//!
//! A tile's weights fit the processor's nearest caches. No tile writes what another tile reads, so
//! tiles run on any number of threads without locks. Only the partial outputs of the tiles are
//! added, always in the same order. So the result is the same bit for bit on one thread and on
//! many.

use crate::example::Example;
use crate::features::INPUTS;
use crate::optimiser::{Parameters, Step};
use crate::row::Row;
use crate::shape::{QA, QB, Shape};

/// The largest feature weight or bias: at 255 units, the sum of 32 active inputs and the bias fits
/// an int16.
pub const FEATURE_LIMIT: f32 = 1.98;
/// The largest weight of a king bucket, which is added to a shared weight. The shared weights have
/// the rest of [`FEATURE_LIMIT`].
pub const BUCKET_LIMIT: f32 = 0.58;
/// The largest output weight: 127 at 64 units, so that 255 times the weight fits an int16.
pub const OUTPUT_LIMIT: f32 = 127.0 / 64.0;

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

/// The weights of forward and backward pass: sums of the parameters, rounded as [`Rounding`] says.
#[derive(Clone, Debug)]
pub struct EffectiveWeights {
    /// One row for each input of each king bucket, including the shared weights.
    pub features: Vec<Row>,
    /// The biases of the neurons.
    pub bias: Row,
    /// Two rows for each output bucket.
    pub outputs: Vec<Row>,
}

/// A few neurons and their weights.
#[derive(Clone, Debug)]
pub struct Tile {
    /// One row for each input of each king bucket.
    pub features: Parameters,
    /// With more than one king bucket, one row for each input that is added in every bucket. So the
    /// network learns once what is independent of the king's square
    /// (<https://www.chessprogramming.org/NNUE#Feature_Factorization>).
    pub shared: Option<Parameters>,
    /// One row: the biases of the neurons.
    pub bias: Parameters,
    /// Two rows for each output bucket: the side to move's neurons, then the opponent's.
    pub output: Parameters,
    rounding: Rounding,
    /// The weights of forward and backward pass.
    effective_weights: EffectiveWeights,
    /// The accumulators of the last batch: the neurons of both perspectives before the activation.
    accumulators: Vec<[Row; 2]>,
    /// This tile's contributions to the outputs of the last batch.
    partial_outputs: Vec<f32>,
}

impl Tile {
    /// A tile whose weights are all zero.
    #[must_use]
    pub fn zeros(shape: &Shape, rounding: Rounding) -> Self {
        let buckets = shape.king_buckets.count();
        let (limit, shared_limit) = if buckets > 1 {
            (BUCKET_LIMIT, FEATURE_LIMIT - BUCKET_LIMIT)
        } else {
            (FEATURE_LIMIT, 0.0)
        };
        Self {
            features: Parameters::zeros(shape.inputs(), limit),
            shared: (buckets > 1).then(|| Parameters::zeros(INPUTS, shared_limit)),
            bias: Parameters::zeros(1, FEATURE_LIMIT),
            output: Parameters::zeros(2 * shape.output_buckets, OUTPUT_LIMIT),
            rounding,
            effective_weights: EffectiveWeights {
                features: vec![Row::ZERO; shape.inputs()],
                bias: Row::ZERO,
                outputs: vec![Row::ZERO; 2 * shape.output_buckets],
            },
            accumulators: Vec::new(),
            partial_outputs: Vec::new(),
        }
    }

    /// All parameter groups, in a fixed order.
    pub fn parameter_groups(&self) -> impl Iterator<Item = &Parameters> {
        [&self.features].into_iter().chain(&self.shared).chain([&self.bias, &self.output])
    }

    /// All parameter groups, in the order of [`Tile::parameter_groups`].
    pub fn parameter_groups_mut(&mut self) -> impl Iterator<Item = &mut Parameters> {
        [&mut self.features]
            .into_iter()
            .chain(&mut self.shared)
            .chain([&mut self.bias, &mut self.output])
    }

    /// Recomputes the effective weights. Call it after setting parameters from outside.
    pub fn refresh(&mut self) {
        let rounding = self.rounding;
        let round = |row: Row, units: u16| match rounding {
            Rounding::Exact => row,
            Rounding::Quantised => (row * f32::from(units)).round() * (1.0 / f32::from(units)),
        };
        let shared = self.shared.as_ref().map_or([].as_slice(), |shared| &shared.value);
        for (bucket, values) in self
            .effective_weights
            .features
            .chunks_mut(INPUTS)
            .zip(self.features.value.chunks(INPUTS))
        {
            for (input, (effective, value)) in bucket.iter_mut().zip(values).enumerate() {
                *effective = round(shared.get(input).map_or(*value, |shared| *value + *shared), QA);
            }
        }
        self.effective_weights.bias = round(self.bias.value[0], QA);
        for (effective, value) in self.effective_weights.outputs.iter_mut().zip(&self.output.value)
        {
            *effective = round(*value, QB);
        }
    }

    /// With king buckets, moves their mean to the shared weights, as far as the limits of both
    /// allow. The effective weights do not change.
    pub fn factorise(&mut self) {
        let Some(shared) = &mut self.shared else { return };
        let buckets = self.features.value.len() / INPUTS;
        let (own_limit, shared_limit) = (self.features.limit, shared.limit);
        for (input, shared) in shared.value.iter_mut().enumerate() {
            for (neuron, shared) in shared.iter_mut().enumerate() {
                let weights = (0..buckets)
                    .map(|bucket| self.features.value[bucket * INPUTS + input].get(neuron));
                let (least, most) =
                    weights.clone().fold((f32::MAX, f32::MIN), |(a, b), w| (a.min(w), b.max(w)));
                let mean = weights.sum::<f32>() / buckets as f32;
                *shared = mean
                    .max(most - own_limit)
                    .min(least + own_limit)
                    .clamp(-shared_limit, shared_limit);
            }
            for bucket in 0..buckets {
                let own = &mut self.features.value[bucket * INPUTS + input];
                *own = *own - *shared;
            }
        }
    }

    /// Copies the weights of a trained tile, which has the same sizes or no king buckets. Without
    /// king buckets, every bucket gets the same weights.
    pub fn start_from(&mut self, other: &Tile) {
        match (&mut self.shared, &other.shared) {
            (Some(_), None) => {
                for bucket in self.features.value.chunks_mut(INPUTS) {
                    bucket.copy_from_slice(&other.features.value);
                }
                self.factorise();
            }
            (Some(shared), Some(other_shared)) => {
                shared.start_from(other_shared);
                self.features.start_from(&other.features);
            }
            (None, _) => self.features.start_from(&other.features),
        }
        self.bias.start_from(&other.bias);
        self.output.start_from(&other.output);
        self.refresh();
    }

    /// The weights of forward and backward pass.
    #[must_use]
    pub fn effective_weights(&self) -> &EffectiveWeights {
        &self.effective_weights
    }

    /// This tile's contribution to output `i` of the last batch.
    #[inline(always)]
    #[must_use]
    pub fn partial_output(&self, i: usize) -> f32 {
        self.partial_outputs[i]
    }

    /// Computes accumulators and partial outputs of a batch.
    pub fn forward(&mut self, batch: &[Example]) {
        let mut accumulators = std::mem::take(&mut self.accumulators);
        let mut partial = std::mem::take(&mut self.partial_outputs);
        accumulators.resize(batch.len(), [Row::ZERO; 2]);
        partial.resize(batch.len(), 0.0);

        let EffectiveWeights { features, bias, outputs } = &self.effective_weights;
        for ((example, accumulators), partial) in
            batch.iter().zip(&mut accumulators).zip(&mut partial)
        {
            let own = accumulate(*bias, features, example.own());
            let their = accumulate(*bias, features, example.their());
            let output = 2 * usize::from(example.output_bucket);
            let products = screlu(own) * outputs[output] + screlu(their) * outputs[output + 1];
            *partial = products.sum();
            *accumulators = [own, their];
        }
        self.accumulators = accumulators;
        self.partial_outputs = partial;
    }

    /// Adds the gradients of the batch of the last forward pass. `output_gradients` holds the
    /// derivative of the loss with respect to each output.
    pub fn backward(&mut self, batch: &[Example], output_gradients: &[f32]) {
        let mut bias = Row::ZERO;
        for ((example, accumulators), output_gradient) in
            batch.iter().zip(&self.accumulators).zip(output_gradients)
        {
            for (side, active) in [example.own(), example.their()].into_iter().enumerate() {
                let output = 2 * usize::from(example.output_bucket) + side;
                let clamped = accumulators[side].clamp(0.0, 1.0);
                self.output.gradient[output] += clamped * clamped * *output_gradient;
                let slope = clamped.where_below(1.0) * 2.0;
                let gradient = self.effective_weights.outputs[output] * slope * *output_gradient;
                bias += gradient;
                for input in active {
                    self.features.gradient[usize::from(*input)] += gradient;
                }
            }
        }
        self.bias.gradient[0] += bias;

        if let Some(shared) = &mut self.shared {
            for bucket in self.features.gradient.chunks_exact(INPUTS) {
                for (shared, gradient) in shared.gradient.iter_mut().zip(bucket) {
                    *shared += *gradient;
                }
            }
        }
    }

    /// Takes one optimiser step and resets the gradients to zero.
    pub fn update(&mut self, step: &Step) {
        for group in self.parameter_groups_mut() {
            group.update(step);
        }
        self.refresh();
    }
}

/// The accumulator: the sum of the bias and the weights of the active inputs.
#[inline(always)]
fn accumulate(bias: Row, weights: &[Row], active: &[u16]) -> Row {
    let mut sum = bias;
    for input in active {
        sum += weights[usize::from(*input)];
    }
    sum
}

/// Squared clipped ReLU of each number: clamp(x, 0, 1)².
/// <https://www.chessprogramming.org/NNUE#Activation_Function>
#[inline(always)]
fn screlu(accumulator: Row) -> Row {
    let clamped = accumulator.clamp(0.0, 1.0);
    clamped * clamped
}
