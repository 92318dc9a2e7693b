//! The evaluation network: reading it, keeping its sums up to date move by move, and asking it.
//!
//! An efficiently updatable network (Yu Nasu, "Efficiently Updatable Neural-Network-based
//! Evaluation Functions", 2018; Chess Programming Wiki, "NNUE"): one wide hidden layer whose inputs
//! are pieces on squares, so that a move changes a few inputs only and the layer's sums follow by
//! adding and subtracting rows of weights.
//!
//! - [`Network`] is what a file holds: `docs/network.md` tells its format;
//! - [`Accumulators`] are one search thread's sums along its line, and what evaluates;
//! - [`Contributions`] tell how much of an evaluation hangs on each piece;
//! - [`Level`] names the processor instructions that do it. All of them give the same integers.

mod accumulator_stack;
mod architecture;
mod contributions;
mod delta;
mod error;
mod header;
mod network;
mod perspective;
mod piece_bitboards;
mod refresh_cache;
mod row;
mod simd;

pub use accumulator_stack::AccumulatorStack;
pub use architecture::{HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS};
pub use contributions::PieceContributions;
pub use error::{NetworkError, NetworkFileError};
pub use network::{FILE_BYTES, Network};
pub use simd::SimdLevel;

#[cfg(test)]
mod tests;
