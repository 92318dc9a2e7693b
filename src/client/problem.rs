//! The readable part of a server's errors.

use std::fmt;
use std::time::Duration;

use reqwest::Response;
use serde::Deserialize;
use tokio::time::timeout;

/// Most bytes of a problem that are read, and the time for that.
const MAX_BYTES: usize = 64 << 10;
const READ_TIMEOUT: Duration = Duration::from_secs(10);

/// The readable members of a problem (RFC 9457).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ProblemText {
    /// The HTTP status.
    pub status: u16,
    /// The problem code; empty if the response is not a problem.
    pub code: String,
    /// A description of this occurrence.
    pub detail: String,
}

impl ProblemText {
    /// The problem of a response. A response that is not a problem has its status only.
    pub async fn from_response(response: Response) -> ProblemText {
        let status = response.status().as_u16();
        let body = timeout(READ_TIMEOUT, read_body(response)).await.unwrap_or_default();
        let problem: ProblemText = serde_json::from_slice(&body).unwrap_or_default();
        ProblemText { status, ..problem }
    }
}

/// The body of a response, as far as it is read.
async fn read_body(mut response: Response) -> Vec<u8> {
    let mut body = Vec::new();
    while body.len() < MAX_BYTES
        && let Ok(Some(chunk)) = response.chunk().await
    {
        body.extend_from_slice(&chunk);
    }
    body
}

impl fmt::Display for ProblemText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ProblemText { status, code, detail } = self;
        write!(f, "the server returned {status}")?;
        if code.is_empty() { Ok(()) } else { write!(f, " {code}: {detail}") }
    }
}

/// The text of an error and of its causes.
pub fn with_cause(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}
