//! Tiles of the layered network: pairs of neurons of the first layer with their weights to the
//! second layer.
//!
//! Neuron j of the first layer forms a pair with neuron j + half the layer. The first half of a
//! tile's neurons are the former, the second half the latter. A product of clipped accumulators is
//! divided so that it is within 0–127.

use std::ops::Range;

use super::feature_index::FeatureIndex;
use crate::example::Example;
use crate::feature_layer::FeatureLayer;
use crate::optimiser::{Parameters, Step};
use crate::rounding::Rounding;
use crate::row::{HALF_LANES, HalfRow, LANES, Row};
use crate::shape::{QA, QB, SECOND_NEURONS, Shape};
use crate::short_row::ShortRow;

/// The largest weight of the second layer: 127 at 64 units, so that it fits an int8.
pub const SECOND_LIMIT: f32 = 127.0 / 64.0;

/// The largest number of examples in a block.
const BLOCK: usize = 4;

/// What the product of two clipped neurons is divided by: 255 · 255 becomes 127.
const PAIR_DIVISOR: f32 = 512.0;

/// A few pairs of neurons and their weights.
#[derive(Clone, Debug)]
pub struct PairTile {
    /// The weights from the inputs to the neurons.
    pub features: FeatureLayer,
    /// For each output bucket, one row for each neuron of the second layer: the weights of the side
    /// to move's pairs, then those of the opponent's.
    pub second: Parameters,
    rounding: Rounding,
    /// The weights of the second layer in forward and backward pass, at [`QB`] units.
    effective: Vec<Row>,
    /// The same weights for each pair: those of the side to move's pair to all neurons of the
    /// second layer, then those of the opponent's pair.
    by_pair: Vec<Row>,
    /// The neurons of the last batch in both perspectives, clipped to 0–255.
    clipped: Vec<[[u8; LANES]; 2]>,
}

impl PairTile {
    /// A tile whose weights are all zero.
    #[must_use]
    pub fn zeros(shape: &Shape, rounding: Rounding) -> Self {
        let rows = SECOND_NEURONS * shape.output_buckets;
        Self {
            features: match rounding {
                Rounding::Exact => FeatureLayer::zeros(shape, f32::from(QA)),
                Rounding::Quantised => FeatureLayer::integer_zeros(shape),
            },
            second: Parameters::zeros(rows, SECOND_LIMIT),
            rounding,
            effective: vec![Row::ZERO; rows],
            by_pair: vec![Row::ZERO; HALF_LANES * shape.output_buckets],
            clipped: Vec::new(),
        }
    }

    /// All parameter groups, in a fixed order.
    pub fn parameter_groups(&self) -> impl Iterator<Item = &Parameters> {
        self.features.parameter_groups().chain([&self.second])
    }

    /// All parameter groups, in the order of [`PairTile::parameter_groups`].
    pub fn parameter_groups_mut(&mut self) -> impl Iterator<Item = &mut Parameters> {
        self.features.parameter_groups_mut().chain([&mut self.second])
    }

    /// Recomputes the effective weights. Call it after setting parameters from outside.
    pub fn refresh(&mut self) {
        self.features.refresh(self.rounding);
        for (effective, value) in self.effective.iter_mut().zip(&self.second.value) {
            *effective = self.rounding.apply(*value, f32::from(QB), f32::from(QB));
        }
        let buckets = self.effective.chunks_exact(SECOND_NEURONS);
        for (weights, by_pair) in buckets.zip(self.by_pair.chunks_exact_mut(HALF_LANES)) {
            for (pair, row) in by_pair.iter_mut().enumerate() {
                for (neuron, weights) in weights.iter().enumerate() {
                    *row.get_mut(neuron) = weights.get(pair);
                    *row.get_mut(SECOND_NEURONS + neuron) = weights.get(HALF_LANES + pair);
                }
            }
        }
    }

    /// Copies the weights of a trained tile, as [`FeatureLayer::start_from`] does.
    pub fn start_from(&mut self, other: &PairTile) {
        self.features.start_from(&other.features);
        self.second.start_from(&other.second);
    }

