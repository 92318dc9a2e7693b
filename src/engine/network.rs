//! The evaluation network as the search asks it.

use std::sync::Arc;

use super::evaluation::Evaluator;
use super::score::{EVALUATION_LIMIT, MAX_PLY, PAWN, Value};
use crate::chess::{Move, Position};
use crate::nnue::{Accumulators, Level, Network};

/// A network with its sums along the line under search.
pub(super) struct NetworkEvaluator {
    accumulators: Accumulators,
}

impl NetworkEvaluator {
    /// Computed with these processor instructions, or the processor's best ones where it lacks
    /// them.
    pub(super) fn new(network: &Arc<Network>, level: Level) -> NetworkEvaluator {
        const MOVES: usize = MAX_PLY + 2;
        let accumulators = Accumulators::with_level(Arc::clone(network), MOVES, level);
        NetworkEvaluator {
            accumulators: accumulators
                .unwrap_or_else(|| Accumulators::new(Arc::clone(network), MOVES)),
        }
    }
}

impl Evaluator for NetworkEvaluator {
    fn reset(&mut self, root: &Position) {
        self.accumulators.reset(root);
    }

    #[inline]
    fn make(&mut self, before: &Position, mv: Move) {
        self.accumulators.push(before, mv);
    }

    #[inline]
    fn make_null(&mut self) {
        self.accumulators.pass();
    }

    #[inline]
    fn unmake(&mut self) {
        self.accumulators.pop();
    }

    #[inline]
    fn evaluate(&mut self, position: &Position) -> Value {
        self.accumulators.value(position, PAWN).clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT)
    }
}
