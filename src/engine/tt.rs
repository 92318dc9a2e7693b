//! The shared transposition table: its clusters, entries, keys and memory.

mod entry;
mod huge_pages;
mod key;
mod table;

pub(super) use entry::{Bound, TtEntry};
pub(super) use key::{LOW_HALFMOVE_CLOCK, tt_key};
pub(super) use table::{TranspositionTable, TtView};
pub use table::{TtAllocError, TtSharing};
