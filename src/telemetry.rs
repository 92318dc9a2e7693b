//! Structured logs: one line an event on stdout, as text or JSON, each with the id of the request that it belongs to.

mod lines;
mod sink;

use std::io::{self, Write};
use std::panic::PanicHookInfo;

use tracing_subscriber::filter::{ParseError, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

pub use lines::Lines;
pub use sink::{Sink, SinkGuard};

use crate::config::Log;

/// Why logging could not be started.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// `log.level` is no filter.
    #[error("log.level: {0}")]
    Level(#[from] ParseError),
    /// Another subscriber is installed already.
    #[error("logging was started twice: {0}")]
    Twice(#[from] tracing_subscriber::util::TryInitError),
    /// The writer's thread could not be started.
    #[error("the log's thread did not start: {0}")]
    Thread(#[from] io::Error),
}

/// Starts logging for the whole process, panics included, into `writer`. The lines are written while the guard lives;
/// dropping it writes what is left.
///
/// # Errors
/// When the level can't be read, logging was started before, or the writer's thread does not start.
pub fn start(log: &Log, writer: impl Write + Send + 'static) -> Result<SinkGuard, TelemetryError> {
    let filter: Targets = log.level.parse()?;
    let (sink, guard) = Sink::new(writer)?;
    tracing_subscriber::registry().with(filter).with(Lines::new(sink, log.format)).try_init()?;
    std::panic::set_hook(Box::new(log_panic));
    Ok(guard)
}

/// The only place that logs a panic; whoever catches it answers, and is silent.
fn log_panic(info: &PanicHookInfo<'_>) {
    let location = info.location().map(ToString::to_string).unwrap_or_default();
    let reason = info.payload_as_str().unwrap_or("a panic without a text");
    tracing::error!(location, reason, "panicked");
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use serde_json::Value;
    use tracing::Level;

    use super::*;
    use crate::config::LogFormat;

    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Page {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    fn logged(format: LogFormat, filter: &str, events: impl FnOnce()) -> String {
        let page = Page::default();
        let (sink, guard) = Sink::new(page.clone()).unwrap();
        let filter: Targets = filter.parse().unwrap();
        let subscriber = tracing_subscriber::registry().with(filter).with(Lines::new(sink, format));
        tracing::subscriber::with_default(subscriber, events);
        drop(guard);
        page.text()
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
    fn what_the_level_leaves_out_is_not_written() {
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
}
