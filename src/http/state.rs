//! The application state that all handlers share.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::FromRef;
use tokio::sync::SetOnce;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tracing::Span;

use crate::analysis::jobs::Jobs;
use crate::analysis::{Client, CountMode, Service, SharedCounters};
use crate::engine::Engine;
use crate::http::Caps;
use crate::http::access::{AccessConfig, AccessControl, Allowance, Caller};
use crate::http::caps::{
    BATCH_SHARES, MAX_CONCURRENT_DEEP_EXPLORES, MAX_CONCURRENT_EXPLORES, MAX_CONCURRENT_PICTURES,
    MAX_CONCURRENT_TABLEBASE_LOOKUPS, MAX_CONCURRENT_UPLOADS, MAX_UPLOADS_PER_CLIENT,
    PICTURE_SHARES, STREAM_SHARES, TABLEBASE_SHARES, UPLOAD_SHARES,
};
use crate::http::json::{BodyLimits, JsonLimits};
use crate::http::metrics::{CoreSnapshot, Gauge, MetricsSnapshot, RequestMetrics};
use crate::http::problem::Problem;
use crate::http::request_memory::RequestMemory;
use crate::http::stream::{ClientPermits, Permit, Permits};

/// The application state. Cheap to clone.
///
/// The routes exist before the engine. Allocating a large transposition table takes seconds, and a
/// liveness probe must succeed meanwhile.
#[derive(Clone)]
pub struct App(Arc<Shared>);

struct Shared {
    caps: Caps,
    access_control: AccessControl,
    request_metrics: Arc<RequestMetrics>,
    open_connections: Gauge,
    request_memory: Arc<RequestMemory>,
    started: Instant,
    upload_permits: ClientPermits,
    explore_permits: Permits,
    deep_explore_permits: Permits,
    tablebase_permits: ClientPermits,
    picture_permits: ClientPermits,
    core: SetOnce<Core>,
    stream_permits: ClientPermits,
    batch_permits: ClientPermits,
    shutting_down: SetOnce<()>,
}

/// The parts that exist once the engine is ready.
struct Core {
    service: Service,
    engine: Arc<Engine>,
    jobs: Jobs,
    /// What the nodes of a cluster count together.
    counters: Option<Arc<dyn SharedCounters>>,
}

impl App {
    /// The state of a server that is starting.
    pub fn starting(caps: Caps, access: AccessConfig) -> App {
        App(Arc::new(Shared {
            access_control: AccessControl::new(access),
            request_metrics: Arc::default(),
            open_connections: Gauge::default(),
            request_memory: RequestMemory::new(caps.request_bytes),
            started: Instant::now(),
            upload_permits: ClientPermits::new(MAX_CONCURRENT_UPLOADS, UPLOAD_SHARES),
            explore_permits: Permits::new(MAX_CONCURRENT_EXPLORES),
            deep_explore_permits: Permits::new(MAX_CONCURRENT_DEEP_EXPLORES),
            tablebase_permits: ClientPermits::new(
                MAX_CONCURRENT_TABLEBASE_LOOKUPS,
                TABLEBASE_SHARES,
            ),
            picture_permits: ClientPermits::new(MAX_CONCURRENT_PICTURES, PICTURE_SHARES),
            core: SetOnce::new(),
            stream_permits: ClientPermits::new(caps.streams, STREAM_SHARES),
            batch_permits: ClientPermits::new(caps.batches, BATCH_SHARES),
            shutting_down: SetOnce::new(),
            caps,
        }))
    }

    /// Marks the server as ready. Only the first call has an effect.
    pub fn mark_ready(&self, service: Service, engine: Arc<Engine>, jobs: Jobs) {
        self.mark_ready_in_cluster(service, engine, jobs, None);
    }

    /// Marks the server as ready, with what the nodes of its cluster count together. Only the first
    /// call has an effect.
    pub fn mark_ready_in_cluster(
        &self,
        service: Service,
        engine: Arc<Engine>,
        jobs: Jobs,
        counters: Option<Arc<dyn SharedCounters>>,
    ) {
        if self.0.core.set(Core { service, engine, jobs, counters }).is_err() {
            tracing::error!("mark_ready was called twice");
        }
    }

    /// Starts the shutdown of the server, its jobs and its searches.
    pub fn shut_down(&self) {
        // A second call has no effect.
        let _ = self.0.shutting_down.set(());
        if let Some(core) = self.0.core.get() {
            core.jobs.shut_down();
            core.service.shut_down();
        }
    }

    /// Resolves when no work is queued or running, and all streams and batches have ended.
    /// Unfinished jobs continue after the next start.
    pub async fn drained(&self) {
        if let Some(core) = self.0.core.get() {
            core.service.drained().await;
            core.jobs.stopped().await;
        }
        self.0.stream_permits.total().all_released().await;
        self.0.batch_permits.total().all_released().await;
    }

