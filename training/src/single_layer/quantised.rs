//! The output layer with integer weights of a network with one hidden layer.

use anyhow::Result;

use super::SingleLayer;
use crate::network_payload::{Reader, put};
use crate::row::{LANES, Row};
use crate::shape::{QA, QB, Shape};

/// Integer weights in the order of the network file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantisedSingleLayer {
    /// `[output bucket][neuron of the side to move, then of the opponent]`, at [`QB`].
    pub outputs: Vec<i16>,
    /// `[output bucket]`, at [`QA`]·[`QB`].
    pub output_biases: Vec<i32>,
}

impl QuantisedSingleLayer {
    /// Rounds the weights of a trained network.
    #[must_use]
    pub fn new(layers: &SingleLayer, shape: &Shape) -> Self {
        let outputs = (0..2 * shape.output_buckets)
            .flat_map(|row| {
                let tiles = layers.tiles.iter();
                tiles.flat_map(move |tile| tile.effective_outputs(row).iter().collect::<Vec<_>>())
            })
            .map(|weight| (weight * f32::from(QB)).round_ties_even() as i16)
            .collect();
        let bias = |bucket: usize| layers.output_bias.value[0].get(bucket);
        let output_biases = (0..shape.output_buckets)
            .map(|bucket| (bias(bucket) * f32::from(QA) * f32::from(QB)).round() as i32)
            .collect();
        Self { outputs, output_biases }
    }

    /// Sets these weights in layers in training.
    pub fn restore(&self, layers: &mut SingleLayer, shape: &Shape) {
        for (index, tile) in layers.tiles.iter_mut().enumerate() {
            let rows = tile.output.value.iter_mut();
            for (row, numbers) in rows.zip(self.outputs.chunks_exact(shape.hidden)) {
                for (weight, number) in row.iter_mut().zip(&numbers[index * LANES..]) {
                    *weight = f32::from(*number) / f32::from(QB);
                }
            }
        }
        let biases = layers.output_bias.value.iter_mut().flat_map(Row::iter_mut);
        for (bias, number) in biases.zip(&self.output_biases) {
            *bias = *number as f32 / (f32::from(QA) * f32::from(QB));
        }
    }

    /// The evaluation in centipawns from the accumulators of the side to move and the opponent.
    #[must_use]
    pub fn evaluate(&self, accumulators: &[Vec<i16>; 2], output_bucket: usize, scale: u16) -> i32 {
        let hidden = accumulators[0].len();
        let weights = &self.outputs[2 * hidden * output_bucket..][..2 * hidden];
        let mut sum = 0_i64;
        for (accumulator, weights) in accumulators.iter().zip(weights.chunks_exact(hidden)) {
            for (value, weight) in accumulator.iter().zip(weights) {
                let clamped = i64::from((*value).clamp(0, QA as i16));
                sum += clamped * clamped * i64::from(*weight);
            }
        }
        let raw = sum / i64::from(QA) + i64::from(self.output_biases[output_bucket]);
        (raw * i64::from(scale) / (i64::from(QA) * i64::from(QB))) as i32
    }

    /// Appends the numbers to the payload of a network file.
    pub fn write(&self, payload: &mut Vec<u8>) {
        put(payload, &self.outputs, |number| number.to_le_bytes());
        put(payload, &self.output_biases, |number| number.to_le_bytes());
    }

    /// Reads what [`QuantisedSingleLayer::write`] wrote.
    ///
    /// # Errors
    ///
    /// When the payload is too short.
    pub fn read(reader: &mut Reader, shape: &Shape) -> Result<Self> {
        Ok(Self {
            outputs: reader.take(2 * shape.hidden * shape.output_buckets, i16::from_le_bytes)?,
            output_biases: reader.take(shape.output_buckets, i32::from_le_bytes)?,
        })
    }
}
