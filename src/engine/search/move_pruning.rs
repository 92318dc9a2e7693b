//! Which moves of a node need not be searched.
//!
//! Chess Programming Wiki, "Futility Pruning", "Late Move Pruning", "History Leaf Pruning", "Static
//! Exchange Evaluation".

use super::check_info::CheckInfo;
use super::evaluator::Evaluator;
use super::history::piece_to_index;
use super::node::Node;
use super::params;
use super::reductions::ONE_PLY;
use super::score::Value;
use super::search::{NodeContext, SearchWorker};
use super::see::{material_gain, see_at_least};
use crate::chess::{Move, Position};

/// A move on its way through the loop.
#[derive(Clone, Copy)]
pub(super) struct MoveContext {
    pub(super) mv: Move,
    pub(super) is_quiet: bool,
    /// What the histories say of it.
    pub(super) history: i32,
    /// What it takes and promotes to, in the units of the search.
    pub(super) material_gain: Value,
    /// It may give check.
    pub(super) may_give_check: bool,
}

/// What comes of asking whether to skip a move.
pub(super) enum PruneDecision {
    /// It is searched.
    Search,
    /// It is not.
    Prune,
    /// It is not: even so much would not reach alpha.
    PruneFutile(Value),
    /// Neither it nor any other quiet move.
    PruneQuiets,
}

impl<E: Evaluator> SearchWorker<'_, E> {
    pub(super) fn move_context(
        &self,
        position: &Position,
        node_context: &NodeContext,
        check_info: &CheckInfo,
        mv: Move,
    ) -> MoveContext {
        let is_quiet = !mv.is_noisy();
        let history = if is_quiet {
            let piece_to = piece_to_index(position, mv);
            let continuation_indices = node_context.history_key.continuation_indices;
            self.history.butterfly(&node_context.history_key, mv)
                + self.history.continuation(continuation_indices[0], piece_to)
                + self.history.continuation(continuation_indices[1], piece_to)
                + self.history.pawn(&node_context.history_key, piece_to) / 2
        } else {
            self.history.noisy(position, node_context.history_key.threats, mv)
        };
        let material_gain = if is_quiet { 0 } else { material_gain(position, mv) };
        MoveContext {
            mv,
            is_quiet,
            history,
            material_gain,
            may_give_check: check_info.may_give_check(position, mv),
        }
    }

    /// Whether a move need not be searched. Chess Programming Wiki, "Futility Pruning", "Late Move
    /// Pruning", "History Leaf Pruning", "Static Exchange Evaluation".
    #[expect(clippy::too_many_arguments, reason = "it is one step of the loop, with a name")]
    pub(super) fn prune_move(
        &self,
        position: &Position,
        node: Node,
        alpha: Value,
        node_context: &NodeContext,
        move_context: MoveContext,
        reduction: i32,
        move_count: i32,
        has_best_move: bool,
    ) -> PruneDecision {
        let MoveContext { mv, is_quiet, history, material_gain, may_give_check } = move_context;
        let depth = node.depth;
        let lmr_depth = (depth - 1 - reduction / ONE_PLY).max(0);
        // A quiet check is forcing: it is judged like a capture. (After Stockfish.)
        if is_quiet && !may_give_check {
            let late_move_count =
                (params::late_base() + depth * depth) / (2 - i32::from(node_context.improving));
            if params::late_on() != 0
                && move_count >= late_move_count
                && node_context.static_eval.is_some()
            {
                return PruneDecision::PruneQuiets;
            }
            if history < -params::quiet_history_skip() * depth {
                return PruneDecision::Prune;
            }
            let lmr_depth = (lmr_depth + history / params::quiet_history_ply()).max(0);
            if let Some(static_eval) = node_context.static_eval
                && lmr_depth < params::quiet_futility_depth()
            {
                let futility_value = static_eval
                    + params::quiet_futility_base()
                    + params::quiet_futility_slope() * lmr_depth
                    + params::quiet_futility_first() * i32::from(!has_best_move)
                    + 90 * i32::from(static_eval > alpha);
                if futility_value <= alpha {
                    return PruneDecision::PruneFutile(futility_value);
                }
            }
            if params::see_on() != 0
                && !see_at_least(position, mv, -params::see_quiet() * lmr_depth * lmr_depth)
            {
                return PruneDecision::Prune;
            }
            return PruneDecision::Search;
        }
        if let Some(static_eval) = node_context.static_eval
            && !may_give_check
            && lmr_depth < params::noisy_futility_depth()
        {
            let futility_value = static_eval
                + params::noisy_futility_base()
                + params::noisy_futility_slope() * lmr_depth
                + material_gain
                + history * params::noisy_futility_history() / 1024;
            if futility_value <= alpha {
                return PruneDecision::PruneFutile(futility_value);
            }
        }
        let history = if is_quiet { 0 } else { history };
        let margin = (params::see_noisy() * depth + history / params::see_history()).max(0);
        if params::see_on() != 0 && !see_at_least(position, mv, -margin) {
            return PruneDecision::Prune;
        }
        PruneDecision::Search
    }
}
