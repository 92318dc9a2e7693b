//! The reader of a batch body: it splits the incoming chunks into lines, or an array into its
//! elements.

#[cfg(test)]
mod tests;

use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use tokio::time::{Instant, timeout_at};

use super::array_scanner::ArrayScanner;
use super::message::{EndReason, ExceededLimit};
use crate::http::Caps;

/// The maximum length of a line. The text of a longer line is dropped.
const MAX_LINE_BYTES: usize = 64 << 10;

/// The limits on a batch body.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyLimits {
    /// The maximum number of lines.
    pub(super) max_lines: usize,
    /// The maximum number of bytes.
    pub(super) max_bytes: usize,
    /// The maximum time between two chunks.
    pub(super) idle_timeout: Duration,
}

impl BodyLimits {
    pub(super) fn new(caps: &Caps) -> BodyLimits {
        BodyLimits {
            max_lines: caps.batch_lines,
            max_bytes: caps.batch_bytes,
            idle_timeout: caps.body_timeout,
        }
    }
}

/// The form of a body.
#[derive(Debug)]
pub(super) enum BodyForm {
    /// The first character decides: a body that begins with `[` is an array, any other is NDJSON.
    Unknown,
    /// NDJSON.
    Lines,
    /// A JSON array, after its `[`.
    Array(ArrayScanner),
    /// A JSON array, after its `]`.
    AfterArray {
        /// Text after the array was found and reported.
        has_text: bool,
    },
}

/// A line of a body, or an element of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum InputLine {
    /// The text without the line break.
    Text(Vec<u8>),
    /// The text of an array element.
    Element(Vec<u8>),
    /// A line without text. It counts as a line, but needs no answer.
    Blank,
    /// An array element without text, beside a comma.
    MissingElement {
        /// The comma ends the array.
        is_last: bool,
    },
    /// The line exceeds the maximum length.
    TooLong,
    /// Text after the end of the array.
    AfterArray,
}

/// Splits a body into lines or elements. Blank lines are returned too, because they count as lines.
pub(super) struct LineReader {
    body: Body,
    form: BodyForm,
    limits: BodyLimits,
    /// Blank lines that came before the form was known.
    blank_lines: usize,
    /// The received part of the current line.
    partial_line: Vec<u8>,
    /// Received bytes that follow `partial_line`.
    chunk: Bytes,
    /// The current line exceeds the maximum length.
    is_too_long: bool,
    lines_read: usize,
    bytes_read: usize,
    /// The body exceeds the maximum number of bytes. `chunk` is its last part within the limit.
    is_truncated: bool,
    /// The arrival time of the last chunk.
    last_read_at: Instant,
    /// The connection failed before the end of the body.
    has_client_left: bool,
}

impl LineReader {
    pub(super) fn new(body: Body, form: BodyForm, limits: BodyLimits) -> LineReader {
        LineReader {
            body,
            form,
            limits,
            blank_lines: 0,
            partial_line: Vec::new(),
            chunk: Bytes::new(),
            is_too_long: false,
            lines_read: 0,
            bytes_read: 0,
            is_truncated: false,
            last_read_at: Instant::now(),
            has_client_left: false,
        }
    }

    /// `true` if the connection failed before the end of the body.
    pub(super) fn has_client_left(&self) -> bool {
        self.has_client_left
    }

    /// The limit that the body exceeds, if any.
    pub(super) fn exceeded_limit(&self) -> Option<ExceededLimit> {
        let BodyLimits { max_lines, max_bytes, .. } = self.limits;
        if self.lines_read > max_lines {
            Some(ExceededLimit::Lines { max: max_lines })
        } else {
            self.is_truncated.then_some(ExceededLimit::Bytes { max: max_bytes })
        }
    }

    /// Whether the body is an array; `None` if it has only white space. Only for a body of unknown
    /// form; it waits for the first character. Cancel safe.
    ///
    /// # Errors
    /// The reason for the early end of a body that has only white space so far.
    pub(super) async fn is_array(&mut self) -> Result<Option<bool>, EndReason> {
        while !self.detect_form() {
            if !self.receive().await? {
                return Ok(None);
            }
        }
        Ok(Some(matches!(self.form, BodyForm::Array(_))))
    }

    /// The next line. Cancel safe: no bytes are lost if the future is dropped.
    ///
    /// # Errors
    /// The reason for the end of the body.
    pub(super) async fn next(&mut self) -> Result<InputLine, EndReason> {
        loop {
            if self.detect_form()
                && let Some(line) = self.split_off_line()
            {
                return self.count(line);
            }
            if !self.receive().await? {
                return self.finish_body();
            }
        }
    }

    /// Receives the next chunk; `false` at the end of the body.
    async fn receive(&mut self) -> Result<bool, EndReason> {
        if self.is_truncated {
            return Err(EndReason::TooLarge);
        }
        let Some(mut chunk) = self.read_chunk().await? else { return Ok(false) };
        let remaining = self.limits.max_bytes - self.bytes_read;
        self.is_truncated = chunk.len() > remaining;
        chunk.truncate(remaining);
        self.bytes_read += chunk.len();
        self.chunk = chunk;
        Ok(true)
    }

