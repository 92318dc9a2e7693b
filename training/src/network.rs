//! The network with floating-point weights, as it is trained.

use anyhow::{Result, ensure};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rayon::prelude::*;

use crate::example::{Example, logistic};
use crate::features::INPUTS;
use crate::optimiser::{Parameters, Step};
use crate::rounding::Rounding;
use crate::row::{LANES, Row};
use crate::shape::Shape;
use crate::tile::Tile;

/// Initial feature weights are between ± this.
const FEATURE_INIT_RANGE: f32 = 0.1;
/// The initial bias. It gives most neurons a non-zero slope.
const BIAS_INIT: f32 = 0.1;

/// A network in training. Its output is a logit: the side to move expects 1 / (1 + e^−output)
/// points.
#[derive(Clone, Debug)]
pub struct Network {
    /// The network's sizes.
    pub shape: Shape,
    /// The hidden layer and the output weights.
    pub tiles: Vec<Tile>,
    /// The output biases, one for each output bucket.
    pub output_bias: Parameters,
    outputs: Vec<f32>,
    output_gradients: Vec<f32>,
}

impl Network {
    /// A network with weights drawn from a seed. They are the same on every machine.
    #[must_use]
    pub fn random(shape: Shape, rounding: Rounding, seed: u64) -> Self {
        let mut network = Self::zeros(shape, rounding);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        for input in 0..INPUTS {
            for tile in &mut network.tiles {
                let layer = &mut tile.features;
                let group = layer.shared.as_mut().unwrap_or(&mut layer.weights);
                for weight in group.value[input].iter_mut() {
                    *weight = random.random_range(-FEATURE_INIT_RANGE..FEATURE_INIT_RANGE);
                }
            }
        }
        let output_init_range = 1.0 / (2.0 * network.shape.hidden as f32).sqrt();
        for tile in &mut network.tiles {
            tile.features.bias.value[0] = Row::splat(BIAS_INIT);
            for weight in tile.output.value.iter_mut().flat_map(Row::iter_mut) {
                *weight = random.random_range(-output_init_range..output_init_range);
            }
            tile.refresh();
        }
        network
    }

    /// A network whose weights are all zero.
    #[must_use]
    pub fn zeros(shape: Shape, rounding: Rounding) -> Self {
        let tiles = vec![Tile::zeros(&shape, rounding); shape.hidden / LANES];
        let rows = shape.output_buckets.div_ceil(LANES);
        let output_bias = Parameters::zeros(rows, f32::from(i16::MAX));
        Self { shape, tiles, output_bias, outputs: Vec::new(), output_gradients: Vec::new() }
    }

    /// A network with the weights of a trained network. That one has the same shape, or no king
    /// buckets where this shape has some.
    ///
    /// # Errors
    ///
    /// When the shapes differ in any other way.
    pub fn start_from(shape: Shape, rounding: Rounding, other: &Network) -> Result<Self> {
        let without_buckets =
            Shape { king_buckets: other.shape.king_buckets.clone(), ..shape.clone() };
        let may_gain_buckets =
            other.shape.king_buckets.count() == 1 && without_buckets == other.shape;
        ensure!(
            shape == other.shape || may_gain_buckets,
            "{shape:?} cannot start from {:?}",
            other.shape
        );
        let mut network = Self::zeros(shape, rounding);
        for (tile, other) in network.tiles.iter_mut().zip(&other.tiles) {
            tile.start_from(other);
        }
        network.output_bias.start_from(&other.output_bias);
        Ok(network)
    }

    /// The outputs of a batch, as logits.
    pub fn forward(&mut self, batch: &[Example]) -> &[f32] {
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
            .collect_into_vec(&mut self.outputs);
        &self.outputs
    }

    /// The loss of a batch: Σ |logistic(output) − target|^power.
    pub fn loss(&mut self, batch: &[Example], power: f32) -> f64 {
        self.forward(batch);
        self.outputs
            .iter()
            .zip(batch)
            .map(|(output, example)| {
                f64::from(loss_and_derivative(*output, example.target, power).0)
            })
            .sum()
    }

    /// Takes one optimiser step on a batch; returns the sum of its losses before the step.
    pub fn train(&mut self, batch: &[Example], power: f32, step: &Step) -> f64 {
        let sum = self.accumulate_gradient(batch, power);
        self.tiles.par_iter_mut().for_each(|tile| tile.update(step));
        self.output_bias.update(step);
        sum
    }

    /// Adds the gradient of the batch's **mean** loss to the parameters' gradients; returns the sum
    /// of the losses.
    pub fn accumulate_gradient(&mut self, batch: &[Example], power: f32) -> f64 {
        self.forward(batch);
        let share = 1.0 / batch.len() as f32;
        let mut sum = 0.0;
        self.output_gradients.clear();
        for (output, example) in self.outputs.iter().zip(batch) {
            let (loss, derivative) = loss_and_derivative(*output, example.target, power);
            sum += f64::from(loss);
            self.output_gradients.push(derivative * share);
            *self.output_bias.gradient[0].get_mut(usize::from(example.output_bucket)) +=
                derivative * share;
        }
        let output_gradients = &self.output_gradients;
        self.tiles.par_iter_mut().for_each(|tile| tile.backward(batch, output_gradients));
        sum
    }
}

/// |logistic(output) − target|^power and its derivative with respect to the output.
fn loss_and_derivative(output: f32, target: f32, power: f32) -> (f32, f32) {
    let prediction = logistic(output);
    let difference = prediction - target;
    let size = difference.abs();
    let lower_power = if power == 2.0 { size } else { size.powf(power - 1.0) };
    let derivative = power * lower_power * difference.signum() * prediction * (1.0 - prediction);
    (lower_power * size, derivative)
}
