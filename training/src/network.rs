//! The network with floating-point weights, as it is trained.

use anyhow::{Result, ensure};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

use crate::example::{Example, logistic};
use crate::feature_layer::FeatureLayer;
use crate::features::INPUTS;
use crate::layered::Layered;
use crate::optimiser::{Parameters, Step};
use crate::rounding::Rounding;
use crate::shape::{Architecture, Shape};
use crate::single_layer::SingleLayer;

/// Initial feature weights are between ± this.
const FEATURE_INIT_RANGE: f32 = 0.1;

/// A network in training. Its output is a logit: the side to move expects 1 / (1 + e^−output)
/// points.
#[derive(Clone, Debug)]
pub struct Network {
    /// The network's sizes.
    pub shape: Shape,
    /// The weights.
    pub layers: Layers,
    outputs: Vec<f32>,
    output_gradients: Vec<f32>,
}

/// The layers of an architecture.
#[derive(Clone, Debug)]
pub enum Layers {
    /// Those of [`Architecture::SingleLayer`].
    SingleLayer(SingleLayer),
    /// Those of [`Architecture::Layered`].
    Layered(Box<Layered>),
}

impl Network {
    /// A network with weights drawn from a seed. They are the same on every machine.
    #[must_use]
    pub fn random(shape: Shape, rounding: Rounding, seed: u64) -> Self {
        let mut network = Self::zeros(shape, rounding);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        for input in 0..INPUTS {
            for layer in network.feature_layers_mut() {
                let group = layer.shared.as_mut().unwrap_or(&mut layer.weights);
                for weight in group.value[input].iter_mut() {
                    *weight = random.random_range(-FEATURE_INIT_RANGE..FEATURE_INIT_RANGE);
                }
            }
        }
        match &mut network.layers {
            Layers::SingleLayer(layers) => layers.randomise(&mut random),
            Layers::Layered(layers) => layers.randomise(&mut random),
        }
        network.refresh();
        network
    }

    /// A network whose weights are all zero.
    #[must_use]
    pub fn zeros(shape: Shape, rounding: Rounding) -> Self {
        let layers = match shape.architecture {
            Architecture::SingleLayer => Layers::SingleLayer(SingleLayer::zeros(&shape, rounding)),
            Architecture::Layered => Layers::Layered(Box::new(Layered::zeros(&shape, rounding))),
        };
        Self { shape, layers, outputs: Vec::new(), output_gradients: Vec::new() }
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
        match (&mut network.layers, &other.layers) {
            (Layers::SingleLayer(layers), Layers::SingleLayer(other)) => layers.start_from(other),
            (Layers::Layered(layers), Layers::Layered(other)) => layers.start_from(other),
            _ => {}
        }
        network.refresh();
        Ok(network)
    }

    /// The first layer: one part for each tile, in order.
    pub fn feature_layers(&self) -> Vec<&FeatureLayer> {
        match &self.layers {
            Layers::SingleLayer(layers) => layers.tiles.iter().map(|t| &t.features).collect(),
            Layers::Layered(layers) => layers.tiles.iter().map(|t| &t.features).collect(),
        }
    }

    /// The first layer, as in [`Network::feature_layers`].
    pub fn feature_layers_mut(&mut self) -> Vec<&mut FeatureLayer> {
        match &mut self.layers {
            Layers::SingleLayer(layers) => {
                layers.tiles.iter_mut().map(|tile| &mut tile.features).collect()
            }
            Layers::Layered(layers) => {
                layers.tiles.iter_mut().map(|tile| &mut tile.features).collect()
            }
        }
    }

    /// All parameter groups, in a fixed order.
    pub fn parameter_groups(&self) -> Vec<&Parameters> {
        match &self.layers {
            Layers::SingleLayer(layers) => layers.parameter_groups().collect(),
            Layers::Layered(layers) => layers.parameter_groups().collect(),
        }
    }

    /// All parameter groups, in the order of [`Network::parameter_groups`]. Call
    /// [`Network::refresh`] after a change.
    pub fn parameter_groups_mut(&mut self) -> Vec<&mut Parameters> {
        match &mut self.layers {
            Layers::SingleLayer(layers) => layers.parameter_groups_mut().collect(),
            Layers::Layered(layers) => layers.parameter_groups_mut().collect(),
        }
    }

    /// Adds the weights of a network of the same shape, times `factor`. Call [`Network::refresh`]
    /// afterwards.
    pub fn add(&mut self, other: &Network, factor: f32) {
        for (group, other) in self.parameter_groups_mut().into_iter().zip(other.parameter_groups())
        {
            group.add(other, factor);
        }
    }

    /// Recomputes the effective weights after a change of parameters.
    pub fn refresh(&mut self) {
        match &mut self.layers {
            Layers::SingleLayer(layers) => layers.refresh(),
            Layers::Layered(layers) => layers.refresh(),
        }
    }

    /// The outputs of a batch, as logits.
    pub fn forward(&mut self, batch: &[Example]) -> &[f32] {
        match &mut self.layers {
            Layers::SingleLayer(layers) => layers.forward(batch, &mut self.outputs),
            Layers::Layered(layers) => layers.forward(batch, &mut self.outputs),
        }
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
        match &mut self.layers {
            Layers::SingleLayer(layers) => layers.update(step),
            Layers::Layered(layers) => layers.update(step),
        }
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
        }
        match &mut self.layers {
            Layers::SingleLayer(layers) => layers.backward(batch, &self.output_gradients),
            Layers::Layered(layers) => layers.backward(batch, &self.output_gradients),
        }
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