    /// Resolves when the shutdown starts.
    pub(super) async fn shutting_down(&self) {
        self.0.shutting_down.wait().await;
    }

    /// Whether the server is shutting down.
    pub(super) fn is_shutting_down(&self) -> bool {
        self.0.shutting_down.initialized()
    }

    /// A permit for one stream, held until the stream ends.
    ///
    /// # Errors
    /// Fails with `queue_full` if all permits, or those of the client, are in use.
    pub(super) fn stream_permit(&self, client: &Client) -> Result<Permit, Problem> {
        try_acquire(&self.0.stream_permits, client, "streams")
    }

    /// A permit for one batch, held until the batch ends.
    ///
    /// # Errors
    /// Fails with `queue_full` if all permits, or those of the client, are in use.
    pub(super) fn batch_permit(&self, client: &Client) -> Result<Permit, Problem> {
        try_acquire(&self.0.batch_permits, client, "batches")
    }

    /// Resolves when all analyses are written to disk, or when writing them has failed.
    ///
    /// # Errors
    /// Fails if waiting for the writer fails.
    pub async fn flushed(&self) -> io::Result<()> {
        match self.0.core.get() {
            Some(core) => core.service.flush().await,
            None => Ok(()),
        }
    }

    /// The gauge of open connections.
    pub fn connections(&self) -> Gauge {
        self.0.open_connections.clone()
    }

    /// The memory of concurrent requests.
    pub(super) fn request_memory(&self) -> &Arc<RequestMemory> {
        &self.0.request_memory
    }

    /// The request counters.
    pub(super) fn request_metrics(&self) -> Arc<RequestMetrics> {
        self.0.request_metrics.clone()
    }

    /// The current values of all metrics.
    pub(super) fn metrics_snapshot(&self) -> MetricsSnapshot {
        let core = self.0.core.get().map(|Core { service, engine, jobs, .. }| CoreSnapshot {
            status: service.status(),
            evaluation: engine.evaluation_name().to_owned(),
            hashfull_permille: engine.hashfull_permille(),
            jobs: jobs.status(),
            tablebase: engine.tablebase().map(|options| options.tables.statistics()),
        });
        MetricsSnapshot {
            requests: self.request_metrics(),
            connections: self.0.open_connections.value(),
            max_connections: self.0.caps.connections,
            streams: self.0.stream_permits.total().in_use(),
            max_streams: self.0.stream_permits.total().capacity(),
            batches: self.0.batch_permits.total().in_use(),
            max_batches: self.0.batch_permits.total().capacity(),
            requests_bytes: self.0.request_memory.in_use(),
            max_requests_bytes: self.0.caps.request_bytes,
            memory_bound_bytes: self.0.caps.memory_bound_mb << 20,
            is_ready: self.not_ready_reason().is_none(),
            core,
        }
    }

