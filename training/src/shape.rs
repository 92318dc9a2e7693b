//! The sizes of a network and the units of its integer form.

use anyhow::{Result, ensure};

use crate::features::INPUTS;
use crate::king_buckets::KingBuckets;
use crate::row::LANES;

/// Units of feature weights, biases and activations per 1.0.
pub const QA: u16 = 255;
/// Units of output weights per 1.0.
pub const QB: u16 = 64;

/// The sizes of a network: 768 inputs per king bucket and perspective → `hidden` neurons, SCReLU,
/// both perspectives concatenated → 1 output. The output weights have one set for each of
/// `output_buckets` game phases.
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
    /// A shape with valid sizes.
    ///
    /// # Errors
    ///
    /// When `hidden` is not a multiple of [`LANES`] or exceeds the network file's field, or
    /// `output_buckets` is not a power of two up to 16.
    pub fn new(hidden: usize, king_buckets: KingBuckets, output_buckets: usize) -> Result<Self> {
        ensure!(
            hidden > 0 && hidden.is_multiple_of(LANES),
            "the hidden layer has {hidden} neurons; it must have a multiple of {LANES}"
        );
        ensure!(
            hidden <= usize::from(u16::MAX),
            "the hidden layer has {hidden} neurons; it must have at most {}",
            u16::MAX
        );
        ensure!(
            matches!(output_buckets, 1 | 2 | 4 | 8 | 16),
            "there are {output_buckets} output buckets; there must be 1, 2, 4, 8 or 16"
        );
        Ok(Self { hidden, king_buckets, output_buckets })
    }

    /// The inputs of one perspective over all king buckets.
    #[must_use]
    pub fn inputs(&self) -> usize {
        INPUTS * self.king_buckets.count()
    }

    /// The output bucket of a position with this many pieces (2 to 32).
    #[must_use]
    pub fn output_bucket(&self, pieces: usize) -> usize {
        pieces.saturating_sub(2) * self.output_buckets / 32
    }
}
