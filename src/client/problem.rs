//! The readable part of a server's errors.

use std::fmt;

use reqwest::Response;
use serde::Deserialize;

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
        let problem: ProblemText = response.json().await.unwrap_or_default();
        ProblemText { status, ..problem }
    }
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
