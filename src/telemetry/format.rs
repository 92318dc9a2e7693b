//! The layer that formats events as log lines.
//!
//! It does not use `tracing_subscriber::fmt`, because the request log is on the hot path: one
//! buffer per thread, one copy, and no lock except the writer's.

use std::cell::RefCell;
use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::mem;
use std::time::{SystemTime, UNIX_EPOCH};

use humantime::format_rfc3339_micros;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

use super::LogWriter;
use crate::config::LogFormat;

const REQUEST_ID: &str = "request_id";
const MESSAGE: &str = "message";

/// Initial capacity for the fields of a span, in bytes. Most spans need no reallocation.
const SPAN_CAPACITY: usize = 64;

thread_local! {
    static LINE_BUFFER: RefCell<LineBuffer> = RefCell::new(LineBuffer::default());
}

/// The buffers of a thread for one line.
#[derive(Default)]
struct LineBuffer {
    line: String,
    /// Id of the event's request.
    request_id: String,
    /// The event's spans as members of a JSON object, each after a comma.
    spans: String,
    /// Buffer for values that are formatted before they are escaped.
    scratch: String,
}

/// The layer that writes each event as a line, with the `request_id` of the nearest span that has
/// one. In JSON, the fields of all its spans follow, as an object under the span's name. Fields
/// with a dot in the name go to traces only.
#[derive(Debug)]
pub struct LogLayer {
    writer: LogWriter,
    format: LogFormat,
}

/// The formatted fields of a span.
#[derive(Default)]
struct FormattedSpan {
    request_id: Option<String>,
    /// The other fields as members of a JSON object, each after a comma. Empty in the text format.
    members: String,
}

impl LogLayer {
    /// A layer that writes lines of this format.
    pub fn new(writer: LogWriter, format: LogFormat) -> LogLayer {
        LogLayer { writer, format }
    }

    fn write_line(&self, buffer: &mut LineBuffer, event: &Event<'_>) -> fmt::Result {
        let LineBuffer { line, request_id, spans, scratch } = buffer;
        let (meta, time) = (event.metadata(), format_rfc3339_micros(now()));
        match self.format {
            LogFormat::Text => write!(line, "{time} {} {}:", meta.level(), meta.target())?,
            LogFormat::Json => {
                write!(line, "{{\"timestamp\":\"{time}")?;
                line.extend([
                    "\",\"level\":\"",
                    meta.level().as_str(),
                    "\",\"target\":\"",
                    meta.target(),
                    "\"",
                ]);
            }
        }
        let request_id = (!request_id.is_empty()).then_some(request_id.as_str());
        let mut fields =
            FieldWriter { line, format: self.format, request_id, scratch: mem::take(scratch) };
        event.record(&mut fields);
        if let Some(id) = fields.request_id.take() {
            fields.push_field(REQUEST_ID, id);
        }
        *scratch = fields.scratch;
        if self.format == LogFormat::Json {
            line.push_str(spans);
            line.push('}');
        }
        line.push('\n');
        Ok(())
    }

    /// Formats fields of a span, at its start or later.
    fn record_span(&self, formatted: &mut FormattedSpan, record: impl FnOnce(&mut dyn Visit)) {
        let FormattedSpan { request_id, members } = formatted;
        let fields = (self.format == LogFormat::Json).then_some(FieldWriter {
            line: members,
            format: LogFormat::Json,
            request_id: None,
            scratch: String::new(),
        });
        record(&mut SpanVisitor { request_id, fields });
    }
}

impl LineBuffer {
    /// Collects the fields of an event's spans, the innermost first.
    fn collect_spans<S: Subscriber + for<'a> LookupSpan<'a>>(
        &mut self,
        event: &Event<'_>,
        context: &Context<'_, S>,
    ) {
        for span in context.event_scope(event).into_iter().flatten() {
            let extensions = span.extensions();
            let Some(formatted) = extensions.get::<FormattedSpan>() else { continue };
            if let Some(id) = formatted.request_id.as_deref().filter(|_| self.request_id.is_empty())
            {
                self.request_id.push_str(id);
            }
            if let Some(members) = formatted.members.strip_prefix(',') {
                let spans = &mut self.spans;
                spans.extend([",\"", span.name(), "\":{", members, "}"]);
            }
        }
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for LogLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut formatted = FormattedSpan::default();
        if self.format == LogFormat::Json {
            formatted.members.reserve(SPAN_CAPACITY);
        }
        self.record_span(&mut formatted, |visitor| attributes.record(visitor));
        if let Some(span) = context
            .span(id)
            .filter(|_| formatted.request_id.is_some() || !formatted.members.is_empty())
        {
            span.extensions_mut().insert(formatted);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(formatted) = span.extensions_mut().get_mut::<FormattedSpan>()
        {
            self.record_span(formatted, |visitor| values.record(visitor));
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        LINE_BUFFER.with_borrow_mut(|buffer| {
            [&mut buffer.line, &mut buffer.request_id, &mut buffer.spans]
                .into_iter()
                .for_each(String::clear);
            buffer.collect_spans(event, &context);
            // Writing to a String cannot fail.
            if self.write_line(buffer, event).is_err() {
                buffer.line.push('\n');
            }
            self.writer.write_line(buffer.line.as_bytes());
        });
    }
}

/// Formats the fields of a span: the request id, and in JSON the others except those for traces.
struct SpanVisitor<'a> {
    request_id: &'a mut Option<String>,
    fields: Option<FieldWriter<'a>>,
}

impl<'a> SpanVisitor<'a> {
    fn logged_fields(&mut self, field: &Field) -> Option<&mut FieldWriter<'a>> {
        let is_for_traces = field.name().contains('.');
        self.fields.as_mut().filter(|_| !is_for_traces)
    }
}

