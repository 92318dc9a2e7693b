//! What each piece adds to an evaluation.

use super::architecture::output_bucket;
use super::boards::Boards;
use super::network::Network;
use super::refresh::RefreshCache;
use super::row::Row;
use super::simd::Kernels;
use crate::chess::{Color, Piece, Position, Role, Square};

/// A position's evaluation and how much of it hangs on each piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contributions {
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
        Judge::new(self).value(&Boards::of(position), turn)
    }

    /// Evaluates a position with and without each of its pieces (after Stockfish's `eval` command).
    pub fn contributions(&self, position: &Position) -> Contributions {
        let mut judge = Judge::new(self);
        let (boards, turn) = (Boards::of(position), position.turn());
        let white_value = judge.white_value(&boards, turn);
        let mut pieces = [None; 64];
        for square in position.occupied().without(position.by_role(Role::King)) {
            pieces[square.index()] =
                Some(white_value - judge.white_value(&boards.without(square), turn));
        }
        Contributions { white_value, bucket: output_bucket(boards.count()), pieces }
    }
}

/// Evaluates boards that no legal game may lead to.
struct Judge<'a> {
    network: &'a Network,
    kernels: &'static Kernels,
    cache: RefreshCache,
}

impl Judge<'_> {
    fn new(network: &Network) -> Judge<'_> {
        Judge { network, kernels: Kernels::best(), cache: RefreshCache::new(network) }
    }

    /// Linear centipawns of a board from White's view when it is `turn`'s move.
    fn white_value(&mut self, boards: &Boards, turn: Color) -> i32 {
        let value = self.value(boards, turn);
        if turn.is_white() { value } else { value.saturating_neg() }
    }

    /// Linear centipawns of a board from the view of `turn`, whose move it is.
    fn value(&mut self, boards: &Boards, turn: Color) -> i32 {
        let [own, other] = [turn, !turn].map(|color| self.sums(boards, color));
        let bucket = output_bucket(boards.count());
        self.network.value(
            self.kernels.output(&own, &other, self.network.outputs(bucket)),
            bucket,
            100,
        )
    }

    fn sums(&mut self, boards: &Boards, color: Color) -> Row {
        let king = boards.squares(Piece::new(color, Role::King)).first().unwrap_or(Square::A1);
        let mut sums = Row::ZERO;
        self.cache.refresh(self.network, self.kernels, color, king, boards, &mut sums);
        sums
    }
}
