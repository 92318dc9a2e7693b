//! A node of the search tree: its type, its window and depth, and what is known before its moves.

use super::check_info::CheckInfo;
use super::move_picker::OrderingContext;
use super::threats::Threats;
use super::tt_data::TtData;
use crate::chess::Position;
use crate::engine::history::{CorrectionIndices, HistoryKey, HistoryTables};
use crate::engine::score::Value;

/// The type of a node, known at compile time so that each type has its own code. Chess Programming
/// Wiki, "Node Types".
pub(super) trait NodeType {
    /// The node is on the principal variation: its exact value is wanted.
    const PV: bool;
    /// The node is the root.
    const ROOT: bool;
    /// The type of the child on the principal variation.
    type Child: NodeType;
}

/// The root.
pub(super) struct Root;

/// A node on the principal variation.
pub(super) struct Pv;

/// A node with a zero window: the search only decides whether its value is above or below.
pub(super) struct NonPv;

impl NodeType for Root {
    const PV: bool = true;
    const ROOT: bool = true;
    type Child = Pv;
}

impl NodeType for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
    type Child = Pv;
}

impl NodeType for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
    type Child = NonPv;
}

/// The window and depth of a node's search.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) alpha: Value,
    pub(super) beta: Value,
    pub(super) depth: i32,
    pub(super) ply: usize,
    /// A cut-off is expected.
    pub(super) cut_node: bool,
}

impl Node {
    /// A child with a zero window just above `alpha`, a bound in this node's view.
    #[inline]
    pub(super) const fn zero_window_child(self, alpha: Value, depth: i32, cut_node: bool) -> Node {
        Node { alpha: -alpha - 1, beta: -alpha, depth, ply: self.ply + 1, cut_node }
    }

    /// A child with this node's window.
    #[inline]
    pub(super) const fn full_window_child(self, depth: i32) -> Node {
        Node { alpha: -self.beta, beta: -self.alpha, depth, ply: self.ply + 1, cut_node: false }
    }

    /// The same position with a zero window just below `bound`.
    #[inline]
    pub(super) const fn zero_window_below(self, bound: Value, depth: i32) -> Node {
        Node { alpha: bound - 1, beta: bound, depth, ..self }
    }
}

/// The static evaluation of a node that is not in check.
pub(super) struct NodeEval {
    /// The static evaluation before correction, as the transposition table stores it.
    pub(super) raw_eval: Value,
    /// The correction by the correction histories.
    pub(super) correction: Value,
    /// The corrected static evaluation.
    pub(super) static_eval: Value,
    /// The transposition table's value where it is a better estimate, else the corrected static
    /// evaluation.
    pub(super) estimate: Value,
}

/// What is known of a node before its moves are searched.
pub(super) struct NodeContext {
    pub(super) tt_data: TtData,
    /// The corrected static evaluation; `None` in check.
    pub(super) static_eval: Option<Value>,
    /// The estimate of [`NodeEval`]; 0 in check.
    pub(super) estimate: Value,
    /// The uncorrected static evaluation; `None` in check.
    pub(super) raw_eval: Option<Value>,
    /// The correction of the static evaluation; 0 in check.
    pub(super) correction: Value,
    /// The side to move has a better evaluation than two plies before. (Stockfish's `improving`.)
    pub(super) improving: bool,
    /// The opponent has a worse evaluation than a ply before. (Stockfish's `opponentWorsening`.)
    pub(super) opponent_worsening: bool,
    /// An upper bound of the value by tablebase.
    pub(super) ceiling: Value,
    pub(super) threats: Threats,
    pub(super) history_key: HistoryKey,
    pub(super) correction_indices: CorrectionIndices,
}

impl NodeContext {
    /// The context that the node's move picker orders its moves by.
    #[inline]
    pub(super) fn ordering<'a>(
        &'a self,
        position: &'a Position,
        history: &'a HistoryTables,
        check_info: &'a CheckInfo,
    ) -> OrderingContext<'a> {
        OrderingContext {
            position,
            history,
            history_key: &self.history_key,
            threats: &self.threats,
            check_info,
        }
    }
}
