//! What a search found out.

use std::time::Duration;

use super::{RawScore, Score, Wdl};
use crate::chess::Move;

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StopReason {
    /// The asked depth was searched to its end, or there is nothing deeper to find; of `mate: n`,
    /// that there is no such mate.
    Depth,
    /// The node limit.
    Nodes,
    /// The time limit.
    Time,
    /// The asked mate was proved.
    Mate,
    /// The game is over in this position.
    Terminal,
    /// The stop flag.
    Stopped,
}

/// The state of an analysis after an iteration, or at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// From the view of the side to move.
    pub score: Score,
    /// What the score means in games, from the view of the side to move.
    pub wdl: Wdl,
    /// The score before it was fitted to games; `None` where no search of this process found it.
    pub raw_score: Option<RawScore>,
    /// The expected line, legal move by move; a mate's ends in mate. Its first move is the best
    /// move. Empty only where the game is over.
    pub pv: Vec<Move>,
    /// The iteration that was finished last, in plies.
    pub depth: u8,
    /// The greatest number of plies from the root that the search has reached.
    pub seldepth: u8,
    /// Make-moves, quiescence included, null moves not.
    pub nodes: u64,
    /// Wall time since the start of the search.
    pub elapsed: Duration,
    /// Why the search ended; of an update along the way, [`StopReason::Depth`].
    pub reason: StopReason,
    /// `true` when the search met no earlier position of its game's history and no node near the
    /// 50-move limit, and began with a half-move clock of 20 at most: then the same answer holds
    /// for the bare position.
    pub history_independent: bool,
    /// With more than one line asked: the second-best move and on, with their lines.
    pub alternatives: Vec<Variation>,
}

/// A line from the root with its score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variation {
    /// From the view of the side to move.
    pub score: Score,
    /// What the score means in games, from the view of the side to move.
    pub wdl: Wdl,
    /// Legal move by move; never empty.
    pub pv: Vec<Move>,
}

impl Report {
    /// Of a search that was stopped before it began: no line, and a score that says nothing.
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
            alternatives: Vec::new(),
        }
    }

    /// The best move; `None` only where the game is over.
    pub fn best_move(&self) -> Option<Move> {
        self.pv.first().copied()
    }

    /// The answer that is expected to the best move.
    pub fn ponder_move(&self) -> Option<Move> {
        self.pv.get(1).copied()
    }
}
