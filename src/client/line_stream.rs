//! The lines of a response that a server writes while it works.

use std::time::Duration;

use reqwest::Response;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::problem::with_cause;

/// Longest silence. The server sends a line at least every 8 s.
const READ_TIMEOUT: Duration = Duration::from_secs(20);

/// Longest line. One with five long variations has a few thousand bytes.
pub(super) const MAX_LINE_BYTES: usize = 1 << 20;

/// A stream of lines.
#[derive(Debug)]
pub struct LineStream {
    response: Response,
    /// Received bytes of the next lines.
    buffer: Vec<u8>,
}

/// A stream that ended early.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// The connection failed.
    #[error("the stream failed: {}", with_cause(.0))]
    Http(#[from] reqwest::Error),
    /// The connection ended.
    #[error("the stream ended without an end line")]
    UnexpectedEnd,
    /// Not even a heartbeat arrived.
    #[error("the server sent nothing for {} seconds", READ_TIMEOUT.as_secs())]
    TimedOut,
    /// The line is not the expected JSON.
    #[error("a line of the server is invalid: {0}")]
    InvalidLine(#[from] serde_json::Error),
    /// The line does not end.
    #[error("a line of the server has more than {MAX_LINE_BYTES} bytes")]
    LineTooLong,
}

impl LineStream {
    /// The lines of a response's body.
    pub fn new(response: Response) -> LineStream {
        LineStream { response, buffer: Vec::new() }
    }

    /// Waits for the next line and reads it as JSON.
    ///
    /// # Errors
    /// The stream failed or ended early, or the line is not the expected JSON.
    pub async fn next_json<T: DeserializeOwned>(&mut self) -> Result<T, StreamError> {
        Ok(serde_json::from_slice(&self.next_line().await?)?)
    }

    /// Waits for the next line, which ends with a line feed.
    ///
    /// # Errors
    /// The stream failed or ended early.
    pub async fn next_line(&mut self) -> Result<Vec<u8>, StreamError> {
        let mut scanned = 0;
        loop {
            if let Some(end) = self.buffer[scanned..].iter().position(|&byte| byte == b'\n') {
                let rest = self.buffer.split_off(scanned + end + 1);
                return Ok(std::mem::replace(&mut self.buffer, rest));
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
