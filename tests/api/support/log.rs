//! The captured log of the servers inside this process.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use kibitzer::config::{LogFormat, LogSettings};
use kibitzer::telemetry::{self, TelemetryGuard};
use serde_json::Value;

use super::server::default_settings;

static CAPTURED: Mutex<Vec<u8>> = Mutex::new(Vec::new());

struct CaptureWriter;

impl Write for CaptureWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // The log replaces the panic hook, so print the panics of failed tests.
        let text = String::from_utf8_lossy(bytes);
        text.lines()
            .filter(|line| line.contains("\"panicked\""))
            .for_each(|line| eprintln!("{line}"));
        CAPTURED.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Starts logging into memory.
pub(crate) fn start() -> TelemetryGuard {
    let log = LogSettings { format: LogFormat::Json, level: "info".to_owned() };
    telemetry::start(&log, &default_settings().otlp, CaptureWriter).expect("the log starts once")
}

/// Waits for the `answered` line of a request; returns all its lines.
pub(crate) async fn wait_for_lines(request_id: &str) -> Vec<Value> {
    for _ in 0..100 {
        // A line is written a few milliseconds after the answer.
        tokio::time::sleep(Duration::from_millis(20)).await;
        let lines = captured_lines(request_id);
        if lines.iter().any(|line| line["message"] == "answered") {
            return lines;
        }
    }
    panic!("no log line about {request_id}");
}

/// The captured lines so far that contain this text.
pub(crate) fn captured_lines(part: &str) -> Vec<Value> {
    let page = CAPTURED.lock().unwrap_or_else(PoisonError::into_inner);
    let text = String::from_utf8_lossy(&page);
    let lines = text.lines().filter(|line| line.contains(part));
    lines.map(|line| serde_json::from_str(line).expect("a log line is JSON")).collect()
}
