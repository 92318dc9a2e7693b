//! The results that the engine reports: of a search, final or intermediate, and of a static
//! evaluation.

use std::time::Duration;

use super::score::{RawScore, Score};
use super::wdl::{Wdl, WdlModel, material, material_value};
use crate::chess::{Color, Move, Position, Square};
use crate::nnue::PieceContributions;

/// The reason why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StopReason {
    /// The requested depth is complete, or a deeper search is pointless. For `mate: n`: there is no
    /// such mate.
    Depth,
    /// The node limit was reached.
    Nodes,
    /// The time limit was reached.
    Time,
    /// The requested mate was proved.
    Mate,
    /// Tablebases know the outcome and the only best move: there was nothing to search.
    Tablebase,
    /// The game is already over in this position.
    Terminal,
    /// The stop flag was set.
    Stopped,
}

/// The state of a search after an iteration, or at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The score from the view of the side to move.
    pub score: Score,
    /// The probabilities of win, draw and loss, from the view of the side to move.
    pub wdl: Wdl,
    /// The score in raw centipawns, before the win model scales it. `None` when no search of this
    /// process found it.
    pub raw_score: Option<RawScore>,
    /// The principal variation. Every move is legal, and the line of a mate ends in checkmate. The
    /// first move is the best move. Empty only where the game is over.
    pub pv: Vec<Move>,
    /// The last completed iteration, in plies.
    pub depth: u8,
    /// The largest distance from the root that the search reached, in plies.
    pub seldepth: u8,
    /// The moves made, including quiescence, excluding null moves.
    pub nodes: u64,
    /// The wall time since the start of the search.
    pub elapsed: Duration,
    /// The reason why the search ended; [`StopReason::Depth`] in an intermediate report.
    pub reason: StopReason,
    /// `true` when the report also holds for the position without its game history. That is so when
    /// the search met no earlier position of the game and no node near the 50-move limit, and began
    /// with a half-move clock of at most 20.
    pub history_independent: bool,
    /// The tablebase probes with a result.
    pub tb_hits: u64,
    /// Whether tablebases ranked the root moves. Then the report holds for the half-move clock of
    /// its position alone.
    pub is_ranked_by_tablebase: bool,
    /// The lines of the second-best move and so on, when more than one line was requested.
    pub alternatives: Vec<Variation>,
}

/// A line from the root with its score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variation {
    /// The score from the view of the side to move.
    pub score: Score,
    /// The probabilities of win, draw and loss, from the view of the side to move.
    pub wdl: Wdl,
    /// The line. Every move is legal; never empty.
    pub pv: Vec<Move>,
}

impl Report {
    /// The report of a search that was stopped before it began: no line, and a meaningless score.
    pub fn empty() -> Report {
        Report {
            score: Score::Cp(0),
            wdl: Wdl::DRAWN,
            raw_score: None,
            pv: Vec::new(),
            depth: 0,
            seldepth: 0,
            nodes: 0,
            elapsed: Duration::ZERO,
            reason: StopReason::Stopped,
            history_independent: false,
            tb_hits: 0,
            is_ranked_by_tablebase: false,
            alternatives: Vec::new(),
        }
    }

    /// The best move; `None` where the line is empty.
    pub fn best_move(&self) -> Option<Move> {
        self.pv.first().copied()
    }

    /// The expected reply to the best move.
    pub fn ponder_move(&self) -> Option<Move> {
        self.pv.get(1).copied()
    }
}

/// A static evaluation and the contribution of each piece, in normalized centipawns (+100 = 50 %
/// win probability).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticEvaluation {
    /// The evaluation from White's view.
    pub white_value: i32,
    /// The output bucket of the network; bucket 0 has the fewest pieces.
    pub bucket: usize,
    /// For each square the evaluation with its piece minus the evaluation without it, from White's
    /// view. `None` for empty squares, and for kings, without which a position has no evaluation.
    pub pieces: [Option<i32>; 64],
}

impl StaticEvaluation {
    /// Converts the network's raw centipawns to reported ones. Without a piece there is less
    /// material, so the win model scales the two evaluations differently.
    pub(super) fn new(position: &Position, contributions: &PieceContributions) -> StaticEvaluation {
        let material = material(position);
        let white_value =
            WdlModel::for_material(material).centipawns(f64::from(contributions.white_value));
        let pieces = std::array::from_fn(|index| {
            let role = position.piece_at(Square::from_index(index as u8))?.role();
            let without = contributions.white_value - contributions.pieces[index]?;
            Some(
                white_value
                    - WdlModel::for_material(material - material_value(role))
                        .centipawns(f64::from(without)),
            )
        });
        StaticEvaluation { white_value, bucket: contributions.bucket, pieces }
    }

    /// The evaluation from a player's view.
    pub const fn value(&self, color: Color) -> i32 {
        if color.is_white() { self.white_value } else { -self.white_value }
    }
}
