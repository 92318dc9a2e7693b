//! The shared transposition table: its clusters, entries, keys and memory.

mod entry;
mod table;

pub(super) use entry::{Bound, TtEntry};
pub(super) use table::{LOW_HALFMOVE_CLOCK, TranspositionTable, TtView, tt_key};
pub use table::{TtAllocError, TtSharing};
