//! What is said of a game that was played: how much each move lost, how it is judged, how accurate
//! each player was.
//!
//! Pure functions of the scores that searches found, without a search of their own. The formulas
//! and thresholds are those that Lichess publishes and applies
//! (<https://lichess.org/page/accuracy>; lila `modules/analyse`, scalachess `eval.scala`), so that
//! a figure means here what its readers know. They want centipawns of Stockfish, of which 100 win
//! half of the games since its version 15.1. That is how [`Score`](crate::engine::Score) is told
//! too (see [`WinModel`](crate::engine::WinModel)), so scores go into the formulas as they are
//! told; the linear scores of the network do not, which in the opening are worth more and in the
//! endgame less.

mod accuracy;
mod annotation;
mod game_review;
mod judgement;
mod move_review;
#[cfg(test)]
mod tests;
mod win_chance;

pub use annotation::{MAX_VARIATION_PLIES, annotate};
pub use game_review::{GameReview, PlayerReview};
pub use judgement::Judgement;
pub use move_review::{Evaluation, MoveReview};
pub use win_chance::{CP_CEILING, WinChance};
