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

mod accumulators;
mod architecture;
mod boards;
mod change;
mod contributions;
mod error;
mod header;
mod network;
mod refresh;
mod row;
mod simd;
mod view;

pub use accumulators::Accumulators;
pub use architecture::{HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS};
pub use contributions::Contributions;
pub use error::{NetworkError, NetworkFileError};
pub use network::{FILE_BYTES, Network};
pub use simd::Level;

#[cfg(test)]
mod tests;
