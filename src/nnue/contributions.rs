//! What each piece adds to an evaluation.

use super::architecture::output_bucket;
use super::network::Network;
use super::piece_bitboards::PieceBitboards;
use super::refresh_cache::RefreshCache;
use super::row::Row;
use super::simd::Kernels;
use crate::chess::{Color, Piece, Position, Role, Square};

/// A position's evaluation and how much of it hangs on each piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PieceContributions {
    /// Linear centipawns from White's view.
    pub white_value: i32,
    /// The variant of the output that judged the position: 0 with the fewest pieces.
    pub bucket: usize,
    /// For each square the evaluation with its piece less the evaluation without it, in linear
    /// centipawns from White's view. Empty squares and kings, without which there is no evaluation,
    /// have none.
    pub pieces: [Option<i32>; 64],
}

impl Network {
    /// Linear centipawns of a position from the view of the side to move. A search asks
    /// [`Accumulators`](super::Accumulators) instead, which do not start anew.
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

/// Evaluates boards that no legal game may lead to.
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

    /// Linear centipawns of a board from White's view when it is `turn`'s move.
    fn evaluate_for_white(&mut self, boards: &PieceBitboards, turn: Color) -> i32 {
        let value = self.evaluate(boards, turn);
        if turn.is_white() { value } else { value.saturating_neg() }
    }

    /// Linear centipawns of a board from the view of `turn`, whose move it is.
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
            color,
            king,
            boards,
            &mut accumulator,
        );
        accumulator
    }
}
