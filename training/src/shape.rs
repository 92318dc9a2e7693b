//! The sizes of a network and the units of its integer form.

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use crate::features::INPUTS;
use crate::king_buckets::KingBuckets;
use crate::row::LANES;

/// Units of feature weights, biases and activations per 1.0.
pub const QA: u16 = 255;
/// Units of output weights per 1.0; in the layered network, of those of the second and third layer.
pub const QB: u16 = 64;
/// Units of the activations of the layered network per 1.0.
pub const PAIR_UNIT: f32 = 127.0;
/// Units of the sums and biases of the second and third layer of the layered network per 1.0.
pub const SUM_UNIT: f32 = PAIR_UNIT * QB as f32;
/// Units of the output weights of the layered network per 1.0.
pub const OUTPUT_UNIT: f32 = 1024.0;
/// Neurons of the second layer of the layered network.
pub const SECOND_NEURONS: usize = 16;
/// Neurons of the third layer of the layered network.
pub const THIRD_NEURONS: usize = 32;

/// The layers of a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Architecture {
    /// SCReLU of the first layer, then the output
    #[default]
    SingleLayer,
    /// Products of pairs of the first layer's neurons, then 16 and 32 neurons, then the output
    Layered,
}

/// The sizes of a network: 768 inputs per king bucket and perspective → `hidden` neurons, both
/// perspectives concatenated → the other layers of the architecture → 1 output. The weights after
/// the first layer have one set for each of `output_buckets` game phases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The layers.
    pub architecture: Architecture,
    /// Neurons of the first layer per perspective, a multiple of [`LANES`].
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
    pub fn new(
        architecture: Architecture,
        hidden: usize,
        king_buckets: KingBuckets,
        output_buckets: usize,
    ) -> Result<Self> {
        ensure!(
            hidden > 0 && hidden.is_multiple_of(LANES),
            "the first layer has {hidden} neurons; it must have a multiple of {LANES}"
        );
        ensure!(
            hidden <= usize::from(u16::MAX),
            "the first layer has {hidden} neurons; it must have at most {}",
            u16::MAX
        );
        ensure!(
            matches!(output_buckets, 1 | 2 | 4 | 8 | 16),
            "there are {output_buckets} output buckets; there must be 1, 2, 4, 8 or 16"
        );
        Ok(Self { architecture, hidden, king_buckets, output_buckets })
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