impl Visit for SpanVisitor<'_> {
    fn record_f64(&mut self, field: &Field, value: f64) {
        if let Some(fields) = self.logged_fields(field) {
            fields.record_f64(field, value);
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        if let Some(fields) = self.logged_fields(field) {
            fields.record_i64(field, value);
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        if let Some(fields) = self.logged_fields(field) {
            fields.record_u64(field, value);
        }
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        if let Some(fields) = self.logged_fields(field) {
            fields.record_bool(field, value);
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == REQUEST_ID {
            *self.request_id = Some(value.to_owned());
        } else if let Some(fields) = self.logged_fields(field) {
            fields.record_str(field, value);
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == REQUEST_ID {
            *self.request_id = Some(format!("{value:?}"));
        } else if let Some(fields) = self.logged_fields(field) {
            fields.record_debug(field, value);
        }
    }
}

/// Appends fields to a line. The message comes first, because `tracing` records it first, and the
/// request id second.
struct FieldWriter<'a> {
    line: &'a mut String,
    format: LogFormat,
    request_id: Option<&'a str>,
    /// Buffer for values that are formatted before they are escaped, such as messages.
    scratch: String,
}

impl FieldWriter<'_> {
    fn push_name(&mut self, name: &str) {
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

    fn push_value(&mut self, field: &Field, value: fmt::Arguments<'_>) {
        self.push_name(field.name());
        let _infallible = self.line.write_fmt(value);
    }

    fn push_field(&mut self, name: &str, value: &str) {
        let is_message = name == MESSAGE;
        if is_message && self.format == LogFormat::Text {
            self.line.push(' ');
            // A message of several lines is quoted, so that the event stays on one line.
            self.push_text(value, |c| c.is_control());
        } else {
            self.push_name(name);
            self.push_text(value, |c| c.is_control() || c.is_whitespace() || c == '"' || c == '=');
        }
        if is_message && let Some(id) = self.request_id.take() {
            self.push_field(REQUEST_ID, id);
        }
    }

    fn push_text(&mut self, value: &str, needs_quotes: impl Fn(char) -> bool) {
        match self.format {
            LogFormat::Json => push_json_string(self.line, value),
            LogFormat::Text if value.is_empty() || value.contains(needs_quotes) => {
                let _infallible = write!(self.line, "{value:?}");
            }
            LogFormat::Text => self.line.push_str(value),
        }
    }
}

impl Visit for FieldWriter<'_> {
    fn record_f64(&mut self, field: &Field, value: f64) {
        if value.is_finite() {
            self.push_value(field, format_args!("{value}"))
        } else {
            self.push_field(field.name(), &value.to_string())
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.push_value(field, format_args!("{value}"));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.push_value(field, format_args!("{value}"));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.push_value(field, format_args!("{value}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.push_field(field.name(), value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let mut text = mem::take(&mut self.scratch);
        text.clear();
        // A value whose Debug fails is written as far as it was formatted.
        let _is_whole = write!(text, "{value:?}");
        self.push_field(field.name(), &text);
        self.scratch = text;
    }
}

/// The current time, at least 1970: `humantime` cannot format earlier times.
fn now() -> SystemTime {
    SystemTime::now().max(UNIX_EPOCH)
}

fn push_json_string(line: &mut String, value: &str) {
    let needs_no_escape = value.bytes().all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\');
    if needs_no_escape {
        line.push('"');
        line.push_str(value);
        line.push('"');
    } else {
        let mut quoted = Vec::with_capacity(value.len() + 8);
        let written = serde_json::to_writer(quoted.by_ref(), value);
        debug_assert!(written.is_ok(), "a string is always valid JSON");
        line.push_str(&String::from_utf8_lossy(&quoted));
    }
}
