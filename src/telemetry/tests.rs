//! Tests of the log lines.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use tracing::Level;

use super::*;
use crate::config::LogFormat;

#[derive(Clone, Default)]
struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

impl Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl SharedBuffer {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

fn logged(format: LogFormat, filter: &str, events: impl FnOnce()) -> String {
    let buffer = SharedBuffer::default();
    let (log_writer, guard) = LogWriter::new(buffer.clone()).unwrap();
    let filter: Targets = filter.parse().unwrap();
    let subscriber =
        tracing_subscriber::registry().with(filter).with(LogLayer::new(log_writer, format));
    tracing::subscriber::with_default(subscriber, events);
    drop(guard);
    buffer.text()
}

#[test]
fn a_json_line_is_one_object_with_the_request_id() {
    let text = logged(LogFormat::Json, "info", || {
        let span = tracing::info_span!("request", request_id = "abc-1");
        let _entered = span.enter();
        tracing::info!(status = 200, duration_ms = 0.25, path = "/a\"b", good = true, "answered");
    });
    assert_eq!(text.lines().count(), 1);
    let line: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(line["level"], "INFO");
    assert_eq!(line["message"], "answered");
    assert_eq!(line["request_id"], "abc-1");
    assert_eq!(line["status"], 200);
    assert_eq!(line["duration_ms"], 0.25);
    assert_eq!(line["path"], "/a\"b");
    assert_eq!(line["good"], true);
    assert!(line["timestamp"].as_str().unwrap().ends_with('Z'));
    assert!(line["target"].as_str().unwrap().starts_with("kibitzer::telemetry"));
}

#[test]
fn a_json_line_has_the_fields_of_its_spans() {
    let text = logged(LogFormat::Json, "info", || {
        let request = tracing::error_span!(
            "request",
            request_id = "abc-3",
            route = "/v1/x",
            otel.kind = "server"
        );
        let _request = request.enter();
        let search = tracing::error_span!("search", threads = 2, depth = tracing::field::Empty);
        let _search = search.enter();
        tracing::info!("begun");
        search.record("depth", 7);
        tracing::info!(depth = 8, "found");
    });
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["request_id"], "abc-3");
    assert_eq!(
        lines[0]["request"],
        serde_json::json!({ "route": "/v1/x" }),
        "fields with a dot in the name go to traces only"
    );
    assert_eq!(lines[0]["search"], serde_json::json!({ "threads": 2 }));
    assert_eq!(lines[1]["search"], serde_json::json!({ "threads": 2, "depth": 7 }));
    assert_eq!(lines[1]["depth"], 8);
}

#[test]
fn a_text_line_stays_one_line() {
    let text = logged(LogFormat::Text, "info", || {
        let span = tracing::info_span!("request", request_id = "abc-2");
        let inner = tracing::info_span!(parent: &span, "inner", other = 1);
        let _entered = inner.enter();
        tracing::warn!(text = "two\nlines", "look");
    });
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains(" WARN "), "{text}");
    assert!(text.contains("look request_id=abc-2 text=\"two\\nlines\""), "{text}");
}

#[test]
fn events_below_the_level_are_not_written() {
    let text = logged(LogFormat::Text, "warn", || {
        tracing::info!("quiet");
        tracing::event!(Level::ERROR, "loud");
    });
    assert!(text.contains("loud") && !text.contains("quiet"), "{text}");
}

#[test]
fn an_event_outside_a_request_has_no_request_id() {
    let text = logged(LogFormat::Json, "info", || tracing::info!("started"));
    let line: Value = serde_json::from_str(&text).unwrap();
    assert!(line.get("request_id").is_none());
}

#[test]
fn the_protocol_library_logs_errors_only_unless_it_is_named() {
    let would_log = |level: &str, event: Level| {
        without_protocol_library(level.parse().unwrap(), level)
            .would_enable("rmcp::service", &event)
    };
    assert!(would_log("info", Level::ERROR) && !would_log("info", Level::WARN));
    assert!(would_log("warn,rmcp=debug", Level::DEBUG));
    assert!(!would_log("off", Level::ERROR));
    let own = without_protocol_library("info".parse().unwrap(), "info");
    assert!(own.would_enable("kibitzer::http", &Level::INFO));
}
