//! `GET /v1/limits`: the limits of requests and the capacity of the server.

use axum::Extension;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::{ObjectBuilder, Schema, Type};

use crate::analysis::ClusterStatus;
use crate::engine::StrengthLimit;
use crate::http::App;
use crate::http::access::{Allowance, Identity};
use crate::http::dto::{TablebaseSet, tablebase_set_or_null, whole_ms};
use crate::http::json::{NoParameters, Query, Reply};
use crate::http::problem::NoParametersProblems;
use crate::http::schema::{ref_or_null, varying};

/// The limits of a request and the capacity of the server.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ServerLimits {
    /// The member `depth` of a search, in plies.
    depth: Limit,
    /// The member `nodes` of a search.
    nodes: Limit,
    /// The member `movetime_ms` of a search, in milliseconds. The default applies to requests
    /// without any limit.
    movetime_ms: Limit,
    /// The maximum duration of an `infinite` analysis, in milliseconds.
    infinite_ms: u64,
    /// The member `mate` of a search, in moves.
    mate: Limit,
    /// The member `threads` of a search.
    #[schema(schema_with = threads)]
    threads: Limit,
    /// The member `multipv` of an analysis.
    multipv: Limit,
    /// The range of the member `elo` of a best-move request or batch line.
    elo: EloRange,
    /// The maximum number of entries of the member `moves`.
    moves: usize,
    /// The maximum length of a request body, in bytes.
    body_bytes: usize,
    /// The maximum `depth` of a perft, in plies.
    perft_depth: u8,
    /// The maximum duration of a perft, in milliseconds.
    perft_ms: u64,
    /// The queue of requests that wait for a worker.
    queue: QueueStatus,
    /// The number of searches and perfts that can run at once.
    #[schema(schema_with = workers)]
    workers: usize,
    /// The size of the shared transposition table, in MB.
    hash_mb: usize,
    /// The evaluation cache, which holds finished analyses.
    dictionary: CacheStatus,
    /// The limits of batches.
    batch: BatchLimits,
    /// The limits of game reviews.
    jobs: JobLimits,
    /// The endgame tablebases; null if the server has none.
    #[schema(required, schema_with = tablebase_set_or_null)]
    tablebase: Option<TablebaseSet>,
    /// The nodes that share searches and analyses with this one; null if it belongs to no cluster.
    #[schema(required, schema_with = cluster_or_null)]
    cluster: Option<ClusterCapacity>,
    /// The maximum number of concurrent connections.
    connections: usize,
    /// The maximum number of concurrent streams and live boards.
    streams: usize,
    /// The rate limit of the caller; null if there is none.
    #[schema(required, schema_with = rate_or_null)]
    rate: Option<RateLimitStatus>,
    /// The memory limits of the server.
    memory: MemoryLimits,
}

/// The maximum and the default of a request member.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct Limit {
    /// The maximum. A greater value is clamped.
    max: u64,
    /// The value that applies if the request has none. Null: no limit.
    #[schema(required)]
    default: Option<u64>,
}

/// The range of a strength in Elo. A value outside it is refused.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct EloRange {
    /// The strength of the weakest player.
    min: u16,
    /// The strength of the strongest player.
    max: u16,
}

/// The limits of batches.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Batch)]
pub(crate) struct BatchLimits {
    /// The maximum number of concurrent batches.
    max: usize,
    /// The maximum number of lines of a batch.
    lines: usize,
    /// The maximum length of a batch, in bytes.
    bytes: usize,
}

/// The limits of game reviews.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Jobs)]
pub(crate) struct JobLimits {
    /// The maximum number of stored jobs, finished or not.
    max: usize,
    /// The time that the server keeps a finished job, in hours.
    keep_hours: u64,
    /// The maximum length of the PGN text of a job, in bytes.
    bytes: usize,
    /// The maximum number of nodes of all positions of a job.
    max_nodes: u64,
    /// The number of nodes for each position if a job has no limits: at most `max_nodes` divided by
    /// the number of its positions.
    default_nodes: u64,
    /// The share of the places for jobs that the unfinished jobs of one address without a key may
    /// take, in thousandths of what other clients leave.
    #[schema(minimum = 1, maximum = 500)]
    anonymous_share_permille: u16,
}

