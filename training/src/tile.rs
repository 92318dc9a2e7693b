//! A few neurons of the hidden layer, with all that belongs to them.
//!
//! The hidden layer is cut into tiles of [`LANES`](crate::row::LANES) neurons. A tile's weights fit the processor's nearest
//! caches, and no tile writes what another reads: tiles run on any number of threads without locks, and the result is the same to
//! the bit on one thread as on many. Only the tiles' partial outputs are added up, always in the same order.

use crate::example::Example;
use crate::features::INPUTS;
use crate::optimiser::{Parameters, Step};
use crate::row::Row;
use crate::shape::Shape;

/// Largest feature weight or bias: 32 active inputs and the bias add up to less than an int16 holds at 255 units.
pub const FEATURE_LIMIT: f32 = 1.98;
/// Largest weight of a king bucket on top of a shared one; the shared ones have the rest of [`FEATURE_LIMIT`].
pub const BUCKET_LIMIT: f32 = 0.58;
/// Largest output weight: 127 at 64 units, so that 255 times it fits an int16.
pub const OUTPUT_LIMIT: f32 = 127.0 / 64.0;

/// A few neurons and their weights.
#[derive(Clone, Debug)]
pub struct Tile {
    /// One row for each input of each king bucket.
    pub features: Parameters,
    /// With more than one king bucket, one row for each input, which is added in every bucket: what holds wherever the king
    /// stands is learned once. <https://www.chessprogramming.org/NNUE#Feature_Factorization>
    pub shared: Option<Parameters>,
    /// One row: the neurons' biases.
    pub bias: Parameters,
    /// Two rows for each output bucket: the side to move's neurons, then the opponent's.
    pub output: Parameters,
    /// `features` plus `shared`, where there are shared ones.
    sums: Vec<Row>,
    /// The last batch's accumulators: the neurons of both perspectives before the activation.
    accumulators: Vec<[Row; 2]>,
    /// The last batch's outputs as far as they come from this tile.
    partial: Vec<f32>,
}

impl Tile {
    /// All weights zero.
    #[must_use]
    pub fn zeros(shape: &Shape) -> Self {
        let buckets = shape.king_buckets.count();
        let (limit, shared_limit) =
            if buckets > 1 { (BUCKET_LIMIT, FEATURE_LIMIT - BUCKET_LIMIT) } else { (FEATURE_LIMIT, 0.0) };
        Self {
            features: Parameters::zeros(shape.inputs(), limit),
            shared: (buckets > 1).then(|| Parameters::zeros(INPUTS, shared_limit)),
            bias: Parameters::zeros(1, FEATURE_LIMIT),
            output: Parameters::zeros(2 * shape.output_buckets, OUTPUT_LIMIT),
            sums: Vec::new(),
            accumulators: Vec::new(),
            partial: Vec::new(),
        }
    }

    /// All parameters, in a fixed order.
    pub fn groups(&self) -> impl Iterator<Item = &Parameters> {
        [&self.features].into_iter().chain(&self.shared).chain([&self.bias, &self.output])
    }

    /// All parameters, in the same order.
    pub fn groups_mut(&mut self) -> impl Iterator<Item = &mut Parameters> {
        [&mut self.features].into_iter().chain(&mut self.shared).chain([&mut self.bias, &mut self.output])
    }

    /// The weights that inputs add to the accumulator, shared ones included. To be called whenever weights were set from outside.
    pub fn refresh(&mut self) {
        if let Some(shared) = &self.shared {
            self.sums.clear();
            self.sums.extend_from_slice(&self.features.value);
            for bucket in self.sums.chunks_exact_mut(INPUTS) {
                for (sum, shared) in bucket.iter_mut().zip(&shared.value) {
                    *sum += *shared;
                }
            }
        }
    }

    /// Takes over the weights of a tile trained before, of the same sizes or without king buckets: those become the shared ones.
    pub fn start_from(&mut self, other: &Tile) {
        match (&mut self.shared, &other.shared) {
            (Some(shared), None) => shared.start_from(&other.features),
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

    /// The weights that an input adds to the accumulator.
    #[must_use]
    pub fn weights(&self) -> &[Row] {
        if self.shared.is_some() { &self.sums } else { &self.features.value }
    }

    /// This tile's share of the output for the position at this place of the last batch.
    #[inline(always)]
    #[must_use]
    pub fn partial(&self, i: usize) -> f32 {
        self.partial[i]
    }

    /// Computes accumulators and partial outputs of a batch.
    pub fn forward(&mut self, batch: &[Example]) {
        let mut accumulators = std::mem::take(&mut self.accumulators);
        let mut partial = std::mem::take(&mut self.partial);
        accumulators.resize(batch.len(), [Row::ZERO; 2]);
        partial.resize(batch.len(), 0.0);

        let weights = self.weights();
        let bias = self.bias.value[0];
        for ((example, accumulators), partial) in batch.iter().zip(&mut accumulators).zip(&mut partial) {
            let own = accumulate(bias, weights, example.own());
            let their = accumulate(bias, weights, example.their());
            let output = 2 * usize::from(example.output_bucket);
            let products = screlu(own) * self.output.value[output] + screlu(their) * self.output.value[output + 1];
            *partial = products.sum();
            *accumulators = [own, their];
        }
        self.accumulators = accumulators;
        self.partial = partial;
    }

    /// Adds to the gradients what the last forward batch gives, where `errors` holds the loss's derivative by each output.
    pub fn backward(&mut self, batch: &[Example], errors: &[f32]) {
        let mut bias = Row::ZERO;
        for ((example, accumulators), error) in batch.iter().zip(&self.accumulators).zip(errors) {
            for (side, active) in [example.own(), example.their()].into_iter().enumerate() {
                let output = 2 * usize::from(example.output_bucket) + side;
                let clamped = accumulators[side].clamp(0.0, 1.0);
                self.output.gradient[output] += clamped * clamped * *error;
                let slope = clamped.where_below(1.0) * 2.0;
                let change = self.output.value[output] * slope * *error;
                bias += change;
                for input in active {
                    self.features.gradient[usize::from(*input)] += change;
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

    /// One step of the optimiser; the gradients are zero afterwards.
    pub fn update(&mut self, step: &Step) {
        for group in self.groups_mut() {
            group.update(step);
        }
        self.refresh();
    }
}

/// The neurons before the activation: the bias and the weights of the active inputs.
#[inline(always)]
fn accumulate(bias: Row, weights: &[Row], active: &[u16]) -> Row {
    let mut sum = bias;
    for input in active {
        sum += weights[usize::from(*input)];
    }
    sum
}

/// Squared clipped ReLU of each number: clamp(x, 0, 1)². <https://www.chessprogramming.org/NNUE#Activation_Function>
#[inline(always)]
fn screlu(accumulator: Row) -> Row {
    let clamped = accumulator.clamp(0.0, 1.0);
    clamped * clamped
}
