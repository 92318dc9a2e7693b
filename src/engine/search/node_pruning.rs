//! What ends a node before its moves are tried.
//!
//! Chess Programming Wiki, "Razoring", "Reverse Futility Pruning", "Null Move Pruning", "ProbCut".

use super::check_info::CheckInfo;
use super::evaluator::Evaluator;
use super::keys::tt_key;
use super::move_picker::MovePicker;
use super::node::{Node, NonPv};
use super::params;
use super::repetition::NodeScore;
use super::score::{Value, is_mate, value_to_tt};
use super::search::{NodeContext, SearchWorker};
use super::tt_entry::{Bound, TtEntry};
use crate::chess::Position;

/// From this depth on, a null move's cut-off has to be confirmed by moves.
const NULL_VERIFICATION_DEPTH: i32 = 14;

impl<E: Evaluator> SearchWorker<'_, E> {
    /// Ends a node with a zero window that stands so far below `alpha` or above `beta` that no move
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
        if is_mate(beta) || is_mate(alpha) {
            return None;
        }
        // Razoring: only captures could save it, so only they are looked at.
        if depth <= 4
            && estimate
                < alpha - params::razoring_base() - params::razoring_square() * depth * depth
        {
            let score = self.quiescence::<NonPv>(positions, alpha, beta, ply);
            if score.value <= alpha || self.budget.is_stopped() {
                return Some(score);
            }
        }
        // Reverse futility: no opponent's move is expected to win back that much within so few
        // plies. Not where a quiet move is known to be best: that position is worth a look.
        let margin = params::futility_slope() * depth
            - params::futility_improving() * i32::from(node_context.improving)
            - params::futility_worsening() * i32::from(node_context.opponent_worsening)
            + node_context.correction.abs() * params::futility_correction() / 16;
        let quiet_table_move =
            !node_context.tt_data.mv.is_null() && !node_context.tt_data.mv.is_noisy();
        if depth <= params::futility_depth()
            && !self.stack.at(ply).tt_pv
            && estimate >= beta
            && estimate - margin.max(10) >= beta
            && !quiet_table_move
        {
            return Some(NodeScore {
                value: beta + (estimate - beta) / 3,
                depends_on_ply: node_context.tt_data.depends_on_ply,
            });
        }
        self.try_null_move(positions, node, static_eval, node_context)
    }

    /// Passes: if even that fails high, a move surely would.
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
        // A mate that the opponent's pass allowed is not proved.
        let value = if is_mate(score.value) { beta } else { score.value };
        if depth < NULL_VERIFICATION_DEPTH || self.null_move_min_ply > 0 {
            return Some(NodeScore { value, ..score });
        }
        // Zugzwang: deep down the pass has to be confirmed by moves.
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

    /// A capture that stays far above `beta` in a shallower search would do so in a full one.
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
        if is_mate(beta) || is_mate(probcut_beta) {
            return None;
        }
        // What the table says at nearly this depth may be enough by itself: Stockfish's small
        // ProbCut.
        let small_probcut_beta = beta + params::small_probcut_margin();
        if tt_data.is_lower_bound()
            && tt_data.depth >= depth - 4
            && tt_data.value >= small_probcut_beta
            && !is_mate(tt_data.value)
        {
            return Some(NodeScore {
                value: small_probcut_beta,
                depends_on_ply: tt_data.depends_on_ply,
            });
        }
        let unlikely = tt_data.bound != Bound::None
            && tt_data.depth >= depth - 3
            && tt_data.value < probcut_beta;
        if depth < params::probcut_depth() || unlikely || self.is_draw_guarded(ply) {
            return None;
        }
        let mut picker = MovePicker::winning(&positions[0], tt_data.mv, probcut_beta - static_eval);
        let check_info = CheckInfo::new(&positions[0]);
        let reduced_depth = depth - 4;
        loop {
            let ordering = node_context.ordering(&positions[0], self.history, &check_info);
            let mv = picker.next(ordering, true)?;
            self.stack.at_mut(ply).reduction = 0;
            self.make_move(positions, ply, mv);
            let child = node.zero_window_child(probcut_beta - 1, 0, !node.cut_node);
            let mut score = self
                .quiescence::<NonPv>(&mut positions[1..], child.alpha, child.beta, ply + 1)
                .flip();
            if score.value >= probcut_beta && reduced_depth > 0 && !self.budget.is_stopped() {
                score = self
                    .search_node::<NonPv>(
                        &mut positions[1..],
                        Node { depth: reduced_depth, ..child },
                    )
                    .flip();
            }
            self.unmake_move();
            if self.budget.is_stopped() {
                return Some(NodeScore::independent(0));
            }
            if score.value >= probcut_beta {
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
                let value = if is_mate(score.value) {
                    score.value
                } else {
                    score.value - (probcut_beta - beta)
                };
                return Some(NodeScore { value, ..score });
            }
        }
    }
}
