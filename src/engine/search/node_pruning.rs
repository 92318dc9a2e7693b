//! The pruning of a node before its moves are searched.
//!
//! Chess Programming Wiki, "Razoring", "Reverse Futility Pruning", "Null Move Pruning", "ProbCut".

use super::check_info::CheckInfo;
use super::move_picker::MovePicker;
use super::node::{Node, NodeContext, NonPv};
use super::repetition::NodeScore;
use super::tt_data::TtData;
use super::worker::SearchWorker;
use crate::chess::{Move, Position};
use crate::engine::evaluator::Evaluator;
use crate::engine::params;
use crate::engine::score::{Value, is_decisive, value_to_tt};
use crate::engine::tt::{Bound, TtEntry, tt_key};

/// The depth from which a null move's cut-off must be verified by a search of moves.
const NULL_VERIFICATION_DEPTH: i32 = 14;

impl<E: Evaluator> SearchWorker<'_, E> {
    /// Decides a zero-window node whose evaluation is so far below alpha or above beta that no move
    /// is expected to matter.
    pub(super) fn prune_node(
        &mut self,
        positions: &mut [Position],
        node: Node,
        static_eval: Value,
        node_context: &NodeContext,
    ) -> Option<NodeScore> {
        let Node { alpha, beta, depth, ply, .. } = node;
        let estimate = node_context.estimate;
        if is_decisive(beta) || is_decisive(alpha) {
            return None;
        }
        // Razoring: only captures could raise alpha, so only they are searched.
        if depth <= 4
            && estimate
                < alpha - params::razoring_base() - params::razoring_square() * depth * depth
        {
            let score = self.quiescence::<NonPv>(positions, alpha, beta, ply);
            if score.value <= alpha || self.budget.is_stopped() {
                return Some(score);
            }
        }
        // Reverse futility: the opponent is not expected to win back this margin within so few
        // plies. A node whose best move is a known quiet move is worth a search.
        let margin = params::futility_slope() * depth
            - params::futility_improving() * i32::from(node_context.improving)
            - params::futility_worsening() * i32::from(node_context.opponent_worsening)
            + node_context.correction.abs() * params::futility_correction() / 16;
        let has_quiet_tt_move =
            !node_context.tt_data.mv.is_null() && !node_context.tt_data.mv.is_noisy();
        if depth <= params::futility_depth()
            && !self.stack.at(ply).tt_pv
            && estimate >= beta
            && estimate - margin.max(10) >= beta
            && !has_quiet_tt_move
        {
            return Some(NodeScore {
                value: beta + (estimate - beta) / 3,
                depends_on_ply: node_context.tt_data.depends_on_ply,
            });
        }
        self.try_null_move(positions, node, static_eval, node_context)
    }

    /// Searches a null move: if even that fails high, a real move most likely does too.
    fn try_null_move(
        &mut self,
        positions: &mut [Position],
        node: Node,
        static_eval: Value,
        node_context: &NodeContext,
    ) -> Option<NodeScore> {
        let Node { beta, depth, ply, .. } = node;
        if !node.cut_node
            || !self.stack.at(ply).excluded_move.is_null()
            || depth < params::null_depth()
            || ply < self.null_move_min_ply
            || !positions[0].has_non_pawn_material()
            || self.stack.before(ply, 1).mv.is_null() && ply > 0
            || node_context.estimate < beta
            || static_eval
                < beta - params::null_slope() * depth + params::null_base()
                    - 100 * i32::from(node_context.improving)
        {
            return None;
        }
        let reduction = params::null_reduction()
            + depth / params::null_divisor()
            + ((node_context.estimate - beta) / params::null_evaluation()).clamp(0, 3);
        self.make_null_move(positions, ply);
        let score = self
            .search_node::<NonPv>(
                &mut positions[1..],
                node.zero_window_child(beta - 1, depth - reduction, false),
            )
            .flip();
        self.unmake_move();
        if self.budget.is_stopped() {
            return Some(NodeScore::independent(0));
        }
        if score.value < beta {
            return None;
        }
        // A mate after the opponent's null move is not proved.
        let value = if is_decisive(score.value) { beta } else { score.value };
        if depth < NULL_VERIFICATION_DEPTH || self.null_move_min_ply > 0 {
            return Some(NodeScore { value, ..score });
        }
        // In zugzwang a null move is better than any move, so deep nodes verify its result.
        self.null_move_min_ply = ply + (3 * (depth - reduction).max(0) as usize).div_ceil(4) + 1;
        let verified = self.search_node::<NonPv>(
            positions,
            Node { cut_node: false, ..node.zero_window_below(beta, depth - reduction) },
        );
        self.null_move_min_ply = 0;
        (self.budget.is_stopped() || verified.value >= beta).then_some(NodeScore {
            value,
            depends_on_ply: score.depends_on_ply.min(verified.depends_on_ply),
        })
    }

    /// Searches captures at a lower depth: one that stays far above beta there most likely does so
    /// at the full depth too.
    pub(super) fn try_probcut(
        &mut self,
        positions: &mut [Position],
        node: Node,
        node_context: &NodeContext,
    ) -> Option<NodeScore> {
        let Node { beta, depth, ply, .. } = node;
        let tt_data = node_context.tt_data;
        let static_eval = node_context.static_eval?;
        let probcut_beta = beta + params::probcut_margin()
            - params::probcut_improving() * i32::from(node_context.improving);
        if is_decisive(beta) || is_decisive(probcut_beta) {
            return None;
        }
        if let Some(score) = small_probcut(node, &tt_data) {
            return Some(score);
        }
        let is_unlikely = tt_data.bound != Bound::None
            && tt_data.depth >= depth - 3
            && tt_data.value < probcut_beta;
        if depth < params::probcut_depth() || is_unlikely || self.is_ghi_guarded(ply) {
            return None;
        }
        let mut picker = MovePicker::probcut(&positions[0], tt_data.mv, probcut_beta - static_eval);
        let check_info = CheckInfo::new(&positions[0]);
        let reduced_depth = depth - 4;
        loop {
            let ordering = node_context.ordering(&positions[0], self.history, &check_info);
            let mv = picker.next(ordering, true)?;
            let score = self.search_probcut_move(positions, node, mv, probcut_beta, reduced_depth);
            if self.budget.is_stopped() {
                return Some(NodeScore::independent(0));
            }
            if score.value < probcut_beta {
                continue;
            }
            if score.depends_on_ply >= ply as i32 {
                let entry = TtEntry {
                    mv,
                    value: value_to_tt(score.value, ply),
                    raw_eval: node_context.raw_eval,
                    depth: (reduced_depth + 1).max(0) as u8,
                    bound: Bound::Lower,
                    is_pv: self.stack.at(ply).tt_pv,
                    path_dependent: false,
                };
                self.tt.store(tt_key(&positions[0]), entry);
            }
            let excess = if is_decisive(score.value) { 0 } else { probcut_beta - beta };
            return Some(NodeScore { value: score.value - excess, ..score });
        }
    }

    /// Searches a capture with a zero window below `probcut_beta`: first by quiescence, then at the
    /// reduced depth.
    #[inline(always)]
    fn search_probcut_move(
        &mut self,
        positions: &mut [Position],
        node: Node,
        mv: Move,
        probcut_beta: Value,
        reduced_depth: i32,
    ) -> NodeScore {
        self.stack.at_mut(node.ply).reduction = 0;
        self.make_move(positions, node.ply, mv);
        let child = node.zero_window_child(probcut_beta - 1, reduced_depth, !node.cut_node);
        let mut score = self
            .quiescence::<NonPv>(&mut positions[1..], child.alpha, child.beta, child.ply)
            .flip();
        if score.value >= probcut_beta && reduced_depth > 0 && !self.budget.is_stopped() {
            score = self.search_node::<NonPv>(&mut positions[1..], child).flip();
        }
        self.unmake_move();
        score
    }
}

/// Stockfish's small ProbCut: the transposition table's value at nearly this depth may be enough.
#[inline(always)]
fn small_probcut(node: Node, tt_data: &TtData) -> Option<NodeScore> {
    let small_probcut_beta = node.beta + params::small_probcut_margin();
    let fails_high = tt_data.is_lower_bound()
        && tt_data.depth >= node.depth - 4
        && tt_data.value >= small_probcut_beta
        && !is_decisive(tt_data.value);
    fails_high
        .then_some(NodeScore { value: small_probcut_beta, depends_on_ply: tt_data.depends_on_ply })
}
