//! A move at the root, and what the search comes to think of it.

use super::evaluator::Evaluator;
use super::pv_check::PvLine;
use super::score::{INFINITE, Value, is_mate};
use super::search::SearchWorker;
use crate::chess::Move;

/// A move at the root, with what the search thinks of it.
#[derive(Clone)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// Its value in the running iteration; [`INFINITE`] below zero while it is not known to be
    /// among the best.
    pub(super) value: Value,
    /// Its value in the iteration before.
    pub(super) previous_value: Value,
    /// Its value on the average of the iterations so far.
    pub(super) average_value: Option<Value>,
    /// The move is at least this good: the value did not fail low.
    pub(super) raised_alpha: bool,
    pub(super) pv: Vec<Move>,
    /// Nodes spent below it.
    pub(super) nodes: u64,
}

impl RootMove {
    pub(super) const fn new(mv: Move) -> RootMove {
        RootMove {
            mv,
            value: -INFINITE,
            previous_value: -INFINITE,
            average_value: None,
            raised_alpha: false,
            pv: Vec::new(),
            nodes: 0,
        }
    }

    /// Its line with its value.
    pub(super) fn pv_line(&self) -> PvLine {
        PvLine { value: self.value, moves: self.pv.clone() }
    }
}

impl<E: Evaluator> SearchWorker<'_, E> {
    /// `true` for a root move that is still looking for its place among the best.
    #[inline]
    pub(super) fn is_pending_root_move(&self, mv: Move) -> bool {
        self.root_moves[self.pv_index..].iter().any(|root_move| root_move.mv == mv)
    }

    /// A root move was searched; `before` are the nodes counted till then.
    pub(super) fn update_root_move(
        &mut self,
        mv: Move,
        value: Value,
        window: (Value, Value),
        is_first: bool,
        nodes_before: u64,
    ) {
        let nodes = self.budget.nodes() - nodes_before;
        let Some(root_move) = self.root_moves.iter_mut().find(|root_move| root_move.mv == mv)
        else {
            return;
        };
        root_move.nodes += nodes;
        if !is_first && value <= window.0 {
            root_move.value = -INFINITE;
            root_move.raised_alpha = false;
            return;
        }
        root_move.value = value;
        root_move.raised_alpha = value > window.0;
        if !is_mate(value) {
            root_move.average_value =
                Some(root_move.average_value.map_or(value, |average| (average + value) / 2));
        }
        if value > window.0 {
            root_move.pv.clear();
            root_move.pv.push(mv);
            root_move.pv.extend_from_slice(self.pv_table.line(1));
        }
    }
}
