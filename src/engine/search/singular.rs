//! Singular extensions: a reduced search without the TT move tests whether that move is the only
//! good one.
//!
//! Chess Programming Wiki, "Singular Extensions", "Multi-Cut".

use super::node::{Node, NodeContext, NodeType, NonPv};
use super::repetition::NodeScore;
use super::worker::SearchWorker;
use crate::chess::{Move, Position};
use crate::engine::evaluator::Evaluator;
use crate::engine::params;
use crate::engine::score::is_decisive;

/// The result of a singular search.
pub(super) enum SingularResult {
    /// The move is searched this many plies deeper; shallower when negative.
    Extend(i32),
    /// Other moves fail high as well, so the node fails high with this score.
    MultiCut(NodeScore),
}

impl<E: Evaluator> SearchWorker<'_, E> {
    /// Searches the node without the transposition table's move, at half the depth, with a window
    /// well below the move's value. When no other move reaches it, the move is singular and is
    /// extended. Chess Programming Wiki, "Singular Extensions" (Anantharaman, Campbell, Hsu 1988),
    /// with Stockfish's multi-cut and negative extensions.
    pub(super) fn singular_search<NT: NodeType>(
        &mut self,
        positions: &mut [Position],
        node: Node,
        node_context: &NodeContext,
        tt_move: Move,
    ) -> SingularResult {
        let Node { beta, depth, ply, cut_node, .. } = node;
        let tt_data = node_context.tt_data;
        let is_candidate = self.stack.at(ply).excluded_move.is_null()
            && depth >= params::singular_depth() + i32::from(self.stack.at(ply).tt_pv)
            && tt_data.is_lower_bound()
            && tt_data.depth >= depth - 3
            && !is_decisive(tt_data.value);
        if !is_candidate {
            return SingularResult::Extend(0);
        }
        let was_pv = self.stack.at(ply).tt_pv && !NT::PV;
        let margin =
            (params::singular_margin() + params::singular_pv() * i32::from(was_pv)) * depth / 64;
        let singular_beta = tt_data.value - margin;
        self.stack.at_mut(ply).excluded_move = tt_move;
        let score = self.search_node::<NonPv>(
            positions,
            node.zero_window_below(singular_beta, (depth - 1) / 2),
        );
        self.stack.at_mut(ply).excluded_move = Move::NULL;
        if self.budget.is_stopped() {
            return SingularResult::Extend(0);
        }
        if score.value < singular_beta {
            let pv_margin = 240 * i32::from(NT::PV);
            let double_margin = params::double_margin() + pv_margin;
            let triple_margin = params::triple_margin() + pv_margin;
            let plies = 1
                + i32::from(score.value < singular_beta - double_margin)
                + i32::from(score.value < singular_beta - triple_margin);
            return SingularResult::Extend(plies);
        }
        if score.value >= beta && !is_decisive(score.value) {
            return if NT::PV {
                SingularResult::Extend(-1)
            } else {
                SingularResult::MultiCut(score)
            };
        }
        if params::negative_on() == 0 {
            SingularResult::Extend(0)
        } else if tt_data.value >= beta {
            SingularResult::Extend(-3)
        } else if cut_node {
            SingularResult::Extend(-2)
        } else {
            SingularResult::Extend(0)
        }
    }
}
