//! The use cases: what is asked of the engine, and how many askers share it. Async, and without
//! HTTP.
//!
//! A best-move question goes its way in [`Service::best_move`]: look into the dictionary, join an
//! equal search that is already running, else wait in the bounded queue for a worker, search, and
//! remember what was found.

mod address;
mod answer;
mod bound;
mod deepening;
mod dictionary;
mod durations;
mod effort;
mod error;
mod eviction;
mod flight;
mod following;
mod graph;
mod idle;
pub mod jobs;
mod known;
mod lane;
mod perft;
mod pool;
mod queue;
mod request;
pub mod review;
mod searcher;
mod service;
mod session;
mod sketch;
mod status;
mod stored;
mod tally;
#[cfg(test)]
mod tests;
mod write_behind;

pub use answer::{Answer, MemoryVerdict, PerftAnswer, Reason, Source};
pub use bound::{MemoryBound, bytes_per_entry, memory_bound, store_bound};
pub use dictionary::DictionaryHits;
pub use durations::{DURATION_BOUNDS, DurationCounts, Durations};
pub use error::AnalysisError;
pub use following::{Following, News};
pub use graph::{Edge, MOST_EDGES, Node};
pub use known::Remembered;
pub use queue::Class;
pub use request::AnalysisRequest;
pub use searcher::Searcher;
pub use service::{Service, ServiceOptions};
pub use session::{Client, Session};
pub use status::{LaneCounts, SearchCounts, Status, StoreStatus, Turns};
