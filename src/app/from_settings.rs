//! The options of each layer, derived from the settings.

use std::num::NonZeroU32;
use std::time::Duration;

use super::connection::ConnectionLimits;
use crate::analysis::ServiceOptions;
use crate::analysis::jobs::{JobRules, Usage};
use crate::cluster::{ClusterError, ClusterOptions};
use crate::config::{ApiKeySettings, ClusterSettings, Settings};
use crate::http::{
    AccessConfig, ApiKey, ApiKeys, Caps, JobCaps, REQUEST_BYTES, RateLimit, StreamOptions,
    TrustedProxies,
};

/// The options of the analysis service.
pub(super) fn service_options(settings: &Settings) -> ServiceOptions {
    ServiceOptions {
        workers: settings.search.workers,
        queue_capacity: settings.queue.capacity,
        speculative_queue_capacity: settings.idle.positions,
        cache_max_entries: settings.dictionary.max_entries,
        max_movetime: Duration::from_millis(settings.limits.movetime_ms),
        max_wait: Duration::from_millis(settings.queue.max_wait_ms),
        max_infinite: Duration::from_millis(settings.stream.infinite_ms),
        slice: Duration::from_millis(settings.queue.slice_ms),
    }
}

/// How the node takes part in its cluster; `None` without one.
///
/// # Errors
/// A setting has a form that is not allowed.
pub(super) fn cluster_options(settings: &Settings) -> Result<Option<ClusterOptions>, ClusterError> {
    let ClusterSettings { url, jobs_url, replicas, node, prefix } = &settings.cluster;
    if settings.cluster.is_on() {
        return ClusterOptions::new(url, node, prefix)?.with_jobs(jobs_url, *replicas).map(Some);
    }
    match (jobs_url.is_empty(), replicas) {
        (true, 0) => Ok(None),
        (true, _) => Err(ClusterError::NoCluster("cluster.replicas")),
        (false, _) => Err(ClusterError::NoCluster("cluster.jobs_url")),
    }
}

/// The bounds on stored jobs.
pub(super) fn job_rules(settings: &Settings) -> JobRules {
    let jobs = &settings.jobs;
    JobRules {
        max_usage: Usage { jobs: jobs.max, bytes: jobs.max_mb << 20 },
        anonymous_share_permille: jobs.anonymous_share_permille,
        max_nodes: jobs.max_nodes,
        default_nodes: jobs.default_nodes.min(settings.limits.nodes),
        retention: Duration::from_secs(jobs.keep_hours * 3_600),
    }
}

/// The limits of each connection, and of the connections of one client.
pub(super) struct ConnectionRules {
    pub(super) limits: ConnectionLimits,
    pub(super) max_per_client: usize,
    /// The HTTP/2 streams of all connections that may be open at once.
    pub(super) max_open_streams: usize,
    pub(super) proxies: TrustedProxies,
}

/// HTTP/2 streams that may be open besides those of admitted requests: requests that the server
/// is about to refuse. Each takes about 5 KB.
const UNADMITTED_STREAMS: usize = 4_096;

/// The limits of connections.
pub(super) fn connection_rules(settings: &Settings) -> ConnectionRules {
    let limits = ConnectionLimits {
        max_connections: settings.http.connections,
        header_timeout: Duration::from_millis(settings.http.head_timeout_ms),
        stall_timeout: Duration::from_millis(settings.stream.stall_ms),
        max_head_bytes: settings.http.head_bytes,
    };
    ConnectionRules {
        limits,
        max_per_client: settings.http.connections_per_client,
        max_open_streams: (settings.http.requests_mb << 20) / REQUEST_BYTES + UNADMITTED_STREAMS,
        proxies: TrustedProxies::new(settings.access.trusted_proxies.clone()),
    }
}

/// The API keys, trusted proxies and rate limits.
pub(super) fn access(settings: &Settings) -> AccessConfig {
    let key = |key: &ApiKeySettings| ApiKey {
        name: key.name.clone(),
        digest: key.sha256.0,
        rate: rate(key.requests, key.window_ms),
    };
    AccessConfig {
        is_key_required: settings.access.required,
        are_metrics_separate: settings.metrics.listen.is_some(),
        keys: ApiKeys::new(settings.access.keys.iter().map(key).collect()),
        proxies: TrustedProxies::new(settings.access.trusted_proxies.clone()),
        default_rate_limit: rate(settings.rate.requests, settings.rate.window_ms),
    }
}

/// A rate limit of `requests` per window. There is none for 0 requests.
fn rate(requests: u32, window_ms: u64) -> Option<RateLimit> {
    Some(RateLimit {
        requests: NonZeroU32::new(requests)?,
        window: Duration::from_millis(window_ms),
    })
}

/// The limits that the routes enforce.
pub(super) fn caps(settings: &Settings, memory_bound_mb: u64) -> Caps {
    let limits = &settings.limits;
    Caps {
        depth: limits.depth,
        nodes: limits.nodes,
        movetime: Duration::from_millis(limits.movetime_ms),
        default_movetime: Duration::from_millis(settings.search.default_movetime_ms),
        infinite: Duration::from_millis(settings.stream.infinite_ms),
        max_wait: Duration::from_millis(settings.queue.max_wait_ms),
        mate: limits.mate,
        threads: limits.threads,
        multipv: limits.multipv,
        moves: limits.moves,
        body_bytes: limits.body_bytes,
        body_timeout: Duration::from_millis(settings.http.body_timeout_ms),
        perft_depth: limits.perft_depth,
        perft_max: Duration::from_millis(settings.perft.max_ms),
        lichess_compute: Duration::from_millis(settings.lichess.compute_ms),
        is_compat_enabled: settings.compat.enabled,
        batches: settings.batch.max,
        batch_lines: settings.batch.lines,
        batch_bytes: settings.batch.bytes,
        jobs: JobCaps {
            max: settings.jobs.max,
            keep_hours: settings.jobs.keep_hours,
            bytes: settings.jobs.bytes,
            anonymous_share_permille: settings.jobs.anonymous_share_permille,
            max_nodes: settings.jobs.max_nodes,
            default_nodes: settings.jobs.default_nodes.min(settings.limits.nodes),
        },
        request_bytes: settings.http.requests_mb << 20,
        connections: settings.http.connections,
        stream: StreamOptions {
            heartbeat: Duration::from_millis(settings.stream.heartbeat_ms),
            stall: Duration::from_millis(settings.stream.stall_ms),
            buffer: settings.stream.buffer,
        },
        streams: settings.stream.max,
        live_idle: Duration::from_millis(settings.live.idle_ms),
        live_ping: Duration::from_millis(settings.live.ping_ms),
        cors_origins: settings.http.cors_origins.clone(),
        public_origin: settings.http.public_origin.clone(),
        is_mcp_enabled: settings.mcp.enabled,
        mcp_hosts: settings.mcp.allowed_hosts.clone(),
        memory_bound_mb,
        memory_max_mb: settings.memory.max_mb,
    }
}
