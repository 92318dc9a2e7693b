//! `GET /v1/limits`

use axum::Extension;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::{ObjectBuilder, Schema, Type};

use crate::http::App;
use crate::http::access::{Allowance, Identity};
use crate::http::dto::whole_ms;
use crate::http::json::Reply;
use crate::http::schema::{ref_or_null, varying};

/// What one request may ask for, and how much the server carries.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ServerLimits {
    /// `depth` of a search, in plies.
    depth: Limit,
    /// `nodes` of a search.
    nodes: Limit,
    /// `movetime_ms` of a search, in milliseconds; the default counts when a request has no limit
    /// at all.
    movetime_ms: Limit,
    /// How long an `infinite` analysis may last, in milliseconds.
    infinite_ms: u64,
    /// `mate` of a search, in moves.
    mate: Limit,
    /// `threads` of a search.
    #[schema(schema_with = threads)]
    threads: Limit,
    /// `multipv` of an analysis.
    multipv: Limit,
    /// Entries of `moves`.
    moves: usize,
    /// Bytes of a request's body.
    body_bytes: usize,
    /// `depth` of a perft, in plies.
    perft_depth: u8,
    /// How long a perft may take, in milliseconds.
    perft_ms: u64,
    /// The requests that wait for a worker.
    queue: QueueStatus,
    /// Searches and perfts that run at once.
    #[schema(schema_with = workers)]
    workers: usize,
    /// The size of the shared transposition table, in MB.
    hash_mb: usize,
    /// Finished analyses that are remembered.
    dictionary: CacheStatus,
    /// Batches.
    batch: BatchLimits,
    /// Reviews of games.
    jobs: JobLimits,
    /// Connections at once.
    connections: usize,
    /// Streams and boards at once.
    streams: usize,
    /// How often the caller may ask; null for as often as it likes.
    #[schema(required, schema_with = rate_or_null)]
    rate: Option<RateLimitStatus>,
    /// The server's memory.
    memory: MemoryLimits,
}

/// The most that may be asked, and what counts when nothing is.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct Limit {
    /// What is beyond is clamped.
    max: u64,
    /// Null: no limit of this kind.
    #[schema(required)]
    default: Option<u64>,
}

/// Batches.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Batch)]
pub(crate) struct BatchLimits {
    /// Batches at once.
    max: usize,
    /// Most lines.
    lines: usize,
    /// Most bytes.
    bytes: usize,
}

/// Reviews of games.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Jobs)]
pub(crate) struct JobLimits {
    /// Most jobs that are kept, done or not.
    max: usize,
    /// How long a job is kept that is over, in hours.
    keep_hours: u64,
    /// Most bytes of a text.
    bytes: usize,
}

/// How often a client may ask.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Rate)]
pub(crate) struct RateLimitStatus {
    /// Requests in a window.
    requests: u32,
    /// The window, in milliseconds.
    window_ms: u64,
    /// Requests that the caller may make at once.
    remaining: u32,
}

/// A queue.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Queue)]
pub(crate) struct QueueStatus {
    /// How many may wait.
    capacity: usize,
    /// How many wait now.
    length: usize,
    /// How long one may wait, in milliseconds.
    max_wait_ms: u64,
}

/// The evaluation dictionary.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Dictionary)]
pub(crate) struct CacheStatus {
    /// How many there are now.
    entries: usize,
    /// How many there may be.
    max_entries: usize,
}

/// Memory, in MB.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Memory)]
pub(crate) struct MemoryLimits {
    /// The most that the settings lead to.
    #[schema(schema_with = bound_mb)]
    bound_mb: u64,
    /// The most that the settings allow.
    max_mb: u64,
}

/// Limits
///
/// What one request may ask for, and how much the server carries.
#[utoipa::path(
    get,
    path = "/v1/limits",
    tag = "server",
    responses((status = 200, description = "The limits.", body = ServerLimits))
)]
pub(crate) async fn limits(
    State(app): State<App>,
    identity: Option<Extension<Identity>>,
) -> Reply<ServerLimits> {
    let (caps, status) = (app.caps(), app.service().await.status());
    let without_default = |max: u64| Limit { max, default: None };
    Reply(ServerLimits {
        depth: without_default(caps.depth.into()),
        nodes: without_default(caps.nodes),
        movetime_ms: Limit {
            max: whole_ms(caps.movetime),
            default: Some(whole_ms(caps.default_movetime)),
        },
        infinite_ms: whole_ms(caps.infinite),
        mate: without_default(caps.mate.into()),
        threads: Limit { max: caps.threads.into(), default: Some(1) },
        multipv: Limit { max: caps.multipv.into(), default: Some(1) },
        moves: caps.moves,
        body_bytes: caps.body_bytes,
        perft_depth: caps.perft_depth,
        perft_ms: whole_ms(caps.perft_max),
        queue: QueueStatus {
            capacity: status.queue_capacity,
            length: status.queue_length,
            max_wait_ms: whole_ms(caps.max_wait),
        },
        workers: status.workers,
        hash_mb: app.engine().await.hash_mb(),
        dictionary: CacheStatus {
            entries: status.cache_entries,
            max_entries: status.cache_max_entries,
        },
        batch: BatchLimits { max: caps.batches, lines: caps.batch_lines, bytes: caps.batch_bytes },
        jobs: JobLimits {
            max: caps.jobs.max,
            keep_hours: caps.jobs.keep_hours,
            bytes: caps.jobs.bytes,
        },
        connections: caps.connections,
        streams: caps.streams,
        rate: identity.and_then(|Extension(visitor)| visitor.allowance).map(RateLimitStatus::from),
        memory: MemoryLimits { bound_mb: caps.memory_bound_mb, max_mb: caps.memory_max_mb },
    })
}

impl From<Allowance> for RateLimitStatus {
    fn from(Allowance { rate, remaining, .. }: Allowance) -> RateLimitStatus {
        RateLimitStatus {
            requests: rate.requests.get(),
            window_ms: whole_ms(rate.window),
            remaining,
        }
    }
}

fn rate_or_null() -> Schema {
    ref_or_null::<RateLimitStatus>("How often the caller may ask; null for as often as it likes.")
}

fn workers() -> ObjectBuilder {
    varying("Searches and perfts that run at once; by default one per core.")
}

fn threads() -> ObjectBuilder {
    varying("`threads` of a search; the most are by default as many as there are workers.")
        .schema_type(Type::Object)
        .minimum(None::<u64>)
        .property("max", varying("What is beyond is clamped.").minimum(Some(1)))
        .required("max")
        .property("default", varying("What counts when none are asked for.").minimum(Some(1)))
        .required("default")
}

fn bound_mb() -> ObjectBuilder {
    varying("The most that the settings lead to.")
}
