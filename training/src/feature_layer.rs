//! The first layer of a tile: the weights from the inputs to its neurons.

use crate::features::INPUTS;
use crate::integer_row::IntegerRow;
use crate::optimiser::Parameters;
use crate::rounding::Rounding;
use crate::row::Row;
use crate::shape::{QA, Shape};
use crate::short_row::ShortRow;

/// The largest feature weight or bias: at 255 units, the sum of 32 active inputs and the bias fits
/// an int16.
pub const FEATURE_LIMIT: f32 = 1.98;
/// The largest weight of a king bucket, which is added to a shared weight. The shared weights have
/// the rest of [`FEATURE_LIMIT`].
pub const BUCKET_LIMIT: f32 = 0.58;

/// The weights and biases of a tile's neurons.
#[derive(Clone, Debug)]
pub struct FeatureLayer {
    /// One row for each input of each king bucket.
    pub weights: Parameters,
    /// With more than one king bucket, one row for each input that is added in every bucket. So the
    /// network learns once what is independent of the king's square
    /// (<https://www.chessprogramming.org/NNUE#Feature_Factorization>).
    pub shared: Option<Parameters>,
    /// One row: the biases of the neurons.
    pub bias: Parameters,
    effective: EffectiveWeights,
}

/// The sums of own and shared weights that the passes compute with, and the biases.
#[derive(Clone, Debug)]
enum EffectiveWeights {
    /// Weights of which 1.0 is this unit.
    Float { unit: f32, weights: Vec<Row>, bias: Row },
    /// Weights at [`QA`] as the network file has them.
    Integer { weights: Vec<IntegerRow>, bias: IntegerRow },
}

impl FeatureLayer {
    /// A layer whose weights are all zero. The passes compute with floating-point weights of which
    /// 1.0 is `unit`.
    #[must_use]
    pub fn zeros(shape: &Shape, unit: f32) -> Self {
        let weights = vec![Row::ZERO; shape.inputs()];
        Self::with(shape, EffectiveWeights::Float { unit, weights, bias: Row::ZERO })
    }

    /// A layer whose weights are all zero. The forward pass computes with integers.
    #[must_use]
    pub fn integer_zeros(shape: &Shape) -> Self {
        let weights = vec![IntegerRow::ZERO; shape.inputs()];
        Self::with(shape, EffectiveWeights::Integer { weights, bias: IntegerRow::ZERO })
    }

    fn with(shape: &Shape, effective: EffectiveWeights) -> Self {
        let buckets = shape.king_buckets.count();
        let (limit, shared_limit) = if buckets > 1 {
            (BUCKET_LIMIT, FEATURE_LIMIT - BUCKET_LIMIT)
        } else {
            (FEATURE_LIMIT, 0.0)
        };
        Self {
            weights: Parameters::zeros(shape.inputs(), limit),
            shared: (buckets > 1).then(|| Parameters::zeros(INPUTS, shared_limit)),
            bias: Parameters::zeros(1, FEATURE_LIMIT),
            effective,
        }
    }

    /// All parameter groups, in a fixed order.
    pub fn parameter_groups(&self) -> impl Iterator<Item = &Parameters> {
        [&self.weights].into_iter().chain(&self.shared).chain([&self.bias])
    }

    /// All parameter groups, in the order of [`FeatureLayer::parameter_groups`].
    pub fn parameter_groups_mut(&mut self) -> impl Iterator<Item = &mut Parameters> {
        [&mut self.weights].into_iter().chain(&mut self.shared).chain([&mut self.bias])
    }

    /// Recomputes the effective weights. Call it after setting parameters from outside.
    pub fn refresh(&mut self, rounding: Rounding) {
        let own = &self.weights.value;
        let shared = self.shared.as_ref().map_or([].as_slice(), |shared| &shared.value);
        let own_bias = self.bias.value[0];
        match &mut self.effective {
            EffectiveWeights::Float { unit, weights, bias } => {
                let unit = *unit;
                refresh_weights(weights, own, shared, |sum| {
                    rounding.apply(sum, f32::from(QA), unit)
                });
                *bias = rounding.apply(own_bias, f32::from(QA), unit);
            }
            EffectiveWeights::Integer { weights, bias } => {
                let round = |sum| {
                    IntegerRow::from_row(Rounding::Quantised.apply(
                        sum,
                        f32::from(QA),
                        f32::from(QA),
                    ))
                };
                refresh_weights(weights, own, shared, round);
                *bias = round(own_bias);
            }
        }
    }

    /// With king buckets, moves their mean to the shared weights, as far as the limits of both
    /// allow. The effective weights do not change.
    pub fn factorise(&mut self) {
        let Some(shared) = &mut self.shared else { return };
        let buckets = self.weights.value.len() / INPUTS;
        let (own_limit, shared_limit) = (self.weights.limit, shared.limit);
        for (input, shared) in shared.value.iter_mut().enumerate() {
            for (neuron, shared) in shared.iter_mut().enumerate() {
                let weights = (0..buckets)
                    .map(|bucket| self.weights.value[bucket * INPUTS + input].get(neuron));
                let (least, most) =
                    weights.clone().fold((f32::MAX, f32::MIN), |(a, b), w| (a.min(w), b.max(w)));
                let mean = weights.sum::<f32>() / buckets as f32;
                *shared = mean
                    .max(most - own_limit)
                    .min(least + own_limit)
                    .clamp(-shared_limit, shared_limit);
            }
            for bucket in 0..buckets {
                let own = &mut self.weights.value[bucket * INPUTS + input];
                *own = *own - *shared;
            }
        }
    }

