//! Limits and options of the HTTP layer, from the configuration.

use std::time::Duration;

use crate::http::StreamOptions;

/// The maximum number of concurrent explore requests.
pub(crate) const MAX_CONCURRENT_EXPLORES: usize = 2;

/// The maximum number of concurrent uploads.
pub(crate) const MAX_CONCURRENT_UPLOADS: usize = 4;

/// The maximum number of concurrent uploads of one client, so that slow senders cannot block
/// others.
pub(crate) const MAX_UPLOADS_PER_CLIENT: usize = MAX_CONCURRENT_UPLOADS.div_ceil(UPLOAD_SHARES);

/// Texts of games up to this size need no upload permit. The memory of their request counts them.
pub(crate) const SHORT_UPLOAD_BYTES: usize = 64 << 10;

/// The copies of a text that is received and parsed: as bytes, as text (one byte of an old encoding
/// may become three), and as games.
pub(crate) const UPLOAD_COPIES: usize = 4;

/// A lone client may hold one of so many shares of all uploads, streams, batches or lookups in
/// tablebases.
pub(crate) const UPLOAD_SHARES: usize = 2;
pub(crate) const STREAM_SHARES: usize = 8;
pub(crate) const BATCH_SHARES: usize = 4;
pub(crate) const TABLEBASE_SHARES: usize = 4;

/// The maximum number of explore responses of depth 2 or more that are being built or read.
pub(crate) const MAX_CONCURRENT_DEEP_EXPLORES: usize = 4;

/// The maximum number of concurrent lookups in tablebases, which may wait for the disk.
pub(crate) const MAX_CONCURRENT_TABLEBASE_LOOKUPS: usize = 16;

/// The maximum number of pictures that are drawn at once as PNG. One client may draw one of so many
/// shares of them.
pub(crate) const MAX_CONCURRENT_PICTURES: usize = 2;
pub(crate) const PICTURE_SHARES: usize = 2;

/// The limits of one request, and the other settings that the routes need.
#[derive(Clone, Debug)]
pub struct Caps {
    /// Maximum depth of a search, in plies.
    pub depth: u8,
    /// Maximum nodes of a search.
    pub nodes: u64,
    /// Maximum time of a search.
    pub movetime: Duration,
    /// Time of a search without a limit in the request.
    pub default_movetime: Duration,
    /// Maximum time of an `infinite` search.
    pub infinite: Duration,
    /// Maximum time that a request waits for a worker.
    pub max_wait: Duration,
    /// Maximum distance of a mate, in moves.
    pub mate: u8,
    /// Maximum threads of a search; at least 1.
    pub threads: u16,
    /// Maximum MultiPV lines of a search; at least 1.
    pub multipv: u16,
    /// Maximum number of entries in `moves`.
    pub moves: usize,
    /// Maximum size of a body, in bytes.
    pub body_bytes: usize,
    /// Maximum time until a body has arrived.
    pub body_timeout: Duration,
    /// Maximum depth of a perft, in plies.
    pub perft_depth: u8,
    /// Maximum time of a perft.
    pub perft_max: Duration,
    /// Search time for an unknown position of `GET /api/cloud-eval`; zero disables the search.
    pub lichess_compute: Duration,
    /// Whether there are routes in the formats of chess-api.com and stockfish.online.
    pub is_compat_enabled: bool,
    /// Maximum number of concurrent batches.
    pub batches: usize,
    /// Maximum number of lines of a batch.
    pub batch_lines: usize,
    /// Maximum size of a batch, in bytes. Also the number of unread response bytes above which its
    /// next line is not searched yet.
    pub batch_bytes: usize,
    /// Limits of review jobs.
    pub jobs: JobCaps,
    /// Bytes that all requests that are being read or answered may take together.
    pub request_bytes: usize,
    /// Maximum number of open connections.
    pub connections: usize,
    /// Options of streaming responses.
    pub stream: StreamOptions,
    /// Maximum number of concurrent streams and live boards.
    pub streams: usize,
    /// A live board without a message and without a search is closed after this time.
    pub live_idle: Duration,
    /// Interval of WebSocket pings to the client of a live board.
    pub live_ping: Duration,
    /// Origins that CORS allows; `*` for all.
    pub cors_origins: Vec<String>,
    /// The origin under which browsers reach the server; empty if the configuration has none.
    pub public_origin: String,
    /// Whether there are tools for language models.
    pub is_mcp_enabled: bool,
    /// Hosts that a call of tools may name; `*` for all.
    pub mcp_hosts: Vec<String>,
    /// Upper bound of the memory that follows from the settings, in MB.
    pub memory_bound_mb: u64,
    /// Maximum value that the settings allow for that bound, in MB.
    pub memory_max_mb: u64,
}

/// The limits of review jobs that the routes need.
#[derive(Clone, Copy, Debug)]
pub struct JobCaps {
    /// Maximum number of stored jobs.
    pub max: usize,
    /// Hours for which a finished job is kept.
    pub keep_hours: u64,
    /// Maximum size of an upload, in bytes.
    pub bytes: usize,
    /// Thousandths of the free capacity for the jobs of one address without a key.
    pub anonymous_share_permille: u16,
    /// Maximum number of nodes of all searches of one job.
    pub max_nodes: u64,
    /// Nodes of a search of a job without limits.
    pub default_nodes: u64,
}
