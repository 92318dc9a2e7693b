//! The single-layer network, format 1: the output follows the accumulators.

use super::architecture::{HIDDEN, MAX_OUTPUT_WEIGHT, OUTPUT_BUCKETS, QA, QB, Row, scale_output};
use super::error::NetworkError;
use super::feature_layer::FeatureLayer;
use super::payload::{Payload, validate_output_weights};
use super::simd::Kernels;

/// The weights of a network with [`HIDDEN`] neurons for each perspective and squared clipped
/// rectifiers. One of [`OUTPUT_BUCKETS`] outputs is selected by the number of pieces.
pub(super) struct SingleLayerNetwork {
    features: FeatureLayer<HIDDEN>,
    /// For each output bucket the weights of the neurons of the side to move, then of the other
    /// side.
    output_weights: [[Row<HIDDEN>; 2]; OUTPUT_BUCKETS],
    output_biases: [i32; OUTPUT_BUCKETS],
    scale: u16,
}

impl SingleLayerNetwork {
    const OUTPUT_BYTES: usize = OUTPUT_BUCKETS * 2 * 2 * HIDDEN;

    /// The bytes of the layers in a file.
    pub(super) const FILE_BYTES: usize =
        FeatureLayer::<HIDDEN>::FILE_BYTES + SingleLayerNetwork::OUTPUT_BYTES + 4 * OUTPUT_BUCKETS;

    /// Checks the ranges that the arithmetic relies on, in the layers' bytes of a file.
    pub(super) const fn validate(layers: &[u8]) -> Result<(), NetworkError> {
        let (_, rest) = layers.split_at(FeatureLayer::<HIDDEN>::FILE_BYTES);
        let (weights, _) = rest.split_at(SingleLayerNetwork::OUTPUT_BYTES);
        validate_output_weights(weights, MAX_OUTPUT_WEIGHT)
    }

    /// Decodes the validated layers of a file.
    pub(super) fn decode(mut payload: Payload<'_>, scale: u16) -> SingleLayerNetwork {
        SingleLayerNetwork {
            features: FeatureLayer::decode(&mut payload),
            output_weights: std::array::from_fn(|_| {
                [Row(payload.read_i16()), Row(payload.read_i16())]
            }),
            output_biases: payload.read_i32(),
            scale,
        }
    }

    #[inline]
    pub(super) const fn features(&self) -> &FeatureLayer<HIDDEN> {
        &self.features
    }

    /// The evaluation from the accumulators of the side to move and of the other side, in a unit
    /// that divides 100 raw centipawns into `units_per_pawn` parts.
    #[inline]
    pub(super) fn evaluate(
        &self,
        kernels: &Kernels,
        [own, other]: [&Row<HIDDEN>; 2],
        bucket: usize,
        units_per_pawn: i32,
    ) -> i32 {
        let sum = kernels.output(own, other, &self.output_weights[bucket]);
        let output = sum / i64::from(QA) + i64::from(self.output_biases[bucket]);
        scale_output(output, QA * QB, self.scale, units_per_pawn)
    }
}
