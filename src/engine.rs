//! The search engine: synchronous, without HTTP, async or printing.
//!
//! [`Engine::analyse`] takes a game, limits and a stop flag, and returns a [`Report`]. The modules
//! below it import each other in one direction:
//!
//! - `analyse` is the engine as the other layers see it; `bench` measures it;
//! - `search` is the search itself: iterative deepening, principal variation search, quiescence;
//! - `time` decides when a search ends;
//! - `smp` holds what the threads of a search own, share and return;
//! - `history` holds the statistics that order moves and correct evaluations;
//! - `tt` is the transposition table that all searches share;
//! - `tablebase_options` says when searches use endgame tables;
//! - `strength_limit` makes a search play like a weaker player.

mod analyse;
mod bare_king;
mod bench;
mod evaluator;
mod history;
mod limits;
mod params;
mod prefetch;
mod pv;
mod report;
mod score;
mod search;
mod smp;
mod static_evaluator;
mod strength_limit;
mod tablebase_options;
mod time;
mod tt;
mod wdl;

pub use analyse::{Engine, EngineOptions, GameSearch};
pub use bare_king::bishop_and_knight_plies;
pub use bench::Bench;
pub use limits::{GameClock, Limits, SearchOptions, StopFlag};
pub use params::{Tunable, tunable, tune};
pub use report::{Report, StaticEvaluation, StopReason, Variation};
pub use score::{RawScore, Score};
pub use smp::{STACK_BYTES, ThreadDataSet};
pub use static_evaluator::StaticEvaluator;
pub use strength_limit::StrengthLimit;
pub use tablebase_options::TablebaseOptions;
pub use tt::{TtAllocError, TtSharing};
pub use wdl::{Wdl, WdlModel};

// The part of the network's interface that callers of the engine need.
pub use crate::nnue::{Network, NetworkError, NetworkFileError, SimdLevel};

#[cfg(test)]
mod tests;
