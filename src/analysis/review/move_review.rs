//! The review of one move: its loss, judgement and accuracy.

use super::win_chance::{PovScore, WinChance, move_accuracy};
use crate::chess::{Move, pgn};
use crate::engine::Score;
use crate::store::jobs::PositionEval;

/// The review of a move of a game.
///
/// The best move loses nothing, even when the score after it is lower than the score before it. In
/// that case the earlier search was wrong, and no better move is known.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveReview {
    /// The half-move of the game, from 1.
    pub ply: usize,
    /// The move that was played.
    pub mv: Move,
    /// The score before the move, from the view of the mover.
    pub score_before: Score,
    /// The score after the move, from the view of the side to move then: the other player.
    pub score_after: Score,
    /// The best line instead of the move; it begins with the best move.
    pub best_line: Vec<Move>,
    /// The loss, judgement and accuracy of the move.
    pub assessment: MoveAssessment,
}

/// The loss, judgement and accuracy of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveAssessment {
    /// The win chance that the mover lost, in percent, from 0 to 100. See [`WinChance`].
    pub win_chance_loss: f64,
    /// The centipawns that the mover lost, with scores up to [`CP_CEILING`](super::CP_CEILING).
    pub centipawn_loss: u32,
    /// The judgement; `None` when the move lost too little for one.
    pub judgement: Option<Judgement>,
    /// The accuracy in percent: 100 for a move that loses nothing. Lichess's formula:
    /// 103.1668100711649 · e^(−0.04354415386753951 · `win_chance_loss`) − 3.166924740191411 + 1,
    /// from 0 to 100.
    pub accuracy: f64,
}

impl MoveReview {
    /// Reviews half-move number `ply`, given the evaluation of the position before it and the score
    /// of the position after it. Both are from the view of the side to move there.
    pub fn new(ply: usize, mv: Move, before: &PositionEval, score_after: Score) -> MoveReview {
        let (pov_before, pov_after) =
            (PovScore::of(before.score), PovScore::of(score_after).flipped());
        let is_best = before.pv.first() == Some(&mv);
        MoveReview {
            ply,
            mv,
            score_before: before.score,
            score_after,
            best_line: before.pv.clone(),
            assessment: MoveAssessment::of_pov(pov_before, pov_after, is_best),
        }
    }

    /// The same move, known to keep the outcome of its position: it loses nothing, whatever the
    /// searches found.
    #[must_use]
    pub fn without_loss(mut self) -> MoveReview {
        let before = PovScore::of(self.score_before);
        self.assessment = MoveAssessment::of_pov(before, before, true);
        self
    }

    /// The best move in the position before the move.
    pub fn best_move(&self) -> Option<Move> {
        self.best_line.first().copied()
    }

    /// The mover's win chance before the move.
    pub fn win_chance_before(&self) -> WinChance {
        WinChance::of(self.score_before)
    }

    /// The mover's win chance after the move, by the score there. It differs from the chance before
    /// the move by the loss, except if the move gained, was the best one or keeps the outcome by
    /// tablebase.
    pub fn win_chance_after(&self) -> WinChance {
        WinChance::of(self.score_after).flipped()
    }
}

impl MoveAssessment {
    /// Assesses a move by the scores before and after it, both from the view of the mover. After a
    /// move `Score::Mate(0)` is the checkmate that it gives. The best move loses nothing.
    pub fn new(before: Score, after: Score, is_best: bool) -> MoveAssessment {
        let after = match after {
            Score::Mate(0) => PovScore::Mating,
            score => PovScore::of(score),
        };
        MoveAssessment::of_pov(PovScore::of(before), after, is_best)
    }

    /// Whether the move lost anything, or has a judgement.
    pub fn has_loss(&self) -> bool {
        self.win_chance_loss > 0.0 || self.centipawn_loss > 0 || self.judgement.is_some()
    }

    fn of_pov(before: PovScore, after: PovScore, is_best: bool) -> MoveAssessment {
        let after = if is_best { before } else { after };
        let win_chance_loss =
            (WinChance::of_pov(before).percent() - WinChance::of_pov(after).percent()).max(0.0);
        MoveAssessment {
            win_chance_loss,
            centipawn_loss: (before.centipawns() - after.centipawns()).max(0).unsigned_abs(),
            judgement: Judgement::of(before, after),
            accuracy: move_accuracy(win_chance_loss),
        }
    }
}

/// The judgement of a bad move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Judgement {
    /// It lost a little.
    Inaccuracy,
    /// It lost much.
    Mistake,
    /// It lost very much.
    Blunder,
}

/// The minimum loss of win chance for each judgement, in percent. Lichess states them on a scale
/// from −1 to 1, as 0.1, 0.2 and 0.3.
const THRESHOLDS: [(f64, Judgement); 3] =
    [(15.0, Judgement::Blunder), (10.0, Judgement::Mistake), (5.0, Judgement::Inaccuracy)];

impl Judgement {
    /// The name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Judgement::Inaccuracy => "inaccuracy",
            Judgement::Mistake => "mistake",
            Judgement::Blunder => "blunder",
        }
    }

    /// The numeric annotation glyph (NAG) in PGN.
    pub const fn nag(self) -> u8 {
        match self {
            Judgement::Inaccuracy => pgn::INACCURACY,
            Judgement::Mistake => pgn::MISTAKE,
            Judgement::Blunder => pgn::BLUNDER,
        }
    }

    /// Judges a move by the mover's scores before and after it, as Lichess does.
    ///
    /// Without mates the lost win chance counts. When the mover loses a mate, the centipawn score
    /// after the move counts; when the mover allows a mate, the one before the move.
    fn of(before: PovScore, after: PovScore) -> Option<Judgement> {
        match (before, after) {
            (PovScore::Cp(_), PovScore::Cp(_)) => {
                let loss = WinChance::of_pov(before).percent() - WinChance::of_pov(after).percent();
                THRESHOLDS.iter().find(|(min, _)| loss >= *min).map(|&(_, judgement)| judgement)
            }
            (PovScore::Cp(before), PovScore::Mated) => {
                Some(Judgement::of_mate_change(before.saturating_neg()))
            }
            (PovScore::Mating, PovScore::Cp(after)) => Some(Judgement::of_mate_change(after)),
            (PovScore::Mating, PovScore::Mated) => Some(Judgement::Blunder),
            (PovScore::Mated, _) | (_, PovScore::Mating) => None,
        }
    }

    /// Judges a change between a mate and a centipawn score from the view of the mating side.
    const fn of_mate_change(centipawns: i32) -> Judgement {
        match centipawns {
            1000.. => Judgement::Inaccuracy,
            701.. => Judgement::Mistake,
            _ => Judgement::Blunder,
        }
    }
}
