//! The response stream of a remote search, line by line.

use std::time::Duration;

use reqwest::Response;
use tokio::time::timeout;

use super::stream_line::StreamLine;
use crate::client::with_cause;

/// Longest silence. The server sends a line at least every 8 s.
const READ_TIMEOUT: Duration = Duration::from_secs(20);

/// Longest line. One with five long variations has a few thousand bytes.
const MAX_LINE_BYTES: usize = 1 << 20;

/// A stream of lines, each one JSON object.
pub(super) struct LineStream {
    response: Response,
    /// Received bytes of the next lines.
    buffer: Vec<u8>,
}

/// A stream that ended early.
#[derive(Debug, thiserror::Error)]
pub(super) enum StreamError {
    #[error("the stream failed: {}", with_cause(.0))]
    Http(#[from] reqwest::Error),
    #[error("the stream ended without an end line")]
    UnexpectedEnd,
    #[error("the server sent nothing for {} seconds", READ_TIMEOUT.as_secs())]
    TimedOut,
    #[error("a line of the server is invalid: {0}")]
    InvalidLine(#[from] serde_json::Error),
    #[error("a line of the server has more than {MAX_LINE_BYTES} bytes")]
    LineTooLong,
}

impl LineStream {
    /// The lines of a response's body.
    pub(super) fn new(response: Response) -> LineStream {
        LineStream { response, buffer: Vec::new() }
    }

    /// Waits for the next line.
    ///
    /// # Errors
    /// The stream failed or ended early.
    pub(super) async fn next_line(&mut self) -> Result<StreamLine, StreamError> {
        let mut scanned = 0;
        loop {
            if let Some(end) = self.buffer[scanned..].iter().position(|&byte| byte == b'\n') {
                let rest = self.buffer.split_off(scanned + end + 1);
                let line = std::mem::replace(&mut self.buffer, rest);
                return Ok(serde_json::from_slice(&line)?);
            }
            scanned = self.buffer.len();
            if scanned > MAX_LINE_BYTES {
                return Err(StreamError::LineTooLong);
            }
            let chunk = timeout(READ_TIMEOUT, self.response.chunk())
                .await
                .map_err(|_| StreamError::TimedOut)??;
            self.buffer.extend_from_slice(&chunk.ok_or(StreamError::UnexpectedEnd)?);
        }
    }
}

#[cfg(test)]
mod tests;
