//! The network with integer weights, as the engine computes it.

use crate::features::{self, INPUTS};
use crate::king_buckets::KingBuckets;
use crate::network::Network;
use crate::rounding::Rounding;
use crate::row::{LANES, Row};
use crate::sample::Sample;
use crate::shape::{QA, QB, Shape};
use crate::tile::Tile;

/// Integer weights in the order of the network file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantisedNetwork {
    /// The network's sizes.
    pub shape: Shape,
    /// Centipawns per unit of the output (the logistic curve's divisor).
    pub scale: u16,
    /// `[input][neuron]`, at [`QA`].
    pub features: Vec<i16>,
    /// `[neuron]`, at [`QA`].
    pub biases: Vec<i16>,
    /// `[output bucket][neuron of the side to move, then of the opponent]`, at [`QB`].
    pub outputs: Vec<i16>,
    /// `[output bucket]`, at [`QA`]·[`QB`].
    pub output_biases: Vec<i32>,
}

impl QuantisedNetwork {
    /// Rounds the weights of a trained network.
    #[must_use]
    pub fn new(network: &Network, scale: u16) -> Self {
        let shape = network.shape.clone();
        let feature = |weight: f32| (weight * f32::from(QA)).round_ties_even() as i16;
        let output = |weight: f32| (weight * f32::from(QB)).round_ties_even() as i16;

        // One row of weights over the whole hidden layer, from the tiles' rows.
        let neurons = |row: &dyn Fn(&Tile) -> Row| -> Vec<f32> {
            network.tiles.iter().flat_map(|tile| row(tile).iter().collect::<Vec<_>>()).collect()
        };
        let features = (0..shape.inputs())
            .flat_map(|input| neurons(&|tile| tile.features.effective_weights(input)))
            .map(feature)
            .collect();
        let biases =
            neurons(&|tile| tile.features.effective_bias()).into_iter().map(feature).collect();
        let outputs = (0..2 * shape.output_buckets)
            .flat_map(|row| neurons(&|tile| tile.effective_outputs(row)))
            .map(output)
            .collect();
        let bias = |bucket: usize| network.output_bias.value[0].get(bucket);
        let output_biases = (0..shape.output_buckets)
            .map(|bucket| (bias(bucket) * f32::from(QA) * f32::from(QB)).round() as i32)
            .collect();
        Self { shape, scale, features, biases, outputs, output_biases }
    }

    /// A network in training with these weights and zero running means, from which a run can start.
    /// The file does not say what the king buckets share, so the shared weights become their mean.
    #[must_use]
    pub fn dequantise(&self) -> Network {
        let shape = &self.shape;
        let mut network = Network::zeros(shape.clone(), Rounding::Quantised);
        for (index, tile) in network.tiles.iter_mut().enumerate() {
            let fill = |rows: &mut [Row], numbers: &[i16], units: u16| {
                for (row, numbers) in rows.iter_mut().zip(numbers.chunks_exact(shape.hidden)) {
                    for (weight, number) in row.iter_mut().zip(&numbers[index * LANES..]) {
                        *weight = f32::from(*number) / f32::from(units);
                    }
                }
            };
            fill(&mut tile.features.weights.value, &self.features, QA);
            fill(&mut tile.features.bias.value, &self.biases, QA);
            fill(&mut tile.output.value, &self.outputs, QB);
            tile.features.factorise();
            tile.refresh();
        }
        for (bias, number) in
            network.output_bias.value.iter_mut().flat_map(Row::iter_mut).zip(&self.output_biases)
        {
            *bias = *number as f32 / (f32::from(QA) * f32::from(QB));
        }
        network
    }

    /// The evaluation in centipawns for the side to move. This plain integer arithmetic is the
    /// reference for every faster implementation.
    #[must_use]
    pub fn evaluate(&self, sample: &Sample) -> i32 {
        let count = sample.piece_count();
        let bucket = self.shape.output_bucket(count);
        let weights = &self.outputs[2 * self.shape.hidden * bucket..][..2 * self.shape.hidden];
        let active = features::active_features(sample, &self.shape.king_buckets);

        let mut sum = 0_i64;
        for (perspective, weights) in active.iter().zip(weights.chunks_exact(self.shape.hidden)) {
            let accumulator = self.accumulate(&perspective[..count]);
            for (value, weight) in accumulator.into_iter().zip(weights) {
                let clamped = i64::from(value.clamp(0, QA as i16));
                sum += clamped * clamped * i64::from(*weight);
            }
        }
        let raw = sum / i64::from(QA) + i64::from(self.output_biases[bucket]);
        (raw * i64::from(self.scale) / (i64::from(QA) * i64::from(QB))) as i32
    }

    fn accumulate(&self, active: &[u16]) -> Vec<i16> {
        let mut sum = self.biases.clone();
        for input in active {
            let row =
                &self.features[usize::from(*input) * self.shape.hidden..][..self.shape.hidden];
            for (sum, weight) in sum.iter_mut().zip(row) {
                *sum = sum.wrapping_add(*weight);
            }
        }
        sum
    }

    /// The largest absolute value of an accumulator with any 32 active inputs. It must fit an
    /// int16.
    #[must_use]
    pub fn accumulator_bound(&self) -> i32 {
        let hidden = self.shape.hidden;
        let bound = |neuron: usize, bucket: usize| {
            let first = bucket * INPUTS * hidden + neuron;
            let column = (0..INPUTS).map(|input| i32::from(self.features[first + input * hidden]));
            let mut positive: Vec<i32> = column.clone().filter(|w| *w > 0).collect();
            let mut negative: Vec<i32> = column.map(|w| -w).filter(|w| *w > 0).collect();
            positive.sort_unstable_by(|a, b| b.cmp(a));
            negative.sort_unstable_by(|a, b| b.cmp(a));
            let bias = i32::from(self.biases[neuron]);
            let most = bias + positive.iter().take(features::MAX_ACTIVE).sum::<i32>();
            let least = -bias + negative.iter().take(features::MAX_ACTIVE).sum::<i32>();
            most.max(least)
        };
        let neurons = (0..hidden).flat_map(|neuron| {
            (0..self.shape.king_buckets.count()).map(move |bucket| (neuron, bucket))
        });
        neurons.map(|(neuron, bucket)| bound(neuron, bucket)).max().unwrap_or(0)
    }

    /// The king bucket table.
    #[must_use]
    pub fn king_buckets(&self) -> &KingBuckets {
        &self.shape.king_buckets
    }
}
