//! Tests of reading the stream line by line.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Bytes;
use http_body::Frame;
use tokio::time::{Sleep, sleep};

use super::*;

/// A line, as far as these tests read it.
#[derive(Debug, serde::Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    position: Option<u64>,
}

const HEARTBEAT: &str = "{\"type\": \"heartbeat\", \"time_ms\": 1, \"nodes\": 1}\n";

/// Chunks of a body, each with its delay in seconds after the previous one; `None` ends the body.
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
        let line: Line = stream.next_json().await.unwrap();
        assert_eq!((line.kind.as_str(), line.position), ("queued", Some(position)));
    }
    let line: Line = stream.next_json().await.unwrap();
    assert_eq!((line.kind.as_str(), line.position), ("heartbeat", None));
}

#[tokio::test(start_paused = true)]
async fn heartbeats_keep_a_quiet_stream_alive_and_silence_ends_it() {
    let mut stream = stream([(15, Some(HEARTBEAT)), (15, Some(HEARTBEAT)), (25, Some(HEARTBEAT))]);
    assert!(stream.next_line().await.is_ok() && stream.next_line().await.is_ok());
    assert!(matches!(stream.next_line().await, Err(StreamError::TimedOut)));
}

#[tokio::test(start_paused = true)]
async fn a_stream_without_its_last_line_is_broken() {
    let mut ended = stream([(0, Some(HEARTBEAT)), (0, None)]);
    assert!(ended.next_line().await.is_ok());
    assert!(matches!(ended.next_line().await, Err(StreamError::UnexpectedEnd)));
    assert!(matches!(
        stream([(0, Some("7\n"))]).next_json::<Line>().await,
        Err(StreamError::InvalidLine(_))
    ));
}
