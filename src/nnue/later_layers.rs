//! The layers after the accumulators of a layered network: their weights, and their activations.
//!
//! No sum overflows 32 bits: the inputs of each layer are 0 to 127, and the weights and biases are
//! bounded by their type or by [`LaterLayers::validate_all`].

use super::architecture::{LAYERED_HIDDEN, OUTPUT_BUCKETS, QA, QB, SECOND_LAYER, THIRD_LAYER};
use super::error::NetworkError;
use super::payload::{Payload, validate_output_weights};

/// The neurons of both perspectives, multiplied in pairs: the inputs of the second layer.
pub(super) const PAIRS: usize = LAYERED_HIDDEN;

/// Each neuron of the second layer has two activations, a clipped and a squared one.
pub(super) const ACTIVATIONS: usize = 2 * SECOND_LAYER;

/// The largest activation; it represents 1.0.
const MAX_ACTIVATION: i32 = 127;

/// The activation of a pair of 1.0 and 1.0 is the product of 255 and 255, shifted to 127.
pub(super) const PAIR_SHIFT: u32 = 9;

/// A sum of the second or third layer, shifted to an activation.
const SHIFT: u32 = QB.ilog2();

/// The largest |sum| of the second layer that is squared: its activation is 127.
const MAX_SQUARED: i32 = 8191;
const SQUARE_SHIFT: u32 = 19;

/// The quantisation factor of the output weights: 1024 represents 1.0.
const OUTPUT_QB: i32 = 1024;

/// The output that represents 1.0.
pub(super) const OUTPUT_ONE: i32 = MAX_ACTIVATION * OUTPUT_QB;

const MAX_BIAS: i32 = 1 << 24;
const MAX_OUTPUT_WEIGHT: i16 = 1 << 14;
const MAX_OUTPUT_BIAS: i32 = 1 << 28;

const _: () = {
    const fn largest_sum(inputs: usize, weight: i64, bias: i32) -> i64 {
        inputs as i64 * MAX_ACTIVATION as i64 * weight + bias as i64
    }
    assert!((QA * QA) >> PAIR_SHIFT == MAX_ACTIVATION && 1 << SHIFT == QB);
    assert!((MAX_SQUARED * MAX_SQUARED) >> SQUARE_SHIFT == MAX_ACTIVATION);
    assert!(largest_sum(PAIRS, 128, MAX_BIAS) <= i32::MAX as i64);
    assert!(largest_sum(ACTIVATIONS, 128, MAX_BIAS) <= i32::MAX as i64);
    let largest_output = largest_sum(THIRD_LAYER, MAX_OUTPUT_WEIGHT as i64, MAX_OUTPUT_BIAS);
    assert!(largest_output <= i32::MAX as i64);
};

/// The inputs that a vector instruction multiplies at once for a neuron.
pub(super) const GROUP: usize = 4;

/// The neurons of a [`Column`].
pub(super) const COLUMN_NEURONS: usize = 16;

/// The weights of a group of inputs for sixteen neurons, neuron by neuron. It is a cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Column(pub(super) [i8; GROUP * COLUMN_NEURONS]);

/// The weights of the second layer, for each group of inputs.
pub(super) type SecondWeights = [Column; PAIRS / GROUP];

/// The weights of the third layer, for each group of inputs.
pub(super) type ThirdWeights = [[Column; THIRD_LAYER / COLUMN_NEURONS]; ACTIVATIONS / GROUP];

/// The layers of one output bucket.
#[derive(Clone)]
pub(super) struct LaterLayers {
    pub(super) second_weights: SecondWeights,
    pub(super) second_biases: [i32; SECOND_LAYER],
    pub(super) third_weights: ThirdWeights,
    pub(super) third_biases: [i32; THIRD_LAYER],
    output_weights: [i16; THIRD_LAYER],
    output_bias: i32,
}

impl LaterLayers {
    const SECOND_WEIGHTS: usize = SECOND_LAYER * PAIRS;
    const THIRD_WEIGHTS: usize = THIRD_LAYER * ACTIVATIONS;

    /// The bytes of an output bucket in a file.
    pub(super) const FILE_BYTES: usize = LaterLayers::SECOND_WEIGHTS
        + 4 * SECOND_LAYER
        + LaterLayers::THIRD_WEIGHTS
        + 4 * THIRD_LAYER
        + 2 * THIRD_LAYER
        + 4;

    const ZERO: LaterLayers = LaterLayers {
        second_weights: [Column::ZERO; PAIRS / GROUP],
        second_biases: [0; SECOND_LAYER],
        third_weights: [[Column::ZERO; THIRD_LAYER / COLUMN_NEURONS]; ACTIVATIONS / GROUP],
        third_biases: [0; THIRD_LAYER],
        output_weights: [0; THIRD_LAYER],
        output_bias: 0,
    };

