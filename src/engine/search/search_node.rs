//! Principal variation search of a node, up to its moves.
//!
//! Chess Programming Wiki, "Principal Variation Search", "Transposition Table", "Mate Distance
//! Pruning", "Internal Iterative Reductions". The search may prune, but never into a mate: a mate
//! score means that every defence was searched.

use std::ops::ControlFlow;

use super::node::{Node, NodeContext, NodeEval, NodeType};
use super::reductions::ONE_PLY;
use super::repetition::{NEAR_FIFTY_MOVES, NodeScore};
use super::threats::Threats;
use super::tt_data::TtData;
use super::worker::SearchWorker;
use crate::chess::Position;
use crate::engine::bare_king::has_bare_king;
use crate::engine::evaluator::Evaluator;
use crate::engine::history::{CorrectionIndices, HistoryKey, corrected_static_eval};
use crate::engine::params;
use crate::engine::score::{INFINITE, KNOWN_WIN, MAX_PLY, Value, is_decisive, mate_in, mated_in};
use crate::engine::tt::tt_key;

impl<E: Evaluator> SearchWorker<'_, E> {
    /// Searches the node of the first position and returns its value: exact inside the window, a
    /// bound outside (fail-soft). The further positions are scratch space for its descendants. Once
    /// the budget is spent the value is meaningless.
    pub(super) fn search_node<NT: NodeType>(
        &mut self,
        positions: &mut [Position],
        mut node: Node,
    ) -> NodeScore {
        let ply = node.ply;
        if node.depth <= 0 {
            return self.quiescence::<NT>(positions, node.alpha, node.beta, ply);
        }
        self.pv_table.clear(ply);
        self.seldepth = self.seldepth.max(ply);
        if self.budget.is_stopped() {
            return NodeScore::independent(0);
        }
        let excluded_move = self.stack.at(ply).excluded_move;
        let mut repetition_bound = NodeScore::independent(-INFINITE);
        if !NT::ROOT {
            match self.resolve_before_tt(&positions[0], &mut node, excluded_move.is_null()) {
                ControlFlow::Break(score) => return score,
                ControlFlow::Continue(value) => repetition_bound = value,
            }
        }
        self.stack.at_mut(ply + 2).cutoff_count = 0;

        let tt_data = self.probe_tt(&positions[0], ply);
        // The entry's move and value do not hold for the position without its best move.
        let tt_data = if excluded_move.is_null() { tt_data } else { tt_data.without_move() };
        if excluded_move.is_null() {
            self.stack.at_mut(ply).tt_pv = NT::PV || tt_data.is_pv;
            if !NT::PV
                && let Some(score) = self.tt_cutoff(&positions[0], &tt_data, node)
            {
                return score.raised_to(repetition_bound, node.beta);
            }
        }

        let mut ceiling = INFINITE;
        if !NT::ROOT && excluded_move.is_null() {
            match self.probe_tablebase::<NT>(&positions[0], node) {
                ControlFlow::Break(score) => return score.raised_to(repetition_bound, node.beta),
                ControlFlow::Continue(bounds) => {
                    ceiling = bounds.ceiling;
                    if bounds.floor > repetition_bound.value {
                        repetition_bound = NodeScore::independent(bounds.floor);
                        node.alpha = node.alpha.max(bounds.floor);
                    }
                }
            }
        }

        let mut node_context = self.evaluate_node::<NT>(&positions[0], tt_data, node);
        node_context.ceiling = ceiling;
        self.adjust_depth_by_hindsight::<NT>(&mut node, &node_context);
        if !NT::PV
            && let Some(static_eval) = node_context.static_eval
            && positions[0].halfmove_clock() < NEAR_FIFTY_MOVES
            && let Some(score) = self.prune_node(positions, node, static_eval, &node_context)
        {
            return score.raised_to(repetition_bound, node.beta);
        }
        // The root has a first move even without a table entry.
        let lacks_tt_move = tt_data.mv.is_null() && excluded_move.is_null() && !NT::ROOT;
        if node.depth >= params::iir_depth() && lacks_tt_move && (NT::PV || node.cut_node) {
            node.depth -= 1;
        }
        if !NT::PV
            && excluded_move.is_null()
            && node_context.static_eval.is_some()
            && positions[0].halfmove_clock() < NEAR_FIFTY_MOVES
            && let Some(score) = self.try_probcut(positions, node, &node_context)
        {
            return score.raised_to(repetition_bound, node.beta);
        }
        self.run_move_loop::<NT>(positions, node, &node_context, repetition_bound)
    }

    /// Decides a node by draws, the ply limit and mate distances. Otherwise narrows the window and
    /// returns the lower bound of [`Self::resolve_draws`].
    #[inline(always)]
    fn resolve_before_tt(
        &mut self,
        position: &Position,
        node: &mut Node,
        detect_upcoming: bool,
    ) -> ControlFlow<NodeScore, NodeScore> {
        let repetition_bound =
            self.resolve_draws(position, node.ply, (node.alpha, node.beta), detect_upcoming)?;
        node.alpha = node.alpha.max(repetition_bound.value);
        // No line is better than mate in one, or worse than being checkmated now.
        if params::mate_distance_on() != 0 {
            node.alpha = node.alpha.max(mated_in(node.ply));
            node.beta = node.beta.min(mate_in(node.ply + 1));
            if node.alpha >= node.beta {
                return ControlFlow::Break(NodeScore::independent(node.alpha));
            }
        }
        ControlFlow::Continue(repetition_bound)
    }

    /// Decides a node that is drawn or at the ply limit. Otherwise returns a lower bound: 0 if the
    /// side to move can repeat (checked only if alpha is below 0), else −[`INFINITE`].
    #[inline(always)]
    pub(super) fn resolve_draws(
        &mut self,
        position: &Position,
        ply: usize,
        (alpha, beta): (Value, Value),
        detect_upcoming: bool,
    ) -> ControlFlow<NodeScore, NodeScore> {
        if let Some(score) = self.position_history.draw_score(position, ply) {
            return ControlFlow::Break(score);
        }
        if ply >= MAX_PLY {
            return ControlFlow::Break(NodeScore::independent(self.evaluator.evaluate(position)));
        }
        if alpha < 0
            && detect_upcoming
            && params::upcoming_on() != 0
            && let Some(depends_on_ply) = self.position_history.upcoming_repetition(position)
        {
            let draw = NodeScore { value: 0, depends_on_ply };
            return if beta <= 0 { ControlFlow::Break(draw) } else { ControlFlow::Continue(draw) };
        }
        ControlFlow::Continue(NodeScore::independent(-INFINITE))
    }

    /// Evaluates the position of a node and compares it with the earlier ones of the line.
    fn evaluate_node<NT: NodeType>(
        &mut self,
        position: &Position,
        tt_data: TtData,
        node: Node,
    ) -> NodeContext {
        let ply = node.ply;
        let threats = Threats::new(position);
        let history_key =
            HistoryKey::new(position, threats.all, self.stack.continuation_indices(ply), ply);
        let correction_indices = self.correction_indices(position, ply);
        let in_singular_search = !self.stack.at(ply).excluded_move.is_null();
        let previous_evals =
            [self.stack.before(ply, 2).static_eval, self.stack.before(ply, 4).static_eval];
        let parent_eval = if ply > 0 { self.stack.before(ply, 1).static_eval } else { None };
        let eval = (!position.in_check())
            .then(|| self.evaluate_position(position, &tt_data, &correction_indices));
        if let Some(eval) = &eval
            && !tt_data.hit
            && !in_singular_search
        {
            self.tt.store_eval(tt_key(position), eval.raw_eval, self.stack.at(ply).tt_pv);
        }
        let static_eval = eval.as_ref().map(|eval| eval.static_eval);
        let stack_entry = self.stack.at_mut(ply);
        stack_entry.turn = history_key.turn;
        stack_entry.threats = threats.all;
        stack_entry.pawn_index = history_key.pawn_index;
        // In check the last evaluation of this side replaces the missing one.
        stack_entry.static_eval = static_eval.or(previous_evals[0]);
        stack_entry.in_check = static_eval.is_none();
        stack_entry.move_count = 0;
        if !in_singular_search && !NT::ROOT {
            self.update_on_eval_change(ply, static_eval, parent_eval);
        }
        let improving = match (static_eval, previous_evals[0].or(previous_evals[1])) {
            (Some(current), Some(previous)) => current > previous,
            (Some(_), None) => true,
            (None, _) => false,
        };
        let opponent_worsening = match (static_eval, parent_eval) {
            (Some(current), Some(parent)) => current > -parent,
            _ => false,
        };
        NodeContext {
            tt_data,
            static_eval,
            estimate: eval.as_ref().map_or(0, |eval| eval.estimate),
            raw_eval: eval.as_ref().map(|eval| eval.raw_eval),
            correction: eval.as_ref().map_or(0, |eval| eval.correction),
            improving,
            opponent_worsening,
            ceiling: INFINITE,
            threats,
            history_key,
            correction_indices,
        }
    }

    /// Evaluates a position that is not in check.
    #[inline(always)]
    pub(super) fn evaluate_position(
        &mut self,
        position: &Position,
        tt_data: &TtData,
        correction_indices: &CorrectionIndices,
    ) -> NodeEval {
        let raw_eval = tt_data.raw_eval.unwrap_or_else(|| self.evaluator.evaluate(position));
        let correction = self.history.correction.value(correction_indices);
        let static_eval = if raw_eval.abs() >= KNOWN_WIN && has_bare_king(position) {
            // Damping by the clock would favour the values of earlier searches.
            raw_eval
        } else {
            corrected_static_eval(raw_eval, correction, position.halfmove_clock())
        };
        let use_tt = tt_data.is_better_estimate_than(static_eval) && !is_decisive(tt_data.value);
        let estimate = if use_tt { tt_data.value } else { static_eval };
        NodeEval { raw_eval, correction, static_eval, estimate }
    }

    /// Corrects the depth of a node that was reduced before its evaluation was known. The depth
    /// grows by 1 if the last move did not worsen its mover's evaluation. It falls by 1 if the move
    /// cost its mover more than `hindsight_sum`. (After Stockfish, "hindsight".)
    fn adjust_depth_by_hindsight<NT: NodeType>(&self, node: &mut Node, node_context: &NodeContext) {
        if NT::ROOT
            || params::hindsight_on() == 0
            || !self.stack.at(node.ply).excluded_move.is_null()
        {
            return;
        }
        let parent = self.stack.before(node.ply, 1);
        let (Some(current), Some(previous)) = (node_context.static_eval, parent.static_eval) else {
            return;
        };
        if parent.reduction >= 3 * ONE_PLY && !node_context.opponent_worsening {
            node.depth += 1;
        } else if parent.reduction >= 2 * ONE_PLY
            && node.depth >= 2
            && current + previous > params::hindsight_sum()
        {
            node.depth -= 1;
        }
    }
}
