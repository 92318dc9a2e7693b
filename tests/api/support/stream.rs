//! Streamed responses: NDJSON and server-sent events.

use std::time::Duration;

use reqwest::{RequestBuilder, Response};
use serde_json::Value;
use tokio::time::timeout;

use super::Client;
use super::sse::Event;

/// The limit of every wait, which allows for a busy machine.
const TIMEOUT: Duration = Duration::from_secs(30);

/// An open stream. Dropping it disconnects.
pub(crate) struct Stream {
    pub(crate) response: Response,
    /// Received text that is not parsed yet.
    buffer: String,
}

impl Stream {
    /// Sends a request and expects a stream of this media type.
    pub(crate) async fn open(client: &Client, request: RequestBuilder, kind: &str) -> Stream {
        let response = client.open_stream(request.header("accept", kind)).await;
        assert_eq!(
            (response.status().as_u16(), response.headers()["content-type"].to_str().unwrap()),
            (200, kind)
        );
        Stream { response, buffer: String::new() }
    }

    /// Posts a body and expects NDJSON.
    pub(crate) async fn post(client: &Client, path: &str, body: &Value) -> Stream {
        Stream::open(
            client,
            client.request(reqwest::Method::POST, path).json(body),
            "application/x-ndjson",
        )
        .await
    }

    /// The text before `end`; `None` at the end of the stream.
    async fn read_until(&mut self, end: &str) -> Option<String> {
        loop {
            if let Some(length) = self.buffer.find(end) {
                let rest = self.buffer.split_off(length + end.len());
                let mut text = std::mem::replace(&mut self.buffer, rest);
                text.truncate(length);
                return Some(text);
            }
            let chunk = timeout(TIMEOUT, self.response.chunk())
                .await
                .expect("a line in time")
                .expect("the stream is not cut off");
            match chunk {
                Some(bytes) => {
                    self.buffer.push_str(std::str::from_utf8(&bytes).expect("whole characters"))
                }
                None => {
                    assert_eq!(self.buffer, "", "the stream ends within a line");
                    return None;
                }
            }
        }
    }

    /// The next line of NDJSON.
    pub(crate) async fn next_line(&mut self) -> Option<Value> {
        let line = self.read_until("\n").await?;
        Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
    }

    /// The next line of this type; others are skipped.
    pub(crate) async fn next_of_type(&mut self, kind: &str) -> Value {
        while let Some(line) = self.next_line().await {
            if line["type"] == kind {
                return line;
            }
        }
        panic!("the stream has no more {kind}");
    }

    /// All remaining lines.
    pub(crate) async fn remaining_lines(&mut self) -> Vec<Value> {
        let mut lines = Vec::new();
        while let Some(line) = self.next_line().await {
            lines.push(line);
        }
        lines
    }

    /// The next event; `retry` is skipped.
    pub(crate) async fn next_event(&mut self) -> Option<Event> {
        loop {
            let text = self.read_until("\n\n").await?;
            if let Some(event) = Event::parse(&text) {
                return Some(event);
            }
            assert_eq!(text, "retry: 2000");
        }
    }
}
