//! What a node's result teaches: about its moves, the move that led to it, and its evaluation.
//!
//! Chess Programming Wiki, "History Heuristic" (bonus and malus; gravity) and "Static Evaluation
//! Correction History". What a node teaches about the move that led to it is after Stockfish's
//! `update_all_stats` and its bonus for a prior countermove that caused the fail low.

use super::evaluator::Evaluator;
use super::history::{history_bonus, history_malus};
use super::node::Node;
use super::params;
use super::score::{Value, is_mate};
use super::search::{NodeContext, SearchWorker};
use super::stack::StackEntry;
use super::tt_entry::Bound;
use crate::chess::{Move, Position};

/// The moves that a node has tried, as far as they fit: later ones hardly matter.
pub(super) struct SearchedMoves {
    moves: [Move; 32],
    len: usize,
}

impl SearchedMoves {
    pub(super) const fn new() -> SearchedMoves {
        SearchedMoves { moves: [Move::NULL; 32], len: 0 }
    }

    #[inline]
    pub(super) fn push(&mut self, mv: Move) {
        if let Some(slot) = self.moves.get_mut(self.len) {
            *slot = mv;
            self.len += 1;
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Move> {
        self.moves[..self.len].iter().copied()
    }
}

impl<E: Evaluator> SearchWorker<'_, E> {
    /// The best move of a node gains in every history, those tried before it lose.
    pub(super) fn update_move_histories(
        &mut self,
        position: &Position,
        node: Node,
        node_context: &NodeContext,
        best_move: Move,
        quiets: &SearchedMoves,
        noisies: &SearchedMoves,
    ) {
        let ply = node.ply;
        let (bonus, malus) = (history_bonus(node.depth), history_malus(node.depth));
        let threats = node_context.history_key.threats;
        if best_move.is_noisy() {
            self.history.update_noisy(position, threats, best_move, bonus);
        } else {
            self.history.update_quiet_histories(
                position,
                &node_context.history_key,
                best_move,
                bonus,
            );
            for (index, mv) in quiets.iter().enumerate() {
                // Late moves were hardly expected to work.
                let malus = malus * 8 / (8 + index as i32);
                self.history.update_quiet_histories(
                    position,
                    &node_context.history_key,
                    mv,
                    -malus,
                );
            }
        }
        for mv in noisies.iter() {
            self.history.update_noisy(position, threats, mv, -malus);
        }
        if ply > 0 && self.stack.before(ply, 1).move_count == 1 {
            let parent = *self.stack.before(ply, 1);
            self.penalize_parent_move(&parent, ply, malus);
        }
    }

    /// No move helped: the quiet move that led here was a good one.
    pub(super) fn update_on_fail_low(&mut self, node: Node, node_context: &NodeContext) {
        let parent = *self.stack.before(node.ply, 1);
        let late = i32::from(parent.move_count > 6) + i32::from(node.depth > 5);
        let surprise =
            i32::from(node_context.static_eval.is_some_and(|value| value > node.alpha + 60));
        let bonus =
            history_bonus(node.depth) * params::parent_bonus() / 100 * (2 + late + surprise) / 3;
        let continuation_indices = self.stack.parent_continuation_indices(node.ply);
        self.history.reward_parent_move(&parent, continuation_indices, bonus);
    }

    /// The early quiet move that led to a node which failed high at once was a bad one.
    pub(super) fn penalize_parent_move(&mut self, parent: &StackEntry, ply: usize, malus: i32) {
        if !parent.mv.is_null() && !parent.mv.is_noisy() {
            let continuation_indices = self.stack.parent_continuation_indices(ply);
            self.history.update_continuations(
                continuation_indices,
                usize::from(parent.piece_to),
                -malus,
            );
        }
    }

    /// The quiet move that led here changed the evaluation: its history learns of that at once.
    /// (After Stockfish.)
    pub(super) fn update_on_eval_change(
        &mut self,
        ply: usize,
        now: Option<Value>,
        last: Option<Value>,
    ) {
        let parent = self.stack.before(ply, 1);
        let (Some(now), Some(last)) = (now, last) else { return };
        if parent.in_check
            || parent.mv.is_null()
            || parent.mv.is_noisy()
            || params::evaluation_bonus() == 0
        {
            return;
        }
        let bonus = (-(now + last) * params::evaluation_bonus()).clamp(-1500, 1500) + 400;
        self.history.update_butterfly(parent.turn, parent.threats, parent.mv, bonus);
    }

    /// The correction histories learn how far the static evaluation was off, where the result says
    /// so.
    pub(super) fn update_correction_history(
        &mut self,
        node_context: &NodeContext,
        depth: i32,
        value: Value,
        bound: Bound,
        best_move: Move,
    ) {
        let Some(static_eval) = node_context.static_eval else { return };
        let contradicts = match bound {
            Bound::Lower => value <= static_eval,
            Bound::Upper => value >= static_eval,
            Bound::Exact => false,
            Bound::None => true,
        };
        if !best_move.is_noisy() && !contradicts && !is_mate(value) {
            self.history.correction.update(
                &node_context.correction_indices,
                depth,
                value - static_eval,
            );
        }
    }
}
