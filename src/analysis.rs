//! The analysis service: async use cases between the front ends and the engine, without HTTP.
//!
//! A best-move request takes this path: [`Service::best_move`] looks the position up in the
//! evaluation cache, joins an equal search in flight, or queues a new search task. A worker runs
//! the task, which stores the report and publishes it to all its subscribers.

mod analysis_stream;
mod answer;
mod cache_key;
mod cluster;
mod counters;
mod duration_histogram;
mod evaluation_cache;
mod foreign_report;
mod graph;
mod in_flight;
pub mod jobs;
mod leased_search;
mod lending;
mod memory_bound;
mod perft;
mod queue;
mod remote_run;
mod remote_search;
mod request;
pub mod review;
mod search_task;
mod searcher;
mod service;
mod service_options;
mod session;
mod shared_counters;
#[cfg(test)]
mod tests;
mod watching;
mod workers;

pub use analysis_stream::{AnalysisStream, AnalysisUpdate};
pub use answer::{AnalysisError, Answer, CacheVerdict, CompletionReason, PerftResult, Source};
pub use cluster::{
    Cluster, ClusterNode, ClusterStatus, LeaseAnswer, LostNode, ReadLimit, SearchDigest,
    SearchLease, SearchPlace, SessionPlace, SharedCacheCounts, SharedRecords, SharedWrite,
    WatchedSearch,
};
pub use counters::{
    CacheLookupCounts, ClassCounts, QueueCounts, SearchCounts, ServiceStatus, StoreStatus,
};
pub use duration_histogram::{DURATION_BUCKET_BOUNDS, DurationHistogram, DurationSnapshot};
pub use evaluation_cache::CachedAnalysis;
pub use graph::{GraphEdge, GraphNode, MAX_EDGES};
pub use memory_bound::{
    MemoryBound, bytes_per_entry, bytes_per_request, memory_bound, store_bound,
};
pub use perft::PerftRequest;
pub use remote_search::{RemoteEvent, RemoteRun, RemoteSearch, ReportEncoding};
pub use request::{AnalysisRequest, PriorityClass};
pub use searcher::Searcher;
pub use service::Service;
pub use service_options::{Backends, ServiceOptions};
pub(crate) use session::{CLIENT_SHARES, client_share};
pub use session::{Client, Session, SessionId};
pub use shared_counters::{
    CountMode, PutTicket, RequestCount, SharedAnswer, SharedCounters, TicketHolder, TicketRules,
    TicketToken,
};
pub use watching::JoinedSearch;
