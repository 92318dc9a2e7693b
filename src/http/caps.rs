//! Limits and options of the HTTP layer, from the configuration.

use std::time::Duration;

use crate::http::StreamOptions;

/// So many walks through the graph of positions are made at once.
pub(crate) const MAX_CONCURRENT_EXPLORES: usize = 2;

/// So many answers at once that tell of what lies behind moves wait to be made or to be read.
pub(crate) const MAX_CONCURRENT_DEEP_EXPLORES: usize = 4;

/// What one request may ask for, and what else the routes need to know of the settings.
#[derive(Clone, Debug)]
pub struct Caps {
    /// Greatest depth of a search, in plies.
    pub depth: u8,
    /// Greatest number of nodes of a search.
    pub nodes: u64,
    /// Greatest time of a search.
    pub movetime: Duration,
    /// Time of a search for which no limit is asked.
    pub default_movetime: Duration,
    /// Greatest time of a search that is to go on for ever.
    pub infinite: Duration,
    /// How long a request may wait for a worker.
    pub max_wait: Duration,
    /// Greatest distance of a mate, in moves.
    pub mate: u8,
    /// Most threads of a search; at least one.
    pub threads: u16,
    /// Most lines of a search; at least one.
    pub multipv: u16,
    /// Most moves in `moves`.
    pub moves: usize,
    /// Most bytes in a body.
    pub body_bytes: usize,
    /// Longest time for a body to arrive.
    pub body_timeout: Duration,
    /// Greatest depth of a perft.
    pub perft_depth: u8,
    /// Longest time of a perft.
    pub perft_max: Duration,
    /// How long an unknown position is searched for `GET /api/cloud-eval`; not at all for no time.
    pub lichess_compute: Duration,
    /// Batches at once.
    pub batches: usize,
    /// Most lines of a batch.
    pub batch_lines: usize,
    /// Most bytes of a batch, and most bytes of answers that wait for its reader before its next
    /// line is searched.
    pub batch_bytes: usize,
    /// Reviews of games.
    pub jobs: JobCaps,
    /// Connections at once.
    pub connections: usize,
    /// How answers are sent line by line.
    pub stream: StreamOptions,
    /// Answers that come line by line, and boards, at once.
    pub streams: usize,
    /// A board that says nothing for so long, and for which nothing is searched, is closed.
    pub live_idle: Duration,
    /// How often the client of a board is asked whether it is still there.
    pub live_ping: Duration,
    /// Origins that CORS allows.
    pub cors_origins: Vec<String>,
    /// The most memory that the settings lead to, in MB.
    pub memory_bound_mb: u64,
    /// The most memory that the settings allow, in MB.
    pub memory_max_mb: u64,
}

/// What the routes need to know of the settings for jobs.
#[derive(Clone, Copy, Debug)]
pub struct JobCaps {
    /// Most jobs that are kept.
    pub max: usize,
    /// How long a job is kept that is over, in hours.
    pub keep_hours: u64,
    /// Most bytes of a text.
    pub bytes: usize,
    /// How hard a position is searched for which no limit is asked.
    pub default_nodes: u64,
}
