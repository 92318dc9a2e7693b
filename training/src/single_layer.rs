//! The layers of a network with one hidden layer: SCReLU of the accumulators, then the output.

pub mod quantised;
pub mod tile;

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rayon::prelude::*;

use crate::example::Example;
use crate::optimiser::{Parameters, Step};
use crate::rounding::Rounding;
use crate::row::{LANES, Row};
use crate::shape::Shape;
use tile::Tile;

/// The initial bias. It gives most neurons a non-zero slope.
const BIAS_INIT: f32 = 0.1;

/// The hidden layer and the output of a network in training.
#[derive(Clone, Debug)]
pub struct SingleLayer {
    /// The hidden layer and the output weights.
    pub tiles: Vec<Tile>,
    /// The output biases, one for each output bucket.
    pub output_bias: Parameters,
}

impl SingleLayer {
    /// Layers whose weights are all zero.
    #[must_use]
    pub fn zeros(shape: &Shape, rounding: Rounding) -> Self {
        let tiles = vec![Tile::zeros(shape, rounding); shape.hidden / LANES];
        let rows = shape.output_buckets.div_ceil(LANES);
        Self { tiles, output_bias: Parameters::zeros(rows, f32::from(i16::MAX)) }
    }

    /// Draws all weights but those of the features.
    pub fn randomise(&mut self, random: &mut ChaCha8Rng) {
        let range = 1.0 / (2.0 * (LANES * self.tiles.len()) as f32).sqrt();
        for tile in &mut self.tiles {
            tile.features.bias.value[0] = Row::splat(BIAS_INIT);
            for weight in tile.output.value.iter_mut().flat_map(Row::iter_mut) {
                *weight = random.random_range(-range..range);
            }
        }
    }

    /// Recomputes the effective weights. Call it after setting parameters from outside.
    pub fn refresh(&mut self) {
        self.tiles.par_iter_mut().for_each(Tile::refresh);
    }

    /// Copies the weights of trained layers.
    pub fn start_from(&mut self, other: &SingleLayer) {
        for (tile, other) in self.tiles.iter_mut().zip(&other.tiles) {
            tile.start_from(other);
        }
        self.output_bias.start_from(&other.output_bias);
    }

    /// All parameter groups, in a fixed order.
    pub fn parameter_groups(&self) -> impl Iterator<Item = &Parameters> {
        self.tiles.iter().flat_map(Tile::parameter_groups).chain([&self.output_bias])
    }

    /// All parameter groups, in the order of [`SingleLayer::parameter_groups`].
    pub fn parameter_groups_mut(&mut self) -> impl Iterator<Item = &mut Parameters> {
        let tiles = self.tiles.iter_mut().flat_map(Tile::parameter_groups_mut);
        tiles.chain([&mut self.output_bias])
    }

    /// Computes the outputs of a batch, as logits.
    pub fn forward(&mut self, batch: &[Example], outputs: &mut Vec<f32>) {
        self.tiles.par_iter_mut().for_each(|tile| tile.forward(batch));
        let bias = self.output_bias.value[0];
        let tiles = &self.tiles;
        batch
            .par_iter()
            .enumerate()
            .with_min_len(1024)
            .map(|(i, example)| {
                tiles.iter().fold(bias.get(usize::from(example.output_bucket)), |sum, tile| {
                    sum + tile.partial_output(i)
                })
            })
            .collect_into_vec(outputs);
    }

    /// Adds the gradients of the batch of the last forward pass. `output_gradients` holds the
    /// derivative of the loss with respect to each output.
    pub fn backward(&mut self, batch: &[Example], output_gradients: &[f32]) {
        for (gradient, example) in output_gradients.iter().zip(batch) {
            *self.output_bias.gradient[0].get_mut(usize::from(example.output_bucket)) += gradient;
        }
        self.tiles.par_iter_mut().for_each(|tile| tile.backward(batch, output_gradients));
    }

    /// Takes one optimiser step and resets the gradients to zero.
    pub fn update(&mut self, step: &Step) {
        self.tiles.par_iter_mut().for_each(|tile| tile.update(step));
        self.output_bias.update(step);
    }
}
