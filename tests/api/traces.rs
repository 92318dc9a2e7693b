//! Traces sent to an OpenTelemetry collector. The server never waits for the collector.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::routing::post;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Attribute;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use prost::Message;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::support::exposition::Exposition;
use crate::support::server_process::ServerProcess;
use crate::support::{Client, Stream};

crate::trials![
    a_search_span_is_a_child_of_its_request_span,
    a_request_that_joins_a_search_links_to_its_first_request,
    unsampled_requests_are_not_exported,
    log_lines_have_the_callers_trace_id_without_a_collector,
    an_unresponsive_collector_delays_nothing,
];

/// A collector that receives OTLP over HTTP.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<Span>>>);

impl Collector {
    async fn start() -> (Collector, SocketAddr) {
        let collector = Collector::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router =
            Router::new().route("/v1/traces", post(receive_spans)).with_state(collector.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (collector, address)
    }

    fn spans(&self) -> Vec<Span> {
        self.0.lock().unwrap().clone()
    }
}

async fn receive_spans(
    State(collector): State<Collector>,
    body: Bytes,
) -> ([(axum::http::HeaderName, &'static str); 1], Vec<u8>) {
    let request = ExportTraceServiceRequest::decode(body).unwrap();
    for resource in request.resource_spans {
        let about = resource.resource.unwrap();
        let name =
            about.attributes.iter().find(|attribute| attribute.key == "service.name").unwrap();
        assert_eq!(
            name.value.clone().unwrap().value,
            Some(Attribute::StringValue("kibitzer".to_owned()))
        );
        let spans = resource.scope_spans.into_iter().flat_map(|scope| scope.spans);
        collector.0.lock().unwrap().extend(spans);
    }
    ([(CONTENT_TYPE, "application/x-protobuf")], Vec::new())
}

async fn server_with(collector: SocketAddr, more: &[(&str, &str)]) -> ServerProcess {
    let endpoint = format!("http://{collector}/v1/traces");
    let settings =
        [("KIBITZER__OTLP__ENDPOINT", endpoint.as_str()), ("KIBITZER__SHUTDOWN__DRAIN_MS", "0")];
    ServerProcess::start(&[&settings, more].concat()).await
}

const TRACE_ID: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT_SPAN_ID: &str = "00f067aa0ba902b7";

fn traceparent(trace: &str, flags: &str) -> String {
    format!("00-{trace}-{PARENT_SPAN_ID}-{flags}")
}

async fn request_best_move(client: &Client, traceparent: &str, request_id: &str, body: &Value) {
    let request = client.request(Method::POST, "/v1/best-move").json(body);
    let request = request.header("traceparent", traceparent).header("x-request-id", request_id);
    assert_eq!(client.send(request).await.status, 200);
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn attribute(span: &Span, name: &str) -> Option<Attribute> {
    span.attributes.iter().find(|attribute| attribute.key == name)?.value.clone()?.value
}

fn string_value(text: &str) -> Option<Attribute> {
    Some(Attribute::StringValue(text.to_owned()))
}

/// The span of the request with this id.
fn request_span<'a>(spans: &'a [Span], id: &str) -> &'a Span {
    let found = spans.iter().find(|span| attribute(span, "request_id") == string_value(id));
    found.unwrap_or_else(|| panic!("no span of {id}: {spans:#?}"))
}

fn children<'a>(spans: &'a [Span], parent: &Span) -> Vec<&'a Span> {
    spans.iter().filter(|span| span.parent_span_id == parent.span_id).collect()
}

async fn a_search_span_is_a_child_of_its_request_span() {
    let (collector, address) = Collector::start().await;
    let server = server_with(address, &[]).await;
    let body = json!({ "fen": "startpos", "depth": 4 });
    request_best_move(&server.client, &traceparent(TRACE_ID, "01"), "searched", &body).await;
    request_best_move(&server.client, &traceparent(TRACE_ID, "01"), "remembered", &body).await;
    let log = server.shut_down();
    let spans = collector.spans();
    let request = request_span(&spans, "searched");
    assert_eq!(
        (hex(&request.trace_id).as_str(), hex(&request.parent_span_id).as_str()),
        (TRACE_ID, PARENT_SPAN_ID)
    );
    assert_eq!((request.name.as_str(), request.kind()), ("/v1/best-move", SpanKind::Server));
    assert_eq!(attribute(request, "http.request.method"), string_value("POST"));
    assert_eq!(attribute(request, "http.response.status_code"), Some(Attribute::IntValue(200)));
    let [search] = children(&spans, request)[..] else { panic!("{spans:#?}") };
    assert_eq!((hex(&search.trace_id).as_str(), search.name.as_str()), (TRACE_ID, "search"));
    assert_eq!(attribute(search, "depth"), Some(Attribute::IntValue(4)));
    assert_eq!(attribute(search, "reason"), string_value("depth"));
    assert!(
        request.start_time_unix_nano <= search.start_time_unix_nano,
        "the search starts before its request"
    );
    let remembered = request_span(&spans, "remembered");
    assert_eq!(hex(&remembered.trace_id), TRACE_ID);
    assert!(children(&spans, remembered).is_empty(), "an answer from the cache has no search");
    let line = log.iter().find(|line| line["request_id"] == "searched").unwrap();
    assert_eq!(line["request"], json!({ "route": "/v1/best-move", "trace_id": TRACE_ID }));
}