/// The nodes of a cluster that have the same engine, network and tablebases, this one included.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Cluster)]
pub(crate) struct ClusterCapacity {
    /// The number of nodes; 1 while this one cannot reach the others.
    nodes: usize,
    /// The number of searches that they can run at once.
    workers: usize,
    /// The number of searches that they could start now.
    free: usize,
}

/// The rate limit of a client.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Rate)]
pub(crate) struct RateLimitStatus {
    /// The number of requests per window.
    requests: u32,
    /// The length of the window, in milliseconds.
    window_ms: u64,
    /// The number of requests that the caller can still send now.
    remaining: u32,
}

/// The state of the queue.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Queue)]
pub(crate) struct QueueStatus {
    /// The maximum number of waiting requests.
    capacity: usize,
    /// The number of requests that wait now.
    length: usize,
    /// The maximum time that a request waits, in milliseconds.
    max_wait_ms: u64,
}

/// The state of the evaluation cache.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Dictionary)]
pub(crate) struct CacheStatus {
    /// The number of entries now.
    entries: usize,
    /// The maximum number of entries.
    max_entries: usize,
}

/// The memory limits of the server, in MB.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Memory)]
pub(crate) struct MemoryLimits {
    /// The upper bound of the memory that the server uses with its settings.
    #[schema(schema_with = bound_mb)]
    bound_mb: u64,
    /// The maximum that the settings allow for that bound.
    max_mb: u64,
}

/// Get the limits
///
/// Returns the limits of requests and the capacity of the server.
#[utoipa::path(
    get,
    path = "/v1/limits",
    tag = "server",
    responses((status = 200, description = "The limits.", body = ServerLimits), NoParametersProblems)
)]
pub(crate) async fn limits(
    State(app): State<App>,
    Query(NoParameters): Query<NoParameters>,
    identity: Option<Extension<Identity>>,
) -> Reply<ServerLimits> {
    let (caps, status) = (app.caps(), app.service().await.status());
    let engine = app.engine().await;
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
        elo: EloRange { min: *StrengthLimit::ELO.start(), max: *StrengthLimit::ELO.end() },
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
        hash_mb: engine.hash_mb(),
        dictionary: CacheStatus {
            entries: status.cache_entries,
            max_entries: status.cache_max_entries,
        },
        batch: BatchLimits { max: caps.batches, lines: caps.batch_lines, bytes: caps.batch_bytes },
        jobs: JobLimits {
            max: caps.jobs.max,
            keep_hours: caps.jobs.keep_hours,
            bytes: caps.jobs.bytes,
            max_nodes: caps.jobs.max_nodes,
            default_nodes: caps.jobs.default_nodes,
            anonymous_share_permille: caps.jobs.anonymous_share_permille,
        },
        tablebase: engine.tablebase().map(|options| TablebaseSet::from(&*options.tables)),
        cluster: status.cluster.map(ClusterCapacity::from),
        connections: caps.connections,
        streams: caps.streams,
        rate: identity
            .and_then(|Extension(identity)| identity.allowance)
            .map(RateLimitStatus::from),
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

impl From<ClusterStatus> for ClusterCapacity {
    fn from(ClusterStatus { nodes, workers, free_workers, .. }: ClusterStatus) -> ClusterCapacity {
        ClusterCapacity { nodes, workers, free: free_workers }
    }
}

fn cluster_or_null() -> Schema {
    ref_or_null::<ClusterCapacity>(
        "The nodes that share searches and analyses with this one; null if it belongs to no \
         cluster.",
    )
}

fn rate_or_null() -> Schema {
    ref_or_null::<RateLimitStatus>("The rate limit of the caller; null if there is none.")
}

fn workers() -> ObjectBuilder {
    varying("The number of searches and perfts that can run at once; by default one per core.")
}

fn threads() -> ObjectBuilder {
    varying("The member `threads` of a search. The default maximum is the number of workers.")
        .schema_type(Type::Object)
        .minimum(None::<u64>)
        .property("max", varying("The maximum. A greater value is clamped.").minimum(Some(1)))
        .required("max")
        .property(
            "default",
            varying("The value that applies if the request has none.").minimum(Some(1)),
        )
        .required("default")
}

fn bound_mb() -> ObjectBuilder {
    varying("The upper bound of the memory that the server uses with its settings.")
}
