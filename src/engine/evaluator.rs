//! The static evaluation of the search: the interface, and the network behind it.

use std::sync::Arc;

use super::bare_king::bare_king_value;
use super::score::{MAX_PLY, MAX_STATIC_EVAL, UNITS_PER_PAWN, Value};
use crate::chess::{Move, Position};
use crate::nnue::{AccumulatorStack, Network, SimdLevel};

/// A static evaluation that follows every move of the line under search, so that it updates its
/// accumulators instead of recomputing them at each node.
pub(super) trait Evaluator {
    /// Starts a line at this position.
    fn reset(&mut self, root: &Position);

    /// Follows a legal move, which is about to be made in `before`.
    fn make_move(&mut self, before: &Position, mv: Move);

    /// Follows a null move.
    fn make_null_move(&mut self);

    /// Takes back the last move or null move of the line.
    fn unmake_move(&mut self);

    /// Evaluates `position`, the last one of the line, from the view of its side to move, in the
    /// units of the search.
    fn evaluate(&mut self, position: &Position) -> Value;
}

/// The evaluation network, with its accumulators along the line under search.
pub(super) struct NnueEvaluator {
    accumulators: AccumulatorStack,
}

impl NnueEvaluator {
    /// An evaluator with the processor instructions of a level, or the best available ones where
    /// the processor lacks them.
    pub(super) fn new(network: &Arc<Network>, simd_level: SimdLevel) -> NnueEvaluator {
        const MAX_LINE_LENGTH: usize = MAX_PLY + 2;
        let accumulators =
            AccumulatorStack::with_level(Arc::clone(network), MAX_LINE_LENGTH, simd_level);
        NnueEvaluator {
            accumulators: accumulators
                .unwrap_or_else(|| AccumulatorStack::new(Arc::clone(network), MAX_LINE_LENGTH)),
        }
    }
}

impl Evaluator for NnueEvaluator {
    fn reset(&mut self, root: &Position) {
        self.accumulators.reset(root);
    }

    #[inline]
    fn make_move(&mut self, before: &Position, mv: Move) {
        self.accumulators.push(before, mv);
    }

    #[inline]
    fn make_null_move(&mut self) {
        self.accumulators.push_null();
    }

    #[inline]
    fn unmake_move(&mut self) {
        self.accumulators.pop();
    }

    #[inline]
    fn evaluate(&mut self, position: &Position) -> Value {
        if let Some(value) = bare_king_value(position) {
            return value;
        }
        self.accumulators
            .evaluate_scaled(position, UNITS_PER_PAWN)
            .clamp(-MAX_STATIC_EVAL, MAX_STATIC_EVAL)
    }
}