    /// A row of weights of the second layer at [`QB`] units, as the passes use them.
    #[must_use]
    pub fn effective(&self, row: usize) -> Row {
        self.effective[row]
    }

    /// Adds this tile's part of the second layer's sums of a batch to `sums`.
    pub fn forward(&mut self, batch: &[Example], sums: &mut [HalfRow]) {
        let mut clipped = std::mem::take(&mut self.clipped);
        clipped.resize(batch.len(), [[0; LANES]; 2]);
        for block in blocks(batch) {
            let mut pairs = [[[0.0; HALF_LANES]; 2]; BLOCK];
            for (i, pairs) in block.clone().zip(&mut pairs) {
                if self.rounding == Rounding::Quantised {
                    clipped[i] = [batch[i].own(), batch[i].their()]
                        .map(|active| self.features.accumulate_integers(active).to_clipped_bytes());
                }
                let neurons = self.clipped_neurons(&batch[i], &clipped[i]);
                *pairs = self.pairs(neurons).halves().map(HalfRow::to_array);
            }
            let output_bucket = usize::from(batch[block.start].output_bucket);
            let block_sums = self.second_sums(&pairs, output_bucket);
            for (sums, block_sums) in sums[block].iter_mut().zip(block_sums) {
                let [own, their] = block_sums.halves();
                *sums += own + their;
            }
        }
        self.clipped = clipped;
    }

    /// The sums of the second layer of a block: those of the side to move's pairs, then those of
    /// the opponent's.
    #[inline(always)]
    fn second_sums(
        &self,
        pairs: &[[[f32; HALF_LANES]; 2]; BLOCK],
        output_bucket: usize,
    ) -> [Row; BLOCK] {
        let weights = &self.by_pair[HALF_LANES * output_bucket..][..HALF_LANES];
        let mut sums = [Row::ZERO; BLOCK];
        for (pair, weights) in weights.iter().enumerate() {
            for (sum, [own, their]) in sums.iter_mut().zip(pairs) {
                let factors =
                    Row::from_halves(HalfRow::splat(own[pair]), HalfRow::splat(their[pair]));
                *sum = weights.mul_add(factors, *sum);
            }
        }
        sums
    }

    /// Adds the gradients of the batch of the last forward pass. `sum_gradients` holds the
    /// derivative of the loss with respect to each sum of the second layer.
    pub fn backward(
        &mut self,
        batch: &[Example],
        chunks: &[FeatureIndex],
        sum_gradients: &[HalfRow],
    ) {
        let mut bias = Row::ZERO;
        let mut gradients = vec![[ShortRow::ZERO; 2]; FeatureIndex::EXAMPLES];
        for chunk in chunks {
            let examples = &batch[chunk.examples.clone()];
            self.backward_neurons(chunk, examples, sum_gradients, &mut gradients);
            let gradients = gradients.as_flattened();
            gradients[..2 * examples.len()].iter().for_each(|gradient| bias += gradient.to_row());
            for (input, perspectives) in chunk.inputs() {
                self.features.add_gradients(input, perspectives, gradients);
            }
        }
        self.features.complete_gradient(bias);
    }

    /// Adds the gradients of the second layer's weights for a chunk, and computes those of the
    /// neurons of both perspectives in the units of their weights.
    fn backward_neurons(
        &mut self,
        chunk: &FeatureIndex,
        examples: &[Example],
        sum_gradients: &[HalfRow],
        neuron_gradients: &mut [[ShortRow; 2]],
    ) {
        let clipped = std::mem::take(&mut self.clipped);
        let start = chunk.examples.start;
        for block in blocks(examples) {
            let mut neurons = [[Row::ZERO; 2]; BLOCK];
            let mut pairs = [Row::ZERO; BLOCK];
            let mut gradients = [[0.0; SECOND_NEURONS]; BLOCK];
            for (place, i) in block.clone().enumerate() {
                neurons[place] = self.clipped_neurons(&examples[i], &clipped[start + i]);
                pairs[place] = self.pairs(neurons[place]);
                let unit = HalfRow::splat(f32::from(QB));
                gradients[place] = (sum_gradients[start + i] * unit).to_array();
            }
            let output_bucket = usize::from(examples[block.start].output_bucket);
            let pair_gradients = self.backward_second(&pairs, output_bucket, &gradients);
            for (place, i) in block.enumerate() {
                neuron_gradients[i] =
                    backward_pairs(neurons[place], pair_gradients[place]).map(ShortRow::round);
            }
        }
        self.clipped = clipped;
    }

