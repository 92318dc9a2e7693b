//! The evaluation network as the search asks it.

use std::sync::Arc;

use super::evaluator::Evaluator;
use super::score::{MAX_PLY, MAX_STATIC_EVAL, UNITS_PER_PAWN, Value};
use crate::chess::{Move, Position};
use crate::nnue::{AccumulatorStack, Network, SimdLevel};

/// A network with its sums along the line under search.
pub(super) struct NnueEvaluator {
    accumulators: AccumulatorStack,
}

impl NnueEvaluator {
    /// Computed with these processor instructions, or the processor's best ones where it lacks
    /// them.
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
        self.accumulators
            .evaluate_scaled(position, UNITS_PER_PAWN)
            .clamp(-MAX_STATIC_EVAL, MAX_STATIC_EVAL)
    }
}
