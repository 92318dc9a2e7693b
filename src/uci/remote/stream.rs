//! The stream that a question is answered by.

use std::time::Duration;

use reqwest::Response;
use tokio::time::timeout;

use super::line::StreamLine;

/// A server says something every 8 s at least, so one that is silent for so long has gone.
const SILENCE: Duration = Duration::from_secs(20);

/// A line of five long variations has some thousand bytes.
const MOST_BYTES: usize = 1 << 20;

/// A stream of lines, each an object of JSON.
pub(super) struct Stream {
    response: Response,
    /// What has come of the next lines.
    unread: Vec<u8>,
}

/// Why a stream ends before its end.
#[derive(Debug, thiserror::Error)]
pub(super) enum Broken {
    #[error("the stream broke off: {}", with_cause(.0))]
    Cut(#[from] reqwest::Error),
    #[error("the stream ended before its end")]
    Short,
    #[error("the server has said nothing for {} seconds", SILENCE.as_secs())]
    Silent,
    #[error("the server's line is not understood: {0}")]
    Line(#[from] serde_json::Error),
    #[error("a line of the server is too long")]
    Endless,
}

impl Stream {
    /// The lines of a response's body.
    pub(super) fn new(response: Response) -> Stream {
        Stream { response, unread: Vec::new() }
    }

    /// Waits for the next line.
    ///
    /// # Errors
    /// When none can come any more.
    pub(super) async fn line(&mut self) -> Result<StreamLine, Broken> {
        let mut looked_at = 0;
        loop {
            if let Some(end) = self.unread[looked_at..].iter().position(|&byte| byte == b'\n') {
                let rest = self.unread.split_off(looked_at + end + 1);
                let line = std::mem::replace(&mut self.unread, rest);
                return Ok(serde_json::from_slice(&line)?);
            }
            looked_at = self.unread.len();
            if looked_at > MOST_BYTES {
                return Err(Broken::Endless);
            }
            let more =
                timeout(SILENCE, self.response.chunk()).await.map_err(|_| Broken::Silent)??;
            self.unread.extend_from_slice(&more.ok_or(Broken::Short)?);
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
    struct Slow(VecDeque<(u64, Option<&'static str>)>, Option<Pin<Box<Sleep>>>);

    impl http_body::Body for Slow {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            let Some(&(seconds, piece)) = self.0.front() else { return Poll::Pending };
            let pause = self.1.get_or_insert_with(|| Box::pin(sleep(Duration::from_secs(seconds))));
            if pause.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            self.1 = None;
            self.0.pop_front();
            Poll::Ready(piece.map(|piece| Ok(Frame::data(Bytes::from_static(piece.as_bytes())))))
        }
    }

    fn stream(pieces: impl IntoIterator<Item = (u64, Option<&'static str>)>) -> Stream {
        let body = reqwest::Body::wrap(Slow(pieces.into_iter().collect(), None));
        Stream::new(axum::http::Response::new(body).into())
    }

    #[tokio::test(start_paused = true)]
    async fn a_line_may_come_in_pieces_and_a_piece_may_be_many_lines() {
        let pieces = [
            "{\"type\": \"que",
            "ued\", \"position\": 2}\n{\"type\": \"queued\", \"position\": 1}\n",
            HEARTBEAT,
        ];
        let mut stream = stream(pieces.map(|piece| (0, Some(piece))));
        for position in [2, 1] {
            let line = stream.line().await.unwrap();
            assert!(
                matches!(&line, StreamLine::Queued(queued) if queued.position == position),
                "{line:?}"
            );
        }
        assert!(matches!(stream.line().await, Ok(StreamLine::Heartbeat)));
    }

    #[tokio::test(start_paused = true)]
    async fn heartbeats_keep_a_quiet_stream_alive_and_silence_ends_it() {
        let mut stream =
            stream([(15, Some(HEARTBEAT)), (15, Some(HEARTBEAT)), (25, Some(HEARTBEAT))]);
        assert!(stream.line().await.is_ok() && stream.line().await.is_ok());
        assert!(matches!(stream.line().await, Err(Broken::Silent)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_without_its_last_line_is_broken() {
        let mut whole = stream([(0, Some(HEARTBEAT)), (0, None)]);
        assert!(whole.line().await.is_ok());
        assert!(matches!(whole.line().await, Err(Broken::Short)));
        assert!(matches!(stream([(0, Some("7\n"))]).line().await, Err(Broken::Line(_))));
    }
}
