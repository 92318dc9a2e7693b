//! Reviews of played games: the loss, judgement and accuracy of each move and of each player.
//!
//! The functions are pure: they take scores that searches returned and search nothing themselves.
//! The formulas and thresholds are the ones that Lichess publishes and applies
//! (<https://lichess.org/page/accuracy>; lila `modules/analyse`, scalachess `eval.scala`), so
//! readers can compare the numbers.
//!
//! The formulas expect centipawns of Stockfish. Since version 15.1, 100 of them win half of the
//! games. [`Score`](crate::engine::Score) uses the same unit (see
//! [`WdlModel`](crate::engine::WdlModel)), so the formulas take its value unchanged. Raw network
//! scores are unsuitable: they are worth more in the opening and less in the endgame.

mod annotation;
mod game_review;
mod move_review;
#[cfg(test)]
mod tests;
mod win_chance;

pub use annotation::{MAX_VARIATION_PLIES, annotate};
pub use game_review::{GameReview, PlayerReview};
pub use move_review::{Judgement, MoveAssessment, MoveReview};
pub use win_chance::{CP_CEILING, WinChance};
