//! A client that turns to another node when one does not answer.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use reqwest::{Method, RequestBuilder};
use serde_json::Value;
use tokio::time::{sleep, timeout};

use crate::lines::{Lines, depth_of};

/// The longest time until an answer begins.
const ANSWER_LIMIT: Duration = Duration::from_secs(20);

/// A client of several nodes.
pub(crate) struct Client {
    http: reqwest::Client,
    ports: Vec<u16>,
    node: AtomicUsize,
}

impl Client {
    /// A client of the nodes at these ports, which begins with one of them.
    pub(crate) fn new(ports: &[u16], first: usize) -> Client {
        let http = kibitzer::client::plain_http().unwrap().no_proxy().build().unwrap();
        Client { http, ports: ports.to_vec(), node: AtomicUsize::new(first) }
    }

    /// Turns to the next node.
    pub(crate) fn next(&self) {
        self.node.fetch_add(1, Ordering::Relaxed);
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let port = self.ports[self.node.load(Ordering::Relaxed) % self.ports.len()];
        self.http.request(method, format!("http://127.0.0.1:{port}{path}"))
    }

    /// Status and body; `None` from a node that is gone.
    async fn send(&self, request: RequestBuilder) -> Option<(u16, Value)> {
        let answer = async {
            let response = request.send().await.ok()?;
            Some((response.status().as_u16(), response.json().await.ok()?))
        };
        let answer = timeout(ANSWER_LIMIT, answer).await.expect("an answer in time");
        if answer.is_none() {
            sleep(Duration::from_millis(20)).await;
        }
        answer
    }

    pub(crate) async fn ask(&self, method: Method, path: &str) -> Option<(u16, Value)> {
        self.send(self.request(method, path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Option<(u16, Value)> {
        self.send(self.request(Method::POST, path).json(body)).await
    }

    /// Submits games under an idempotency key.
    pub(crate) async fn submit(&self, pgn: &str, nodes: u64, key: &str) -> Option<(u16, Value)> {
        let request = self.request(Method::POST, &format!("/v1/games?nodes={nodes}"));
        let request = request.header("content-type", "application/x-chess-pgn");
        self.send(request.header("idempotency-key", key).body(pgn.to_owned())).await
    }

    /// The depths of an endless analysis with the time of each, until its node is gone, `stop` is
    /// set, or the first depth is less than `least`.
    pub(crate) async fn depths(
        &self,
        body: &Value,
        stop: &AtomicBool,
        least: u64,
    ) -> Vec<(u64, Instant)> {
        let request = self.request(Method::POST, "/v1/analysis").json(body);
        let mut depths: Vec<(u64, Instant)> = Vec::new();
        let sent = request.header("accept", "application/x-ndjson").send().await;
        let Ok(response) = sent else { return depths };
        let mut lines = Lines::new(response);
        while !stop.load(Ordering::Relaxed)
            && let Ok(Some(line)) = lines.next().await
        {
            let Some(depth) = depth_of(&line) else { continue };
            depths.push((depth, Instant::now()));
            if depth < least {
                break;
            }
        }
        depths
    }
}
