//! The layers of the layered network after the sums of the second layer: its activations, the third
//! layer and the output.
//!
//! Activations are in units of [`PAIR_UNIT`], sums in units of [`PAIR_UNIT`] · [`QB`].

use crate::optimiser::{Parameters, Step};
use crate::rounding::Rounding;
use crate::row::{HalfRow, LANES, Row, half_where_between};
use crate::shape::{OUTPUT_UNIT, PAIR_UNIT, QB, SUM_UNIT, Shape};

/// The largest weight of the third layer: 127 at 64 units, so that it fits an int8.
pub const THIRD_LIMIT: f32 = 127.0 / 64.0;
/// The largest weight of the output: 16,384 at 1,024 units.
pub const OUTPUT_LIMIT: f32 = 16.0;
/// The largest bias. With it, no sum of the second layer exceeds the integers that an f32 holds.
pub const BIAS_LIMIT: f32 = 16.0;

/// The sum from which an activation is at its largest value.
const SUM_MOST: f32 = SUM_UNIT;
/// The largest absolute sum whose square is an activation.
const SQUARE_MOST: f32 = SUM_UNIT + 63.0;
/// What the square of a sum is divided by: 8,191 · 8,191 becomes 127.
const SQUARE_DIVISOR: f32 = (1 << 19) as f32;

/// The weights after the sums of the second layer, with one set for each output bucket.
#[derive(Clone, Debug)]
pub struct LaterLayers {
    /// One row for each output bucket; the first half holds the biases of the second layer.
    pub second_bias: Parameters,
    /// For each output bucket, one row for each input of the third layer: its weights to all
    /// neurons.
    pub third: Parameters,
    /// One row for each output bucket: the biases of the third layer.
    pub third_bias: Parameters,
    /// One row for each output bucket: the weights of the output.
    pub output: Parameters,
    /// The output biases, one for each output bucket.
    pub output_bias: Parameters,
    rounding: Rounding,
    effective: Vec<Effective>,
}

/// The weights of an output bucket as the passes use them, in integer units.
#[derive(Clone, Debug)]
pub struct Effective {
    /// The biases of the second layer, in the first half.
    pub second_bias: Row,
    /// For each input of the third layer, its weights to all neurons.
    pub third: [Row; LANES],
    /// For each neuron of the third layer, its weights from all inputs.
    pub third_by_neuron: [Row; LANES],
    /// The biases of the third layer.
    pub third_bias: Row,
    /// The weights of the output.
    pub output: Row,
    /// The bias of the output.
    pub output_bias: f32,
}

impl Effective {
    const ZERO: Effective = Effective {
        second_bias: Row::ZERO,
        third: [Row::ZERO; LANES],
        third_by_neuron: [Row::ZERO; LANES],
        third_bias: Row::ZERO,
        output: Row::ZERO,
        output_bias: 0.0,
    };
}

/// Gradients of a part of a batch, for the groups of [`LaterLayers::parameter_groups`].
#[derive(Clone, Debug)]
pub struct LaterGradients([Vec<Row>; 5]);

/// The values of one example between the layers.
struct Activations {
    /// The sums of the second layer, including its bias.
    second_sums: HalfRow,
    /// The inputs of the third layer: the clipped sums, then the squares.
    second: Row,
    third_sums: Row,
    third: Row,
}

impl LaterLayers {
    /// Layers whose weights are all zero.
    #[must_use]
    pub fn zeros(shape: &Shape, rounding: Rounding) -> Self {
        let buckets = shape.output_buckets;
        Self {
            second_bias: Parameters::zeros(buckets, BIAS_LIMIT),
            third: Parameters::zeros(LANES * buckets, THIRD_LIMIT),
            third_bias: Parameters::zeros(buckets, BIAS_LIMIT),
            output: Parameters::zeros(buckets, OUTPUT_LIMIT),
            output_bias: Parameters::zeros(buckets.div_ceil(LANES), BIAS_LIMIT),
            rounding,
            effective: vec![Effective::ZERO; buckets],
        }
    }

    /// All parameter groups, in a fixed order.
    pub fn parameter_groups(&self) -> [&Parameters; 5] {
        [&self.second_bias, &self.third, &self.third_bias, &self.output, &self.output_bias]
    }

    /// All parameter groups, in the order of [`LaterLayers::parameter_groups`].
    pub fn parameter_groups_mut(&mut self) -> [&mut Parameters; 5] {
        [
            &mut self.second_bias,
            &mut self.third,
            &mut self.third_bias,
            &mut self.output,
            &mut self.output_bias,
        ]
    }

    /// The weights of an output bucket as the passes use them.
    #[must_use]
    pub fn effective(&self, output_bucket: usize) -> &Effective {
        &self.effective[output_bucket]
    }

    /// Recomputes the effective weights. Call it after setting parameters from outside.
    pub fn refresh(&mut self) {
        let round = |row: Row, unit: f32| self.rounding.apply(row, unit, unit);
        let output_biases = round(self.output_bias.value[0], PAIR_UNIT * OUTPUT_UNIT);
        for (bucket, effective) in self.effective.iter_mut().enumerate() {
            effective.second_bias = round(self.second_bias.value[bucket], SUM_UNIT);
            for (input, row) in effective.third.iter_mut().enumerate() {
                *row = round(self.third.value[LANES * bucket + input], f32::from(QB));
                for (neuron, weight) in row.iter().enumerate() {
                    *effective.third_by_neuron[neuron].get_mut(input) = weight;
                }
            }
            effective.third_bias = round(self.third_bias.value[bucket], SUM_UNIT);
            effective.output = round(self.output.value[bucket], OUTPUT_UNIT);
            effective.output_bias = output_biases.get(bucket);
        }
    }

