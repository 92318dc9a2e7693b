//! What a node is asked, and what the table knows of it.

use super::repetition::NodeScore;
use super::score::Value;
use super::tt_entry::{Bound, TtEntry};
use crate::chess::Move;

/// The kind of a node, known when the program is compiled: so each has code of its own. Chess
/// Programming Wiki, "Node Types".
pub(super) trait NodeType {
    /// The node lies on the principal variation: its value is wanted exactly.
    const PV: bool;
    /// The node is the root.
    const ROOT: bool;
    /// The kind of the root's, or another such node's, child on the principal variation.
    type Child: NodeType;
}

/// The root.
pub(super) struct Root;

/// A node on the principal variation.
pub(super) struct Pv;

/// A node with a zero window, of which is only asked on which side of it the value lies.
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

/// How a node is searched.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) alpha: Value,
    pub(super) beta: Value,
    pub(super) depth: i32,
    pub(super) ply: usize,
    /// A cut-off is expected here.
    pub(super) cut_node: bool,
}

impl Node {
    /// A child with a zero window just above `alpha`, in this node's view.
    #[inline]
    pub(super) const fn zero_window_child(self, alpha: Value, depth: i32, cut_node: bool) -> Node {
        Node { alpha: -alpha - 1, beta: -alpha, depth, ply: self.ply + 1, cut_node }
    }

    /// A child with this node's whole window above `alpha`.
    #[inline]
    pub(super) const fn full_window_child(self, alpha: Value, depth: i32) -> Node {
        Node { alpha: -self.beta, beta: -alpha, depth, ply: self.ply + 1, cut_node: false }
    }

    /// The same position with a zero window just below `bound`.
    #[inline]
    pub(super) const fn zero_window_below(self, bound: Value, depth: i32) -> Node {
        Node { alpha: bound - 1, beta: bound, depth, ..self }
    }
}

/// What the table says of a node, as far as it may be believed there.
#[derive(Clone, Copy)]
pub(super) struct TtData {
    /// The best move, not yet asked for its legality.
    pub(super) mv: Move,
    /// The static evaluation before any correction.
    pub(super) raw_eval: Option<Value>,
    /// There is an entry.
    pub(super) hit: bool,
    /// The node was on a principal variation once.
    pub(super) is_pv: bool,
    /// Mates counted from the root.
    pub(super) value: Value,
    pub(super) depth: i32,
    /// [`Bound::None`] where the value is not to be believed.
    pub(super) bound: Bound,
    /// What the value leans on, as of a [`Found`].
    pub(super) depends_on_ply: i32,
}

impl TtData {
    /// What is known where there is no entry.
    pub(super) const MISS: TtData = TtData {
        mv: Move::NULL,
        raw_eval: None,
        hit: false,
        is_pv: false,
        value: 0,
        depth: -1,
        bound: Bound::None,
        depends_on_ply: NodeScore::INDEPENDENT,
    };

    /// An entry whose value, as it counts at this node, is given; `None` where it is not to be
    /// believed.
    #[inline]
    pub(super) fn from_entry(entry: TtEntry, value: Option<Value>) -> TtData {
        TtData {
            mv: entry.mv,
            raw_eval: entry.raw_eval,
            hit: true,
            is_pv: entry.is_pv,
            value: value.unwrap_or(0),
            depth: i32::from(entry.depth),
            bound: if value.is_some() { entry.bound } else { Bound::None },
            // Which of the path's positions it was, nobody knows any more: it may have been the
            // root.
            depends_on_ply: if entry.path_dependent { 0 } else { NodeScore::INDEPENDENT },
        }
    }

    /// The same without the best move, and what rests on it.
    #[inline]
    pub(super) const fn without_move(self) -> TtData {
        TtData { mv: Move::NULL, bound: Bound::None, ..self }
    }

    /// The value, and what it leans on.
    #[inline]
    pub(super) const fn score(&self) -> NodeScore {
        NodeScore { value: self.value, depends_on_ply: self.depends_on_ply }
    }

    /// The true value is at least [`Known::value`].
    #[inline]
    pub(super) const fn is_lower_bound(&self) -> bool {
        matches!(self.bound, Bound::Lower | Bound::Exact)
    }

    /// The value is a better guess than this evaluation: it lies on the side that its bound vouches
    /// for.
    #[inline]
    pub(super) const fn is_better_estimate_than(&self, static_eval: Value) -> bool {
        match self.bound {
            Bound::None => false,
            Bound::Exact => true,
            Bound::Lower => self.value > static_eval,
            Bound::Upper => self.value < static_eval,
        }
    }
}
