//! The layered network, format 2: two more layers lie between the accumulators and the output.

use super::architecture::{LAYERED_HIDDEN, OUTPUT_BUCKETS, Row, scale_output};
use super::error::NetworkError;
use super::feature_layer::FeatureLayer;
use super::later_layers::{LaterLayers, OUTPUT_ONE};
use super::payload::Payload;
use super::simd::Kernels;

/// The weights of a network with [`LAYERED_HIDDEN`] neurons for each perspective. One of
/// [`OUTPUT_BUCKETS`] sets of later layers is selected by the number of pieces.
pub(super) struct LayeredNetwork {
    features: FeatureLayer<LAYERED_HIDDEN>,
    /// The layers after the accumulators, by output bucket.
    later_layers: Box<[LaterLayers]>,
    scale: u16,
}

impl LayeredNetwork {
    /// The bytes of the layers in a file.
    pub(super) const FILE_BYTES: usize =
        FeatureLayer::<LAYERED_HIDDEN>::FILE_BYTES + OUTPUT_BUCKETS * LaterLayers::FILE_BYTES;

    /// Checks the ranges that the arithmetic relies on, in the layers' bytes of a file.
    pub(super) const fn validate(layers: &[u8]) -> Result<(), NetworkError> {
        LaterLayers::validate_all(layers.split_at(FeatureLayer::<LAYERED_HIDDEN>::FILE_BYTES).1)
    }

    /// Decodes the validated layers of a file.
    pub(super) fn decode(mut payload: Payload<'_>, scale: u16) -> LayeredNetwork {
        LayeredNetwork {
            features: FeatureLayer::decode(&mut payload),
            later_layers: LaterLayers::decode_all(&mut payload),
            scale,
        }
    }

    #[inline]
    pub(super) const fn features(&self) -> &FeatureLayer<LAYERED_HIDDEN> {
        &self.features
    }

    /// The evaluation from the accumulators of the side to move and of the other side, in a unit
    /// that divides 100 raw centipawns into `units_per_pawn` parts.
    #[inline]
    pub(super) fn evaluate(
        &self,
        kernels: &Kernels,
        accumulators: [&Row<LAYERED_HIDDEN>; 2],
        bucket: usize,
        units_per_pawn: i32,
    ) -> i32 {
        let output = kernels.layered_output(accumulators, &self.later_layers[bucket]);
        scale_output(i64::from(output), OUTPUT_ONE, self.scale, units_per_pawn)
    }
}
