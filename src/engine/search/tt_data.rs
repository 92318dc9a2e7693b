//! The data of the transposition table that a node may use.

use super::repetition::NodeScore;
use crate::chess::Move;
use crate::engine::score::Value;
use crate::engine::tt::{Bound, TtEntry};

/// An entry of the transposition table, adjusted to a node: its mates are counted from the root,
/// and its bound is [`Bound::None`] where the value does not hold.
#[derive(Clone, Copy)]
pub(super) struct TtData {
    /// The best move. Its legality is not checked.
    pub(super) mv: Move,
    /// The static evaluation before correction.
    pub(super) raw_eval: Option<Value>,
    /// There is an entry.
    pub(super) hit: bool,
    /// The node was on a principal variation before.
    pub(super) is_pv: bool,
    /// The value, with mates counted from the root.
    pub(super) value: Value,
    pub(super) depth: i32,
    /// [`Bound::None`] where the value may not be used.
    pub(super) bound: Bound,
    /// The earliest ply that the value depends on, as in [`NodeScore`].
    pub(super) depends_on_ply: i32,
}

impl TtData {
    /// The data of a position without an entry.
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

    /// The data of an entry. `value` is its value at this node; `None` where it may not be used.
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
            // The entry does not say on which position of the path it depends: it may be the root.
            depends_on_ply: if entry.path_dependent { 0 } else { NodeScore::INDEPENDENT },
        }
    }

    /// The same data without the best move and the value that rests on it.
    #[inline]
    pub(super) const fn without_move(self) -> TtData {
        TtData { mv: Move::NULL, bound: Bound::None, ..self }
    }

    /// The value and its dependence.
    #[inline]
    pub(super) const fn score(&self) -> NodeScore {
        NodeScore { value: self.value, depends_on_ply: self.depends_on_ply }
    }

    /// `true` when the true value is at least [`TtData::value`].
    #[inline]
    pub(super) const fn is_lower_bound(&self) -> bool {
        matches!(self.bound, Bound::Lower | Bound::Exact)
    }

    /// `true` when the value is a better estimate than this evaluation: its bound excludes the
    /// evaluation.
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
