//! Boards, analyses and progress bars on a terminal.
//!
//! A pipe gets plain text. `NO_COLOR` and `TERM=dumb` turn colours off.

mod analysis;
mod board;
mod live_block;
mod progress;
mod screen;

pub use analysis::{AnalysisInfo, AnalysisText};
pub use board::draw_board;
pub use indicatif::ProgressBar;
pub use live_block::LiveBlock;
pub use progress::{AboveBar, above_bar, progress_bar, progress_bar_with_message};
pub use screen::Screen;
