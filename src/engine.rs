//! The search. Synchronous; knows nothing of HTTP or tokio.
//!
//! [`Engine::analyse`] takes a game, limits and a stop flag, and returns a [`Report`]. Inside,
//! `root` deepens iteration by iteration over `search` and `quiescence`; `tt` is the table that all
//! searches share, and `path` knows the draws that only a line's history can tell.

mod bench;
mod best_thread;
mod check_info;
mod correction_history;
mod cuckoo;
mod engine;
mod evaluator;
mod history;
mod history_update;
mod huge_pages;
mod iterative_deepening;
mod keys;
mod limits;
mod mate_search;
mod move_loop;
mod move_picker;
mod move_pruning;
mod nnue_evaluator;
mod node;
mod node_pruning;
mod params;
mod prefetch;
mod pv_check;
mod pv_table;
mod quiescence;
mod reductions;
mod repetition;
mod report;
mod root_move;
mod scheduler;
mod score;
mod search;
mod search_budget;
mod see;
mod singular;
mod sparse_tables;
mod stack;
mod static_evaluation;
mod thread_data;
mod thread_data_pool;
mod threats;
mod time_management;
mod tt;
mod tt_access;
mod tt_entry;
mod wdl;

pub use bench::Bench;
pub use engine::{Engine, EngineOptions, STACK_BYTES, ThreadDataSet, TtSharing};
pub use limits::{GameClock, Limits, SearchScope, StopFlag};
pub use params::{Tunable, tunable, tune};
pub use report::{Report, StopReason, Variation};
pub use score::{RawScore, Score};
pub use static_evaluation::StaticEvaluation;
pub use tt::TtAllocError;
pub use wdl::{Wdl, WdlModel};

// What whoever drives the engine meets of the network's room.
pub use crate::nnue::{Network, NetworkError, NetworkFileError, SimdLevel};

#[cfg(test)]
mod tests;