    /// The reason why the server takes no traffic; `None` if it is ready.
    pub(super) fn not_ready_reason(&self) -> Option<&'static str> {
        if self.is_shutting_down() {
            return Some("shutting_down");
        }
        let Some(core) = self.0.core.get() else { return Some("starting") };
        let is_store_failing = core.service.status().store.is_some_and(|store| store.failing)
            || (core.jobs.is_failing() && !core.jobs.are_shared());
        is_store_failing.then_some("store")
    }

    /// The missing parts of a server that takes traffic.
    pub(super) fn degraded(&self) -> Vec<&'static str> {
        let Some(core) = self.0.core.get() else { return Vec::new() };
        let cluster = core.service.cluster_status().filter(|cluster| cluster.is_unreachable);
        let jobs = (core.jobs.is_failing() && core.jobs.are_shared()).then_some("jobs");
        cluster.map(|_| "cluster").into_iter().chain(jobs).collect()
    }

    /// The analysis service. Waits while the server is starting.
    pub(super) async fn service(&self) -> &Service {
        &self.0.core.wait().await.service
    }

    /// The review jobs. Waits while the server is starting.
    pub(super) async fn jobs(&self) -> &Jobs {
        &self.0.core.wait().await.jobs
    }

    /// A permit for an upload of this client, held while the uploaded text is in memory.
    ///
    /// # Errors
    /// Fails with `queue_full` if no permit becomes free within the body timeout.
    pub(super) async fn upload_permit(&self, client: &Client) -> Result<Permit, Problem> {
        match timeout(self.0.caps.body_timeout, self.0.upload_permits.acquire(client)).await {
            Ok(Some(permit)) => Ok(permit),
            _ => Err(Problem::too_many_uploads(MAX_CONCURRENT_UPLOADS, MAX_UPLOADS_PER_CLIENT)),
        }
    }

    /// A permit for one explore request, held while the position graph is read.
    ///
    /// # Errors
    /// Fails with `queue_full` if no permit becomes free within the body timeout.
    pub(super) async fn explore_permit(&self) -> Result<Permit, Problem> {
        self.acquire_in_time(&self.0.explore_permits, "explore requests").await
    }

    /// A permit for an explore response of depth 2 or more, held until the client has read it.
    ///
    /// # Errors
    /// Fails with `queue_full` if no permit becomes free within the body timeout.
    pub(super) async fn deep_explore_permit(&self) -> Result<Permit, Problem> {
        self.acquire_in_time(&self.0.deep_explore_permits, "deep explore requests").await
    }

    /// Runs probes of tablebases for this client on a blocking thread, because they read from disk.
    ///
    /// # Errors
    /// Fails with `queue_full` if no permit becomes free within the body timeout.
    pub(super) async fn probe_tablebase<T: Send + 'static>(
        &self,
        client: &Client,
        probe: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        self.run_with_permit(&self.0.tablebase_permits, client, "tablebase lookups", probe).await
    }

    /// Draws a picture for this client on a blocking thread, because it takes milliseconds.
    ///
    /// # Errors
    /// Fails with `queue_full` if no permit becomes free within the body timeout.
    pub(super) async fn draw<T: Send + 'static>(
        &self,
        client: &Client,
        draw: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        self.run_with_permit(&self.0.picture_permits, client, "pictures", draw).await
    }

    /// Runs work on a blocking thread with a permit. A client waits while its own work holds its
    /// share, so that it does not stop others.
    async fn run_with_permit<T: Send + 'static>(
        &self,
        permits: &ClientPermits,
        client: &Client,
        resource: &'static str,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        match timeout(self.0.caps.body_timeout, permits.acquire(client)).await {
            Ok(Some(permit)) => run_blocking(permit, work).await,
            _ => Err(no_capacity(permits, resource)),
        }
    }

    async fn acquire_in_time(
        &self,
        permits: &Permits,
        resource: &'static str,
    ) -> Result<Permit, Problem> {
        match timeout(self.0.caps.body_timeout, permits.acquire()).await {
            Ok(Some(permit)) => Ok(permit),
            _ => Err(Problem::no_capacity_for(resource, permits.capacity())),
        }
    }

    /// The engine, for its description and for static evaluations. Waits while the server is
    /// starting.
    pub(super) async fn engine(&self) -> &Engine {
        &self.0.core.wait().await.engine
    }

    /// The limits and options of the HTTP layer.
    pub fn caps(&self) -> &Caps {
        &self.0.caps
    }

    /// Authentication and rate limits.
    pub(super) fn access_control(&self) -> &AccessControl {
        &self.0.access_control
    }

    /// What the nodes of a cluster count together; `None` without a cluster and while starting.
    pub(super) fn counters(&self) -> Option<Arc<dyn SharedCounters>> {
        self.0.core.get().and_then(|core| core.counters.clone())
    }

    /// Counts a message of a WebSocket as a request of its client.
    ///
    /// # Errors
    /// `rate_limited` beyond its rate limit.
    pub(super) async fn count_message(&self, caller: &Caller) -> Result<(), Problem> {
        let (access, identity) = (self.access_control(), caller.identity());
        let counted = match self.counters() {
            Some(counters) => access.count_in_cluster(identity, &*counters, CountMode::Count).await,
            None => access.count_request(identity),
        };
        counted.map(|_| ()).map_err(Allowance::exceeded)
    }

    /// The time since the process started.
    pub(super) fn uptime(&self) -> Duration {
        self.0.started.elapsed()
    }
}

impl FromRef<App> for JsonLimits {
    fn from_ref(app: &App) -> JsonLimits {
        let caps = app.caps();
        JsonLimits {
            body: BodyLimits { max_bytes: caps.body_bytes, timeout: caps.body_timeout },
            max_moves: caps.moves,
        }
    }
}

/// Runs work on a blocking thread. It goes on to its end if the client leaves, so the thread holds
/// the permit.
async fn run_blocking<T: Send + 'static>(
    permit: Permit,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let span = Span::current();
    let task = spawn_blocking(move || {
        let _permit = permit;
        span.in_scope(work)
    });
    task.await.map_err(|error| Problem::internal(&error))
}

/// Takes a permit if one is free for the client now.
fn try_acquire(
    permits: &ClientPermits,
    client: &Client,
    resource: &'static str,
) -> Result<Permit, Problem> {
    permits.try_acquire(client).ok_or_else(|| no_capacity(permits, resource))
}

/// The refusal of a client that gets no permit: it uses its whole share, or all are in use.
fn no_capacity(permits: &ClientPermits, resource: &'static str) -> Problem {
    let (capacity, in_use) = (permits.total().capacity(), permits.total().in_use());
    if in_use < capacity {
        Problem::no_capacity_for_client(resource, permits.limit_per_client())
    } else {
        Problem::no_capacity_for(resource, capacity)
    }
}
