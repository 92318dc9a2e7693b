//! Syzygy endgame tablebases: for positions with few men the outcome under the 50-move rule, and
//! the distance to the next capture, pawn move or checkmate (DTZ).
//!
//! The crate shakmaty-syzygy reads the files; its types stay inside this layer.
//!
//! - `values` are the results of probes; `tables` opens files and probes them, and `table_reader`
//!   reads them;
//! - `category` names the outcome of a position with its half-move clock, as lila-tablebase does;
//! - `lookup` describes a position and all its moves; `mainline` is the line of best moves;
//! - `kept_result` compares the outcomes before and after a move;
//! - `ranking` sorts the moves of a search's root by their outcome.
//!
//! Chess Programming Wiki, "Syzygy Bases".

mod category;
mod convert;
mod error;
mod folder;
mod kept_result;
mod lookup;
mod mainline;
mod probe_statistics;
mod ranking;
mod table_reader;
mod tables;
mod values;

pub use category::Category;
pub use error::{OpenError, ProbeError};
pub use folder::MAX_MEN;
pub use lookup::{Lookup, MoveEntry, PositionEntry};
pub use mainline::{Mainline, MainlineMove};
pub use probe_statistics::ProbeStatistics;
pub use ranking::{RankedMove, RootOutcome, RootRanking};
pub use tables::Tablebase;
pub use values::{Dtz, Wdl};

#[cfg(test)]
mod tests;
