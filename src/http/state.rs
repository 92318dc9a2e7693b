//! What handlers share.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::FromRef;
use tokio::sync::SetOnce;
use tokio::time::timeout;

use crate::analysis::jobs::Jobs;
use crate::analysis::{Client, Service};
use crate::engine::Engine;
use crate::http::Caps;
use crate::http::access::{AccessConfig, AccessControl};
use crate::http::caps::{MAX_CONCURRENT_DEEP_EXPLORES, MAX_CONCURRENT_EXPLORES};
use crate::http::json::{BodyLimits, JsonLimits};
use crate::http::metrics::{CoreSnapshot, Gauge, MetricsSnapshot, RequestMetrics};
use crate::http::problem::Problem;
use crate::http::stream::{
    MAX_CONCURRENT_UPLOADS, MAX_UPLOADS_PER_CLIENT, Permit, Permits, UploadPermits,
};

/// The state of the routes. Cheap to clone.
///
/// A big table takes seconds to be written through, and a probe that asks meanwhile wants to hear
/// that the process lives: so routes are there before what searches is.
#[derive(Clone)]
pub struct App(Arc<Shared>);

struct Shared {
    caps: Caps,
    access_control: AccessControl,
    request_metrics: Arc<RequestMetrics>,
    open_connections: Gauge,
    started: Instant,
    upload_permits: UploadPermits,
    explore_permits: Permits,
    deep_explore_permits: Permits,
    core: SetOnce<Core>,
    stream_permits: Permits,
    batch_permits: Permits,
    shutting_down: SetOnce<()>,
}

/// What searches.
struct Core {
    service: Service,
    engine: Arc<Engine>,
    jobs: Jobs,
}

impl App {
    /// The state of a server that is starting.
    pub fn starting(caps: Caps, access: AccessConfig) -> App {
        App(Arc::new(Shared {
            access_control: AccessControl::new(access),
            request_metrics: Arc::default(),
            open_connections: Gauge::default(),
            started: Instant::now(),
            upload_permits: UploadPermits::default(),
            explore_permits: Permits::new(MAX_CONCURRENT_EXPLORES),
            deep_explore_permits: Permits::new(MAX_CONCURRENT_DEEP_EXPLORES),
            core: SetOnce::new(),
            stream_permits: Permits::new(caps.streams),
            batch_permits: Permits::new(caps.batches),
            shutting_down: SetOnce::new(),
            caps,
        }))
    }

    /// Takes traffic from now on. Only the first call counts.
    pub fn mark_ready(&self, service: Service, engine: Arc<Engine>, jobs: Jobs) {
        if self.0.core.set(Core { service, engine, jobs }).is_err() {
            tracing::error!("the server has begun twice");
        }
    }

    /// Says that the server is about to end, and tells what searches.
    pub fn shut_down(&self) {
        // Whoever is told twice knows it already.
        let _ = self.0.shutting_down.set(());
        if let Some(core) = self.0.core.get() {
            core.jobs.shut_down();
            core.service.shut_down();
        }
    }

    /// Resolves when no work waits or runs, and all streams and batches have ended. Jobs that are
    /// not done rest until the next start.
    pub async fn drained(&self) {
        if let Some(core) = self.0.core.get() {
            core.service.drained().await;
            core.jobs.stopped().await;
        }
        self.0.stream_permits.all_released().await;
        self.0.batch_permits.all_released().await;
    }

    /// Resolves when the server is about to end.
    pub(super) async fn shutting_down(&self) {
        self.0.shutting_down.wait().await;
    }

    /// `true` when the server is about to end.
    pub(super) fn is_shutting_down(&self) -> bool {
        self.0.shutting_down.initialized()
    }

    /// A place among the streams, for as long as one lasts.
    ///
    /// # Errors
    /// `queue_full` when all are taken.
    pub(super) fn stream_permit(&self) -> Result<Permit, Problem> {
        try_acquire(&self.0.stream_permits, "streams")
    }

    /// A place among the batches, for as long as one lasts.
    ///
    /// # Errors
    /// `queue_full` when all are taken.
    pub(super) fn batch_permit(&self) -> Result<Permit, Problem> {
        try_acquire(&self.0.batch_permits, "batches")
    }

