//! The integer weights of the first layer.

use crate::features::{self, INPUTS};
use crate::integer_row::IntegerRow;
use crate::network::Network;
use crate::row::{LANES, Row};
use crate::shape::{Architecture, QA, Shape};

/// The weights and biases of the first layer at [`QA`], in the order of the network file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantisedFeatures {
    /// Neurons per perspective.
    pub hidden: usize,
    /// `[input][neuron]`.
    pub weights: Vec<i16>,
    /// `[neuron]`.
    pub biases: Vec<i16>,
}

impl QuantisedFeatures {
    /// Rounds the weights of a trained network.
    #[must_use]
    pub fn new(network: &Network) -> Self {
        let shape = &network.shape;
        let layers = network.feature_layers();
        let mut weights = vec![0; shape.inputs() * shape.hidden];
        let mut biases = vec![0; shape.hidden];
        for (tile, layer) in layers.iter().enumerate() {
            let copy = |numbers: &mut [i16], row: IntegerRow| {
                for (lane, weight) in row.as_array().iter().enumerate() {
                    numbers[neuron(shape, tile, lane)] = *weight;
                }
            };
            for (input, numbers) in weights.chunks_exact_mut(shape.hidden).enumerate() {
                copy(numbers, layer.quantised_weights(input));
            }
            copy(&mut biases, layer.quantised_bias());
        }
        Self { hidden: shape.hidden, weights, biases }
    }

    /// Sets the first layer of a network in training. The file does not say what the king buckets
    /// share, so the shared weights become their mean.
    pub fn restore(&self, network: &mut Network) {
        let shape = network.shape.clone();
        for (tile, layer) in network.feature_layers_mut().into_iter().enumerate() {
            let fill = |row: &mut Row, numbers: &[i16]| {
                for (lane, weight) in row.iter_mut().enumerate() {
                    *weight = f32::from(numbers[neuron(&shape, tile, lane)]) / f32::from(QA);
                }
            };
            let rows = layer.weights.value.iter_mut();
            for (row, numbers) in rows.zip(self.weights.chunks_exact(self.hidden)) {
                fill(row, numbers);
            }
            fill(&mut layer.bias.value[0], &self.biases);
            layer.factorise();
        }
    }

    /// The accumulator of these active inputs, in wrapping arithmetic.
    #[must_use]
    pub fn accumulate(&self, active: &[u16]) -> Vec<i16> {
        let mut sum = self.biases.clone();
        for input in active {
            let row = &self.weights[usize::from(*input) * self.hidden..][..self.hidden];
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
        let hidden = self.hidden;
        let king_buckets = self.weights.len() / (INPUTS * hidden);
        let bound = |neuron: usize, bucket: usize| {
            let first = bucket * INPUTS * hidden + neuron;
            let column = (0..INPUTS).map(|input| i32::from(self.weights[first + input * hidden]));
            let mut positive: Vec<i32> = column.clone().filter(|w| *w > 0).collect();
            let mut negative: Vec<i32> = column.map(|w| -w).filter(|w| *w > 0).collect();
            positive.sort_unstable_by(|a, b| b.cmp(a));
            negative.sort_unstable_by(|a, b| b.cmp(a));
            let bias = i32::from(self.biases[neuron]);
            let most = bias + positive.iter().take(features::MAX_ACTIVE).sum::<i32>();
            let least = -bias + negative.iter().take(features::MAX_ACTIVE).sum::<i32>();
            most.max(least)
        };
        let neurons =
            (0..hidden).flat_map(|neuron| (0..king_buckets).map(move |bucket| (neuron, bucket)));
        neurons.map(|(neuron, bucket)| bound(neuron, bucket)).max().unwrap_or(0)
    }
}

/// The number of a tile's neuron in the first layer.
fn neuron(shape: &Shape, tile: usize, lane: usize) -> usize {
    const HALF: usize = LANES / 2;
    match shape.architecture {
        Architecture::SingleLayer => LANES * tile + lane,
        Architecture::Layered if lane < HALF => HALF * tile + lane,
        Architecture::Layered => shape.hidden / 2 + HALF * tile + lane - HALF,
    }
}
