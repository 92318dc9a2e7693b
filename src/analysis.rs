//! The use cases: what is asked of the engine, and how many askers share it. Async, and without
//! HTTP.
//!
//! A best-move question goes its way in [`Service::best_move`]: look into the dictionary, join an
//! equal search that is already running, else wait in the bounded queue for a worker, search, and
//! remember what was found.

mod analysis_stream;
mod answer;
mod cache_key;
mod cached;
mod class_queue;
mod counters;
mod duration_histogram;
mod effort;
mod error;
mod evaluation_cache;
mod eviction;
mod frequency_sketch;
mod graph;
mod in_flight;
pub mod jobs;
mod memory_bound;
mod perft;
mod pool;
mod queue;
mod request;
pub mod review;
mod searcher;
mod service;
mod session;
mod speculation;
mod speculative_search;
mod status;
mod store_codec;
#[cfg(test)]
mod tests;
mod write_behind;

pub use analysis_stream::{AnalysisStream, AnalysisUpdate};
pub use answer::{Answer, CacheVerdict, CompletionReason, PerftResult, Source};
pub use cached::CachedAnalysis;
pub use duration_histogram::{DURATION_BUCKET_BOUNDS, DurationHistogram, DurationSnapshot};
pub use error::AnalysisError;
pub use evaluation_cache::CacheHits;
pub use graph::{GraphEdge, GraphNode, MAX_EDGES};
pub use memory_bound::{MemoryBound, bytes_per_entry, memory_bound, store_bound};
pub use queue::PriorityClass;
pub use request::AnalysisRequest;
pub use searcher::Searcher;
pub use service::{Service, ServiceOptions};
pub use session::{Client, Session};
pub use status::{ClassCounts, QueueCounts, SearchCounts, ServiceStatus, StoreStatus};