    /// Resolves when all that was found is on disk, or the disk has refused it.
    ///
    /// # Errors
    /// When the waiting itself breaks.
    pub async fn flushed(&self) -> io::Result<()> {
        match self.0.core.get() {
            Some(core) => core.service.flush().await,
            None => Ok(()),
        }
    }

    /// The count of open connections.
    pub fn connections(&self) -> Gauge {
        self.0.open_connections.clone()
    }

    /// Where requests are counted.
    pub(super) fn request_metrics(&self) -> Arc<RequestMetrics> {
        self.0.request_metrics.clone()
    }

    /// All figures for the operator, now.
    pub(super) fn metrics_snapshot(&self) -> MetricsSnapshot {
        let core = self.0.core.get().map(|Core { service, engine, jobs }| CoreSnapshot {
            status: service.status(),
            evaluation: engine.evaluation_name().to_owned(),
            hash_permille: engine.hash_permille(),
            jobs: jobs.status(),
        });
        MetricsSnapshot {
            requests: self.request_metrics(),
            connections: self.0.open_connections.value(),
            max_connections: self.0.caps.connections,
            streams: self.0.stream_permits.in_use(),
            max_streams: self.0.stream_permits.capacity(),
            batches: self.0.batch_permits.in_use(),
            max_batches: self.0.batch_permits.capacity(),
            memory_bound_bytes: self.0.caps.memory_bound_mb << 20,
            is_ready: self.not_ready_reason().is_none(),
            core,
        }
    }

    /// Why the server takes no traffic, if it takes none.
    pub(super) fn not_ready_reason(&self) -> Option<&'static str> {
        if self.is_shutting_down() {
            return Some("shutting_down");
        }
        let Some(core) = self.0.core.get() else { return Some("starting") };
        let is_store_failing = core.service.status().store.is_some_and(|store| store.failing)
            || core.jobs.is_failing();
        is_store_failing.then_some("store")
    }

    /// The use cases; who asks while the server is starting waits.
    pub(super) async fn service(&self) -> &Service {
        &self.0.core.wait().await.service
    }

    /// The jobs; who asks while the server is starting waits.
    pub(super) async fn jobs(&self) -> &Jobs {
        &self.0.core.wait().await.jobs
    }

    /// A place for a text of games of this client, to be held for as long as the text is there.
    ///
    /// # Errors
    /// `queue_full` when there is none for as long as a body may take.
    pub(super) async fn upload_permit(&self, client: &Client) -> Result<Permit, Problem> {
        match timeout(self.0.caps.body_timeout, self.0.upload_permits.acquire(client)).await {
            Ok(Some(permit)) => Ok(permit),
            _ => Err(Problem::too_many_uploads(MAX_CONCURRENT_UPLOADS, MAX_UPLOADS_PER_CLIENT)),
        }
    }

    /// A place for a walk through the graph of positions, to be held while it is made.
    ///
    /// # Errors
    /// `queue_full` when there is none for as long as a body may take.
    pub(super) async fn explore_permit(&self) -> Result<Permit, Problem> {
        self.acquire_in_time(&self.0.explore_permits, "walks").await
    }

    /// A place for an answer that tells of what lies behind moves, to be held until it is read.
    ///
    /// # Errors
    /// `queue_full` when there is none for as long as a body may take.
    pub(super) async fn deep_explore_permit(&self) -> Result<Permit, Problem> {
        self.acquire_in_time(&self.0.deep_explore_permits, "deep walks").await
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

    /// The engine, for what it says of itself and of a position as it stands; who asks while the
    /// server is starting waits.
    pub(super) async fn engine(&self) -> &Engine {
        &self.0.core.wait().await.engine
    }

    /// What one request may ask for.
    pub fn caps(&self) -> &Caps {
        &self.0.caps
    }

    /// Who may ask.
    pub(super) fn access_control(&self) -> &AccessControl {
        &self.0.access_control
    }

    /// Time since the start.
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

/// One of these places, if one is free now.
fn try_acquire(permits: &Permits, resource: &'static str) -> Result<Permit, Problem> {
    permits.try_acquire().ok_or_else(|| Problem::no_capacity_for(resource, permits.capacity()))
}
