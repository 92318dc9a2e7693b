//! What is said of a move.

use super::Judgement;
use super::accuracy::move_accuracy;
use super::win_chance::{PovScore, WinChance};
use crate::chess::Move;
use crate::engine::{Report, Score};

/// What a search found of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// From the view of the side to move.
    pub score: Score,
    /// The best line; empty only where the game is over.
    pub pv: Vec<Move>,
}

impl From<&Report> for Evaluation {
    fn from(report: &Report) -> Evaluation {
        Evaluation { score: report.score, pv: report.pv.clone() }
    }
}

/// What is said of a move of a game.
///
/// The best move loses nothing, whatever the deeper look behind it says: then it was the search
/// that was wrong, and nothing better is known.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveReview {
    /// Which half-move of the game, from 1.
    pub ply: usize,
    /// The move that was played.
    pub mv: Move,
    /// The score before it, from the view of the mover.
    pub score_before: Score,
    /// The score after it, from the view of the side to move then: the other player.
    pub score_after: Score,
    /// The best line in place of the move; it begins with the best move.
    pub best_line: Vec<Move>,
    /// The win chance that the mover lost, in percent: from 0 to 100. See [`WinChance`].
    pub win_chance_loss: f64,
    /// The centipawns that the mover lost, with scores up to [`CEILING`](super::CEILING).
    pub centipawn_loss: u32,
    /// What the move is called, when it lost enough for that.
    pub judgement: Option<Judgement>,
    /// How good it is, in percent: 100 for a move that loses nothing. Lichess's formula:
    /// 103.1668100711649 · e^(−0.04354415386753951 · `win_chance_loss`) − 3.166924740191411 + 1,
    /// from 0 to 100.
    pub accuracy: f64,
}

impl MoveReview {
    /// Reviews the half-move of that number, from what is known of the position before it and the
    /// score of that after it, each from the view of the side to move there.
    pub fn new(ply: usize, mv: Move, evaluation: Evaluation, score_after: Score) -> MoveReview {
        let Evaluation { score: score_before, pv: best_line } = evaluation;
        let pov_before = PovScore::of(score_before);
        let is_best = best_line.first() == Some(&mv);
        let pov_after = if is_best { pov_before } else { PovScore::of(score_after).flipped() };
        let win_chance_loss = (WinChance::of_pov(pov_before).percent()
            - WinChance::of_pov(pov_after).percent())
        .max(0.0);
        MoveReview {
            ply,
            mv,
            score_before,
            score_after,
            best_line,
            win_chance_loss,
            centipawn_loss: (pov_before.centipawns() - pov_after.centipawns())
                .max(0)
                .unsigned_abs(),
            judgement: Judgement::of(pov_before, pov_after),
            accuracy: move_accuracy(win_chance_loss),
        }
    }

    /// The best move in place of the one that was played.
    pub fn best_move(&self) -> Option<Move> {
        self.best_line.first().copied()
    }

    /// The other player's win chance after the move.
    pub(super) fn win_chance_after(&self) -> WinChance {
        WinChance::of(self.score_after)
    }
}
