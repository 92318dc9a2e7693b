//! Logs and traces of the process.
//!
//! Each event is one log line, as text or JSON, with the id of its request. Traces go to an
//! OpenTelemetry collector, if one is configured.

mod format;
mod traces;
mod writer;

use std::io::{self, Write};
use std::panic::PanicHookInfo;

use tracing_subscriber::filter::{LevelFilter, ParseError, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

pub use format::LogLayer;
use traces::TraceExporter;
pub use writer::{LogWriter, LogWriterGuard};

use crate::config::{LogSettings, OtlpSettings};

/// Telemetry that did not start.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// `log.level` is not a filter.
    #[error("log.level: {0}")]
    Level(#[from] ParseError),
    /// Another subscriber is already installed.
    #[error("logging is already started: {0}")]
    AlreadyStarted(#[from] tracing_subscriber::util::TryInitError),
    /// The exporter of traces cannot be built.
    #[error("otlp.endpoint: {0}")]
    Traces(#[from] opentelemetry_otlp::ExporterBuildError),
    /// The thread of the log writer did not start.
    #[error("the thread of the log writer did not start: {0}")]
    Thread(#[from] io::Error),
}

/// A guard of logs and traces. Dropping it exports and writes what is buffered, and waits for that
/// for a bounded time.
#[derive(Debug)]
pub struct TelemetryGuard {
    // In this order: a failed export of the last traces is still logged.
    _traces: Option<TraceExporter>,
    _writer: LogWriterGuard,
}

/// Starts logging into `writer` for the whole process, including panics, and the export of traces
/// if there is a collector.
///
/// # Errors
/// The level or the collector's URL is invalid, logging is already started, or a thread does not
/// start.
pub fn start(
    log: &LogSettings,
    otlp: &OtlpSettings,
    writer: impl Write + Send + 'static,
) -> Result<TelemetryGuard, TelemetryError> {
    let filter = without_protocol_library(log.level.parse()?, &log.level);
    let traces = otlp.is_on().then(|| TraceExporter::start(otlp)).transpose()?;
    let (log_writer, guard) = LogWriter::new(writer)?;
    let spans = traces.as_ref().map(TraceExporter::layer);
    tracing_subscriber::registry()
        .with(filter)
        .with(spans)
        .with(LogLayer::new(log_writer, log.format))
        .try_init()?;
    std::panic::set_hook(Box::new(log_panic));
    Ok(TelemetryGuard { _traces: traces, _writer: guard })
}

/// The filter, with errors only of the library for the Model Context Protocol, unless the setting
/// names it. It logs each message several times, where the server has a line for each request.
fn without_protocol_library(filter: Targets, level: &str) -> Targets {
    const LIBRARY: &str = "rmcp";
    if level.contains(LIBRARY) {
        return filter;
    }
    let default = filter.default_level().unwrap_or(LevelFilter::OFF);
    filter.with_target(LIBRARY, default.min(LevelFilter::ERROR))
}

/// Logs a panic. Code that catches a panic does not log it again.
fn log_panic(info: &PanicHookInfo<'_>) {
    let location = info.location().map(ToString::to_string).unwrap_or_default();
    let reason = info.payload_as_str().unwrap_or("no message");
    tracing::error!(location, reason, "panicked");
}

#[cfg(test)]
mod tests;
