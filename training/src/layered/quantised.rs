//! The layers after the first one with integer weights, of a layered network.

use anyhow::Result;

use super::Layered;
use super::later_layers::LaterLayers;
use crate::network_payload::{Reader, put};
use crate::optimiser::Parameters;
use crate::row::{HALF_LANES, LANES, Row};
use crate::shape::{
    OUTPUT_UNIT, PAIR_UNIT, QA, QB, SECOND_NEURONS, SUM_UNIT, Shape, THIRD_NEURONS,
};

/// Integer weights in the order of the network file. Each has one set for each output bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantisedLayers {
    /// `[output bucket][neuron][pair of the side to move, then of the opponent]`, at [`QB`].
    pub second: Vec<i8>,
    /// `[output bucket][neuron]`, at [`PAIR_UNIT`]·[`QB`].
    pub second_biases: Vec<i32>,
    /// `[output bucket][neuron][input]`, at [`QB`].
    pub third: Vec<i8>,
    /// `[output bucket][neuron]`, at [`PAIR_UNIT`]·[`QB`].
    pub third_biases: Vec<i32>,
    /// `[output bucket][neuron of the third layer]`, at [`OUTPUT_UNIT`].
    pub output: Vec<i16>,
    /// `[output bucket]`, at [`PAIR_UNIT`]·[`OUTPUT_UNIT`].
    pub output_biases: Vec<i32>,
}

impl QuantisedLayers {
    /// Rounds the weights of trained layers.
    #[must_use]
    pub fn new(layers: &Layered, shape: &Shape) -> Self {
        let buckets = 0..shape.output_buckets;
        let mut second = vec![0; buckets.len() * SECOND_NEURONS * shape.hidden];
        for (tile, weights) in layers.tiles.iter().enumerate() {
            for (row, numbers) in second.chunks_exact_mut(shape.hidden).enumerate() {
                for (lane, weight) in weights.effective(row).iter().enumerate() {
                    numbers[second_input(shape, tile, lane)] = weight.round_ties_even() as i8;
                }
            }
        }
        let bucket = |bucket: usize| layers.later.effective(bucket);
        let integers = |row: &Row, count: usize| -> Vec<i32> {
            row.iter().take(count).map(|number| number.round_ties_even() as i32).collect()
        };
        Self {
            second,
            second_biases: buckets
                .clone()
                .flat_map(|b| integers(&bucket(b).second_bias, SECOND_NEURONS))
                .collect(),
            third: buckets
                .clone()
                .flat_map(|b| &bucket(b).third_by_neuron)
                .flat_map(|row| integers(row, LANES))
                .map(|weight| weight as i8)
                .collect(),
            third_biases: buckets
                .clone()
                .flat_map(|b| integers(&bucket(b).third_bias, THIRD_NEURONS))
                .collect(),
            output: buckets
                .clone()
                .flat_map(|b| integers(&bucket(b).output, THIRD_NEURONS))
                .map(|weight| weight as i16)
                .collect(),
            output_biases: buckets
                .map(|b| bucket(b).output_bias.round_ties_even() as i32)
                .collect(),
        }
    }

    /// Sets these weights in layers in training.
    pub fn restore(&self, layers: &mut Layered, shape: &Shape) {
        for (tile, weights) in layers.tiles.iter_mut().enumerate() {
            let rows = weights.second.value.iter_mut();
            for (row, numbers) in rows.zip(self.second.chunks_exact(shape.hidden)) {
                for (lane, weight) in row.iter_mut().enumerate() {
                    let number = numbers[second_input(shape, tile, lane)];
                    *weight = f32::from(number) / f32::from(QB);
                }
            }
        }
        let LaterLayers { second_bias, third, third_bias, output, output_bias, .. } =
            &mut layers.later;
        fill(second_bias, SECOND_NEURONS, self.second_biases.iter().copied(), SUM_UNIT);
        for (place, number) in self.third.iter().enumerate() {
            let (row, input) = (place / LANES, place % LANES);
            let (bucket, neuron) = (row / THIRD_NEURONS, row % THIRD_NEURONS);
            *third.value[LANES * bucket + input].get_mut(neuron) =
                f32::from(*number) / f32::from(QB);
        }
        fill(third_bias, LANES, self.third_biases.iter().copied(), SUM_UNIT);
        fill(output, LANES, self.output.iter().map(|number| i32::from(*number)), OUTPUT_UNIT);
        fill(output_bias, LANES, self.output_biases.iter().copied(), PAIR_UNIT * OUTPUT_UNIT);
    }