async fn a_request_that_joins_a_search_links_to_its_first_request() {
    let (collector, address) = Collector::start().await;
    let server = server_with(address, &[]).await;
    let body = json!({ "fen": "startpos", "infinite": true });
    let open = async |id: &str| {
        let request = server
            .client
            .request(Method::POST, "/v1/analysis")
            .json(&body)
            .header("x-request-id", id);
        let mut stream = Stream::open(&server.client, request, "application/x-ndjson").await;
        stream.next_of_type("info").await;
        stream
    };
    let launcher = open("launcher").await;
    let joiner = open("joiner").await;
    drop((launcher, joiner));
    Exposition::wait_until(&server.client, "both have disconnected", |page| {
        page.value("kibitzer_searches_running") == 0.0
    })
    .await;
    server.shut_down();
    let spans = collector.spans();
    let (launcher, joiner) = (request_span(&spans, "launcher"), request_span(&spans, "joiner"));
    assert_eq!(children(&spans, launcher).len(), 1, "{spans:#?}");
    assert!(children(&spans, joiner).is_empty() && launcher.links.is_empty(), "{spans:#?}");
    assert_ne!(joiner.trace_id, launcher.trace_id, "each request has its own trace");
    let links: Vec<_> = joiner.links.iter().map(|link| (&link.trace_id, &link.span_id)).collect();
    assert_eq!(links, [(&launcher.trace_id, &launcher.span_id)]);
}

async fn unsampled_requests_are_not_exported() {
    let (collector, address) = Collector::start().await;
    let server = server_with(address, &[("KIBITZER__OTLP__SAMPLE_PERMILLE", "0")]).await;
    let body = json!({ "fen": "startpos", "depth": 2 });
    request_best_move(&server.client, &traceparent(TRACE_ID, "00"), "unsampled", &body).await;
    request_best_move(&server.client, "nonsense", "without-trace", &body).await;
    request_best_move(&server.client, &traceparent(TRACE_ID, "01"), "sampled", &body).await;
    server.shut_down();
    let spans = collector.spans();
    assert_eq!(spans.len(), 1, "{spans:#?}");
    request_span(&spans, "sampled");
}

async fn log_lines_have_the_callers_trace_id_without_a_collector() {
    let settings =
        [("KIBITZER__SHUTDOWN__DRAIN_MS", "0"), ("KIBITZER__LOG__LEVEL", "kibitzer=debug")];
    let server = ServerProcess::start(&settings).await;
    let body = json!({ "fen": "startpos", "depth": 3 });
    request_best_move(&server.client, &traceparent(TRACE_ID, "01"), "traced", &body).await;
    let log = server.shut_down();
    let lines: Vec<_> = log.iter().filter(|line| line["request_id"] == "traced").collect();
    assert!(lines.iter().all(|line| line["request"]["trace_id"] == TRACE_ID), "{lines:?}");
    let searched = lines
        .iter()
        .find(|line| line["message"] == "search ended")
        .expect("the worker logs the search");
    assert_eq!(
        (&searched["search"]["depth"], &searched["search"]["threads"]),
        (&json!(3), &json!(1))
    );
    assert!(lines.iter().any(|line| line["message"] == "answered"), "{lines:?}");
}

async fn an_unresponsive_collector_delays_nothing() {
    // The system accepts connections, but the collector never answers.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server =
        server_with(silent.local_addr().unwrap(), &[("KIBITZER__OTLP__TIMEOUT_MS", "300")]).await;
    for depth in 1..=5 {
        let body = json!({ "fen": "startpos", "depth": depth, "fresh": true });
        request_best_move(&server.client, &traceparent(TRACE_ID, "01"), "sent", &body).await;
    }
    let log = server.shut_down();
    assert_eq!(
        log.iter()
            .filter(|line| line["message"] == "answered" && line["request_id"] == "sent")
            .count(),
        5
    );
    let is_reported = log.iter().any(|line| line["level"] == "WARN" || line["level"] == "ERROR");
    assert!(is_reported, "the loss of traces is not logged: {log:?}");
}
