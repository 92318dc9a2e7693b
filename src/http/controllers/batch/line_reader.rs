//! The reader of a batch body: it splits the incoming chunks into lines.

use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use tokio::time::{Instant, timeout_at};

use super::message::EndReason;

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

/// A line of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum InputLine {
    /// The text without the line break.
    Text(Vec<u8>),
    /// The line exceeds the maximum length.
    TooLong,
}

/// Splits a body into lines. Blank lines are returned too, because they count as lines.
pub(super) struct LineReader {
    body: Body,
    limits: BodyLimits,
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
    pub(super) fn new(body: Body, limits: BodyLimits) -> LineReader {
        LineReader {
            body,
            limits,
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

    /// The next line. Cancel safe: no bytes are lost if the future is dropped.
    ///
    /// # Errors
    /// The reason for the end of the body.
    pub(super) async fn next(&mut self) -> Result<InputLine, EndReason> {
        loop {
            if let Some(length) = self.chunk.iter().position(|&byte| byte == b'\n') {
                let rest = self.chunk.split_off(length + 1);
                let chunk = std::mem::replace(&mut self.chunk, rest);
                self.append(&chunk[..length]);
                return self.finish_line();
            }
            if self.is_truncated {
                return Err(EndReason::TooLarge);
            }
            let chunk = std::mem::take(&mut self.chunk);
            self.append(&chunk);
            let Some(mut chunk) = self.read_chunk().await? else {
                let is_empty = self.partial_line.is_empty() && !self.is_too_long;
                return if is_empty { Err(EndReason::Done) } else { self.finish_line() };
            };
            let remaining = self.limits.max_bytes - self.bytes_read;
            self.is_truncated = chunk.len() > remaining;
            chunk.truncate(remaining);
            self.bytes_read += chunk.len();
            self.chunk = chunk;
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

    fn finish_line(&mut self) -> Result<InputLine, EndReason> {
        self.lines_read += 1;
        if self.lines_read > self.limits.max_lines {
            return Err(EndReason::TooLarge);
        }
        let text = std::mem::take(&mut self.partial_line);
        Ok(if std::mem::take(&mut self.is_too_long) {
            InputLine::TooLong
        } else {
            InputLine::Text(text)
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: BodyLimits =
        BodyLimits { max_lines: 4, max_bytes: 200_000, idle_timeout: Duration::from_secs(5) };

    async fn read_all(body: impl Into<Body>, limits: BodyLimits) -> (Vec<InputLine>, EndReason) {
        let mut reader = LineReader::new(body.into(), limits);
        let mut all = Vec::new();
        loop {
            match reader.next().await {
                Ok(line) => all.push(line),
                Err(end) => return (all, end),
            }
        }
    }

    fn texts(texts: &[&str]) -> Vec<InputLine> {
        texts.iter().map(|text| InputLine::Text(text.as_bytes().to_vec())).collect()
    }

    #[tokio::test]
    async fn the_last_line_needs_no_line_break() {
        assert_eq!(read_all("a\n\nb\n", LIMITS).await, (texts(&["a", "", "b"]), EndReason::Done));
        assert_eq!(read_all("a\nb", LIMITS).await, (texts(&["a", "b"]), EndReason::Done));
        assert_eq!(read_all("", LIMITS).await, (Vec::new(), EndReason::Done));
    }

    #[tokio::test]
    async fn too_many_lines_or_bytes_end_the_body() {
        assert_eq!(
            read_all("a\nb\nc\nd\ne\n", LIMITS).await,
            (texts(&["a", "b", "c", "d"]), EndReason::TooLarge)
        );
        let limits = |max_bytes| BodyLimits { max_bytes, ..LIMITS };
        assert_eq!(read_all("abc\n", limits(3)).await, (Vec::new(), EndReason::TooLarge));
        assert_eq!(read_all("a\nb\n", limits(4)).await, (texts(&["a", "b"]), EndReason::Done));
        assert_eq!(
            read_all("a\nb\nc\n", limits(5)).await,
            (texts(&["a", "b"]), EndReason::TooLarge),
            "c is incomplete"
        );
        assert_eq!(
            read_all("a\nb\nc\n", limits(4)).await,
            (texts(&["a", "b"]), EndReason::TooLarge)
        );
    }

    #[tokio::test]
    async fn a_too_long_line_is_dropped_and_the_next_one_is_read() {
        let text = format!("{}\nb\n", "a".repeat(MAX_LINE_BYTES + 1));
        let expected = vec![InputLine::TooLong, InputLine::Text(b"b".to_vec())];
        assert_eq!(read_all(text, LIMITS).await, (expected, EndReason::Done));
    }
}
