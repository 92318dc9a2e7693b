//! An answer that comes line by line.

use std::time::Duration;

use reqwest::{RequestBuilder, Response};
use serde_json::Value;
use tokio::time::timeout;

use super::Client;

/// A busy machine may take this long over a line.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A stream under way. Dropping it is leaving.
pub(crate) struct Stream {
    pub(crate) response: Response,
    /// What has come and is not read yet.
    buffer: String,
}

/// An event of a stream of server-sent events.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) id: Option<String>,
    pub(crate) data: Value,
}

impl Stream {
    /// Asks, and expects lines of this kind.
    pub(crate) async fn open(client: &Client, request: RequestBuilder, kind: &str) -> Stream {
        let response = client.open_stream(request.header("accept", kind)).await;
        assert_eq!(
            (response.status().as_u16(), response.headers()["content-type"].to_str().unwrap()),
            (200, kind)
        );
        Stream { response, buffer: String::new() }
    }

    /// Posts and follows in NDJSON.
    pub(crate) async fn post(client: &Client, path: &str, body: &Value) -> Stream {
        Stream::open(
            client,
            client.request(reqwest::Method::POST, path).json(body),
            "application/x-ndjson",
        )
        .await
    }

    /// The text up to an end; `None` when nothing more comes.
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
                .expect("the stream is whole");
            match chunk {
                Some(bytes) => {
                    self.buffer.push_str(std::str::from_utf8(&bytes).expect("whole characters"))
                }
                None => {
                    assert_eq!(self.buffer, "", "the stream ends with a line");
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

    /// The next line of this type; others are passed over.
    pub(crate) async fn next_of_type(&mut self, kind: &str) -> Value {
        while let Some(line) = self.next_line().await {
            if line["type"] == kind {
                return line;
            }
        }
        panic!("the stream has no more {kind}");
    }

    /// All lines that are left.
    pub(crate) async fn remaining_lines(&mut self) -> Vec<Value> {
        let mut lines = Vec::new();
        while let Some(line) = self.next_line().await {
            lines.push(line);
        }
        lines
    }

    /// The next event; what sets the time of reconnection is passed over.
    pub(crate) async fn next_event(&mut self) -> Option<Event> {
        loop {
            let text = self.read_until("\n\n").await?;
            let field = |name: &str| {
                text.lines().find_map(|line| line.strip_prefix(name).map(str::to_owned))
            };
            if let Some(data) = field("data: ") {
                let data = serde_json::from_str(&data).expect("data is JSON");
                return Some(Event {
                    name: field("event: ").expect("a name"),
                    id: field("id: "),
                    data,
                });
            }
            assert_eq!(text, "retry: 2000");
        }
    }
}
