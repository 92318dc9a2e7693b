//! Traces for a collector of OpenTelemetry: by OTLP over HTTP, in protobuf.
//!
//! Spans that have ended wait in a bounded queue for a thread of the library's own, which sends
//! them in batches. What finds no place there, or is not taken in time, is thrown away and counted
//! in the log: nobody who serves waits for it.

use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{ExporterBuildError, Protocol, SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::registry::LookupSpan;

use crate::config::OtlpSettings;

const SERVICE_NAME: &str = env!("CARGO_PKG_NAME");

/// The sender. Dropping it sends what waits, as long as the collector takes it in time.
#[derive(Debug)]
pub(super) struct TraceExporter {
    provider: SdkTracerProvider,
    timeout: Duration,
}

impl TraceExporter {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the collector's address is none.
    pub(super) fn start(otlp: &OtlpSettings) -> Result<TraceExporter, ExporterBuildError> {
        let timeout = Duration::from_millis(otlp.timeout_ms);
        let exporter = SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(&otlp.endpoint)
            .with_timeout(timeout)
            .build()?;
        let sampler = Sampler::TraceIdRatioBased(f64::from(otlp.sample_permille) / 1_000.0);
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            // Whoever sent the request has decided it for the whole trace.
            .with_sampler(Sampler::ParentBased(Box::new(sampler)))
            .with_resource(
                Resource::builder().with_service_name(SERVICE_NAME).with_attribute(version).build(),
            )
            .build();
        Ok(TraceExporter { provider, timeout })
    }

    /// What turns our spans into traces; those of libraries, and among them the sender's own, stay
    /// out.
    pub(super) fn layer<S: Subscriber + for<'a> LookupSpan<'a>>(&self) -> impl Layer<S> + use<S> {
        let own_spans = Targets::new().with_target(SERVICE_NAME, LevelFilter::TRACE);
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer(SERVICE_NAME))
            .with_location(false)
            .with_threads(false)
            .with_filter(own_spans)
    }
}

impl Drop for TraceExporter {
    fn drop(&mut self) {
        if let Err(error) = self.provider.shutdown_with_timeout(self.timeout) {
            tracing::warn!(error = error.to_string(), "the last traces were not sent");
        }
    }
}
