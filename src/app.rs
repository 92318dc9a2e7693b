//! The composition root: settings become a running server, and a signal ends it in good order.

mod connection;
mod h2_stall;
mod h2_streams;
mod header_timer;
mod listeners;
mod malloc;
mod memory;
mod server;
mod shutdown;

use std::future::Future;
use std::io;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::analysis::jobs::{JobRules, Jobs, Usage};
use crate::analysis::{Searcher, Service, ServiceOptions};
use crate::config::{ApiKeySettings, JobsSettings, Settings, StoreSettings};
use crate::engine::{Engine, EngineOptions, Network, NetworkFileError, TtAllocError};
use crate::http::{
    self, AccessConfig, ApiKey, ApiKeys, App, Caps, Gauge, JobCaps, RateLimit, StreamOptions,
    TrustedProxies,
};
use crate::store::jobs::JobFile;
use crate::store::{DictionaryFile, OpenError, Store, StoreError, StoreOptions, StoreSize};

pub use listeners::{ListenError, Listeners};
pub use malloc::configure_malloc;
pub use memory::{MemoryError, memory_bound_mb};
use server::ConnectionLimits;
pub use shutdown::Signals;

/// Why a server did not start, or broke.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The settings may take more memory than they allow.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// There is no memory for the table.
    #[error("search.hash_mb: {0}")]
    Hash(#[from] TtAllocError),
    /// The evaluation network that the settings name cannot be used.
    #[error("search.network: {0}")]
    Network(#[from] NetworkFileError),
    /// The store that the settings name cannot be used.
    #[error(transparent)]
    Store(#[from] OpenError),
    /// The jobs cannot be read.
    #[error("store.path: {0}")]
    Jobs(#[from] StoreError),
    /// The system refused threads, or the listener broke.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// What the routes share, before anything that searches is there.
///
/// # Errors
/// When the settings want too much memory.
pub fn build_app(settings: &Settings) -> Result<App, ServeError> {
    memory::check(settings)?;
    Ok(App::starting(caps(settings), access(settings)))
}

/// Serves on these listeners until `shutdown` is done, then ends in good order: `/readyz` fails at
/// once, running searches are told to stop and answer with what they have, new ones are refused;
/// the listener stays open until they have, and for `shutdown.drain_ms` at least. Whatever is still
/// under way after `shutdown.grace_ms` is dropped.
///
/// # Errors
/// When the settings want too much memory, or a network or store that cannot be used, the system
/// grants no threads, or the listener breaks.
pub async fn serve(
    settings: &Settings,
    listeners: impl Into<Listeners>,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let app = build_app(settings)?;
    let (close, closed) = watch::channel(());
    let server =
        tokio::spawn(serve_all(listeners.into(), app.clone(), connection_limits(settings), closed));
    let mut shutdown = std::pin::pin!(shutdown);
    tokio::select! {
        begun = start_services(&app, settings) => {
            begun?;
            shutdown.await;
        }
        () = &mut shutdown => {}
    }

    let shutdown_started = Instant::now();
    let grace_deadline = shutdown_started + settings.shutdown.grace();
    tracing::info!(
        drain_ms = settings.shutdown.drain_ms,
        grace_ms = settings.shutdown.grace_ms,
        "shutting down"
    );
    app.shut_down();
    let drained = async {
        sleep_until(shutdown_started + settings.shutdown.drain()).await;
        app.drained().await;
        if let Err(error) = app.flushed().await {
            tracing::error!(error = error.to_string(), "the newest analyses may not be on disk");
        }
        drop(close);
        server.await
    };
    match timeout_at(grace_deadline, drained).await {
        Ok(ended) => Ok(ended.map_err(io::Error::other)?),
        Err(_late) => {
            tracing::warn!("the grace time is over: what is still under way is dropped");
            Ok(())
        }
    }
}

/// Serves on all addresses until told to close.
async fn serve_all(
    listeners: Listeners,
    app: App,
    limits: ConnectionLimits,
    closed: watch::Receiver<()>,
) {
    let until_closed = |mut closed: watch::Receiver<()>| async move {
        // Nothing is ever sent: it resolves when nobody is left to tell.
        let _ = closed.changed().await;
    };
    let Listeners { main, metrics } = listeners;
    let Some(metrics) = metrics else {
        let router = http::router(app.clone());
        return server::serve(main, router, limits, app.connections(), until_closed(closed)).await;
    };
    let [api_router, metrics_router] = http::split_routers(app.clone());
    tokio::join!(
        server::serve(main, api_router, limits, app.connections(), until_closed(closed.clone())),
        server::serve(metrics, metrics_router, limits, Gauge::default(), until_closed(closed)),
    );
}

/// Sets up the table and the workers, from when on the server takes traffic.
async fn start_services(app: &App, settings: &Settings) -> Result<(), ServeError> {
    let hash_mb = settings.search.hash_mb;
    let file = settings.search.network.clone();
    // The table is written through and the store read through, which takes its time: the async
    // threads have other things to do.
    let options = EngineOptions { hash_mb, ..EngineOptions::default() };
    let store = settings.store.clone();
    let opened = tokio::task::spawn_blocking(move || {
        let engine = Engine::with_network(options, load_network(&file)?)?;
        let opened = open_store(&store, engine.engine_id())?;
        let jobs = if store.is_on() { JobFile::open(&store.path)? } else { JobFile::in_memory()? };
        Ok::<_, ServeError>((Arc::new(engine), opened, jobs))
    });
    let (engine, store, jobs) = opened.await.map_err(io::Error::other)??;
    let evaluation = engine.evaluation_name().to_owned();
    let service = match store {
        Some(store) => {
            let flush = Duration::from_millis(settings.store.flush_ms);
            Service::start_with_store(engine.clone(), service_options(settings), store, flush)?
        }
        None => Service::start(engine.clone(), service_options(settings))?,
    };
    let jobs = Jobs::start(service.clone(), jobs, job_rules(&settings.jobs))?;
    app.mark_ready(service, engine, jobs);
    tracing::info!(hash_mb, workers = settings.search.workers, network = evaluation, "ready");
    Ok(())
}

/// The network of a file, or without one that of the program.
fn load_network(file: &Path) -> Result<Arc<Network>, NetworkFileError> {
    if file.as_os_str().is_empty() {
        Ok(Network::embedded())
    } else {
        Network::read(file).map(Arc::new)
    }
}

/// The store for the analyses of this maker, if there is to be one.
fn open_store(
    settings: &StoreSettings,
    engine_id: String,
) -> Result<Option<Arc<DictionaryFile>>, OpenError> {
    if !settings.is_on() {
        return Ok(None);
    }
    let started = Instant::now();
    let options = StoreOptions {
        folder: settings.path.clone(),
        max_entries: settings.max_entries,
        engine_id,
    };
    let store = DictionaryFile::open(options)?;
    let StoreSize { entries, bytes, .. } = store.size();
    let (path, took_ms) = (settings.path.display().to_string(), started.elapsed().as_millis());
    tracing::info!(path, entries, bytes, took_ms, "store opened");
    Ok(Some(Arc::new(store)))
}

fn service_options(settings: &Settings) -> ServiceOptions {
    ServiceOptions {
        workers: settings.search.workers,
        queue_capacity: settings.queue.capacity,
        idle_positions: settings.idle.positions,
        dictionary_max_entries: settings.dictionary.max_entries,
        max_movetime: Duration::from_millis(settings.limits.movetime_ms),
        max_wait: Duration::from_millis(settings.queue.max_wait_ms),
        max_infinite: Duration::from_millis(settings.stream.infinite_ms),
    }
}

/// How much is kept of jobs.
fn job_rules(settings: &JobsSettings) -> JobRules {
    let keep = Duration::from_secs(settings.keep_hours * 3_600);
    JobRules {
        max_usage: Usage { jobs: settings.max, bytes: settings.max_mb << 20 },
        retention: keep,
    }
}

/// What connections have to keep to.
fn connection_limits(settings: &Settings) -> ConnectionLimits {
    ConnectionLimits {
        max_connections: settings.http.connections,
        header_timeout: Duration::from_millis(settings.http.head_timeout_ms),
        stall_timeout: Duration::from_millis(settings.stream.stall_ms),
    }
}

/// Who may ask.
fn access(settings: &Settings) -> AccessConfig {
    let key = |key: &ApiKeySettings| ApiKey {
        name: key.name.clone(),
        digest: key.sha256.0,
        rate: rate(key.requests, key.window_ms),
    };
    AccessConfig {
        keys: ApiKeys::new(settings.access.keys.iter().map(key).collect()),
        proxies: TrustedProxies::new(settings.access.trusted_proxies.clone()),
        default_limiter: rate(settings.rate.requests, settings.rate.window_ms),
    }
}

/// So many requests in so many milliseconds; as many as one likes for 0.
fn rate(requests: u32, window_ms: u64) -> Option<RateLimit> {
    Some(RateLimit {
        requests: NonZeroU32::new(requests)?,
        window: Duration::from_millis(window_ms),
    })
}

/// What the routes need to know of the settings.
fn caps(settings: &Settings) -> Caps {
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
        batches: settings.batch.max,
        batch_lines: settings.batch.lines,
        batch_bytes: settings.batch.bytes,
        jobs: JobCaps {
            max: settings.jobs.max,
            keep_hours: settings.jobs.keep_hours,
            bytes: settings.jobs.bytes,
            default_nodes: settings.jobs.default_nodes,
        },
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
        memory_bound_mb: memory_bound_mb(settings),
        memory_max_mb: settings.memory.max_mb,
    }
}
