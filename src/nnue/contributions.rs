//! The contribution of each piece to an evaluation.

use super::architecture::output_bucket;
use super::board_evaluator::BoardEvaluator;
use super::network::Network;
use super::refresh_cache::PieceBitboards;
use crate::chess::{Position, Role};

/// A position's evaluation and the contribution of each piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PieceContributions {
    /// The evaluation in raw centipawns from White's view.
    pub white_value: i32,
    /// The output bucket; bucket 0 has the fewest pieces.
    pub bucket: usize,
    /// For each square the evaluation with its piece minus the evaluation without it, in raw
    /// centipawns from White's view. `None` for empty squares, and for kings, without which a
    /// position has no evaluation.
    pub pieces: [Option<i32>; 64],
}

impl Network {
    /// Evaluates a position with and without each of its pieces (after Stockfish's `eval` command).
    pub fn contributions(&self, position: &Position) -> PieceContributions {
        let mut evaluator = BoardEvaluator::new(self);
        let (boards, turn) = (PieceBitboards::from_position(position), position.turn());
        let white_value = evaluator.evaluate_for_white(&boards, turn);
        let mut pieces = [None; 64];
        for square in position.occupied().without(position.by_role(Role::King)) {
            pieces[square.index()] =
                Some(white_value - evaluator.evaluate_for_white(&boards.without(square), turn));
        }
        PieceContributions { white_value, bucket: output_bucket(boards.count()), pieces }
    }
}
