//! The API for a command: that of a server, or of this process with the local engine.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use axum::body::Bytes;
use kibitzer::app;
use kibitzer::client::{ApiClient, ApiError, ServerClient};
use kibitzer::config::Settings;
use kibitzer::http::{self, App};
use kibitzer::telemetry::{self, TelemetryGuard};
use reqwest::{RequestBuilder, Response};
use tokio::time::timeout;

use super::BoxError;

/// How long the services may take to end.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

const DAY_MS: u64 = 86_400_000;
/// The largest number of nodes that a setting may have.
const MAX_NODES: u64 = 1 << 53;
/// Longest text of games.
pub(super) const MAX_PGN_BYTES: usize = 64 << 20;

/// Longest time that an option takes.
const MAX_TIME: Duration = Duration::from_secs(365 * 86_400);

/// The options of a command that sends requests to the API.
#[derive(clap::Args)]
pub(crate) struct ApiOptions {
    /// URL or host:port of a kibitzer server that answers instead of this process, such as
    /// http://127.0.0.1:8080 or https://chess.example
    #[arg(long, value_name = "URL", conflicts_with = "config")]
    pub(super) server: Option<String>,
    /// API key for the server
    #[arg(long, value_name = "KEY", env = "KIBITZER_KEY", hide_env_values = true)]
    key: Option<String>,
    /// Configuration file for the local engine, as for `serve`
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// How long to wait for a server that is busy or away
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = parse_time)]
    pub(super) wait: Duration,
}

/// Reads a time of at least a millisecond, such as `10s`. A number alone is in seconds.
pub(super) fn parse_time(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|value| Duration::try_from_secs_f64(value).ok());
    let parsed = seconds.map_or_else(|| humantime::parse_duration(text), Ok);
    match parsed {
        Ok(time) if (Duration::from_millis(1)..=MAX_TIME).contains(&time) => Ok(time),
        _ => Err("it must be 1ms to 365days, like 500ms, 10s or 2m".to_owned()),
    }
}

/// A connection to the API.
pub(super) struct ApiSession {
    pub(super) api: ApiClient,
    /// How long to wait for a server that is busy or away.
    pub(super) wait: Duration,
    /// The services of this process, and their log on standard error.
    local: Option<(App, TelemetryGuard)>,
}

impl ApiOptions {
    /// Connects to the server, or starts the local engine.
    pub(super) async fn connect(&self) -> Result<ApiSession, BoxError> {
        if let Some(url) = &self.server {
            let key = self.key.as_deref().filter(|key| !key.is_empty());
            let server = ServerClient::connect(url, key).await?;
            return Ok(ApiSession {
                api: ApiClient::of_server(server),
                wait: self.wait,
                local: None,
            });
        }
        let settings = local_settings(self.config.as_deref())?;
        app::configure_malloc();
        let telemetry = telemetry::start(&settings.log, &settings.otlp, io::stderr())?;
        let app = app::start_without_listener(&settings).await?;
        let api = ApiClient::in_process(http::router(app.clone()))?;
        Ok(ApiSession { api, wait: self.wait, local: Some((app, telemetry)) })
    }
}

impl ApiSession {
    /// Requests a stream, and waits for a server that is busy or away.
    pub(super) async fn open_stream(
        &self,
        request: impl Fn(&ApiClient) -> RequestBuilder,
    ) -> Result<Response, ApiError> {
        self.api.open_stream(self.wait, request).await
    }

    /// Sends a request for this path and reads the whole response. It waits as `open_stream`.
    pub(super) async fn fetch(
        &self,
        path: &str,
        request: impl Fn(&ApiClient) -> RequestBuilder,
    ) -> Result<Bytes, ApiError> {
        self.api.fetch_patiently(self.wait, path, request).await
    }

    /// Ends the services of this process.
    pub(super) async fn close(self) -> Result<(), BoxError> {
        match self.local {
            Some((app, _telemetry)) => end_services(&app).await,
            None => Ok(()),
        }
    }
}

/// Ends the services of this process.
pub(super) async fn end_services(app: &App) -> Result<(), BoxError> {
    app.shut_down();
    let ended = async {
        app.drained().await;
        app.flushed().await
    };
    match timeout(SHUTDOWN_TIMEOUT, ended).await {
        Ok(flushed) => flushed?,
        Err(_late) => tracing::warn!("some searches did not end in time"),
    }
    Ok(())
}

/// The API of this process without its engine, for routes that search nothing.
pub(super) fn without_engine() -> Result<ApiClient, BoxError> {
    Ok(ApiClient::in_process(http::router(app::build_app(&local_settings(None)?)?))?)
}

/// The settings for a process whose only client is the one that has started it.
pub(super) fn settings_for_one_client(file: Option<&Path>) -> Result<Settings, BoxError> {
    let mut settings = Settings::load(file)?;
    settings.access.required = false;
    settings.rate.requests = 0;
    // The machine's other work needs the processor between two searches.
    settings.idle.positions = 0;
    // The store belongs to the server: its jobs must not continue here.
    settings.store.path = PathBuf::new();
    // So does the place in a cluster.
    settings.cluster.url.clear();
    Ok(settings)
}

/// The settings of the local engine. The limits that protect a server from its clients are as high
/// as they may be, because the only client is this command.
fn local_settings(file: Option<&Path>) -> Result<Settings, BoxError> {
    let mut settings = settings_for_one_client(file)?;
    settings.otlp.endpoint.clear();
    settings.log.level = "warn".to_owned();
    settings.memory.max_mb = u64::MAX;
    settings.queue.max_wait_ms = DAY_MS;
    settings.stream.infinite_ms = DAY_MS;
    let limits = &mut settings.limits;
    (limits.depth, limits.multipv) = (120, 256);
    (limits.nodes, limits.movetime_ms) = (MAX_NODES, DAY_MS);
    let jobs = &mut settings.jobs;
    jobs.bytes = jobs.bytes.max(MAX_PGN_BYTES);
    jobs.max_mb = jobs.max_mb.max(1 << 12);
    (jobs.anonymous_share_permille, jobs.max_nodes) = (500, MAX_NODES);
    Ok(settings)
}
