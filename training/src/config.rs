//! The settings of a run. The same settings, data and program give the same network, bit for bit.

use std::path::PathBuf;

use anyhow::Result;
use clap::builder::RangedU64ValueParser;
use serde::{Deserialize, Serialize};

use crate::example::Target;
use crate::king_buckets::KingBuckets;
use crate::optimiser::{AdamW, Schedule};
use crate::rounding::Rounding;
use crate::selection::Selection;
use crate::shape::{Architecture, Shape};
use crate::value_parsers;
use crate::weighted_file::WeightedFile;

/// The settings of a run. Each checkpoint stores them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, clap::Args)]
#[allow(
    missing_docs,
    reason = "doc comments on flattened groups would become the heading of the command's help"
)]
pub struct Config {
    /// viriformat game files, and label files. A pass over the data has each part of a file WEIGHT
    /// times on average, 0.01 to 100 (default: 1)
    #[arg(long, num_args = 1.., required = true, value_name = "FILE[=WEIGHT]")]
    pub data: Vec<WeightedFile>,
    #[command(flatten)]
    pub selection: Selection,
    #[command(flatten)]
    pub target: Target,
    #[command(flatten)]
    pub late: LatePhase,
    /// Layers of the network
    #[arg(long, value_enum, default_value_t)]
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
    /// Positions to train on in all, such as 300M or 2G. A position counts again in each pass
    #[arg(long, value_parser = value_parsers::positions)]
    pub samples: u64,
    /// Units (256 games of labels or 1,024 games) whose positions are shuffled together. 96 units
    /// of labels have about 13 million positions and take 0.5 GB
    #[arg(
        long,
        default_value_t = 96,
        value_parser = RangedU64ValueParser::<usize>::new().range(1..)
    )]
    pub shuffle_units: usize,
    /// Positions between two checkpoints, at least. A stopped run repeats what it did since the
    /// last one
    #[arg(long, default_value = "16M", value_parser = value_parsers::positions)]
    pub checkpoint_every: u64,
    /// Positions between two measurements of the held-out loss and the benchmark, at least
    #[arg(long, default_value = "500M", value_parser = value_parsers::positions)]
    pub benchmark_every: u64,
    /// A CSV file of positions on which the network is measured, too; see the command benchmark
    #[arg(long)]
    pub benchmark: Option<PathBuf>,
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

/// What the last part of a run trains on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, clap::Args)]
pub struct LatePhase {
    /// Share of the steps before the late phase; 1 for a run without a late phase
    #[arg(long, default_value_t = 1.0, value_parser = value_parsers::share)]
    pub late_from: f32,
    /// Data of the late phase (default: as before)
    #[arg(long, num_args = 1.., value_name = "FILE[=WEIGHT]", requires = "late_from")]
    pub late_data: Vec<WeightedFile>,
    /// Weight of the game's result in the late phase (default: as before)
    #[arg(long, value_parser = value_parsers::share, requires = "late_from")]
    pub late_result_weight: Option<f32>,
}

impl Config {
    /// The number of steps.
    #[must_use]
    pub fn total_steps(&self) -> u64 {
        self.samples / self.batch as u64
    }

    /// Whether a superbatch that starts after this many steps belongs to the late phase.
    #[must_use]
    pub fn is_late(&self, steps: u64) -> bool {
        steps as f64 >= f64::from(self.late.late_from) * self.total_steps() as f64
    }

    /// The target of the late phase.
    #[must_use]
    pub fn late_target(&self) -> Target {
        let result_weight = self.late.late_result_weight.unwrap_or(self.target.result_weight);
        Target { result_weight, ..self.target.clone() }
    }

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
