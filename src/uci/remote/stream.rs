//! The stream that a question is answered by.

use std::time::Duration;

use reqwest::Response;
use tokio::time::timeout;

use super::stream_line::StreamLine;

/// A server says something every 8 s at least, so one that is silent for so long has gone.
const SILENCE: Duration = Duration::from_secs(20);

/// A line of five long variations has some thousand bytes.
const MAX_LINE_BYTES: usize = 1 << 20;

/// A stream of lines, each an object of JSON.
pub(super) struct LineStream {
    response: Response,
    /// What has come of the next lines.
    buffer: Vec<u8>,
}

/// Why a stream ends before its end.
#[derive(Debug, thiserror::Error)]
pub(super) enum StreamError {
    #[error("the stream broke off: {}", with_cause(.0))]
    Http(#[from] reqwest::Error),
    #[error("the stream ended before its end")]
    UnexpectedEnd,
    #[error("the server has said nothing for {} seconds", SILENCE.as_secs())]
    TimedOut,
    #[error("the server's line is not understood: {0}")]
    InvalidLine(#[from] serde_json::Error),
    #[error("a line of the server is too long")]
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
    /// When none can come any more.
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
            let chunk = timeout(SILENCE, self.response.chunk())
                .await
                .map_err(|_| StreamError::TimedOut)??;
            self.buffer.extend_from_slice(&chunk.ok_or(StreamError::UnexpectedEnd)?);
        }
    }
}

/// An error and what lies below it.
pub(super) fn with_cause(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::convert::Infallible;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use axum::body::Bytes;
    use http_body::Frame;
    use tokio::time::{Sleep, sleep};

    use super::*;

    const HEARTBEAT: &str = "{\"type\": \"heartbeat\", \"time_ms\": 1, \"nodes\": 1}\n";

    /// Pieces of a body, each so many seconds after the one before; `None` for its end.
    struct SlowBody(VecDeque<(u64, Option<&'static str>)>, Option<Pin<Box<Sleep>>>);

    impl http_body::Body for SlowBody {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            let Some(&(seconds, chunk)) = self.0.front() else { return Poll::Pending };
            let delay = self.1.get_or_insert_with(|| Box::pin(sleep(Duration::from_secs(seconds))));
            if delay.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            self.1 = None;
            self.0.pop_front();
            Poll::Ready(chunk.map(|chunk| Ok(Frame::data(Bytes::from_static(chunk.as_bytes())))))
        }
    }

    fn stream(chunks: impl IntoIterator<Item = (u64, Option<&'static str>)>) -> LineStream {
        let body = reqwest::Body::wrap(SlowBody(chunks.into_iter().collect(), None));
        LineStream::new(axum::http::Response::new(body).into())
    }

    #[tokio::test(start_paused = true)]
    async fn a_line_may_span_chunks_and_a_chunk_may_hold_many_lines() {
        let chunks = [
            "{\"type\": \"que",
            "ued\", \"position\": 2}\n{\"type\": \"queued\", \"position\": 1}\n",
            HEARTBEAT,
        ];
        let mut stream = stream(chunks.map(|chunk| (0, Some(chunk))));
        for position in [2, 1] {
            let line = stream.next_line().await.unwrap();
            assert!(
                matches!(&line, StreamLine::Queued(queued) if queued.position == position),
                "{line:?}"
            );
        }
        assert!(matches!(stream.next_line().await, Ok(StreamLine::Heartbeat)));
    }

    #[tokio::test(start_paused = true)]
    async fn heartbeats_keep_a_quiet_stream_alive_and_silence_ends_it() {
        let mut stream =
            stream([(15, Some(HEARTBEAT)), (15, Some(HEARTBEAT)), (25, Some(HEARTBEAT))]);
        assert!(stream.next_line().await.is_ok() && stream.next_line().await.is_ok());
        assert!(matches!(stream.next_line().await, Err(StreamError::TimedOut)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_without_its_last_line_is_broken() {
        let mut ended = stream([(0, Some(HEARTBEAT)), (0, None)]);
        assert!(ended.next_line().await.is_ok());
        assert!(matches!(ended.next_line().await, Err(StreamError::UnexpectedEnd)));
        assert!(matches!(
            stream([(0, Some("7\n"))]).next_line().await,
            Err(StreamError::InvalidLine(_))
        ));
    }
}