    /// The evaluation in centipawns from the accumulators of the side to move and the opponent.
    #[must_use]
    pub fn evaluate(&self, accumulators: &[Vec<i16>; 2], output_bucket: usize, scale: u16) -> i32 {
        let output = i64::from(self.output(accumulators, output_bucket));
        (output * i64::from(scale) / (PAIR_UNIT * OUTPUT_UNIT) as i64) as i32
    }

    /// The output at [`PAIR_UNIT`]·[`OUTPUT_UNIT`].
    #[must_use]
    pub fn output(&self, accumulators: &[Vec<i16>; 2], output_bucket: usize) -> i32 {
        let pairs: Vec<i32> =
            accumulators.iter().flat_map(|sums| products_of_pairs(sums)).collect();
        let neurons = SECOND_NEURONS * output_bucket;
        let sums: Vec<i32> = (neurons..neurons + SECOND_NEURONS)
            .map(|neuron| {
                self.second_biases[neuron] + dot(&self.second[pairs.len() * neuron..], &pairs)
            })
            .collect();
        let clipped = sums.iter().map(|sum| clip(*sum));
        let squares = sums.iter().map(|sum| {
            let size = sum.abs().min(8191);
            (size * size) >> 19
        });
        let inputs: Vec<i32> = clipped.chain(squares).collect();
        let neurons = THIRD_NEURONS * output_bucket;
        let third = (neurons..neurons + THIRD_NEURONS).map(|neuron| {
            clip(self.third_biases[neuron] + dot(&self.third[LANES * neuron..], &inputs))
        });
        let weights = &self.output[neurons..];
        let products = third.zip(weights).map(|(value, weight)| value * i32::from(*weight));
        products.sum::<i32>() + self.output_biases[output_bucket]
    }

    /// Appends the numbers to the payload of a network file.
    pub fn write(&self, payload: &mut Vec<u8>) {
        put(payload, &self.second, |number| number.to_le_bytes());
        put(payload, &self.second_biases, |number| number.to_le_bytes());
        put(payload, &self.third, |number| number.to_le_bytes());
        put(payload, &self.third_biases, |number| number.to_le_bytes());
        put(payload, &self.output, |number| number.to_le_bytes());
        put(payload, &self.output_biases, |number| number.to_le_bytes());
    }

    /// Reads what [`QuantisedLayers::write`] wrote.
    ///
    /// # Errors
    ///
    /// When the payload is too short.
    pub fn read(reader: &mut Reader, shape: &Shape) -> Result<Self> {
        let buckets = shape.output_buckets;
        Ok(Self {
            second: reader.take(buckets * SECOND_NEURONS * shape.hidden, i8::from_le_bytes)?,
            second_biases: reader.take(buckets * SECOND_NEURONS, i32::from_le_bytes)?,
            third: reader.take(buckets * THIRD_NEURONS * LANES, i8::from_le_bytes)?,
            third_biases: reader.take(buckets * THIRD_NEURONS, i32::from_le_bytes)?,
            output: reader.take(buckets * THIRD_NEURONS, i16::from_le_bytes)?,
            output_biases: reader.take(buckets, i32::from_le_bytes)?,
        })
    }
}

/// The input of the second layer that a lane of a tile is: the side to move's pairs come first.
fn second_input(shape: &Shape, tile: usize, lane: usize) -> usize {
    shape.hidden / 2 * (lane / HALF_LANES) + HALF_LANES * tile + lane % HALF_LANES
}

/// Fills the first `lanes` numbers of each row.
fn fill(group: &mut Parameters, lanes: usize, numbers: impl Iterator<Item = i32>, unit: f32) {
    let places = group.value.iter_mut().flat_map(|row| row.iter_mut().take(lanes));
    for (place, number) in places.zip(numbers) {
        *place = number as f32 / unit;
    }
}

/// The products of the pairs of one perspective: 0 to 127.
pub(super) fn products_of_pairs(sums: &[i16]) -> impl Iterator<Item = i32> {
    let (first, second) = sums.split_at(sums.len() / 2);
    let clip = |sum: &i16| i32::from(*sum).clamp(0, i32::from(QA));
    first.iter().zip(second).map(move |(a, b)| (clip(a) * clip(b)) >> 9)
}

/// A sum as activation: 0 to 127.
fn clip(sum: i32) -> i32 {
    (sum >> 6).clamp(0, 127)
}

fn dot(weights: &[i8], inputs: &[i32]) -> i32 {
    inputs.iter().zip(weights).map(|(input, weight)| input * i32::from(*weight)).sum()
}
