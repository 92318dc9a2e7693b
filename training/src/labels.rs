//! Static labels: positions around those of games, with the evaluation of another program.
//!
//! A [`Labeller`] draws relatives of the positions of game files, has them evaluated and writes
//! them to label files. A [`LabelFile`] reads such a file block by block. The modules `file` and
//! `block` document the format, `relatives` which positions are drawn.

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
mod relatives;
mod thinning;

pub use block::LabelledGame;
pub use evaluator::IN_CHECK;
pub use file::{Block, BlockInfo, LabelFile, is_label_file};
pub use labeller::{LabelSettings, Labeller, Progress};
pub use line::{Line, MAX_PLIES};
pub use manifest::{Manifest, Source};
pub use relatives::{KEPT_PERCENT, RelativeSettings};
pub use thinning::Thinning;