    /// Adds the gradients of the second layer's weights for a block of examples. `sum_gradients`
    /// are those of the sums at [`QB`]. Returns those of the pairs.
    #[inline(always)]
    fn backward_second(
        &mut self,
        pairs: &[Row; BLOCK],
        output_bucket: usize,
        sum_gradients: &[[f32; SECOND_NEURONS]; BLOCK],
    ) -> [Row; BLOCK] {
        let first = SECOND_NEURONS * output_bucket;
        let weights = &self.effective[first..][..SECOND_NEURONS];
        let gradients = &mut self.second.gradient[first..][..SECOND_NEURONS];
        let mut pair_gradients = [Row::ZERO; BLOCK];
        for (neuron, (weights, gradient)) in weights.iter().zip(gradients).enumerate() {
            let mut sum = *gradient;
            for example in 0..BLOCK {
                let sum_gradient = Row::splat(sum_gradients[example][neuron]);
                sum = pairs[example].mul_add(sum_gradient, sum);
                pair_gradients[example] = weights.mul_add(sum_gradient, pair_gradients[example]);
            }
            *gradient = sum;
        }
        pair_gradients
    }

    /// Takes one optimiser step and resets the gradients to zero.
    pub fn update(&mut self, step: &Step) {
        for group in self.parameter_groups_mut() {
            group.update(step);
        }
        self.refresh();
    }

    /// The neurons of both perspectives, clipped to 0–255. The forward pass has stored integers.
    #[inline(always)]
    fn clipped_neurons(&self, example: &Example, clipped: &[[u8; LANES]; 2]) -> [Row; 2] {
        match self.rounding {
            Rounding::Quantised => [Row::from_bytes(&clipped[0]), Row::from_bytes(&clipped[1])],
            Rounding::Exact => [example.own(), example.their()]
                .map(|active| self.features.accumulate(active).clamp(0.0, f32::from(QA))),
        }
    }

    /// The products of the pairs: the side to move's, then the opponent's.
    #[inline(always)]
    fn pairs(&self, neurons: [Row; 2]) -> Row {
        let [own, their] = neurons.map(|row| {
            let [first, second] = row.halves();
            first * second
        });
        let products = Row::from_halves(own, their) * (1.0 / PAIR_DIVISOR);
        match self.rounding {
            Rounding::Exact => products,
            Rounding::Quantised => products.floor(),
        }
    }
}

/// The places of consecutive examples with the same output bucket, at most [`BLOCK`] of them. A
/// block reads the weights of the second layer once.
fn blocks(batch: &[Example]) -> impl Iterator<Item = Range<usize>> + Clone {
    let mut start = 0;
    std::iter::from_fn(move || {
        let first = batch.get(start)?;
        let rest = &batch[start..batch.len().min(start + BLOCK)];
        let same = rest.iter().take_while(|next| next.output_bucket == first.output_bucket);
        let block = start..start + same.count();
        start = block.end;
        Some(block)
    })
}

/// The gradients of the neurons of both perspectives, in the units of their weights, from those of
/// their pairs.
#[inline(always)]
fn backward_pairs(neurons: [Row; 2], pair_gradients: Row) -> [Row; 2] {
    let [own, their] = (pair_gradients * (f32::from(QA) / f32::from(QB) / PAIR_DIVISOR)).halves();
    let gradient = |neurons: Row, pairs: HalfRow| {
        // The derivative of a product of a pair by one neuron is the other neuron.
        let [first, second] = neurons.halves();
        let gradient = Row::from_halves(pairs * second, pairs * first);
        gradient.where_between(neurons, 0.0, f32::from(QA))
    };
    [gradient(neurons[0], own), gradient(neurons[1], their)]
}