    /// Decides an unknown form by the first character; `false` if there is none yet.
    fn detect_form(&mut self) -> bool {
        if !matches!(self.form, BodyForm::Unknown) {
            return true;
        }
        let blanks = self.chunk.len() - self.chunk.trim_ascii_start().len();
        let blank = self.chunk.split_to(blanks);
        for part in blank.split_inclusive(|&byte| byte == b'\n') {
            self.append(part);
            if part.ends_with(b"\n") {
                self.blank_lines += 1;
                self.drop_line();
            }
        }
        match self.chunk.first() {
            None => return false,
            Some(b'[') => {
                self.form = BodyForm::Array(ArrayScanner::default());
                self.chunk = self.chunk.slice(1..);
                self.blank_lines = 0;
                self.drop_line();
            }
            Some(_) => self.form = BodyForm::Lines,
        }
        true
    }

    /// Splits the next line or element off the chunk. `None` if it needs more of the body; the
    /// chunk is then used up.
    fn split_off_line(&mut self) -> Option<InputLine> {
        match &mut self.form {
            BodyForm::Unknown => None,
            BodyForm::Lines if self.blank_lines > 0 => {
                self.blank_lines -= 1;
                Some(InputLine::Blank)
            }
            BodyForm::Lines => {
                let length = self.chunk.iter().position(|&byte| byte == b'\n');
                self.take_part(length);
                length.map(|_| self.take_line())
            }
            BodyForm::Array(scanner) => {
                let length = scanner.scan(&self.chunk);
                let is_closed = scanner.is_closed();
                self.take_part(length);
                length?;
                if is_closed {
                    self.form = BodyForm::AfterArray { has_text: false };
                }
                let is_empty_array = is_closed && self.lines_read == 0 && self.is_blank();
                if is_empty_array {
                    self.split_off_line()
                } else {
                    Some(self.take_element(is_closed))
                }
            }
            BodyForm::AfterArray { has_text } => {
                let is_first_text = !*has_text && !self.chunk.trim_ascii_start().is_empty();
                *has_text |= is_first_text;
                self.chunk.clear();
                is_first_text.then_some(InputLine::AfterArray)
            }
        }
    }

    /// The rest of the body after its last chunk.
    fn finish_body(&mut self) -> Result<InputLine, EndReason> {
        match self.form {
            BodyForm::Lines if self.is_too_long || !self.partial_line.is_empty() => {
                let line = self.take_line();
                self.count(line)
            }
            BodyForm::Array(_) if !self.is_blank() => {
                let element = self.take_element(false);
                self.count(element)
            }
            BodyForm::Array(_) => Err(EndReason::Broken),
            BodyForm::Unknown | BodyForm::Lines | BodyForm::AfterArray { .. } => {
                Err(EndReason::Done)
            }
        }
    }

    /// Counts a line.
    fn count(&mut self, line: InputLine) -> Result<InputLine, EndReason> {
        self.lines_read += 1;
        if self.lines_read > self.limits.max_lines { Err(EndReason::TooLarge) } else { Ok(line) }
    }

    /// Moves the next bytes of the chunk to the current line: all, or this many and the byte after
    /// them, which separates the line from the next.
    fn take_part(&mut self, length: Option<usize>) {
        let chunk = std::mem::take(&mut self.chunk);
        let part = &chunk[..length.unwrap_or(chunk.len())];
        let is_element_start =
            self.partial_line.is_empty() && !matches!(self.form, BodyForm::Lines);
        let part = if is_element_start { part.trim_ascii_start() } else { part };
        self.append(part);
        if let Some(length) = length {
            self.chunk = chunk.slice(length + 1..);
        }
    }

    fn append(&mut self, part: &[u8]) {
        self.is_too_long |= self.partial_line.len() + part.len() > MAX_LINE_BYTES;
        if self.is_too_long {
            self.partial_line.clear();
        } else {
            self.partial_line.extend_from_slice(part);
        }
    }

    fn drop_line(&mut self) {
        self.partial_line.clear();
        self.is_too_long = false;
    }

    /// Whether the current line has only white space so far.
    fn is_blank(&self) -> bool {
        !self.is_too_long && self.partial_line.trim_ascii().is_empty()
    }

    /// The current line of NDJSON, which is complete.
    fn take_line(&mut self) -> InputLine {
        if self.is_blank() {
            self.drop_line();
            return InputLine::Blank;
        }
        self.take_text(InputLine::Text)
    }

    /// The current element of an array, which is complete. The last one is followed by `]`.
    fn take_element(&mut self, is_last: bool) -> InputLine {
        if self.is_blank() {
            self.drop_line();
            return InputLine::MissingElement { is_last };
        }
        self.take_text(InputLine::Element)
    }

    /// The current line or element, which is complete and has text.
    fn take_text(&mut self, input_line: fn(Vec<u8>) -> InputLine) -> InputLine {
        let text = std::mem::take(&mut self.partial_line);
        let is_too_long = std::mem::take(&mut self.is_too_long);
        if is_too_long { InputLine::TooLong } else { input_line(text) }
    }

    /// The next chunk of the body; `None` at its end.
    async fn read_chunk(&mut self) -> Result<Option<Bytes>, EndReason> {
        loop {
            let frame = poll_fn(|context| Pin::new(&mut self.body).poll_frame(context));
            let frame = timeout_at(self.last_read_at + self.limits.idle_timeout, frame).await;
            self.last_read_at = Instant::now();
            match frame {
                Ok(None) => return Ok(None),
                Ok(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
                Ok(Some(Err(error))) => {
                    tracing::debug!(error = error.to_string(), "request body failed");
                    self.has_client_left = true;
                    return Err(EndReason::Broken);
                }
                Err(_late) => return Err(EndReason::Broken),
            }
        }
    }
}
