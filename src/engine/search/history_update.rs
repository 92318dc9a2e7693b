//! The updates of the histories by a node's result.
//!
//! Chess Programming Wiki, "History Heuristic" (bonus and malus; gravity) and "Static Evaluation
//! Correction History". The updates of the parent's move follow Stockfish's `update_all_stats` and
//! its bonus for a prior countermove that caused the fail low.

use arrayvec::ArrayVec;

use super::node::{Node, NodeContext};
use super::worker::SearchWorker;
use crate::chess::{Move, Position};
use crate::engine::evaluator::Evaluator;
use crate::engine::history::{history_bonus, history_malus};
use crate::engine::params;
use crate::engine::score::{Value, is_decisive};
use crate::engine::tt::Bound;

/// The number of moves of each kind that are recorded: later ones hardly matter.
const MAX_SEARCHED: usize = 32;

/// The moves that a node has searched without making one of them its best move.
pub(super) struct SearchedMoves {
    quiets: ArrayVec<Move, MAX_SEARCHED>,
    noisies: ArrayVec<Move, MAX_SEARCHED>,
}

impl SearchedMoves {
    #[inline]
    pub(super) fn new() -> SearchedMoves {
        SearchedMoves { quiets: ArrayVec::new(), noisies: ArrayVec::new() }
    }

    /// Records a move, unless [`MAX_SEARCHED`] of its kind are recorded.
    #[inline]
    pub(super) fn push(&mut self, mv: Move, is_quiet: bool) {
        let moves = if is_quiet { &mut self.quiets } else { &mut self.noisies };
        // A full list ignores the move.
        let _ = moves.try_push(mv);
    }
}

impl<E: Evaluator> SearchWorker<'_, E> {
    /// Rewards the best move of a node in every history, and penalises the moves searched before.
    pub(super) fn update_move_histories(
        &mut self,
        position: &Position,
        node: Node,
        node_context: &NodeContext,
        best_move: Move,
        searched: &SearchedMoves,
    ) {
        let ply = node.ply;
        let (bonus, malus) = (history_bonus(node.depth), history_malus(node.depth));
        let key = &node_context.history_key;
        if best_move.is_noisy() {
            self.history.update_noisy(position, key.threats, best_move, bonus);
        } else {
            self.history.update_quiet_histories(position, key, best_move, bonus);
            for (index, &mv) in searched.quiets.iter().enumerate() {
                // Late moves were hardly expected to be best, so their malus is smaller.
                let malus = malus * 8 / (8 + index as i32);
                self.history.update_quiet_histories(position, key, mv, -malus);
            }
        }
        for &mv in &searched.noisies {
            self.history.update_noisy(position, key.threats, mv, -malus);
        }
        if ply > 0 && self.stack.before(ply, 1).move_count == 1 {
            self.penalize_parent_move(ply, malus);
        }
    }

    /// Rewards the parent's quiet move after the child node failed low.
    pub(super) fn update_on_fail_low(&mut self, node: Node, node_context: &NodeContext) {
        let parent_move_count = self.stack.before(node.ply, 1).move_count;
        let late = i32::from(parent_move_count > 6) + i32::from(node.depth > 5);
        let surprise =
            i32::from(node_context.static_eval.is_some_and(|value| value > node.alpha + 60));
        let bonus =
            history_bonus(node.depth) * params::parent_bonus() / 100 * (2 + late + surprise) / 3;
        self.history.reward_parent_move(&self.stack.parent_move(node.ply), bonus);
    }

    /// Penalises the early quiet move that led to a node which failed high at once.
    pub(super) fn penalize_parent_move(&mut self, ply: usize, malus: i32) {
        let parent = self.stack.parent_move(ply);
        if parent.is_quiet() {
            self.history.update_continuations(
                parent.continuation_indices,
                usize::from(parent.piece_to),
                -malus,
            );
        }
    }

    /// Updates the history of the quiet move that led here by the change of the static evaluation,
    /// given for this node and for its parent. (After Stockfish.)
    pub(super) fn update_on_eval_change(
        &mut self,
        ply: usize,
        static_eval: Option<Value>,
        parent_eval: Option<Value>,
    ) {
        let parent = self.stack.before(ply, 1);
        let (Some(static_eval), Some(parent_eval)) = (static_eval, parent_eval) else { return };
        if parent.in_check
            || parent.mv.is_null()
            || parent.mv.is_noisy()
            || params::evaluation_bonus() == 0
        {
            return;
        }
        let change = -(static_eval + parent_eval);
        let bonus = (change * params::evaluation_bonus()).clamp(-1500, 1500) + 400;
        self.history.update_butterfly(parent.turn, parent.threats, parent.mv, bonus);
    }

    /// Updates the correction histories with the error of the static evaluation, where the result
    /// bounds it.
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
        if !best_move.is_noisy() && !contradicts && !is_decisive(value) {
            self.history.correction.update(
                &node_context.correction_indices,
                depth,
                value - static_eval,
            );
        }
    }
}
