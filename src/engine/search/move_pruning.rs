//! The pruning of single moves before they are searched.
//!
//! Chess Programming Wiki, "Futility Pruning", "Late Move Pruning", "History Leaf Pruning", "Static
//! Exchange Evaluation".

use super::check_info::CheckInfo;
use super::node::{Node, NodeContext, NodeType};
use super::reductions::{ONE_PLY, base_reduction};
use super::see::{material_gain, see_at_least};
use super::worker::SearchWorker;
use crate::chess::{Move, Position};
use crate::engine::evaluator::Evaluator;
use crate::engine::history::piece_to_index;
use crate::engine::params;
use crate::engine::score::Value;

/// A move of the move loop, with what decides its pruning and reduction.
#[derive(Clone, Copy)]
pub(super) struct MoveContext {
    pub(super) mv: Move,
    pub(super) is_quiet: bool,
    /// The sum of its move histories.
    pub(super) history: i32,
    /// The material it captures and promotes to, in the units of the search.
    pub(super) material_gain: Value,
    /// It may give check.
    pub(super) may_give_check: bool,
    /// Its number in the node, from 1.
    pub(super) move_count: i32,
    /// Its reduction before adjustments, in 1/1024 ply.
    pub(super) reduction: i32,
}

/// The decision whether to prune a move.
pub(super) enum PruneDecision {
    /// The move is searched.
    Search,
    /// The move is pruned.
    Prune,
    /// The move is pruned: even this value would not raise alpha.
    PruneFutile(Value),
    /// The move and all later quiet moves are pruned.
    PruneQuiets,
}

impl<E: Evaluator> SearchWorker<'_, E> {
    /// The context of the move that the node tries now.
    #[inline]
    pub(super) fn move_context<NT: NodeType>(
        &self,
        position: &Position,
        node: Node,
        node_context: &NodeContext,
        check_info: &CheckInfo,
        mv: Move,
    ) -> MoveContext {
        let move_count = self.stack.at(node.ply).move_count;
        let mut reduction = base_reduction(node.depth, move_count);
        if NT::PV {
            reduction -= params::lmr_window() * (node.beta - node.alpha) / self.root_delta;
        }
        let is_quiet = !mv.is_noisy();
        MoveContext {
            mv,
            is_quiet,
            history: self.move_history(position, node_context, mv),
            material_gain: if is_quiet { 0 } else { material_gain(position, mv) },
            may_give_check: check_info.may_give_check(position, mv),
            move_count,
            reduction,
        }
    }

    /// The sum of the histories of a move.
    fn move_history(&self, position: &Position, node_context: &NodeContext, mv: Move) -> i32 {
        let key = &node_context.history_key;
        if mv.is_noisy() {
            return self.history.noisy(position, key.threats, mv);
        }
        let piece_to = piece_to_index(position, mv);
        self.history.butterfly(key, mv)
            + self.history.continuation(key.continuation_indices[0], piece_to)
            + self.history.continuation(key.continuation_indices[1], piece_to)
            + self.history.pawn(key, piece_to) / 2
    }

    /// Decides whether to prune a move.
    pub(super) fn prune_move(
        &self,
        position: &Position,
        node: Node,
        node_context: &NodeContext,
        candidate: MoveContext,
        has_best_move: bool,
    ) -> PruneDecision {
        // A quiet check is forcing, so it is treated like a capture. (After Stockfish.)
        if candidate.is_quiet && !candidate.may_give_check {
            prune_quiet(position, node, node_context, candidate, has_best_move)
        } else {
            prune_forcing(position, node, node_context, candidate)
        }
    }
}

/// Decides whether to prune a quiet move that gives no check.
#[inline(always)]
fn prune_quiet(
    position: &Position,
    node: Node,
    node_context: &NodeContext,
    candidate: MoveContext,
    has_best_move: bool,
) -> PruneDecision {
    let MoveContext { mv, history, move_count, .. } = candidate;
    let depth = node.depth;
    let lmp_threshold =
        (params::late_base() + depth * depth) / (2 - i32::from(node_context.improving));
    if params::late_on() != 0 && move_count >= lmp_threshold && node_context.static_eval.is_some() {
        return PruneDecision::PruneQuiets;
    }
    if history < -params::quiet_history_skip() * depth {
        return PruneDecision::Prune;
    }
    let lmr_depth = (lmr_depth(node, candidate) + history / params::quiet_history_ply()).max(0);
    if let Some(static_eval) = node_context.static_eval
        && lmr_depth < params::quiet_futility_depth()
    {
        let futility_value = static_eval
            + params::quiet_futility_base()
            + params::quiet_futility_slope() * lmr_depth
            + params::quiet_futility_first() * i32::from(!has_best_move)
            + 90 * i32::from(static_eval > node.alpha);
        if futility_value <= node.alpha {
            return PruneDecision::PruneFutile(futility_value);
        }
    }
    if params::see_on() != 0
        && !see_at_least(position, mv, -params::see_quiet() * lmr_depth * lmr_depth)
    {
        return PruneDecision::Prune;
    }
    PruneDecision::Search
}

/// Decides whether to prune a capture, a promotion or a quiet check.
#[inline(always)]
fn prune_forcing(
    position: &Position,
    node: Node,
    node_context: &NodeContext,
    candidate: MoveContext,
) -> PruneDecision {
    let MoveContext { mv, history, .. } = candidate;
    let lmr_depth = lmr_depth(node, candidate);
    if let Some(static_eval) = node_context.static_eval
        && !candidate.may_give_check
        && lmr_depth < params::noisy_futility_depth()
    {
        let futility_value = static_eval
            + params::noisy_futility_base()
            + params::noisy_futility_slope() * lmr_depth
            + candidate.material_gain
            + history * params::noisy_futility_history() / 1024;
        if futility_value <= node.alpha {
            return PruneDecision::PruneFutile(futility_value);
        }
    }
    let noisy_history = if candidate.is_quiet { 0 } else { history };
    let margin = (params::see_noisy() * node.depth + noisy_history / params::see_history()).max(0);
    if params::see_on() != 0 && !see_at_least(position, mv, -margin) {
        return PruneDecision::Prune;
    }
    PruneDecision::Search
}

/// The depth that remains after a move's reduction, in plies.
#[inline(always)]
fn lmr_depth(node: Node, candidate: MoveContext) -> i32 {
    (node.depth - 1 - candidate.reduction / ONE_PLY).max(0)
}
