//! A position in the form that the network computes with.

use crate::features::{self, ActiveFeatures};
use crate::sample::Sample;
use crate::shape::Shape;
use crate::target::Target;

/// Active inputs, output bucket and target of one position.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    active: [ActiveFeatures; 2],
    count: u8,
    /// Which output weights it uses.
    pub output_bucket: u8,
    /// What the network shall answer, 0 to 1.
    pub target: f32,
}

impl Example {
    /// The position as a network of this shape sees it.
    #[must_use]
    pub fn new(sample: &Sample, shape: &Shape, target: &Target) -> Self {
        let count = sample.piece_count();
        Self {
            active: features::active_features(sample, &shape.king_buckets),
            count: count as u8,
            output_bucket: shape.output_bucket(count) as u8,
            target: target.of(sample),
        }
    }

    /// Active inputs of the side to move's perspective.
    #[inline(always)]
    #[must_use]
    pub fn own(&self) -> &[u16] {
        &self.active[0][..usize::from(self.count)]
    }

    /// Active inputs of the opponent's perspective.
    #[inline(always)]
    #[must_use]
    pub fn their(&self) -> &[u16] {
        &self.active[1][..usize::from(self.count)]
    }
}
