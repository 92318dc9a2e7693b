//! The first layer of a network: a row of weights for each feature.

use super::architecture::{INPUTS, KING_BUCKETS, Row};
use super::payload::Payload;
use crate::huge_pages::alloc_huge;

/// The weights of the features and the biases of the neurons, the same for both perspectives.
pub(super) struct FeatureLayer<const NEURONS: usize> {
    /// A row of weights for each input of each king bucket.
    weights: Box<[Row<NEURONS>]>,
    biases: Row<NEURONS>,
}

impl<const NEURONS: usize> FeatureLayer<NEURONS> {
    /// The bytes of the layer in a file.
    pub(super) const FILE_BYTES: usize = 2 * NEURONS * (KING_BUCKETS * INPUTS + 1);

    /// Reads the layer from the payload of a file.
    pub(super) fn decode(payload: &mut Payload<'_>) -> FeatureLayer<NEURONS> {
        FeatureLayer {
            weights: alloc_huge(KING_BUCKETS * INPUTS, || Row(payload.read_i16())).into(),
            biases: Row(payload.read_i16()),
        }
    }

    /// The row of weights of a feature.
    #[inline]
    pub(super) fn weights(&self, feature: usize) -> &Row<NEURONS> {
        &self.weights[feature]
    }

    pub(super) const fn biases(&self) -> &Row<NEURONS> {
        &self.biases
    }
}
