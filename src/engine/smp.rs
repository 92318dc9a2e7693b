//! The threads of one search: what each owns, what they share, what they return, and
//! which of them decides the best move.

mod best_thread;
mod thread_data;
mod thread_group;

pub(super) use best_thread::{ThreadResult, select_best_thread};
pub use thread_data::ThreadDataSet;
pub(super) use thread_data::{ThreadData, ThreadDataPool};
pub(super) use thread_group::ThreadGroup;

/// The stack that a search thread needs, in bytes. A search is at most a few hundred plies deep,
/// with a move list for each ply. Only used pages take memory.
pub const STACK_BYTES: usize = 8 << 20;
