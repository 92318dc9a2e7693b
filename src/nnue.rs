//! The evaluation network: its file, its incremental accumulators, and its inference.
//!
//! An efficiently updatable neural network (Yu Nasu, "Efficiently Updatable Neural-Network-based
//! Evaluation Functions", 2018; Chess Programming Wiki, "NNUE"). The inputs of its wide first layer
//! are pieces on squares. A move changes only a few inputs, so the accumulators are updated by
//! adding and subtracting rows of weights.
//!
//! - [`Network`] holds the weights of a file, whose formats are in `docs/network.md`: that of the
//!   single-layer network, and that of the layered network. They share the first layer's code and
//!   differ in what follows the accumulators;
//! - [`AccumulatorStack`] holds one search thread's accumulators along its line, and evaluates;
//! - [`BoardEvaluator`] evaluates boards outside a search;
//! - [`PieceContributions`] holds the contribution of each piece to an evaluation;
//! - [`SimdLevel`] names the processor instructions in use. All levels compute the same integers.

mod accumulator_stack;
mod accumulators;
mod architecture;
mod board_evaluator;
mod contributions;
mod delta;
mod error;
mod feature_layer;
mod header;
mod later_layers;
mod layered;
mod line;
mod network;
mod payload;
mod perspective;
mod refresh_cache;
mod simd;
mod single_layer;

pub use accumulator_stack::AccumulatorStack;
pub use architecture::{HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS};
pub use board_evaluator::BoardEvaluator;
pub use contributions::PieceContributions;
pub use error::{NetworkError, NetworkFileError};
pub use network::Network;
pub use simd::SimdLevel;

#[cfg(test)]
pub(crate) mod tests;
