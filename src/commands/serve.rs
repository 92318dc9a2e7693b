//! `kibitzer serve`

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use kibitzer::app::{self, Listeners, Signals};
use kibitzer::config::Settings;
use kibitzer::telemetry::{self, TelemetryGuard};

use super::BoxError;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// A configuration file; keys that it leaves out keep their defaults.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The address to listen on, as 127.0.0.1:8080; goes before the configuration.
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
}

impl Options {
    /// The settings, with the address of the command line.
    fn settings(&self) -> Result<Settings, BoxError> {
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
    // Connections that are dropped at the end of the grace time may not hold up the process's end.
    runtime.shutdown_background();
    served.map(|()| ExitCode::SUCCESS)
}

async fn serve(settings: &Settings, telemetry: TelemetryGuard) -> Result<(), BoxError> {
    let mut signals = Signals::listen()?;
    let listeners = Listeners::bind(settings).await?;
    tracing::info!(
        address = listeners.main.local_addr()?.to_string(),
        version = env!("CARGO_PKG_VERSION"),
        "listening"
    );
    if let Some(metrics) = &listeners.metrics {
        tracing::info!(address = metrics.local_addr()?.to_string(), "the metrics are here alone");
    }
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = app::serve(settings, listeners, async {
        // Told to stop, or nobody is left to tell.
        let _ = stopped.await;
    });
    let signalled = async move {
        // Outside the macros: of an event that is not logged they do not evaluate the fields.
        let signal = signals.next().await;
        tracing::info!(signal, "told to end");
        drop(stop);
        let signal = signals.next().await;
        tracing::warn!(signal, "told to end at once");
    };
    tokio::select! {
        served = serving => served?,
        () = signalled => {
            // The lines and traces so far are told before the process goes.
            drop(telemetry);
            std::process::exit(1);
        }
    }
    tracing::info!("ended");
    Ok(())
}
