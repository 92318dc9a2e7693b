//! What a node's result teaches: about its moves, the move that led to it, and its evaluation.
//!
//! Chess Programming Wiki, "History Heuristic" (bonus and malus; gravity) and "Static Evaluation
//! Correction History". What a node teaches about the move that led to it is after Stockfish's
//! `update_all_stats` and its bonus for a prior countermove that caused the fail low.

use super::entry::Bound;
use super::evaluation::Evaluator;
use super::frame::Frame;
use super::history::{bonus, malus};
use super::node::Node;
use super::params;
use super::score::{Value, is_mate};
use super::search::{Search, Standing};
use crate::chess::{Move, Position};

/// The moves that a node has tried, as far as they fit: later ones hardly matter.
pub(super) struct Tried {
    moves: [Move; 32],
    len: usize,
}

impl Tried {
    pub(super) const fn new() -> Tried {
        Tried { moves: [Move::NULL; 32], len: 0 }
    }

    #[inline]
    pub(super) fn push(&mut self, mv: Move) {
        if let Some(place) = self.moves.get_mut(self.len) {
            *place = mv;
            self.len += 1;
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Move> {
        self.moves[..self.len].iter().copied()
    }
}

impl<E: Evaluator> Search<'_, E> {
    /// The best move of a node gains in every history, those tried before it lose.
    pub(super) fn learn_moves(
        &mut self,
        position: &Position,
        node: Node,
        standing: &Standing,
        best: Move,
        quiets: &Tried,
        noisies: &Tried,
    ) {
        let ply = node.ply;
        let (gain, loss) = (bonus(node.depth), malus(node.depth));
        let threats = standing.setting.threats;
        if best.is_noisy() {
            self.history.update_noisy(position, threats, best, gain);
        } else {
            self.history.update_quiet(position, &standing.setting, best, gain);
            for (index, mv) in quiets.iter().enumerate() {
                // Late moves were hardly expected to work.
                let loss = loss * 8 / (8 + index as i32);
                self.history.update_quiet(position, &standing.setting, mv, -loss);
            }
        }
        for mv in noisies.iter() {
            self.history.update_noisy(position, threats, mv, -loss);
        }
        if ply > 0 && self.frames.before(ply, 1).tried == 1 {
            let before = *self.frames.before(ply, 1);
            self.punish_parent(&before, ply, loss);
        }
    }

    /// No move helped: the quiet move that led here was a good one.
    pub(super) fn learn_fail_low(&mut self, node: Node, standing: &Standing) {
        let before = *self.frames.before(node.ply, 1);
        let late = i32::from(before.tried > 6) + i32::from(node.depth > 5);
        let surprise = i32::from(standing.evaluation.is_some_and(|value| value > node.alpha + 60));
        let gain = bonus(node.depth) * params::parent_bonus() / 100 * (2 + late + surprise) / 3;
        let rows = self.frames.parent_rows(node.ply);
        self.history.reward_parent(&before, rows, gain);
    }

    /// The early quiet move that led to a node which failed high at once was a bad one.
    pub(super) fn punish_parent(&mut self, before: &Frame, ply: usize, malus: i32) {
        if !before.mv.is_null() && !before.mv.is_noisy() {
            let rows = self.frames.parent_rows(ply);
            self.history.update_continuations(rows, usize::from(before.cell), -malus);
        }
    }

    /// The quiet move that led here changed the evaluation: its history learns of that at once.
    /// (After Stockfish.)
    pub(super) fn learn_from_swing(&mut self, ply: usize, now: Option<Value>, last: Option<Value>) {
        let before = self.frames.before(ply, 1);
        let (Some(now), Some(last)) = (now, last) else { return };
        if before.in_check
            || before.mv.is_null()
            || before.mv.is_noisy()
            || params::evaluation_bonus() == 0
        {
            return;
        }
        let swing = (-(now + last) * params::evaluation_bonus()).clamp(-1500, 1500) + 400;
        self.history.update_main(before.turn, before.threats, before.mv, swing);
    }

    /// The correction histories learn how far the static evaluation was off, where the result says
    /// so.
    pub(super) fn learn_correction(
        &mut self,
        standing: &Standing,
        depth: i32,
        value: Value,
        bound: Bound,
        best: Move,
    ) {
        let Some(evaluation) = standing.evaluation else { return };
        let contradicts = match bound {
            Bound::Lower => value <= evaluation,
            Bound::Upper => value >= evaluation,
            Bound::Exact => false,
            Bound::None => true,
        };
        if !best.is_noisy() && !contradicts && !is_mate(value) {
            self.history.correction.learn(&standing.places, depth, value - evaluation);
        }
    }
}
