//! The search. Synchronous; knows nothing of HTTP or tokio.
//!
//! [`Engine::analyse`] takes a game, limits and a stop flag, and returns a [`Report`]. Inside,
//! `root` deepens iteration by iteration over `search` and `quiescence`; `tt` is the table that all
//! searches share, and `path` knows the draws that only a line's history can tell.

mod bench;
mod checks;
mod clock;
mod correction;
mod cuckoo;
mod entry;
mod evaluation;
mod facade;
mod frame;
mod history;
mod keys;
mod learning;
mod limits;
mod line;
mod mate;
mod moves;
mod network;
mod node;
mod pace;
mod pages;
mod params;
mod path;
mod picker;
mod prefetch;
mod pruning;
mod pv;
mod quiescence;
mod recall;
mod reductions;
mod report;
mod root;
mod root_move;
mod rows;
mod score;
mod search;
mod see;
mod shelf;
mod singular;
mod skipping;
mod slice;
mod static_evaluation;
mod thread_data;
mod threats;
mod tt;
mod vote;
mod wdl;

pub use bench::Bench;
pub use facade::{Engine, EngineOptions, Memory, STACK_BYTES, Sharing};
pub use limits::{Clock, Limits, Scope, StopFlag};
pub use params::{Tunable, tunable, tune};
pub use report::{Report, StopReason, Variation};
pub use score::{LinearScore, Score};
pub use static_evaluation::StaticEvaluation;
pub use tt::NoMemory;
pub use wdl::{Wdl, WinModel};

// What whoever drives the engine meets of the network's room.
pub use crate::nnue::{Level, Network, NetworkError, NetworkFileError};

#[cfg(test)]
mod tests;
