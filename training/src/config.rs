//! The settings of a run. The same settings, data and program give the same network, bit for bit.

use std::path::PathBuf;

use anyhow::Result;
use clap::builder::RangedU64ValueParser;
use serde::{Deserialize, Serialize};

use crate::dataset::Sources;
use crate::example::Target;
use crate::king_buckets::KingBuckets;
use crate::optimiser::{AdamW, Schedule};
use crate::rounding::Rounding;
use crate::shape::{Architecture, Shape};
use crate::value_parsers;

/// The settings of a run. Each checkpoint stores them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, clap::Args)]
#[allow(
    missing_docs,
    reason = "doc comments on flattened groups would become the heading of the command's help"
)]
pub struct Config {
    #[command(flatten)]
    pub sources: Sources,
    #[command(flatten)]
    pub target: Target,
    /// Layers of the network
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    pub architecture: Architecture,
    /// Neurons of the first layer per perspective, a multiple of 32
    #[arg(long, default_value_t = 512)]
    pub hidden: usize,
    /// Sets of inputs by the own king's square: none, 4, 8, or 32 numbers separated by commas (a1
    /// b1 c1 d1 a2 … d8)
    #[arg(long, default_value = "none")]
    pub king_buckets: String,
    /// Sets of output weights by the number of pieces
    #[arg(long, default_value_t = 8)]
    pub output_buckets: usize,
    /// Start with the weights of this checkpoint or network file, which has the same sizes or no
    /// king buckets
    #[arg(long)]
    pub start_from: Option<PathBuf>,
    /// Compute with exact weights, not with weights rounded as in the network file
    #[arg(long)]
    #[serde(default)]
    pub exact_weights: bool,
    /// Number of passes over all positions
    #[arg(long, default_value_t = 30)]
    pub epochs: u32,
    /// Positions per step
    #[arg(
        long,
        default_value_t = 16384,
        value_parser = RangedU64ValueParser::<usize>::new().range(1..)
    )]
    pub batch: usize,
    /// The loss is |prediction − target| to this power
    #[arg(long, default_value_t = 2.0, value_parser = value_parsers::one_or_more)]
    pub power: f32,
    #[command(flatten)]
    pub schedule: Schedule,
    #[command(flatten)]
    pub optimiser: AdamW,
    /// Seed of the initial weights and of the order of the positions
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

impl Config {
    /// The network's sizes.
    ///
    /// # Errors
    ///
    /// When the sizes or the king buckets are invalid.
    pub fn shape(&self) -> Result<Shape> {
        let king_buckets = KingBuckets::parse(&self.king_buckets)?;
        Shape::new(self.architecture, self.hidden, king_buckets, self.output_buckets)
    }

    /// Whether the network computes with rounded weights.
    #[must_use]
    pub fn rounding(&self) -> Rounding {
        if self.exact_weights { Rounding::Exact } else { Rounding::Quantised }
    }
}
