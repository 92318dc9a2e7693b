//! Which positions the network learns from.

use serde::{Deserialize, Serialize};
use viriformat::chess::board::Board;
use viriformat::chess::chessmove::Move;

/// What a position must be like to be learned from.
///
/// The network judges positions where nothing hangs: the search's quiescence takes care of the
/// others. So positions in check and positions whose best move captures or promotes are left out,
/// and so are decided ones, whose scores say little.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, clap::Args)]
pub struct Filter {
    /// Leave out scores beyond this many centipawns (mates are always left out)
    #[arg(long, default_value_t = 3000)]
    pub max_score: u16,
    /// Keep positions in check
    #[arg(long)]
    pub keep_checks: bool,
    /// Keep positions whose move in the game captures or promotes
    #[arg(long)]
    pub keep_tactical: bool,
    /// Leave out positions with fewer pieces, kings and pawns included
    #[arg(long, default_value_t = 3)]
    pub min_pieces: u8,
}

/// A mate in n plies is scored as 30,000 − n: from here on a score is a mate.
pub const MATE_THRESHOLD: u16 = 29_000;

impl Filter {
    /// `true` when the network shall learn from `board`, where `best` was played and `score`
    /// (centipawns) was found.
    #[must_use]
    pub fn keeps(&self, board: &Board, best: Move, score: i16) -> bool {
        let size = score.unsigned_abs();
        size <= self.max_score
            && size < MATE_THRESHOLD
            && (self.keep_checks || !board.in_check())
            && (self.keep_tactical || !board.is_tactical(best))
            && board.n_men() >= self.min_pieces
    }
}
