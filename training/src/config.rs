//! Everything that decides how a run goes. The same settings, data and program give the same
//! network to the bit.

use std::path::PathBuf;

use anyhow::Result;
use clap::builder::RangedU64ValueParser;
use serde::{Deserialize, Serialize};

use crate::dataset::Sources;
use crate::king_buckets::KingBuckets;
use crate::number;
use crate::optimiser::AdamW;
use crate::schedule::Schedule;
use crate::shape::Shape;
use crate::target::Target;
use crate::tile::Rounding;

/// The settings of a run, kept in each checkpoint.
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
    /// Neurons of the hidden layer per perspective, a multiple of 32
    #[arg(long, default_value_t = 512)]
    pub hidden: usize,
    /// Sets of inputs by the own king's square: none, 4, 8, or 32 numbers with commas between (a1
    /// b1 c1 d1 a2 … d8)
    #[arg(long, default_value = "none")]
    pub king_buckets: String,
    /// Sets of output weights by the number of pieces
    #[arg(long, default_value_t = 8)]
    pub output_buckets: usize,
    /// Begin with the weights of this checkpoint or network file: of the same sizes, or without
    /// king buckets
    #[arg(long)]
    pub start_from: Option<PathBuf>,
    /// Compute with weights as they are, not rounded as the network file will hold them
    #[arg(long)]
    #[serde(default)]
    pub exact_weights: bool,
    /// How often all positions are gone through
    #[arg(long, default_value_t = 30)]
    pub epochs: u32,
    /// Positions a step
    #[arg(long, default_value_t = 16384, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    pub batch: usize,
    /// The loss is |answer − target| to this power
    #[arg(long, default_value_t = 2.0, value_parser = number::one_or_more)]
    pub power: f32,
    #[command(flatten)]
    pub schedule: Schedule,
    #[command(flatten)]
    pub optimiser: AdamW,
    /// What the first weights and the order of the positions are drawn from
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

impl Config {
    /// The network's sizes.
    ///
    /// # Errors
    ///
    /// When they do not fit.
    pub fn shape(&self) -> Result<Shape> {
        Shape::new(self.hidden, KingBuckets::parse(&self.king_buckets)?, self.output_buckets)
    }

    /// Whether the network computes with rounded weights.
    #[must_use]
    pub fn rounding(&self) -> Rounding {
        if self.exact_weights { Rounding::Exact } else { Rounding::Quantised }
    }
}
