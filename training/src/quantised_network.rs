//! The network with integer weights, as the engine computes it.

use crate::features;
use crate::layered::quantised::QuantisedLayers;
use crate::network::{Layers, Network};
use crate::quantised_features::QuantisedFeatures;
use crate::rounding::Rounding;
use crate::sample::Sample;
use crate::shape::Shape;
use crate::single_layer::quantised::QuantisedSingleLayer;

/// A network with integer weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantisedNetwork {
    /// The network's sizes.
    pub shape: Shape,
    /// Centipawns per unit of the output (the logistic curve's divisor).
    pub scale: u16,
    /// The first layer.
    pub features: QuantisedFeatures,
    /// The other layers.
    pub output: QuantisedOutput,
}

/// The layers of an architecture after the first one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuantisedOutput {
    /// The output layer after one hidden layer.
    SingleLayer(QuantisedSingleLayer),
    /// Three layers.
    Layered(QuantisedLayers),
}

impl QuantisedNetwork {
    /// Rounds the weights of a trained network.
    #[must_use]
    pub fn new(network: &Network, scale: u16) -> Self {
        let shape = network.shape.clone();
        let output = match &network.layers {
            Layers::SingleLayer(layers) => {
                QuantisedOutput::SingleLayer(QuantisedSingleLayer::new(layers, &shape))
            }
            Layers::Layered(layers) => {
                QuantisedOutput::Layered(QuantisedLayers::new(layers, &shape))
            }
        };
        Self { shape, scale, features: QuantisedFeatures::new(network), output }
    }

    /// A network in training with these weights and zero running means, from which a run can start.
    #[must_use]
    pub fn dequantise(&self) -> Network {
        let shape = &self.shape;
        let mut network = Network::zeros(shape.clone(), Rounding::Quantised);
        self.features.restore(&mut network);
        match (&self.output, &mut network.layers) {
            (QuantisedOutput::SingleLayer(output), Layers::SingleLayer(layers)) => {
                output.restore(layers, shape);
            }
            (QuantisedOutput::Layered(output), Layers::Layered(layers)) => {
                output.restore(layers, shape);
            }
            _ => {}
        }
        network.refresh();
        network
    }

    /// The accumulators of the side to move and of the opponent, and the output bucket.
    #[must_use]
    pub fn accumulators(&self, sample: &Sample) -> ([Vec<i16>; 2], usize) {
        let count = sample.piece_count();
        let active = features::active_features(sample, &self.shape.king_buckets);
        let accumulators = active.map(|active| self.features.accumulate(&active[..count]));
        (accumulators, self.shape.output_bucket(count))
    }

    /// The evaluation in centipawns for the side to move. This plain integer arithmetic is the
    /// reference for every faster implementation.
    #[must_use]
    pub fn evaluate(&self, sample: &Sample) -> i32 {
        let (accumulators, output_bucket) = self.accumulators(sample);
        match &self.output {
            QuantisedOutput::SingleLayer(output) => {
                output.evaluate(&accumulators, output_bucket, self.scale)
            }
            QuantisedOutput::Layered(output) => {
                output.evaluate(&accumulators, output_bucket, self.scale)
            }
        }
    }
}
