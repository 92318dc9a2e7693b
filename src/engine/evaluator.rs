//! The interface between the search and whatever judges a quiet position.

use super::score::Value;
use crate::chess::{Move, Position};

/// A static evaluation that is told of every move on the line under search, so that it can keep its
/// sums up to date instead of starting anew at each node.
pub(super) trait Evaluator {
    /// Starts a line at this position.
    fn reset(&mut self, root: &Position);

    /// A legal move is about to be made in `before`.
    fn make_move(&mut self, before: &Position, mv: Move);

    /// The side to move passes.
    fn make_null_move(&mut self);

    /// The last move of the line, or the last pass, is taken back.
    fn unmake_move(&mut self);

    /// Units of the search, from the view of the side to move in the line's last position, which is
    /// given.
    fn evaluate(&mut self, position: &Position) -> Value;
}
