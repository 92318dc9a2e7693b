//! The evaluation network: its file, its incremental accumulators, and its inference.
//!
//! An efficiently updatable neural network (Yu Nasu, "Efficiently Updatable Neural-Network-based
//! Evaluation Functions", 2018; Chess Programming Wiki, "NNUE"). The inputs of its one wide hidden
//! layer are pieces on squares. A move changes only a few inputs, so the accumulators are updated
//! by adding and subtracting rows of weights.
//!
//! - [`Network`] holds the weights of a file, whose format is in `docs/network.md`;
//! - [`AccumulatorStack`] holds one search thread's accumulators along its line, and evaluates;
//! - [`PieceContributions`] holds the contribution of each piece to an evaluation;
//! - [`SimdLevel`] names the processor instructions in use. All levels compute the same integers.

mod accumulator_stack;
mod architecture;
mod contributions;
mod delta;
mod error;
mod header;
mod network;
mod perspective;
mod refresh_cache;
mod simd;

pub use accumulator_stack::AccumulatorStack;
pub use architecture::{HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS};
pub use contributions::PieceContributions;
pub use error::{NetworkError, NetworkFileError};
pub use network::{FILE_BYTES, Network};
pub use simd::SimdLevel;

#[cfg(test)]
mod tests;
