//! The plan of a measurement.

use std::time::Duration;

use serde::Serialize;

use crate::request::{RequestKind, RequestLimits};
use crate::target::Target;

/// The rule by which requests are sent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadModel {
    /// Each connection sends a request, waits for the answer and sends the next one. After a
    /// refusal it waits for as long as `Retry-After` says.
    Closed {
        /// Concurrent requests.
        connections: usize,
    },
    /// Requests are due at a fixed rate. None is retried.
    Open {
        /// Requests per second.
        rate: f64,
        /// Most concurrent requests. A request that is due beyond this limit counts as not sent.
        in_flight: usize,
    },
}

/// A measurement to run: target, requests, load model and duration.
#[derive(Clone, Debug)]
pub struct LoadTest {
    /// The server, with its callers.
    pub target: Target,
    /// The kind of the requests.
    pub kind: RequestKind,
    /// The limits of each search.
    pub limits: RequestLimits,
    /// The positions of the requests, as FENs. After the last one the first follows.
    pub positions: Vec<String>,
    /// The rule by which requests are sent.
    pub model: LoadModel,
    /// Time during which requests are sent.
    pub duration: Duration,
    /// Longest wait afterwards for the last answers.
    pub drain: Duration,
}
