//! The tracing span of a request: the context of its log lines, also exported to a trace collector.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, Request};
use opentelemetry::Context;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{TraceContextExt, TraceId};
use opentelemetry_http::HeaderExtractor;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing::field::{Empty, display};
use tracing_opentelemetry::OpenTelemetrySpanExt;

use crate::http::headers::RequestId;

/// W3C Trace Context: the trace of the request, and the parent span.
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// Creates the span of a request to this route, a child of the span in its `traceparent`. Field
/// names with a dot follow the OpenTelemetry conventions.
pub(super) fn request_span(id: &RequestId, route: &str, request: &Request<Body>) -> Span {
    // At error level, so that the span exists at every log level.
    let span = tracing::error_span!(
        "request",
        request_id = id.as_str(),
        route,
        trace_id = Empty,
        otel.name = route,
        otel.kind = "server",
        otel.status_code = Empty,
        http.route = route,
        http.request.method = request.method().as_str(),
        http.response.status_code = Empty,
    );
    let parent = remote_parent(request.headers());
    if let Some(parent) = parent.clone() {
        // Fails if traces are not exported; the log still has the trace id.
        let _not_sent = span.set_parent(parent);
    }
    if let Some(trace) = trace_id(&span.context()).or_else(|| parent.as_ref().and_then(trace_id)) {
        span.record("trace_id", display(trace));
    }
    span
}

/// Records the response status in the current span, which is the request's.
pub(super) fn record_status(status: u16) {
    let span = Span::current();
    // OpenTelemetry has only signed integers.
    span.record("http.response.status_code", i64::from(status));
    if status >= 500 {
        span.record("otel.status_code", "ERROR");
    }
}

fn remote_parent(headers: &HeaderMap) -> Option<Context> {
    headers.get(TRACEPARENT)?;
    let context = TraceContextPropagator::new()
        .extract_with_context(&Context::new(), &HeaderExtractor(headers));
    context.has_active_span().then_some(context)
}

fn trace_id(context: &Context) -> Option<TraceId> {
    let id = context.span().span_context().trace_id();
    (id != TraceId::INVALID).then_some(id)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn trace_id_of(traceparent: &'static str) -> Option<String> {
        let headers = HeaderMap::from_iter([(TRACEPARENT, HeaderValue::from_static(traceparent))]);
        remote_parent(&headers).and_then(|context| trace_id(&context)).map(|id| id.to_string())
    }

    #[test]
    fn a_valid_traceparent_sets_the_trace_id() {
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        assert_eq!(
            trace_id_of("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01").as_deref(),
            Some(trace)
        );
        assert_eq!(
            trace_id_of("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00").as_deref(),
            Some(trace)
        );
    }

    #[test]
    fn an_invalid_traceparent_is_ignored() {
        for bad in [
            "",
            "00",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        ] {
            assert_eq!(trace_id_of(bad), None, "{bad}");
        }
        assert!(remote_parent(&HeaderMap::new()).is_none());
    }
}
