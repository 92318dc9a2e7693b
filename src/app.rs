//! The composition root: builds a running server from the settings and shuts it down gracefully.

mod client_connections;
mod connection;
mod from_settings;
mod h2_stall;
mod h2_streams;
mod header_timer;
mod memory;
mod open_files;
mod read_rate;
mod refused_head;
mod server;
mod stream_gate;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::analysis::jobs::Jobs;
use crate::analysis::{Backends, Cluster, Searcher, Service};
use crate::cluster::{ClusterError, RedisCluster, RedisJobs};
use crate::config::{Settings, StoreSettings, SyzygySettings, local_url};
use crate::engine::{
    Engine, EngineOptions, Network, NetworkFileError, TablebaseOptions, TtAllocError,
};
use crate::http::{self, App, Gauge};
use crate::store::jobs::{JobBook, JobFile};
use crate::store::{EvaluationCacheFile, OpenError, Store, StoreError, StoreOptions, StoreSize};
use crate::tablebase::{self, Tablebase};

use client_connections::ClientConnections;
use from_settings::{
    ConnectionRules, access, caps, cluster_options, connection_rules, job_rules, service_options,
};
pub use memory::{MemoryError, configure_malloc, memory_bound_mb};
pub use open_files::OpenFilesError;
use open_files::allow_open_files;
use server::ConnectionCounts;
pub use server::{ListenError, Listeners};
use stream_gate::StreamGate;

