//! Tiles: groups of [`LANES`](crate::row::LANES) neurons of the hidden layer with their weights.
//!
//! A tile's weights fit the processor's nearest caches. No tile writes what another tile reads, so
//! tiles run on any number of threads without locks. Only the partial outputs of the tiles are
//! added, always in the same order. So the result is the same bit for bit on one thread and on
//! many.

use crate::example::Example;
use crate::feature_layer::FeatureLayer;
use crate::optimiser::{Parameters, Step};
use crate::rounding::Rounding;
use crate::row::Row;
use crate::shape::{QB, Shape};

/// The largest output weight: 127 at 64 units, so that 255 times the weight fits an int16.
pub const OUTPUT_LIMIT: f32 = 127.0 / 64.0;

/// A few neurons and their weights.
#[derive(Clone, Debug)]
pub struct Tile {
    /// The weights from the inputs to the neurons.
    pub features: FeatureLayer,
    /// Two rows for each output bucket: the side to move's neurons, then the opponent's.
    pub output: Parameters,
    rounding: Rounding,
    /// The output weights of forward and backward pass, rounded as [`Rounding`] says.
    effective_outputs: Vec<Row>,
    /// The accumulators of the last batch: the neurons of both perspectives before the activation.
    accumulators: Vec<[Row; 2]>,
    /// This tile's contributions to the outputs of the last batch.
    partial_outputs: Vec<f32>,
}

impl Tile {
    /// A tile whose weights are all zero.
    #[must_use]
    pub fn zeros(shape: &Shape, rounding: Rounding) -> Self {
        Self {
            features: FeatureLayer::zeros(shape, 1.0),
            output: Parameters::zeros(2 * shape.output_buckets, OUTPUT_LIMIT),
            rounding,
            effective_outputs: vec![Row::ZERO; 2 * shape.output_buckets],
            accumulators: Vec::new(),
            partial_outputs: Vec::new(),
        }
    }

    /// All parameter groups, in a fixed order.
    pub fn parameter_groups(&self) -> impl Iterator<Item = &Parameters> {
        self.features.parameter_groups().chain([&self.output])
    }

    /// All parameter groups, in the order of [`Tile::parameter_groups`].
    pub fn parameter_groups_mut(&mut self) -> impl Iterator<Item = &mut Parameters> {
        self.features.parameter_groups_mut().chain([&mut self.output])
    }

    /// Recomputes the effective weights. Call it after setting parameters from outside.
    pub fn refresh(&mut self) {
        self.features.refresh(self.rounding);
        for (effective, value) in self.effective_outputs.iter_mut().zip(&self.output.value) {
            *effective = self.rounding.apply(*value, f32::from(QB), 1.0);
        }
    }

    /// Copies the weights of a trained tile, as [`FeatureLayer::start_from`] does.
    pub fn start_from(&mut self, other: &Tile) {
        self.features.start_from(&other.features);
        self.output.start_from(&other.output);
    }

    /// A row of output weights, as the passes use them.
    #[must_use]
    pub fn effective_outputs(&self, row: usize) -> Row {
        self.effective_outputs[row]
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

        let outputs = &self.effective_outputs;
        for ((example, accumulators), partial) in
            batch.iter().zip(&mut accumulators).zip(&mut partial)
        {
            let own = self.features.accumulate(example.own());
            let their = self.features.accumulate(example.their());
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
                let gradient = self.effective_outputs[output] * slope * *output_gradient;
                bias += gradient;
                self.features.add_gradient(active, gradient);
            }
        }
        self.features.complete_gradient(bias);
    }

    /// Takes one optimiser step and resets the gradients to zero.
    pub fn update(&mut self, step: &Step) {
        for group in self.parameter_groups_mut() {
            group.update(step);
        }
        self.refresh();
    }
}

/// Squared clipped ReLU of each number: clamp(x, 0, 1)².
/// <https://www.chessprogramming.org/NNUE#Activation_Function>
#[inline(always)]
fn screlu(accumulator: Row) -> Row {
    let clamped = accumulator.clamp(0.0, 1.0);
    clamped * clamped
}
