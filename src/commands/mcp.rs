//! `kibitzer mcp`: the Model Context Protocol, with the local engine or a server.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use kibitzer::client::ServerClient;
use kibitzer::config::Settings;
use kibitzer::http::{self, InProcessApi};
use kibitzer::mcp::{Api, RemoteApi, ToolServer};
use kibitzer::{app, telemetry};

use super::BoxError;
use super::api::{end_services, settings_for_one_client};
use super::signals::Signals;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// URL or host:port of a kibitzer server that answers instead of this process, such as
    /// http://127.0.0.1:8080 or https://chess.example
    #[arg(long, value_name = "URL", conflicts_with = "config")]
    server: Option<String>,
    /// API key for the server
    #[arg(long, value_name = "KEY", env = "KIBITZER_KEY", hide_env_values = true)]
    key: Option<String>,
    /// Configuration file for the local engine, as for `serve`
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, BoxError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = match &options.server {
        Some(url) => {
            let key = options.key.as_deref().filter(|key| !key.is_empty());
            runtime.block_on(serve_remote(url, key))
        }
        None => {
            let settings = settings_for_one_client(options.config.as_deref())?;
            app::configure_malloc();
            // The client reads standard output.
            let _telemetry = telemetry::start(&settings.log, &settings.otlp, io::stderr())?;
            runtime.block_on(serve_local(&settings))
        }
    };
    // A thread that still reads standard input must not delay the exit.
    runtime.shutdown_background();
    served.map(|()| ExitCode::SUCCESS)
}

async fn serve_remote(url: &str, key: Option<&str>) -> Result<(), BoxError> {
    let server = ServerClient::connect(url, key).await?;
    serve(RemoteApi::new(server)).await
}

async fn serve_local(settings: &Settings) -> Result<(), BoxError> {
    let app = app::start_without_listener(settings).await?;
    let served = serve(InProcessApi::new(http::router(app.clone()))).await;
    end_services(&app).await?;
    served
}

/// Serves until the client leaves, or a signal ends the process.
async fn serve(api: impl Api) -> Result<(), BoxError> {
    let mut signals = Signals::listen()?;
    tokio::select! {
        served = ToolServer::new(api).serve(tokio::io::stdin(), tokio::io::stdout()) => Ok(served?),
        _ = signals.next() => Ok(()),
    }
}
