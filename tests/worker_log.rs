//! Log lines of worker threads: they carry the id of the request that the worker serves. The test
//! has its own process, because the subscriber is global.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::io;
use std::panic;
use std::sync::{Arc, Mutex};

use kibitzer::analysis::{
    AnalysisError, AnalysisRequest, Client, PriorityClass, Searcher, Service, ServiceOptions,
};
use kibitzer::chess::{Game, Position};
use kibitzer::config::{LogFormat, LogSettings, Settings};
use kibitzer::engine::{GameSearch, Limits, Report, SearchOptions};
use kibitzer::telemetry;
use serde_json::{Value, json};
use tracing::{Instrument, info_span};

/// The log, collected in memory.
#[derive(Clone, Default)]
struct LogBuffer(Arc<Mutex<Vec<u8>>>);

impl io::Write for LogBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct PanickingSearcher;

impl Searcher for PanickingSearcher {
    fn analyse(
        &self,
        GameSearch { limits, .. }: GameSearch<'_>,
        _: &mut dyn FnMut(&Report),
    ) -> Report {
        panic!("a panic at depth {}", limits.depth.unwrap())
    }

    fn engine_id(&self) -> String {
        "faulty".to_owned()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_panic_is_logged_once_with_its_request() {
    let lines = LogBuffer::default();
    let log = LogSettings { format: LogFormat::Json, level: "info".to_owned() };
    let otlp = Settings::load_with(None, Some(BTreeMap::new())).unwrap().otlp;
    let guard = telemetry::start(&log, &otlp, lines.clone()).unwrap();

    let service = Service::start(
        Arc::new(PanickingSearcher),
        ServiceOptions { workers: 1, ..ServiceOptions::default() },
    )
    .unwrap();
    for (id, depth) in [("first", 11), ("second", 12)] {
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let request = AnalysisRequest {
            game: Game::new(Position::startpos()),
            limits,
            options: SearchOptions::default(),
            fresh: false,
            client: Client::new("ann"),
            class: PriorityClass::Interactive,
            session: None,
            strength: None,
        };
        let answer =
            service.best_move(request).instrument(info_span!("request", request_id = id)).await;
        assert!(matches!(answer, Err(AnalysisError::Internal(_))));
    }
    service.shut_down();
    service.drained().await;
    drop(guard);

    // Remove the panic hook, so that failures of the test are printed and not logged.
    drop(panic::take_hook());
    let logged = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    let errors: Vec<&str> = logged.lines().filter(|line| line.contains("ERROR")).collect();
    let [first, second] = errors[..] else { panic!("{logged}") };
    for (line, reason, id) in
        [(first, "a panic at depth 11", "first"), (second, "a panic at depth 12", "second")]
    {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!((&line["reason"], &line["request_id"]), (&json!(reason), &json!(id)), "{line}");
        assert_eq!(line["search"], json!({ "threads": 1, "lines": 1 }), "{line}");
    }
}
