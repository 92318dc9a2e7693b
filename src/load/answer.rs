//! What became of a request.

use std::time::{Duration, Instant};

use hyper::body::Bytes;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use serde::Deserialize;

use super::question::{Kind, Questions};
use super::target::Target;

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It was answered 200, and to the end.
    Whole(Whole),
    /// It was refused.
    Refused {
        status: u16,
        /// The problem's code, where the answer is one.
        code: Option<String>,
        /// How long the server asks to wait.
        retry_after: Option<Duration>,
    },
    /// There was no answer, or not all of it.
    Failed(Failure),
}

/// An answer with status 200.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Whole {
    /// When the first line of a stream was there.
    pub(super) first_line: Option<Instant>,
    /// How long the server says that it took, where it does.
    pub(super) server_time: Option<Duration>,
    /// Of the body.
    pub(super) bytes: usize,
    /// A dictionary hit was asked for, and this is none.
    pub(super) is_miss: bool,
}

/// Why there was no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Failure {
    /// Nobody listens, or no socket is free.
    NotConnected,
    /// It took longer than the client waits.
    TimedOut,
    /// The connection ended within the answer.
    BrokenOff,
}

impl Failure {
    /// In words.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Failure::NotConnected => "not connected",
            Failure::TimedOut => "timed out",
            Failure::BrokenOff => "broken off",
        }
    }

    fn of(error: &reqwest::Error) -> Failure {
        match error {
            _ if error.is_timeout() => Failure::TimedOut,
            _ if error.is_connect() => Failure::NotConnected,
            _ => Failure::BrokenOff,
        }
    }
}

/// Of a problem, in a body or in the last line of a stream.
#[derive(Deserialize)]
struct Problem {
    code: String,
    #[serde(default)]
    status: Option<u16>,
}

/// Of the last line of a stream.
#[derive(Deserialize)]
struct LastLine {
    r#type: String,
}

impl Answer {
    /// Sends a request and takes the answer to its end.
    pub(super) async fn to(target: &Target, questions: &Questions, number: usize) -> Answer {
        match Answer::read(target, questions, number).await {
            Ok(answer) => answer,
            Err(error) => Answer::Failed(Failure::of(&error)),
        }
    }

    async fn read(
        target: &Target,
        questions: &Questions,
        number: usize,
    ) -> reqwest::Result<Answer> {
        let response = target.request(questions, number).send().await?;
        let status = response.status();
        if status != StatusCode::OK {
            let retry_after = retry_after(response.headers());
            let body = response.bytes().await?;
            let code = serde_json::from_slice::<Problem>(&body).ok().map(|problem| problem.code);
            return Ok(Answer::Refused { status: status.as_u16(), code, retry_after });
        }
        if questions.kind == Kind::Analysis {
            return stream(response).await;
        }
        let server_time = server_time(response.headers());
        let body = response.bytes().await?;
        let is_miss = questions.kind == Kind::Hit && !is_from_memory(&body);
        Ok(Answer::Whole(Whole { first_line: None, server_time, bytes: body.len(), is_miss }))
    }
}

/// Takes a stream to its end.
async fn stream(mut response: Response) -> reqwest::Result<Answer> {
    let mut whole = Whole::default();
    // Of the last line; those before it are of no interest.
    let mut line = Vec::new();
    while let Some(piece) = response.chunk().await? {
        whole.first_line.get_or_insert_with(Instant::now);
        whole.bytes += piece.len();
        let ended = line.last() == Some(&b'\n');
        let begin =
            match piece[..piece.len().saturating_sub(1)].iter().rposition(|&byte| byte == b'\n') {
                Some(end) => end + 1,
                None => 0,
            };
        if ended || begin > 0 {
            line.clear();
        }
        line.extend_from_slice(&piece[begin..]);
    }
    Ok(match serde_json::from_slice::<LastLine>(&line) {
        Ok(last) if last.r#type == "end" => Answer::Whole(whole),
        _ => match serde_json::from_slice::<Problem>(&line) {
            Ok(Problem { code, status }) => Answer::Refused {
                status: status.unwrap_or(200),
                code: Some(code),
                retry_after: None,
            },
            Err(_) => Answer::Failed(Failure::BrokenOff),
        },
    })
}

/// As the server writes it; to read every body would cost more than the server's own work for it.
fn is_from_memory(body: &Bytes) -> bool {
    const MEMORY: &[u8] = b"\"source\":\"memory\"";
    body.windows(MEMORY.len()).any(|window| window == MEMORY)
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok().map(Duration::from_secs)
}

/// `total` of `Server-Timing`.
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
    fn the_server_tells_its_time_and_when_to_come_again() {
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

    async fn read(body: &'static str) -> Answer {
        stream(hyper::Response::new(reqwest::Body::from(body)).into()).await.unwrap()
    }

    #[tokio::test]
    async fn a_stream_is_whole_with_its_end() {
        let whole =
            read("{\"type\": \"info\"}\n{\"type\": \"end\", \"reason\": \"depth\"}\n").await;
        assert!(
            matches!(&whole, Answer::Whole(Whole { first_line: Some(_), bytes: 52, .. })),
            "{whole:?}"
        );
        assert_eq!(read("{\"type\": \"info\"}\n").await, Answer::Failed(Failure::BrokenOff));
        assert_eq!(read("").await, Answer::Failed(Failure::BrokenOff));
        let problem =
            read("{\"type\": \"queued\"}\n{\"type\": \"problem\", \"status\": 503, \"code\": \"deadline\"}\n").await;
        assert_eq!(
            problem,
            Answer::Refused { status: 503, code: Some("deadline".to_owned()), retry_after: None }
        );
    }
}
