//! The log of the servers that run inside this process, for claims about it.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use kibitzer::config::{Log, LogFormat};
use kibitzer::telemetry::{self, TelemetryGuard};
use serde_json::Value;

use super::server::default_settings;

static PAGE: Mutex<Vec<u8>> = Mutex::new(Vec::new());

struct Page;

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // The log takes panics over, those of failed tests too.
        let text = String::from_utf8_lossy(bytes);
        text.lines()
            .filter(|line| line.contains("\"panicked\""))
            .for_each(|line| eprintln!("{line}"));
        PAGE.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Starts the log.
pub(crate) fn start() -> TelemetryGuard {
    let log = Log { format: LogFormat::Json, level: "info".to_owned() };
    telemetry::start(&log, &default_settings().otlp, Page).expect("the log starts once")
}

/// The lines about a request, once there are any.
pub(crate) async fn lines_of(request_id: &str) -> Vec<Value> {
    for _ in 0..100 {
        // A line is written a few milliseconds after the answer.
        tokio::time::sleep(Duration::from_millis(20)).await;
        let lines = lines_now(request_id);
        if lines.iter().any(|line| line["message"] == "answered") {
            return lines;
        }
    }
    panic!("no log line about {request_id}");
}

fn lines_now(request_id: &str) -> Vec<Value> {
    let page = PAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let text = String::from_utf8_lossy(&page);
    let lines = text.lines().filter(|line| line.contains(request_id));
    lines.map(|line| serde_json::from_str(line).expect("a log line is JSON")).collect()
}
