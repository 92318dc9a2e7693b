//! The lines of a body, as they come.

use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use tokio::time::{Instant, timeout_at};

/// A longer line is not kept.
const LONGEST_LINE: usize = 64 << 10;

/// How much of a body is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Most lines.
    pub(super) lines: usize,
    /// Most bytes.
    pub(super) bytes: usize,
    /// The longest time without anything coming.
    pub(super) silence: Duration,
}

/// A line of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Its text.
    Text(Vec<u8>),
    /// It was too long.
    TooLong,
}

/// How a body has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyEnd {
    /// All of it has come.
    Whole,
    /// There was more than is read.
    TooLarge,
    /// Nothing came for too long, or it broke off.
    Broken,
}

/// Splits a body into lines. Blank ones are told too: they count.
pub(super) struct Lines {
    body: Body,
    bounds: Bounds,
    /// What has come of the next line.
    begun: Vec<u8>,
    /// What has come behind it.
    chunk: Bytes,
    is_too_long: bool,
    lines: usize,
    bytes: usize,
    /// There was more than is read: what has come within the bound is the last.
    is_cut: bool,
    /// When something has come last.
    heard: Instant,
}

impl Lines {
    pub(super) fn of(body: Body, bounds: Bounds) -> Lines {
        Lines {
            body,
            bounds,
            begun: Vec::new(),
            chunk: Bytes::new(),
            is_too_long: false,
            lines: 0,
            bytes: 0,
            is_cut: false,
            heard: Instant::now(),
        }
    }

    /// The next line, or how the body has ended. It may be given up and asked again: nothing gets
    /// lost.
    pub(super) async fn next(&mut self) -> Result<Line, BodyEnd> {
        loop {
            if let Some(length) = self.chunk.iter().position(|&byte| byte == b'\n') {
                let rest = self.chunk.split_off(length + 1);
                let chunk = std::mem::replace(&mut self.chunk, rest);
                self.add(&chunk[..length]);
                return self.finish();
            }
            if self.is_cut {
                return Err(BodyEnd::TooLarge);
            }
            let chunk = std::mem::take(&mut self.chunk);
            self.add(&chunk);
            let Some(mut chunk) = self.read().await? else {
                let is_empty = self.begun.is_empty() && !self.is_too_long;
                return if is_empty { Err(BodyEnd::Whole) } else { self.finish() };
            };
            let room = self.bounds.bytes - self.bytes;
            self.is_cut = chunk.len() > room;
            chunk.truncate(room);
            self.bytes += chunk.len();
            self.chunk = chunk;
        }
    }

    fn add(&mut self, part: &[u8]) {
        self.is_too_long |= self.begun.len() + part.len() > LONGEST_LINE;
        if self.is_too_long {
            self.begun.clear();
        } else {
            self.begun.extend_from_slice(part);
        }
    }

    fn finish(&mut self) -> Result<Line, BodyEnd> {
        self.lines += 1;
        if self.lines > self.bounds.lines {
            return Err(BodyEnd::TooLarge);
        }
        let text = std::mem::take(&mut self.begun);
        Ok(if std::mem::take(&mut self.is_too_long) { Line::TooLong } else { Line::Text(text) })
    }

    /// The next piece of the body; `None` at its end.
    async fn read(&mut self) -> Result<Option<Bytes>, BodyEnd> {
        loop {
            let frame = poll_fn(|context| Pin::new(&mut self.body).poll_frame(context));
            let frame = timeout_at(self.heard + self.bounds.silence, frame).await;
            self.heard = Instant::now();
            match frame {
                Ok(None) => return Ok(None),
                Ok(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
                Ok(Some(Err(error))) => {
                    tracing::debug!(error = error.to_string(), "a body broke off");
                    return Err(BodyEnd::Broken);
                }
                Err(_late) => return Err(BodyEnd::Broken),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { lines: 4, bytes: 200_000, silence: Duration::from_secs(5) };

    async fn all(body: impl Into<Body>, bounds: Bounds) -> (Vec<Line>, BodyEnd) {
        let mut lines = Lines::of(body.into(), bounds);
        let mut all = Vec::new();
        loop {
            match lines.next().await {
                Ok(line) => all.push(line),
                Err(end) => return (all, end),
            }
        }
    }

    fn texts(texts: &[&str]) -> Vec<Line> {
        texts.iter().map(|text| Line::Text(text.as_bytes().to_vec())).collect()
    }

    #[tokio::test]
    async fn the_last_line_may_do_without_its_break() {
        assert_eq!(all("a\n\nb\n", BOUNDS).await, (texts(&["a", "", "b"]), BodyEnd::Whole));
        assert_eq!(all("a\nb", BOUNDS).await, (texts(&["a", "b"]), BodyEnd::Whole));
        assert_eq!(all("", BOUNDS).await, (Vec::new(), BodyEnd::Whole));
    }

    #[tokio::test]
    async fn more_lines_or_bytes_than_are_read_end_it() {
        assert_eq!(
            all("a\nb\nc\nd\ne\n", BOUNDS).await,
            (texts(&["a", "b", "c", "d"]), BodyEnd::TooLarge)
        );
        let bounds = |bytes| Bounds { bytes, ..BOUNDS };
        assert_eq!(all("abc\n", bounds(3)).await, (Vec::new(), BodyEnd::TooLarge));
        assert_eq!(all("a\nb\n", bounds(4)).await, (texts(&["a", "b"]), BodyEnd::Whole));
        assert_eq!(
            all("a\nb\nc\n", bounds(5)).await,
            (texts(&["a", "b"]), BodyEnd::TooLarge),
            "c is not whole"
        );
        assert_eq!(all("a\nb\nc\n", bounds(4)).await, (texts(&["a", "b"]), BodyEnd::TooLarge));
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_not_kept_and_the_next_one_is() {
        let text = format!("{}\nb\n", "a".repeat(LONGEST_LINE + 1));
        let expected = vec![Line::TooLong, Line::Text(b"b".to_vec())];
        assert_eq!(all(text, BOUNDS).await, (expected, BodyEnd::Whole));
    }
}