    /// Gradients of zero.
    #[must_use]
    pub fn gradients(&self) -> LaterGradients {
        LaterGradients(self.parameter_groups().map(|group| vec![Row::ZERO; group.value.len()]))
    }

    /// Adds gradients to those of the parameters.
    pub fn add_gradients(&mut self, gradients: &LaterGradients) {
        for (group, gradients) in self.parameter_groups_mut().into_iter().zip(&gradients.0) {
            for (sum, gradient) in group.gradient.iter_mut().zip(gradients) {
                *sum += *gradient;
            }
        }
    }

    /// Takes one optimiser step and resets the gradients to zero.
    pub fn update(&mut self, step: &Step) {
        for group in self.parameter_groups_mut() {
            group.update(step);
        }
        self.refresh();
    }

    /// Copies the weights of trained layers.
    pub fn start_from(&mut self, other: &LaterLayers) {
        for (group, other) in self.parameter_groups_mut().into_iter().zip(other.parameter_groups())
        {
            group.start_from(other);
        }
    }

    /// The output for these sums of the second layer (without bias), as a logit.
    #[must_use]
    pub fn forward(&self, output_bucket: usize, sums: HalfRow) -> f32 {
        let weights = &self.effective[output_bucket];
        let activations = self.activations(weights, sums);
        self.output(weights, activations.third) / (PAIR_UNIT * OUTPUT_UNIT)
    }

    /// The output in integer units. Its sum may exceed the integers that an f32 holds.
    fn output(&self, weights: &Effective, third: Row) -> f32 {
        let products = third.iter().zip(weights.output.iter());
        let sum: f64 = products.map(|(a, b)| f64::from(a) * f64::from(b)).sum();
        (sum + f64::from(weights.output_bias)) as f32
    }

    fn activations(&self, weights: &Effective, sums: HalfRow) -> Activations {
        let second_sums = sums + weights.second_bias.halves()[0];
        let second = Row::from_halves(self.clip(second_sums), self.square(second_sums));
        let mut third_sums = weights.third_bias;
        for (weights, input) in weights.third.iter().zip(second.iter()) {
            third_sums = weights.mul_add(Row::splat(input), third_sums);
        }
        let [low, high] = third_sums.halves().map(|half| self.clip(half));
        Activations { second_sums, second, third_sums, third: Row::from_halves(low, high) }
    }

    /// The sums as activations: 0 to 127.
    fn clip(&self, sums: HalfRow) -> HalfRow {
        let scaled = sums * HalfRow::splat(1.0 / f32::from(QB));
        let scaled = match self.rounding {
            Rounding::Exact => scaled,
            Rounding::Quantised => scaled.floor(),
        };
        scaled.fast_max(HalfRow::ZERO).fast_min(HalfRow::splat(PAIR_UNIT))
    }

    /// The squares of the sums as activations: 0 to 127.
    fn square(&self, sums: HalfRow) -> HalfRow {
        let size = sums.abs().fast_min(HalfRow::splat(SQUARE_MOST));
        match self.rounding {
            Rounding::Exact => size * size * HalfRow::splat(1.0 / SQUARE_DIVISOR),
            // The square may exceed the integers that an f32 holds.
            Rounding::Quantised => {
                let size = size.fast_trunc_int();
                HalfRow::from_i32x16((size * size) >> 19)
            }
        }
    }

    /// Adds the gradients of one example to `gradients`. `output_gradient` is the derivative of the
    /// loss with respect to the output; returns that with respect to the sums of the second layer.
    pub fn backward(
        &self,
        output_bucket: usize,
        sums: HalfRow,
        output_gradient: f32,
        gradients: &mut LaterGradients,
    ) -> HalfRow {
        let weights = &self.effective[output_bucket];
        let values = self.activations(weights, sums);
        let LaterGradients([second_bias, third_weights, third_bias, output, output_bias]) =
            gradients;
        *output_bias[0].get_mut(output_bucket) += output_gradient;
        output[output_bucket] += values.third * (output_gradient / PAIR_UNIT);

        let factor = output_gradient / (PAIR_UNIT * OUTPUT_UNIT) / f32::from(QB);
        let third = (weights.output * factor).where_between(values.third_sums, 0.0, SUM_MOST);
        third_bias[output_bucket] += third * SUM_UNIT;
        let mut second = Row::ZERO;
        for (weights, gradient) in weights.third_by_neuron.iter().zip(third.iter()) {
            second = weights.mul_add(Row::splat(gradient), second);
        }
        let third = third * f32::from(QB);
        let rows = &mut third_weights[LANES * output_bucket..][..LANES];
        for (row, input) in rows.iter_mut().zip(values.second.iter()) {
            *row = third.mul_add(Row::splat(input), *row);
        }

        let sums = values.second_sums;
        let [clipped, squared] = second.halves();
        let clipped = clipped * HalfRow::splat(1.0 / f32::from(QB));
        let squared = squared * sums * HalfRow::splat(2.0 / SQUARE_DIVISOR);
        let gradient = half_where_between(clipped, sums, 0.0, SUM_MOST)
            + half_where_between(squared, sums, -SQUARE_MOST, SQUARE_MOST);
        second_bias[output_bucket] += Row::from_halves(gradient, HalfRow::ZERO) * SUM_UNIT;
        gradient
    }
}