    /// Checks the ranges of all output buckets in their bytes of a file.
    pub(super) const fn validate_all(bytes: &[u8]) -> Result<(), NetworkError> {
        let (_, rest) = bytes.split_at(OUTPUT_BUCKETS * LaterLayers::SECOND_WEIGHTS);
        let (second_biases, rest) = rest.split_at(OUTPUT_BUCKETS * 4 * SECOND_LAYER);
        let (_, rest) = rest.split_at(OUTPUT_BUCKETS * LaterLayers::THIRD_WEIGHTS);
        let (third_biases, rest) = rest.split_at(OUTPUT_BUCKETS * 4 * THIRD_LAYER);
        let (output_weights, output_biases) = rest.split_at(OUTPUT_BUCKETS * 2 * THIRD_LAYER);
        let results = [
            validate_biases(second_biases, "the second layer", MAX_BIAS),
            validate_biases(third_biases, "the third layer", MAX_BIAS),
            validate_output_weights(output_weights, MAX_OUTPUT_WEIGHT),
            validate_biases(output_biases, "the output", MAX_OUTPUT_BIAS),
        ];
        let mut n = 0;
        while n < results.len() {
            if results[n].is_err() {
                return results[n];
            }
            n += 1;
        }
        Ok(())
    }

    /// Reads all output buckets from the payload of a file, layer by layer.
    pub(super) fn decode_all(payload: &mut Payload<'_>) -> Box<[LaterLayers]> {
        let mut all = vec![LaterLayers::ZERO; OUTPUT_BUCKETS].into_boxed_slice();
        for bucket in &mut *all {
            for neuron in 0..SECOND_LAYER {
                let row = payload.read_i8::<PAIRS>();
                for (column, group) in bucket.second_weights.iter_mut().zip(row.as_chunks().0) {
                    column.set(neuron, group);
                }
            }
        }
        all.iter_mut().for_each(|bucket| bucket.second_biases = payload.read_i32());
        for bucket in &mut *all {
            for neuron in 0..THIRD_LAYER {
                let row = payload.read_i8::<ACTIVATIONS>();
                for (columns, group) in bucket.third_weights.iter_mut().zip(row.as_chunks().0) {
                    columns[neuron / COLUMN_NEURONS].set(neuron % COLUMN_NEURONS, group);
                }
            }
        }
        all.iter_mut().for_each(|bucket| bucket.third_biases = payload.read_i32());
        all.iter_mut().for_each(|bucket| bucket.output_weights = payload.read_i16());
        all.iter_mut().for_each(|bucket| [bucket.output_bias] = payload.read_i32());
        all
    }

    /// The output from the sums of the third layer.
    #[inline]
    pub(super) fn output(&self, sums: &[i32; THIRD_LAYER]) -> i32 {
        let products = self.output_weights.iter().zip(sums);
        let products =
            products.map(|(&weight, &sum)| i32::from(weight) * i32::from(clipped_activation(sum)));
        self.output_bias + products.sum::<i32>()
    }
}

impl Column {
    const ZERO: Column = Column([0; GROUP * COLUMN_NEURONS]);

    /// The weights of a neuron.
    pub(super) fn of(&self, neuron: usize) -> &[i8; GROUP] {
        &self.0.as_chunks().0[neuron]
    }

    fn set(&mut self, neuron: usize, weights: &[i8; GROUP]) {
        self.0.as_chunks_mut().0[neuron] = *weights;
    }
}

/// The activations of the neurons of both perspectives, multiplied in pairs: the half of the side
/// to move, then that of the other side. Neuron j of a perspective belongs to neuron j +
/// [`LAYERED_HIDDEN`] / 2.
#[repr(C, align(64))]
pub(super) struct Pairs(pub(super) [u8; PAIRS]);

/// The clipped activations of the second layer's sums, then the squared ones.
#[inline]
pub(super) fn second_activations(sums: &[i32; SECOND_LAYER]) -> [u8; ACTIVATIONS] {
    let mut activations = [0; ACTIVATIONS];
    let (clipped, squared) = activations.split_at_mut(SECOND_LAYER);
    for ((clipped, squared), &sum) in clipped.iter_mut().zip(squared).zip(sums) {
        *clipped = clipped_activation(sum);
        *squared = squared_activation(sum);
    }
    activations
}

#[inline]
fn clipped_activation(sum: i32) -> u8 {
    (sum >> SHIFT).clamp(0, MAX_ACTIVATION) as u8
}

#[inline]
fn squared_activation(sum: i32) -> u8 {
    (sum.abs().min(MAX_SQUARED).pow(2) >> SQUARE_SHIFT).min(MAX_ACTIVATION) as u8
}

const fn validate_biases(bytes: &[u8], layer: &'static str, max: i32) -> Result<(), NetworkError> {
    let (biases, _) = bytes.as_chunks();
    let mut n = 0;
    while n < biases.len() {
        let found = i32::from_le_bytes(biases[n]);
        if found < -max || found > max {
            return Err(NetworkError::Bias { layer, found, max });
        }
        n += 1;
    }
    Ok(())
}