    /// Copies the weights of a trained layer, which has the same sizes or no king buckets. Without
    /// king buckets, every bucket gets the same weights.
    pub fn start_from(&mut self, other: &FeatureLayer) {
        match (&mut self.shared, &other.shared) {
            (Some(_), None) => {
                for bucket in self.weights.value.chunks_mut(INPUTS) {
                    bucket.copy_from_slice(&other.weights.value);
                }
                self.factorise();
            }
            (Some(shared), Some(other_shared)) => {
                shared.start_from(other_shared);
                self.weights.start_from(&other.weights);
            }
            (None, _) => self.weights.start_from(&other.weights),
        }
        self.bias.start_from(&other.bias);
    }

    /// The weights of one input of a king bucket as in the network file, including the shared ones.
    #[must_use]
    pub fn quantised_weights(&self, input: usize) -> IntegerRow {
        match &self.effective {
            EffectiveWeights::Float { unit, weights, .. } => quantise(weights[input], *unit),
            EffectiveWeights::Integer { weights, .. } => weights[input],
        }
    }

    /// The biases as in the network file.
    #[must_use]
    pub fn quantised_bias(&self) -> IntegerRow {
        match &self.effective {
            EffectiveWeights::Float { unit, bias, .. } => quantise(*bias, *unit),
            EffectiveWeights::Integer { bias, .. } => *bias,
        }
    }

    /// The accumulator: the sum of the bias and the weights of the active inputs.
    #[inline(always)]
    #[must_use]
    pub fn accumulate(&self, active: &[u16]) -> Row {
        match &self.effective {
            EffectiveWeights::Float { weights, bias, .. } => {
                let mut sum = *bias;
                for input in active {
                    sum += weights[usize::from(*input)];
                }
                sum
            }
            EffectiveWeights::Integer { .. } => self.accumulate_integers(active).to_row(),
        }
    }

    /// The accumulator as integers. It is zero if the layer has floating-point weights.
    #[inline(always)]
    #[must_use]
    pub fn accumulate_integers(&self, active: &[u16]) -> IntegerRow {
        let EffectiveWeights::Integer { weights, bias } = &self.effective else {
            return IntegerRow::ZERO;
        };
        let mut sum = *bias;
        for input in active {
            sum.add(&weights[usize::from(*input)]);
        }
        sum
    }

    /// Adds the gradient of an accumulator to the weights of its active inputs.
    #[inline(always)]
    pub fn add_gradient(&mut self, active: &[u16], gradient: Row) {
        for input in active {
            self.weights.gradient[usize::from(*input)] += gradient;
        }
    }

    /// Adds to the weights of an input the gradients of these accumulators, which activate it.
    #[inline(always)]
    pub fn add_gradients(&mut self, input: usize, accumulators: &[u16], gradients: &[ShortRow]) {
        // Independent sums need not wait for each other's additions.
        let (blocks, rest) = accumulators.as_chunks::<4>();
        let mut sums = [Row::ZERO; 4];
        for block in blocks {
            for (sum, accumulator) in sums.iter_mut().zip(block) {
                *sum += gradients[usize::from(*accumulator)].to_row();
            }
        }
        let [a, b, c, d] = sums;
        let mut sum = (a + b) + (c + d);
        for accumulator in rest {
            sum += gradients[usize::from(*accumulator)].to_row();
        }
        self.weights.gradient[input] += sum;
    }

    /// Completes the gradient of a batch: the sum of its accumulators' gradients is that of the
    /// bias, and the shared weights get the sum over the buckets.
    pub fn complete_gradient(&mut self, bias: Row) {
        self.bias.gradient[0] += bias;
        if let Some(shared) = &mut self.shared {
            for bucket in self.weights.gradient.chunks_exact(INPUTS) {
                for (shared, gradient) in shared.gradient.iter_mut().zip(bucket) {
                    *shared += *gradient;
                }
            }
        }
    }
}

/// Sets the effective weights: `round` of the sums of own and shared weights.
fn refresh_weights<T>(weights: &mut [T], own: &[Row], shared: &[Row], round: impl Fn(Row) -> T) {
    for (bucket, values) in weights.chunks_mut(INPUTS).zip(own.chunks(INPUTS)) {
        for (input, (weight, value)) in bucket.iter_mut().zip(values).enumerate() {
            *weight = round(shared.get(input).map_or(*value, |shared| *value + *shared));
        }
    }
}

fn quantise(weights: Row, unit: f32) -> IntegerRow {
    IntegerRow::from_row((weights * (f32::from(QA) / unit)).round())
}
