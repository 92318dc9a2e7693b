//! The memory bound of the settings, as `config/default.toml` states it, and the allocator
//! settings.

use super::from_settings::service_options;
use crate::analysis::jobs::jobs_memory_bound;
use crate::analysis::{bytes_per_request, memory_bound, store_bound};
use crate::config::Settings;
use crate::http::{explore_memory_bound, picture_memory_bound};

const MB: u64 = 1 << 20;

/// The process itself: code, network, pages of the contract, log, runtime.
const PROCESS_BYTES: u64 = 60 * MB;

/// Spans that wait for the collector, and the client that sends them.
const TRACE_BYTES: u64 = 8 * MB;

/// Analyses that wait to be sent to the other nodes of a cluster, and what is read from them.
const CLUSTER_BYTES: u64 = 16 * MB;

/// A connection without the head of a request: its tasks, its buffers, and for HTTP/2 its streams
/// and the part of the bodies that waits unread.
const CONNECTION_BYTES: u64 = 64 << 10;

/// The lines that wait for the client of a stream, or the messages of a live board.
const STREAM_BYTES: u64 = 100 << 10;

/// Memory per line of a batch beyond its text, and the copies of its bytes: the text, and twice the
/// answers, whose buffers have spare capacity.
const BATCH_LINE_BYTES: u64 = 128;
const BATCH_COPIES: u64 = 3;

/// A memory bound above `memory.max_mb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "memory.max_mb: the settings need up to {bound_mb} MB, but {max_mb} MB is allowed; \
     config/default.toml has the formula"
)]
pub struct MemoryError {
    bound_mb: u64,
    max_mb: u64,
}

/// The most memory that a server with these settings needs, in MB, rounded up.
pub fn memory_bound_mb(settings: &Settings) -> u64 {
    let service = memory_bound(&service_options(settings), settings.search.hash_mb).total();
    let store = if settings.store.is_on() { store_bound() } else { 0 };
    let tables = if settings.syzygy.paths.is_empty() { 0 } else { settings.syzygy.memory_mb * MB };
    let traces = if settings.otlp.is_on() { TRACE_BYTES } else { 0 };
    let watched = settings.queue.capacity as u64 * bytes_per_request() as u64;
    let cluster = if settings.cluster.is_on() { CLUSTER_BYTES + watched } else { 0 };
    let requests = settings.http.requests_mb as u64 * MB;
    let connection = settings.http.head_bytes as u64 + CONNECTION_BYTES;
    let connections = settings.http.connections as u64 * connection;
    let exploration = explore_memory_bound();
    let pictures = picture_memory_bound();
    let jobs = jobs_memory_bound(
        settings.jobs.bytes as u64,
        settings.jobs.max_mb * MB,
        settings.store.is_on(),
    );
    let streams = settings.stream.max as u64 * STREAM_BYTES;
    let batch =
        BATCH_COPIES * settings.batch.bytes as u64 + settings.batch.lines as u64 * BATCH_LINE_BYTES;
    let batches = settings.batch.max as u64 * batch;
    (PROCESS_BYTES + traces + requests + connections + streams + batches + exploration + pictures)
        .saturating_add(store as u64 + jobs + tables + cluster)
        .saturating_add(service as u64)
        .div_ceil(MB)
}

/// Fails when the memory bound is above `memory.max_mb`.
pub(super) fn check(settings: &Settings) -> Result<(), MemoryError> {
    let (bound_mb, max_mb) = (memory_bound_mb(settings), settings.memory.max_mb);
    if bound_mb > max_mb { Err(MemoryError { bound_mb, max_mb }) } else { Ok(()) }
}

/// Makes glibc allocate large blocks with `mmap`, so that freed ones return to the system at once.
///
/// By default glibc raises its `mmap` threshold to the size of the largest freed block. The blocks
/// of a search then lie between small long-lived ones, such as cache entries. The gaps are slightly
/// too small for the next search, so the process grows with every search. Call this before any
/// thread starts.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "a setting of the allocator, which has no safe form")]
pub fn configure_malloc() {
    /// Stacks and tables of a search are larger; cache entries and answers are smaller.
    const MMAP_THRESHOLD_BYTES: libc::c_int = 32 << 10;
    // SAFETY: the call takes two numbers and affects only later allocations. An allocator that
    // refuses it stays unchanged.
    let _ = unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, MMAP_THRESHOLD_BYTES) };
}

/// Does nothing: other allocators need no configuration.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn configure_malloc() {}

#[cfg(test)]
mod tests;
