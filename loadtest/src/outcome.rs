//! The outcome of a request.

use std::time::{Duration, Instant};

use bytes::Bytes;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use serde::Deserialize;

use crate::request::{RequestKind, RequestSet};
use crate::target::Target;

/// The outcome of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RequestOutcome {
    /// A complete response with status 200.
    Complete(CompleteResponse),
    /// A response with another status, or a stream that ended with a problem.
    Refused {
        status: u16,
        /// Code of the problem, if the response is one.
        code: Option<String>,
        /// Time to wait, from `Retry-After`.
        retry_after: Option<Duration>,
    },
    /// No response, or an incomplete one.
    Failed(TransportFailure),
}

/// A complete response with status 200.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CompleteResponse {
    /// Time of the first line of a stream.
    pub(crate) first_line: Option<Instant>,
    /// Time that the server took, from `Server-Timing`.
    pub(crate) server_time: Option<Duration>,
    /// Length of the body.
    pub(crate) bytes: usize,
    /// The answer to a request of kind `hit` did not come from the evaluation cache.
    pub(crate) is_miss: bool,
}

/// A failure without a complete response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TransportFailure {
    /// The connection was refused, or no socket is free.
    NotConnected,
    /// The response took longer than the client's timeout.
    TimedOut,
    /// The connection ended during the response.
    ConnectionBroken,
}

impl TransportFailure {
    /// Name in the report.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            TransportFailure::NotConnected => "not connected",
            TransportFailure::TimedOut => "timed out",
            TransportFailure::ConnectionBroken => "broken off",
        }
    }

    fn from_error(error: &reqwest::Error) -> TransportFailure {
        match error {
            _ if error.is_timeout() => TransportFailure::TimedOut,
            _ if error.is_connect() => TransportFailure::NotConnected,
            _ => TransportFailure::ConnectionBroken,
        }
    }
}

/// A problem (RFC 9457), in a body or in the last line of a stream.
#[derive(Deserialize)]
struct ProblemBody {
    code: String,
    #[serde(default)]
    status: Option<u16>,
}

/// The type of the last line of a stream.
#[derive(Deserialize)]
struct LastLine {
    r#type: String,
}

impl RequestOutcome {
    /// Sends a request and reads the whole response.
    pub(crate) async fn send(
        target: &Target,
        requests: &RequestSet,
        index: usize,
    ) -> RequestOutcome {
        match RequestOutcome::try_send(target, requests, index).await {
            Ok(outcome) => outcome,
            Err(error) => RequestOutcome::Failed(TransportFailure::from_error(&error)),
        }
    }

    async fn try_send(
        target: &Target,
        requests: &RequestSet,
        index: usize,
    ) -> reqwest::Result<RequestOutcome> {
        let response = target.request(requests, index).send().await?;
        let status = response.status();
        if status != StatusCode::OK {
            let retry_after = retry_after(response.headers());
            let body = response.bytes().await?;
            let code =
                serde_json::from_slice::<ProblemBody>(&body).ok().map(|problem| problem.code);
            return Ok(RequestOutcome::Refused { status: status.as_u16(), code, retry_after });
        }
        if requests.kind == RequestKind::Analysis {
            return read_stream(response).await;
        }
        let server_time = server_time(response.headers());
        let body = response.bytes().await?;
        let is_miss = requests.kind == RequestKind::Hit && !is_from_memory(&body);
        Ok(RequestOutcome::Complete(CompleteResponse {
            first_line: None,
            server_time,
            bytes: body.len(),
            is_miss,
        }))
    }
}

/// Reads a stream to its end.
async fn read_stream(mut response: Response) -> reqwest::Result<RequestOutcome> {
    let mut response_summary = CompleteResponse::default();
    // The last line; earlier ones are discarded.
    let mut line = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        response_summary.first_line.get_or_insert_with(Instant::now);
        response_summary.bytes += chunk.len();
        let is_line_complete = line.last() == Some(&b'\n');
        let line_start =
            match chunk[..chunk.len().saturating_sub(1)].iter().rposition(|&byte| byte == b'\n') {
                Some(end) => end + 1,
                None => 0,
            };
        if is_line_complete || line_start > 0 {
            line.clear();
        }
        line.extend_from_slice(&chunk[line_start..]);
    }
    Ok(match serde_json::from_slice::<LastLine>(&line) {
        Ok(last) if last.r#type == "end" => RequestOutcome::Complete(response_summary),
        _ => match serde_json::from_slice::<ProblemBody>(&line) {
            Ok(ProblemBody { code, status }) => RequestOutcome::Refused {
                status: status.unwrap_or(200),
                code: Some(code),
                retry_after: None,
            },
            Err(_) => RequestOutcome::Failed(TransportFailure::ConnectionBroken),
        },
    })
}

/// Searches for the member as the server writes it. Parsing every body would cost more than the
/// server's own work.
fn is_from_memory(body: &Bytes) -> bool {
    const MEMORY: &[u8] = b"\"source\":\"memory\"";
    body.windows(MEMORY.len()).any(|window| window == MEMORY)
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok().map(Duration::from_secs)
}

/// The `total` of `Server-Timing`.
fn server_time(headers: &HeaderMap) -> Option<Duration> {
    let timings = headers.get("server-timing")?.to_str().ok()?;
    let total = timings
        .split(',')
        .map(str::trim)
        .find(|timing| timing.split(';').next() == Some("total"))?;
    let milliseconds = total
        .split(';')
        .find_map(|member| member.trim().strip_prefix("dur="))?
        .parse::<f64>()
        .ok()?;
    Duration::try_from_secs_f64(milliseconds / 1_000.0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_timing_and_retry_after_are_parsed() {
        let mut headers = HeaderMap::new();
        assert_eq!((server_time(&headers), retry_after(&headers)), (None, None));
        headers.insert(
            "server-timing",
            "queue;dur=0.00, search;dur=1.00, total;dur=1.25".parse().unwrap(),
        );
        headers.insert(RETRY_AFTER, "3".parse().unwrap());
        assert_eq!(server_time(&headers), Some(Duration::from_micros(1_250)));
        assert_eq!(retry_after(&headers), Some(Duration::from_secs(3)));
    }

    async fn read_body(body: &'static str) -> RequestOutcome {
        read_stream(http::Response::new(reqwest::Body::from(body)).into()).await.unwrap()
    }

    #[tokio::test]
    async fn a_stream_is_complete_only_with_its_end_line() {
        let outcome =
            read_body("{\"type\": \"info\"}\n{\"type\": \"end\", \"reason\": \"depth\"}\n").await;
        assert!(
            matches!(
                &outcome,
                RequestOutcome::Complete(CompleteResponse { first_line: Some(_), bytes: 52, .. })
            ),
            "{outcome:?}"
        );
        assert_eq!(
            read_body("{\"type\": \"info\"}\n").await,
            RequestOutcome::Failed(TransportFailure::ConnectionBroken)
        );
        assert_eq!(read_body("").await, RequestOutcome::Failed(TransportFailure::ConnectionBroken));
        let problem = read_body(
            "{\"type\": \"queued\"}\n\
                 {\"type\": \"problem\", \"status\": 503, \"code\": \"deadline\"}\n",
        )
        .await;
        assert_eq!(
            problem,
            RequestOutcome::Refused {
                status: 503,
                code: Some("deadline".to_owned()),
                retry_after: None
            }
        );
    }
}
