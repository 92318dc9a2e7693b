//! Tiles of the layered network: pairs of neurons of the first layer with their weights to the
//! second layer.
//!
//! Neuron j of the first layer forms a pair with neuron j + half the layer. The first half of a
//! tile's neurons are the former, the second half the latter. Accumulators are in units of
//! [`QA`], products of pairs in units of [`PAIR_UNIT`].

use crate::example::Example;
use crate::feature_layer::FeatureLayer;
use crate::optimiser::{Parameters, Step};
use crate::rounding::Rounding;
use crate::row::{HALF_LANES, HalfRow, LANES, Row};
use crate::shape::{QA, QB, SECOND_NEURONS, Shape};

/// The largest weight of the second layer: 127 at 64 units, so that it fits an int8.
pub const SECOND_LIMIT: f32 = 127.0 / 64.0;

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
            features: FeatureLayer::zeros(shape, f32::from(QA)),
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
            *effective = self.rounding.apply(*value, QB, f32::from(QB));
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
        for ((example, clipped), sums) in batch.iter().zip(&mut clipped).zip(sums) {
            let neurons = self.clipped_neurons(example);
            let pairs = self.pairs(neurons);
            let pairs: [[f32; HALF_LANES]; 2] = pairs.halves().map(|half| half.to_array());
            let first = HALF_LANES * usize::from(example.output_bucket);
            let weights = &self.by_pair[first..][..HALF_LANES];
            let mut sum = Row::ZERO;
            for (pair, weights) in weights.iter().enumerate() {
                let factors = Row::from_halves(
                    HalfRow::splat(pairs[0][pair]),
                    HalfRow::splat(pairs[1][pair]),
                );
                sum = weights.mul_add(factors, sum);
            }
            let [own, their] = sum.halves();
            *sums += own + their;
            if self.rounding == Rounding::Quantised {
                *clipped = neurons.map(Row::to_bytes);
            }
        }
        self.clipped = clipped;
    }

    /// Adds the gradients of the batch of the last forward pass. `sum_gradients` holds the
    /// derivative of the loss with respect to each sum of the second layer.
    pub fn backward(&mut self, batch: &[Example], sum_gradients: &[HalfRow]) {
        let clipped = std::mem::take(&mut self.clipped);
        let mut bias = Row::ZERO;
        for (i, (example, sum_gradients)) in batch.iter().zip(sum_gradients).enumerate() {
            let [own, their] = match self.rounding {
                Rounding::Quantised => clipped[i].map(|bytes| Row::from_bytes(&bytes)),
                Rounding::Exact => self.clipped_neurons(example),
            };
            let [own_pairs, their_pairs] = self.backward_second(
                self.pairs([own, their]),
                usize::from(example.output_bucket),
                *sum_gradients,
            );
            for (neurons, pairs, active) in
                [(own, own_pairs, example.own()), (their, their_pairs, example.their())]
            {
                // The derivative of a product of a pair by one neuron is the other neuron.
                let [first, second] = neurons.halves();
                let gradient = Row::from_halves(pairs * second, pairs * first).where_between(
                    neurons,
                    0.0,
                    f32::from(QA),
                );
                bias += gradient;
                self.features.add_gradient(active, gradient);
            }
        }
        self.features.complete_gradient(bias);
        self.clipped = clipped;
    }

    /// Adds the gradient of the second layer's weights; returns the gradients of the own and the
    /// opponent's pairs, in the units of the neurons' weights.
    #[inline(always)]
    fn backward_second(
        &mut self,
        pairs: Row,
        output_bucket: usize,
        sum_gradients: HalfRow,
    ) -> [HalfRow; 2] {
        let first = SECOND_NEURONS * output_bucket;
        let weights = &self.effective[first..][..SECOND_NEURONS];
        let gradients = &mut self.second.gradient[first..][..SECOND_NEURONS];
        let sum_gradients: [f32; SECOND_NEURONS] =
            (sum_gradients * HalfRow::splat(f32::from(QB))).to_array();
        let mut pair_gradients = Row::ZERO;
        for ((weights, gradients), sum_gradient) in weights.iter().zip(gradients).zip(sum_gradients)
        {
            let sum_gradient = Row::splat(sum_gradient);
            *gradients = pairs.mul_add(sum_gradient, *gradients);
            pair_gradients = weights.mul_add(sum_gradient, pair_gradients);
        }
        (pair_gradients * (f32::from(QA) / f32::from(QB) / PAIR_DIVISOR)).halves()
    }

    /// Takes one optimiser step and resets the gradients to zero.
    pub fn update(&mut self, step: &Step) {
        for group in self.parameter_groups_mut() {
            group.update(step);
        }
        self.refresh();
    }

    /// The neurons of both perspectives, clipped to 0–255.
    #[inline(always)]
    fn clipped_neurons(&self, example: &Example) -> [Row; 2] {
        [example.own(), example.their()]
            .map(|active| self.features.accumulate(active).clamp(0.0, f32::from(QA)))
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
