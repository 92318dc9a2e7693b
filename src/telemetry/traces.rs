//! Traces for an OpenTelemetry collector, by OTLP over HTTP in protobuf.
//!
//! Ended spans wait in a bounded queue for a thread of the library, which exports them in batches.
//! Spans beyond the queue, or not accepted in time, are dropped and counted in the log. Requests
//! never wait for the export.

use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{
    ExporterBuildError, Protocol, SpanExporter, WithExportConfig, WithHttpConfig,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::registry::LookupSpan;

use crate::client::{RemoteError, blocking_plain_http};
use crate::config::OtlpSettings;

const SERVICE_NAME: &str = env!("CARGO_PKG_NAME");

/// The exporter of traces. Dropping it exports the waiting spans, for `otlp.timeout_ms` at most.
#[derive(Debug)]
pub(super) struct TraceExporter {
    provider: SdkTracerProvider,
    timeout: Duration,
}

impl TraceExporter {
    /// Starts the exporter's thread.
    ///
    /// # Errors
    /// The collector's URL is invalid.
    pub(super) fn start(otlp: &OtlpSettings) -> Result<TraceExporter, ExporterBuildError> {
        let timeout = Duration::from_millis(otlp.timeout_ms);
        let exporter = SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(&otlp.endpoint)
            .with_timeout(timeout)
            .with_http_client(http_client(timeout)?)
            .build()?;
        let sampler = Sampler::TraceIdRatioBased(f64::from(otlp.sample_permille) / 1_000.0);
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            // The caller's decision holds for the whole trace.
            .with_sampler(Sampler::ParentBased(Box::new(sampler)))
            .with_resource(
                Resource::builder().with_service_name(SERVICE_NAME).with_attribute(version).build(),
            )
            .build();
        Ok(TraceExporter { provider, timeout })
    }

    /// The layer that turns our spans into traces. It ignores spans of libraries, among them those
    /// of the exporter.
    pub(super) fn layer<S: Subscriber + for<'a> LookupSpan<'a>>(&self) -> impl Layer<S> + use<S> {
        let own_spans = Targets::new().with_target(SERVICE_NAME, LevelFilter::TRACE);
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer(SERVICE_NAME))
            .with_location(false)
            .with_threads(false)
            .with_filter(own_spans)
    }
}

/// The client of the collector. The library would build one with TLS, which needs certificates of
/// authorities, but collectors are reached by plain HTTP.
fn http_client(timeout: Duration) -> Result<reqwest::blocking::Client, ExporterBuildError> {
    // A thread of its own, because a blocking client must not be built in an async context.
    let build = move || Ok::<_, RemoteError>(blocking_plain_http()?.timeout(timeout).build()?);
    let failed = |why: String| ExporterBuildError::InternalFailure(format!("HTTP client: {why}"));
    let built = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().spawn_scoped(scope, build)?;
        Ok(thread.join())
    });
    built
        .map_err(|error: std::io::Error| failed(error.to_string()))?
        .map_err(|_| failed("panicked".to_owned()))?
        .map_err(|error| failed(error.to_string()))
}

impl Drop for TraceExporter {
    fn drop(&mut self) {
        if let Err(error) = self.provider.shutdown_with_timeout(self.timeout) {
            tracing::warn!(error = error.to_string(), "could not export the last traces");
        }
    }
}
