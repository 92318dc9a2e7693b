//! What one thread of a search works with, and keeps from search to search.

use std::sync::Arc;

use super::history::HistoryTables;
use super::nnue_evaluator::NnueEvaluator;
use crate::nnue::{Network, SimdLevel};

/// Memory of some 9 MB that a thread's search needs for itself. To take it anew for each search
/// would cost time, and leave an allocator that has to align it with holes that it cannot use
/// again.
///
/// On cache lines of its own (processors fetch them by pairs): what stands beside it is another
/// thread's, and both write all the time. Without, two threads search a sixth less.
#[repr(align(128))]
pub(super) struct ThreadData {
    pub(super) history: HistoryTables,
    pub(super) evaluator: NnueEvaluator,
}

impl ThreadData {
    /// Knows nothing yet, and judges by this network with these processor instructions.
    pub(super) fn new(network: &Arc<Network>, simd_level: SimdLevel) -> ThreadData {
        ThreadData {
            history: HistoryTables::new(),
            evaluator: NnueEvaluator::new(network, simd_level),
        }
    }
}