/// A server that did not start, or failed.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The memory bound of the settings is above `memory.max_mb`.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// There is not enough memory for the transposition table.
    #[error("search.hash_mb: {0}")]
    Hash(#[from] TtAllocError),
    /// The evaluation network of the settings cannot be used.
    #[error("search.network: {0}")]
    Network(#[from] NetworkFileError),
    /// The tablebases of the settings cannot be used.
    #[error("syzygy.paths: {0}")]
    Tablebase(#[from] tablebase::OpenError),
    /// The system does not let this process open as many files as the tablebases need.
    #[error(transparent)]
    OpenFiles(#[from] OpenFilesError),
    /// The store of the settings cannot be used.
    #[error(transparent)]
    Store(#[from] OpenError),
    /// The stored jobs cannot be read.
    #[error("store.path: {0}")]
    Jobs(#[from] StoreError),
    /// The node cannot take part in the cluster of the settings.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// The system refused a thread, or the listener failed.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Builds the state of the routes, without the services that search.
///
/// # Errors
/// The memory bound of the settings is above `memory.max_mb`.
pub fn build_app(settings: &Settings) -> Result<App, ServeError> {
    memory::check(settings)?;
    Ok(App::starting(caps(settings, memory_bound_mb(settings)), access(settings)))
}

/// Checks the settings as [`serve`] does before it allocates tables or opens files to write.
/// Returns the memory bound in MB.
///
/// # Errors
/// The memory bound is above `memory.max_mb`, a setting of the cluster has a form that is not
/// allowed, or the network or the tablebases cannot be used.
pub fn check(settings: &Settings) -> Result<u64, ServeError> {
    memory::check(settings)?;
    cluster_options(settings)?;
    load_network(&settings.search.network)?;
    open_tablebase(settings)?;
    Ok(memory_bound_mb(settings))
}

/// Serves on these listeners until `shutdown` resolves, then shuts down gracefully.
///
/// During shutdown `/readyz` fails at once, running searches return their best result so far, and
/// new searches are refused. The listener stays open until all searches have ended, and at least
/// for `shutdown.drain_ms`. After `shutdown.grace_ms` the remaining connections are dropped.
///
/// # Errors
/// The settings need too much memory, the network, the tablebases or the store cannot be used, the
/// system refuses a thread, or the listener fails.
pub async fn serve(
    settings: &Settings,
    listeners: impl Into<Listeners>,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let app = build_app(settings)?;
    let listeners = listeners.into();
    let address = listeners.main.local_addr()?;
    let (close, closed) = watch::channel(());
    let server =
        tokio::spawn(serve_all(listeners, app.clone(), connection_rules(settings), closed));
    let mut shutdown = std::pin::pin!(shutdown);
    let mut cluster = None;
    tokio::select! {
        begun = start_services(&app, settings) => {
            cluster = begun?;
            log_listening(settings, address);
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
        let leave = async {
            if let Some(cluster) = &cluster {
                cluster.leave().await;
            }
        };
        let drained = async {
            sleep_until(shutdown_started + settings.shutdown.drain()).await;
            app.drained().await;
        };
        tokio::join!(drained, leave);
        let share = async {
            if let Some(cluster) = &cluster {
                cluster.flush().await;
            }
        };
        let (flushed, ()) = tokio::join!(app.flushed(), share);
        if let Err(error) = flushed {
            tracing::error!(
                error = error.to_string(),
                "could not write the newest analyses to disk"
            );
        }
        drop(close);
        server.await
    };
    match timeout_at(grace_deadline, drained).await {
        Ok(ended) => Ok(ended.map_err(io::Error::other)?),
        Err(_late) => {
            tracing::warn!("grace time is over: dropping the remaining connections");
            Ok(())
        }
    }
}

/// Starts the services of a server without a listener, for `kibitzer mcp`. [`App::shut_down`] ends
/// them.
///
/// # Errors
/// The settings need too much memory, the network, the tablebases or the store cannot be used, or
/// the system refuses a thread.
pub async fn start_without_listener(settings: &Settings) -> Result<App, ServeError> {
    let app = build_app(settings)?;
    start_services(&app, settings).await?;
    Ok(app)
}

/// Logs that every route is answered, with a URL for this machine.
fn log_listening(settings: &Settings, address: SocketAddr) {
    let origins = &settings.http.cors_origins;
    let origins = if origins.is_empty() { "off".to_owned() } else { origins.join(", ") };
    tracing::info!("CORS: {origins}");
    tracing::info!(address = address.to_string(), url = local_url(address), "listening");
}

/// Serves on all addresses until `closed` changes or its sender is dropped.
async fn serve_all(
    listeners: Listeners,
    app: App,
    rules: ConnectionRules,
    closed: watch::Receiver<()>,
) {
    let until_closed = |mut closed: watch::Receiver<()>| async move {
        // Nothing is ever sent: this resolves when the sender is dropped.
        let _ = closed.changed().await;
    };
    let Listeners { main, metrics } = listeners;
    let ConnectionRules { limits, max_per_client, max_open_streams, proxies } = rules;
    let streams = StreamGate::new(max_open_streams);
    let counts = |open| ConnectionCounts {
        open,
        streams: streams.clone(),
        by_client: ClientConnections::new(limits.max_connections, max_per_client, proxies.clone()),
    };
    let main_counts = counts(app.connections());
    let Some(metrics) = metrics else {
        let router = http::router(app.clone());
        return server::serve(main, router, limits, main_counts, until_closed(closed)).await;
    };
    let [api_router, metrics_router] = http::split_routers(app.clone());
    tokio::join!(
        server::serve(main, api_router, limits, main_counts, until_closed(closed.clone())),
        server::serve(
            metrics,
            metrics_router,
            limits,
            counts(Gauge::default()),
            until_closed(closed)
        ),
    );
}

/// Starts the engine, the store and the workers, joins the cluster of the settings, and marks the
/// server as ready.
async fn start_services(
    app: &App,
    settings: &Settings,
) -> Result<Option<RedisCluster>, ServeError> {
    let cluster_options = cluster_options(settings)?;
    let hash_mb = settings.search.hash_mb;
    let file = settings.search.network.clone();
    // Allocating the table writes every page, and opening the store reads all of it. Both are too
    // slow for the async threads.
    let options = EngineOptions { hash_mb, ..EngineOptions::default() };
    let store = settings.store.clone();
    let tablebase_settings = settings.clone();
    let opened = tokio::task::spawn_blocking(move || {
        let engine = Engine::with_network(options, load_network(&file)?)?;
        engine.set_tablebase(open_tablebase(&tablebase_settings)?);
        let opened = open_store(&store, engine.engine_id())?;
        Ok::<_, ServeError>((Arc::new(engine), opened))
    });
    let (engine, store) = opened.await.map_err(io::Error::other)??;
    let evaluation = engine.evaluation_name().to_owned();
    let (cluster, book) = match cluster_options {
        Some(options) => {
            let cluster = RedisCluster::connect(&options, &engine.engine_id()).await?;
            let book: Arc<dyn JobBook> = Arc::new(RedisJobs::connect(&options).await?);
            (Some(cluster), book)
        }
        None => (None, open_job_file(settings.store.clone()).await?),
    };
    let flush_interval = Duration::from_millis(settings.store.flush_ms);
    let backends = Backends {
        store: store.map(|store| (store as Arc<dyn Store>, flush_interval)),
        cluster: cluster.clone().map(|cluster| Arc::new(cluster) as Arc<dyn Cluster>),
    };
    let service =
        Service::start_with_backends(engine.clone(), service_options(settings), backends)?;
    if let Some(cluster) = &cluster {
        cluster.start(&service).await;
    }
    let jobs = Jobs::start(service.clone(), book, job_rules(settings))?;
    let counters = cluster.as_ref().map(RedisCluster::counters);
    app.mark_ready_in_cluster(service, engine, jobs, counters);
    tracing::info!(hash_mb, workers = settings.search.workers, network = evaluation, "ready");
    Ok(cluster)
}

/// Loads the network of a file. Without a file it is the embedded one.
fn load_network(file: &Path) -> Result<Arc<Network>, NetworkFileError> {
    if file.as_os_str().is_empty() {
        Ok(Network::embedded())
    } else {
        Network::read(file).map(Arc::new)
    }
}

/// Opens the tablebases of the settings. Returns `None` without a folder.
fn open_tablebase(settings: &Settings) -> Result<Option<TablebaseOptions>, ServeError> {
    let SyzygySettings { ref paths, memory_mb, probe_depth, probe_limit, fifty_move_rule } =
        settings.syzygy;
    if paths.is_empty() {
        return Ok(None);
    }
    let started = Instant::now();
    let tables = Tablebase::open(paths, memory_mb << 20)?;
    let (wdl_files, dtz_files) = (tables.wdl_files(), tables.dtz_files());
    allow_open_files(tables.files(), settings.http.connections)?;
    let (men, took_ms) = (tables.men(), started.elapsed().as_millis());
    tracing::info!(men, wdl_files, dtz_files, took_ms, "tablebases opened");
    Ok(Some(TablebaseOptions {
        tables: Arc::new(tables),
        probe_depth,
        probe_limit,
        fifty_move_rule,
    }))
}

/// Opens the jobs of this server, in memory when the store is off.
async fn open_job_file(store: StoreSettings) -> Result<Arc<dyn JobBook>, ServeError> {
    let opened = tokio::task::spawn_blocking(move || {
        let file = if store.is_on() { JobFile::open(&store.path)? } else { JobFile::in_memory()? };
        Ok::<_, ServeError>(file)
    });
    Ok(Arc::new(opened.await.map_err(io::Error::other)??))
}

/// Opens the store for the analyses of this engine. Returns `None` when the store is off.
fn open_store(
    settings: &StoreSettings,
    engine_id: String,
) -> Result<Option<Arc<EvaluationCacheFile>>, OpenError> {
    if !settings.is_on() {
        return Ok(None);
    }
    let started = Instant::now();
    let options = StoreOptions {
        folder: settings.path.clone(),
        max_entries: settings.max_entries,
        engine_id,
    };
    let store = EvaluationCacheFile::open(options)?;
    let StoreSize { entries, bytes, .. } = store.size();
    let (path, took_ms) = (settings.path.display().to_string(), started.elapsed().as_millis());
    tracing::info!(path, entries, bytes, took_ms, "store opened");
    Ok(Some(Arc::new(store)))
}
