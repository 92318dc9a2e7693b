//! Events as lines. Written by hand because the request log lies on the hot path: one buffer a thread, one copy, no lock
//! but the sink's.

use std::cell::RefCell;
use std::fmt::{self, Write as _};
use std::io::Write as _;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

use super::Sink;
use crate::config::LogFormat;

const REQUEST_ID: &str = "request_id";
const MESSAGE: &str = "message";

thread_local! {
    static LINE: RefCell<String> = RefCell::new(String::with_capacity(512));
}

/// The layer that writes each event as a line, with the `request_id` of the nearest span that has one.
#[derive(Debug)]
pub struct Lines {
    sink: Sink,
    format: LogFormat,
}

struct RequestId(String);

impl Lines {
    /// Lines of this format into this sink.
    pub fn new(sink: Sink, format: LogFormat) -> Lines {
        Lines { sink, format }
    }

    fn write_line(&self, line: &mut String, event: &Event<'_>, request_id: Option<&str>) -> fmt::Result {
        let meta = event.metadata();
        match self.format {
            LogFormat::Text => {
                SystemTime.format_time(&mut Writer::new(line))?;
                write!(line, " {} {}:", meta.level(), meta.target())?;
            }
            LogFormat::Json => {
                line.push_str("{\"timestamp\":\"");
                SystemTime.format_time(&mut Writer::new(line))?;
                write!(line, "\",\"level\":\"{}\",\"target\":\"{}\"", meta.level(), meta.target())?;
            }
        }
        let mut fields = Fields { line, format: self.format, request_id };
        event.record(&mut fields);
        if let Some(id) = fields.request_id.take() {
            fields.text(REQUEST_ID, id);
        }
        if self.format == LogFormat::Json {
            line.push('}');
        }
        line.push('\n');
        Ok(())
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Lines {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut found = FindRequestId(None);
        attributes.record(&mut found);
        if let (Some(request_id), Some(span)) = (found.0, context.span(id)) {
            span.extensions_mut().insert(RequestId(request_id));
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let owner = context
            .event_scope(event)
            .and_then(|mut scope| scope.find(|span| span.extensions().get::<RequestId>().is_some()));
        let extensions = owner.as_ref().map(|span| span.extensions());
        let request_id = extensions.as_ref().and_then(|all| all.get::<RequestId>()).map(|id| id.0.as_str());
        LINE.with_borrow_mut(|line| {
            line.clear();
            // Writing into a String can't fail; a field whose own Debug fails costs the line's rest.
            if self.write_line(line, event, request_id).is_err() {
                line.push('\n');
            }
            self.sink.write_line(line.as_bytes());
        });
    }
}

struct FindRequestId(Option<String>);

impl Visit for FindRequestId {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == REQUEST_ID {
            self.0 = Some(value.to_owned());
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == REQUEST_ID {
            self.0 = Some(format!("{value:?}"));
        }
    }
}

/// Writes fields behind a line's head. The message goes first, since `tracing` records it first, and the request id next.
struct Fields<'a> {
    line: &'a mut String,
    format: LogFormat,
    request_id: Option<&'a str>,
}

impl Fields<'_> {
    fn name(&mut self, name: &str) {
        match self.format {
            LogFormat::Text => {
                self.line.push(' ');
                self.line.push_str(name);
                self.line.push('=');
            }
            LogFormat::Json => {
                self.line.push_str(",\"");
                self.line.push_str(name);
                self.line.push_str("\":");
            }
        }
    }

    fn plain(&mut self, field: &Field, value: fmt::Arguments<'_>) {
        self.name(field.name());
        let _infallible = self.line.write_fmt(value);
    }

    fn text(&mut self, name: &str, value: &str) {
        let is_message = name == MESSAGE;
        if is_message && self.format == LogFormat::Text {
            self.line.push(' ');
            // A message that is more than one line is quoted, so that a line stays a line.
            self.push_text(value, |c| c.is_control());
        } else {
            self.name(name);
            self.push_text(value, |c| c.is_control() || c.is_whitespace() || c == '"' || c == '=');
        }
        if is_message && let Some(id) = self.request_id.take() {
            self.text(REQUEST_ID, id);
        }
    }

    fn push_text(&mut self, value: &str, needs_quotes: impl Fn(char) -> bool) {
        match self.format {
            LogFormat::Json => push_json(self.line, value),
            LogFormat::Text if value.is_empty() || value.contains(needs_quotes) => {
                let _infallible = write!(self.line, "{value:?}");
            }
            LogFormat::Text => self.line.push_str(value),
        }
    }
}

impl Visit for Fields<'_> {
    fn record_f64(&mut self, field: &Field, value: f64) {
        if value.is_finite() {
            self.plain(field, format_args!("{value}"))
        } else {
            self.text(field.name(), &value.to_string())
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.plain(field, format_args!("{value}"));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.plain(field, format_args!("{value}"));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.plain(field, format_args!("{value}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.text(field.name(), value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.text(field.name(), &format!("{value:?}"));
    }
}

fn push_json(line: &mut String, value: &str) {
    let plain = value.bytes().all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\');
    if plain {
        line.push('"');
        line.push_str(value);
        line.push('"');
    } else {
        let mut quoted = Vec::with_capacity(value.len() + 8);
        let written = serde_json::to_writer(quoted.by_ref(), value);
        debug_assert!(written.is_ok(), "a text can always be written as JSON");
        line.push_str(&String::from_utf8_lossy(&quoted));
    }
}
