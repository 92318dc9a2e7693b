//! Static labels: positions around those of games, with the evaluation of another program.
//!
//! A [`Labeller`] draws the [`relatives`] of the positions of game files, has them evaluated and
//! writes them to label files. A [`LabelFile`] reads such a file block by block.

mod block;
mod evaluator;
mod file;
mod job;
mod labeller;
mod line;
mod manifest;
mod output;
mod quiet_line;
mod random;
pub mod relatives;
mod thinning;

pub use block::LabelledGame;
pub use evaluator::IN_CHECK;
pub use file::{Block, BlockInfo, EXTENSION, LabelFile};
pub use labeller::{LabelSettings, Labeller, Progress};
pub use line::{Line, MAX_PLIES};
pub use manifest::{Manifest, Source};
pub use relatives::RelativeSettings;
pub use thinning::Thinning;
