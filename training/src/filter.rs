//! The filter of training positions.

use serde::{Deserialize, Serialize};
use viriformat::chess::board::Board;
use viriformat::chess::chessmove::Move;

use crate::sample::Sample;

/// Conditions that a training position meets.
///
/// The network evaluates quiet positions; quiescence search resolves the others. So the filter
/// drops positions in check and positions whose best move captures or promotes. It also drops
/// decided positions, because their scores carry little information.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, clap::Args)]
pub struct Filter {
    /// Drop scores beyond this many centipawns (mates are always dropped)
    #[arg(long, default_value_t = 3000)]
    pub max_score: u16,
    /// Keep positions in check
    #[arg(long)]
    pub keep_checks: bool,
    /// Keep positions whose move in the game captures or promotes
    #[arg(long)]
    pub keep_tactical: bool,
    /// Drop positions with fewer pieces, kings and pawns included
    #[arg(long, default_value_t = 3)]
    pub min_pieces: u8,
}

/// The smallest score of a mate. A mate in n plies scores 30,000 − n.
pub const MATE_THRESHOLD: u16 = 29_000;

impl Filter {
    /// Whether the network learns from `board`, where `best` was played and `score` (centipawns)
    /// was found.
    #[must_use]
    pub fn keeps(&self, board: &Board, best: Move, score: i16) -> bool {
        self.keeps_score(score)
            && (self.keep_checks || !board.in_check())
            && (self.keep_tactical || !board.is_tactical(best))
            && board.n_men() >= self.min_pieces
    }

    /// Whether the network learns from a label. No move is played there, and a label is never in
    /// check.
    #[must_use]
    pub fn keeps_label(&self, label: &Sample) -> bool {
        self.keeps_score(label.score()) && label.piece_count() >= usize::from(self.min_pieces)
    }

    fn keeps_score(&self, score: i16) -> bool {
        let size = score.unsigned_abs();
        size <= self.max_score && size < MATE_THRESHOLD
    }
}
