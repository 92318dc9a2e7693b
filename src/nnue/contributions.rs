//! The contribution of each piece to an evaluation.

use super::architecture::{Row, output_bucket};
use super::network::Network;
use super::refresh_cache::{PieceBitboards, RefreshCache};
use super::simd::Kernels;
use crate::chess::{Color, Piece, Position, Role, Square};

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
    /// The evaluation of a position in raw centipawns, from the view of the side to move. A search
    /// uses [`AccumulatorStack`](super::AccumulatorStack) instead, which updates incrementally.
    pub fn evaluate(&self, position: &Position) -> i32 {
        let turn = position.turn();
        BoardEvaluator::new(self).evaluate(&PieceBitboards::from_position(position), turn)
    }

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

/// An evaluator of single boards, which need not be legal.
struct BoardEvaluator<'a> {
    network: &'a Network,
    kernels: &'static Kernels,
    refresh_cache: RefreshCache,
}

impl BoardEvaluator<'_> {
    fn new(network: &Network) -> BoardEvaluator<'_> {
        BoardEvaluator {
            network,
            kernels: Kernels::best(),
            refresh_cache: RefreshCache::new(network),
        }
    }

    /// The raw centipawns of a board from White's view, with `turn` to move.
    fn evaluate_for_white(&mut self, boards: &PieceBitboards, turn: Color) -> i32 {
        let value = self.evaluate(boards, turn);
        if turn.is_white() { value } else { value.saturating_neg() }
    }

    /// The raw centipawns of a board from the view of `turn`, the side to move.
    fn evaluate(&mut self, boards: &PieceBitboards, turn: Color) -> i32 {
        let [own, other] = [turn, !turn].map(|color| self.accumulator(boards, color));
        let bucket = output_bucket(boards.count());
        self.network.scale_output(
            self.kernels.output(&own, &other, self.network.output_weights(bucket)),
            bucket,
            100,
        )
    }

    fn accumulator(&mut self, boards: &PieceBitboards, color: Color) -> Row {
        let king = boards.squares(Piece::new(color, Role::King)).first().unwrap_or(Square::A1);
        let mut accumulator = Row::ZERO;
        self.refresh_cache.refresh(
            self.network,
            self.kernels,
            (color, king),
            boards,
            &mut accumulator,
        );
        accumulator
    }
}
