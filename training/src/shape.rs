//! What a network looks like.

use anyhow::{Result, ensure};

use crate::features::INPUTS;
use crate::king_buckets::KingBuckets;
use crate::row::LANES;

/// Sizes of a network: 768 inputs per king bucket and perspective → `hidden` neurons, SCReLU, two
/// perspectives side by side → 1, with one set of output weights for each of `output_buckets`
/// stages of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Neurons of the hidden layer per perspective, a multiple of [`LANES`].
    pub hidden: usize,
    /// Sets of inputs.
    pub king_buckets: KingBuckets,
    /// Sets of output weights.
    pub output_buckets: usize,
}

impl Shape {
    /// A shape that can be trained.
    ///
    /// # Errors
    ///
    /// When the sizes do not fit rows of neurons, the network file or the buckets' formula.
    pub fn new(hidden: usize, king_buckets: KingBuckets, output_buckets: usize) -> Result<Self> {
        ensure!(
            hidden > 0 && hidden.is_multiple_of(LANES),
            "the hidden layer must be a multiple of {LANES} neurons wide, not {hidden}"
        );
        ensure!(
            hidden <= usize::from(u16::MAX),
            "a hidden layer of {hidden} neurons does not fit the network file"
        );
        ensure!(
            matches!(output_buckets, 1 | 2 | 4 | 8 | 16),
            "the number of output buckets must be 1, 2, 4, 8 or 16, not {output_buckets}"
        );
        Ok(Self { hidden, king_buckets, output_buckets })
    }

    /// Rows of feature weights: inputs of one perspective over all king buckets.
    #[must_use]
    pub fn inputs(&self) -> usize {
        INPUTS * self.king_buckets.count()
    }

    /// Which output weights a position with so many pieces (2 to 32) uses.
    #[must_use]
    pub fn output_bucket(&self, pieces: usize) -> usize {
        pieces.saturating_sub(2) * self.output_buckets / 32
    }
}
