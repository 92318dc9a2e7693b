//! The accumulators of one search thread along its line of moves.

use std::sync::Arc;

use super::accumulators::Accumulators;
use super::architecture::{HIDDEN, LAYERED_HIDDEN, output_bucket};
use super::layered::LayeredNetwork;
use super::line::Line;
use super::network::{Network, NetworkForm};
use super::simd::{Kernels, SimdLevel};
use super::single_layer::SingleLayerNetwork;
use crate::chess::{Move, Position};

/// The accumulators (sums of the first layer) of each position of a line. It evaluates the last
/// position.
///
/// A move only records its delta. An evaluation computes the missing accumulators, separately for
/// each perspective, from the nearest computed ply. When the king has changed the perspective since
/// then, it uses the refresh cache. All memory is allocated at the start, except for lines longer
/// than `max_moves`. Chess Programming Wiki, "NNUE" (accumulator; lazy updates and the refresh
/// cache, "Finny tables", after Koivisto and Stockfish).
pub struct AccumulatorStack {
    network: Arc<Network>,
    kernels: &'static Kernels,
    line: Line,
    form: StackForm,
}

/// The layers of the network, with the accumulators that belong to them.
enum StackForm {
    SingleLayer(Arc<SingleLayerNetwork>, Accumulators<HIDDEN>),
    Layered(Arc<LayeredNetwork>, Accumulators<LAYERED_HIDDEN>),
}

impl StackForm {
    fn new(form: &NetworkForm, kernels: &'static Kernels, max_moves: usize) -> StackForm {
        match form {
            NetworkForm::SingleLayer(layers) => StackForm::SingleLayer(
                Arc::clone(layers),
                Accumulators::new(layers.features(), &kernels.single_layer, max_moves),
            ),
            NetworkForm::Layered(layers) => StackForm::Layered(
                Arc::clone(layers),
                Accumulators::new(layers.features(), &kernels.layered, max_moves),
            ),
        }
    }
}

impl AccumulatorStack {
    /// Accumulators for lines of up to `max_moves` moves, with the best instructions of this
    /// processor. [`AccumulatorStack::reset`] must be called before use.
    pub fn new(network: Arc<Network>, max_moves: usize) -> AccumulatorStack {
        AccumulatorStack::with_kernels(network, max_moves, Kernels::best())
    }

    /// Accumulators with the instructions of a level; `None` where the processor lacks them.
    pub fn with_level(
        network: Arc<Network>,
        max_moves: usize,
        simd_level: SimdLevel,
    ) -> Option<AccumulatorStack> {
        Some(AccumulatorStack::with_kernels(network, max_moves, Kernels::for_level(simd_level)?))
    }

    fn with_kernels(
        network: Arc<Network>,
        max_moves: usize,
        kernels: &'static Kernels,
    ) -> AccumulatorStack {
        AccumulatorStack {
            kernels,
            line: Line::new(max_moves),
            form: StackForm::new(network.form(), kernels, max_moves),
            network,
        }
    }

    /// Starts a line at this position.
    pub fn reset(&mut self, root: &Position) {
        self.line.reset();
        let (perspectives, line) = (self.network.perspectives(), &mut self.line);
        match &mut self.form {
            StackForm::SingleLayer(layers, accumulators) => {
                accumulators.last(layers.features(), perspectives, line, root);
            }
            StackForm::Layered(layers, accumulators) => {
                accumulators.last(layers.features(), perspectives, line, root);
            }
        }
    }

    /// Adds a legal move, which is about to be made in `before`, the line's last position.
    #[inline]
    pub fn push(&mut self, before: &Position, mv: Move) {
        self.line.push(self.network.perspectives(), before, mv);
    }

    /// Adds a null move.
    #[inline]
    pub fn push_null(&mut self) {
        self.line.push_null();
    }

    /// Takes back the line's last move or null move. At the start of the line it does nothing.
    #[inline]
    pub fn pop(&mut self) {
        self.line.pop();
    }

    /// Evaluates `position`, the line's last one, in raw centipawns from the view of its side to
    /// move.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        self.evaluate_scaled(position, 100)
    }

    /// Evaluates `position`, the line's last one, in a unit that divides 100 raw centipawns into
    /// `units_per_pawn` parts.
    #[inline]
    pub fn evaluate_scaled(&mut self, position: &Position, units_per_pawn: i32) -> i32 {
        let (perspectives, line) = (self.network.perspectives(), &mut self.line);
        let bucket = output_bucket(position.occupied().count());
        match &mut self.form {
            StackForm::SingleLayer(layers, accumulators) => {
                let rows = accumulators.last(layers.features(), perspectives, line, position);
                layers.evaluate(self.kernels, rows, bucket, units_per_pawn)
            }
            StackForm::Layered(layers, accumulators) => {
                let rows = accumulators.last(layers.features(), perspectives, line, position);
                layers.evaluate(self.kernels, rows, bucket, units_per_pawn)
            }
        }
    }
}
