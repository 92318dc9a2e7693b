//! The layers after the accumulators, in scalar code.
//!
//! No sum overflows 32 bits: the inputs of each layer are 0 to 127, and the weights and biases are
//! bounded by their type or by [`LaterLayers::validate_all`].

use crate::nnue::architecture::{
    LAYERED_HIDDEN, OUTPUT_BUCKETS, QA, QB, Row, SECOND_LAYER, THIRD_LAYER,
};
use crate::nnue::error::NetworkError;
use crate::nnue::payload::{Payload, validate_output_weights};

/// The neurons of both perspectives, multiplied in pairs: the inputs of the second layer.
const PAIRS: usize = LAYERED_HIDDEN;

/// Each neuron of the second layer has two activations, a clipped and a squared one.
const ACTIVATIONS: usize = 2 * SECOND_LAYER;

/// The largest activation; it represents 1.0.
const MAX_ACTIVATION: i32 = 127;

/// The activation of a pair of 1.0 and 1.0 is the product of 255 and 255, shifted to 127.
const PAIR_SHIFT: u32 = 9;

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

/// The layers of one output bucket.
#[derive(Clone)]
pub(super) struct LaterLayers {
    second_weights: [[i8; PAIRS]; SECOND_LAYER],
    second_biases: [i32; SECOND_LAYER],
    third_weights: [[i8; ACTIVATIONS]; THIRD_LAYER],
    third_biases: [i32; THIRD_LAYER],
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
        second_weights: [[0; PAIRS]; SECOND_LAYER],
        second_biases: [0; SECOND_LAYER],
        third_weights: [[0; ACTIVATIONS]; THIRD_LAYER],
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
        for row in all.iter_mut().flat_map(|bucket| &mut bucket.second_weights) {
            *row = payload.read_i8();
        }
        all.iter_mut().for_each(|bucket| bucket.second_biases = payload.read_i32());
        for row in all.iter_mut().flat_map(|bucket| &mut bucket.third_weights) {
            *row = payload.read_i8();
        }
        all.iter_mut().for_each(|bucket| bucket.third_biases = payload.read_i32());
        all.iter_mut().for_each(|bucket| bucket.output_weights = payload.read_i16());
        all.iter_mut().for_each(|bucket| [bucket.output_bias] = payload.read_i32());
        all
    }

    /// The output from the accumulators of the side to move and of the other side.
    pub(super) fn output(&self, accumulators: [&Row<LAYERED_HIDDEN>; 2]) -> i32 {
        let inputs = pairs(accumulators);
        let sums = weighted_sums(&self.second_weights, &self.second_biases, &inputs);
        let inputs = second_activations(&sums);
        let sums = weighted_sums(&self.third_weights, &self.third_biases, &inputs);
        let inputs = sums.map(clipped_activation);
        weighted_sum(&self.output_weights, self.output_bias, &inputs)
    }
}

/// The products of clipped pairs: the half of the side to move, then that of the other side. Neuron
/// j of a perspective belongs to neuron j + [`LAYERED_HIDDEN`] / 2.
fn pairs(accumulators: [&Row<LAYERED_HIDDEN>; 2]) -> [i16; PAIRS] {
    let mut pairs = [0; PAIRS];
    let (halves, _) = pairs.as_chunks_mut::<{ PAIRS / 2 }>();
    for (half, accumulator) in halves.iter_mut().zip(accumulators) {
        let (left, right) = accumulator.0.split_at(LAYERED_HIDDEN / 2);
        for (pair, (&left, &right)) in half.iter_mut().zip(left.iter().zip(right)) {
            *pair = ((clipped(left) * clipped(right)) >> PAIR_SHIFT) as i16;
        }
    }
    pairs
}

fn clipped(sum: i16) -> i32 {
    i32::from(sum).clamp(0, QA)
}

/// The sums of a layer: for each neuron the bias plus the weights times the inputs.
fn weighted_sums<const INPUTS: usize, const NEURONS: usize>(
    weights: &[[i8; INPUTS]; NEURONS],
    biases: &[i32; NEURONS],
    inputs: &[i16; INPUTS],
) -> [i32; NEURONS] {
    std::array::from_fn(|neuron| weighted_sum(&weights[neuron], biases[neuron], inputs))
}

fn weighted_sum<W: Copy + Into<i32>, const INPUTS: usize>(
    weights: &[W; INPUTS],
    bias: i32,
    inputs: &[i16; INPUTS],
) -> i32 {
    let products =
        weights.iter().zip(inputs).map(|(&weight, &input)| weight.into() * i32::from(input));
    bias + products.sum::<i32>()
}

/// The clipped activations of the second layer's sums, then the squared ones.
fn second_activations(sums: &[i32; SECOND_LAYER]) -> [i16; ACTIVATIONS] {
    let mut activations = [0; ACTIVATIONS];
    let (clipped, squared) = activations.split_at_mut(SECOND_LAYER);
    for ((clipped, squared), &sum) in clipped.iter_mut().zip(squared).zip(sums) {
        *clipped = clipped_activation(sum);
        *squared = squared_activation(sum);
    }
    activations
}

fn clipped_activation(sum: i32) -> i16 {
    (sum >> SHIFT).clamp(0, MAX_ACTIVATION) as i16
}

fn squared_activation(sum: i32) -> i16 {
    (sum.abs().min(MAX_SQUARED).pow(2) >> SQUARE_SHIFT).min(MAX_ACTIVATION) as i16
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
