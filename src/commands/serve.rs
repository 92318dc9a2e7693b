//! `kibitzer serve`: the server, until a signal ends it.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use kibitzer::app::{self, Listeners};
use kibitzer::config::{self, Settings, parse_listen_address};
use kibitzer::telemetry::{self, TelemetryGuard};

use super::BoxError;
use super::signals::Signals;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Configuration file; keys that it does not set keep their defaults
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address to listen on, such as 127.0.0.1:8080, localhost:8080 or :8080 (all addresses);
    /// overrides the configuration
    #[arg(long, value_name = "ADDRESS", value_parser = parse_listen_address)]
    listen: Option<SocketAddr>,
}

impl Options {
    /// The settings, with the address from the command line.
    pub(super) fn settings(&self) -> Result<Settings, BoxError> {
        let mut settings = Settings::load(self.config.as_deref())?;
        settings.listen = self.listen.unwrap_or(settings.listen);
        Ok(settings)
    }
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, BoxError> {
    let settings = options.settings()?;
    app::configure_malloc();
    let telemetry = telemetry::start(&settings.log, &settings.otlp, io::stdout())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(serve(&settings, telemetry));
    // Connections that are still open after the grace time must not delay the exit.
    runtime.shutdown_background();
    served.map(|()| ExitCode::SUCCESS)
}

async fn serve(settings: &Settings, telemetry: TelemetryGuard) -> Result<(), BoxError> {
    let mut signals = Signals::listen()?;
    tracing::info!(version = env!("CARGO_PKG_VERSION"), "starting");
    for warning in config::environment_warnings() {
        tracing::warn!("{warning}");
    }
    let listeners = Listeners::bind(settings).await?;
    if let Some(metrics) = &listeners.metrics {
        tracing::info!(
            address = metrics.local_addr()?.to_string(),
            "serving metrics on a separate address"
        );
    }
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = app::serve(settings, listeners, async {
        // An error means that the sender was dropped.
        let _ = stopped.await;
    });
    let signalled = async move {
        // Outside the macro: it does not evaluate the fields of an event that is filtered out.
        let signal = signals.next().await.to_string();
        tracing::info!(signal, "shutdown requested");
        drop(stop);
        let signal = signals.next().await.to_string();
        tracing::warn!(signal, "immediate exit requested");
    };
    tokio::select! {
        served = serving => served?,
        () = signalled => {
            // Writes the buffered log lines and traces before the exit.
            drop(telemetry);
            std::process::exit(1);
        }
    }
    tracing::info!("stopped");
    Ok(())
}
