//! Tablebases in a node of the tree. As in Stockfish, a win is a lower bound, because a mate may be
//! nearer, and a loss an upper bound.

use std::ops::ControlFlow;

use super::node::{Node, NodeType};
use super::repetition::NodeScore;
use super::worker::SearchWorker;
use crate::chess::{Move, Position};
use crate::engine::evaluator::Evaluator;
use crate::engine::score::{INFINITE, Value, tb_win_at};
use crate::engine::tt::{Bound, TtEntry};
use crate::tablebase::Wdl;

/// The value of a win that the 50-move rule spoils: one reported centipawn.
const CURSED_WIN: Value = 4;

/// How much deeper than its node a probed result counts in the transposition table, in plies.
const DEPTH_BONUS: i32 = 6;

/// The bounds that a probe gives a node on the principal variation.
#[derive(Clone, Copy)]
pub(super) struct TablebaseBounds {
    pub(super) floor: Value,
    pub(super) ceiling: Value,
}

impl TablebaseBounds {
    /// No probe.
    pub(super) const NONE: TablebaseBounds =
        TablebaseBounds { floor: -INFINITE, ceiling: INFINITE };
}

impl<E: Evaluator> SearchWorker<'_, E> {
    /// Decides a node by its table, or bounds it.
    #[inline(always)]
    pub(super) fn probe_tablebase<NT: NodeType>(
        &mut self,
        position: &Position,
        node: Node,
    ) -> ControlFlow<NodeScore, TablebaseBounds> {
        let wdl = self.tablebase.and_then(|tables| tables.probe(position, node.depth));
        match wdl {
            None => ControlFlow::Continue(TablebaseBounds::NONE),
            Some(wdl) => {
                // A probe that reads from disk takes as long as thousands of nodes.
                self.budget.poll_at_next_node();
                self.use_tablebase::<NT>(position, node, wdl)
            }
        }
    }

    fn use_tablebase<NT: NodeType>(
        &mut self,
        position: &Position,
        node: Node,
        wdl: Wdl,
    ) -> ControlFlow<NodeScore, TablebaseBounds> {
        let (value, bound) = self.tablebase_value(wdl, node.ply);
        let decides = match bound {
            Bound::Lower => value >= node.beta,
            Bound::Upper => value <= node.alpha,
            _ => true,
        };
        if decides {
            let entry = TtEntry {
                mv: Move::NULL,
                value: 0,
                raw_eval: None,
                depth: (node.depth + DEPTH_BONUS).clamp(0, 255) as u8,
                bound,
                is_pv: self.stack.at(node.ply).tt_pv,
                path_dependent: false,
            };
            let score = NodeScore::independent(value);
            return ControlFlow::Break(self.store_tt(position, score, entry, node.ply));
        }
        ControlFlow::Continue(match bound {
            Bound::Lower if NT::PV => TablebaseBounds { floor: value, ..TablebaseBounds::NONE },
            Bound::Upper if NT::PV => TablebaseBounds { ceiling: value, ..TablebaseBounds::NONE },
            _ => TablebaseBounds::NONE,
        })
    }

    /// The value of an outcome at a ply, and its relation to the true value.
    fn tablebase_value(&self, wdl: Wdl, ply: usize) -> (Value, Bound) {
        let fifty_move_rule = self.tablebase.is_none_or(|tables| tables.options.fifty_move_rule);
        match wdl {
            Wdl::Win => (tb_win_at(ply), Bound::Lower),
            Wdl::CursedWin if !fifty_move_rule => (tb_win_at(ply), Bound::Lower),
            Wdl::CursedWin => (CURSED_WIN, Bound::Exact),
            Wdl::Draw => (0, Bound::Exact),
            Wdl::BlessedLoss if fifty_move_rule => (-CURSED_WIN, Bound::Exact),
            Wdl::BlessedLoss | Wdl::Loss => (-tb_win_at(ply), Bound::Upper),
        }
    }
}
