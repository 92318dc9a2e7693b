//! Whether a move is the only good one.
//!
//! Chess Programming Wiki, "Singular Extensions", "Multi-Cut".

use super::evaluator::Evaluator;
use super::node::{Node, NodeType, NonPv};
use super::params;
use super::repetition::NodeScore;
use super::score::is_mate;
use super::search::{NodeContext, SearchWorker};
use crate::chess::{Move, Position};

/// What singular search said of the table's move.
pub(super) enum SingularResult {
    /// It is to be searched so many plies deeper; less deep when negative.
    Extend(i32),
    /// Other moves fail high as well: so does the node.
    MultiCut(NodeScore),
}

impl<E: Evaluator> SearchWorker<'_, E> {
    /// Asks whether the table's move is the only good one: a search without it, at half the depth,
    /// with a window well below its value. Chess Programming Wiki, "Singular Extensions"
    /// (Anantharaman, Campbell, Hsu 1988), with Stockfish's multi-cut and negative extensions.
    pub(super) fn singular_search<NT: NodeType>(
        &mut self,
        positions: &mut [Position],
        node: Node,
        node_context: &NodeContext,
        tt_move: Move,
    ) -> SingularResult {
        let Node { beta, depth, ply, cut_node: cut, .. } = node;
        let tt_data = node_context.tt_data;
        let is_candidate = self.stack.at(ply).excluded_move.is_null()
            && depth >= params::singular_depth() + i32::from(self.stack.at(ply).tt_pv)
            && tt_data.is_lower_bound()
            && tt_data.depth >= depth - 3
            && !is_mate(tt_data.value);
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
            Node { cut_node: cut, ..node.zero_window_below(singular_beta, (depth - 1) / 2) },
        );
        self.stack.at_mut(ply).excluded_move = Move::NULL;
        if self.budget.is_stopped() {
            return SingularResult::Extend(0);
        }
        if score.value < singular_beta {
            let pv = 240 * i32::from(NT::PV);
            let double = params::double_margin() + pv;
            let triple = params::triple_margin() + pv;
            let plies = 1
                + i32::from(score.value < singular_beta - double)
                + i32::from(score.value < singular_beta - triple);
            return SingularResult::Extend(plies);
        }
        if score.value >= beta && !is_mate(score.value) {
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
        } else if cut {
            SingularResult::Extend(-2)
        } else {
            SingularResult::Extend(0)
        }
    }
}
