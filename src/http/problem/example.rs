//! What problems look like, for the contract: made by the code that makes the real ones.

use std::time::Duration;

use serde_json::Value;

use super::render::render_document;
use super::{Problem, ProblemCode};
use crate::analysis::AnalysisError;

const REQUEST_ID: &str = "5f0c9a3e77d1b284";
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// A problem of this code on this path; null for those that need a request to be told.
pub(crate) fn example_problem(code: ProblemCode, path: &str) -> Value {
    let path =
        path.replace("{code}", "unheard_of").replace("{id}", "3b0c44298fc1c149afbf4c8996fb9242");
    let problem = match code {
        ProblemCode::MalformedJson => Problem::malformed_json("expected value", 1, 9),
        ProblemCode::MalformedQuery => Problem::malformed_query("fen=%zz"),
        ProblemCode::NotAcceptable => Problem::not_acceptable(
            "text/html",
            "application/json, application/x-ndjson and text/event-stream",
        ),
        ProblemCode::Unauthorized => Problem::unauthorized(),
        ProblemCode::OriginRefused => Problem::origin_refused("https://elsewhere.example"),
        ProblemCode::UpgradeRequired => Problem::upgrade_required("the header Upgrade is missing"),
        ProblemCode::RateLimited => Problem::rate_limited(RETRY_AFTER),
        ProblemCode::NotFound => Problem::not_found(&path),
        ProblemCode::MethodNotAllowed => Problem::method_not_allowed(&path, "DELETE"),
        ProblemCode::RequestTimeout => Problem::request_timeout(Duration::from_secs(10)),
        ProblemCode::BodyTooLarge => Problem::body_too_large(65_536),
        ProblemCode::UnsupportedMediaType => Problem::not_json(Some("text/plain")),
        ProblemCode::IdempotencyConflict => Problem::idempotency_conflict(),
        ProblemCode::Gone => Problem::gone(),
        ProblemCode::Internal => Problem::masked(),
        ProblemCode::QueueFull => {
            AnalysisError::QueueFull { length: 128, retry_after: RETRY_AFTER }.into()
        }
        ProblemCode::Deadline => {
            AnalysisError::Deadline { waited: Duration::from_secs(30), retry_after: RETRY_AFTER }
                .into()
        }
        ProblemCode::ShuttingDown => {
            AnalysisError::ShuttingDown { retry_after: RETRY_AFTER }.into()
        }
        ProblemCode::NotReady if path.starts_with("/v1/games") => Problem::not_ready("store"),
        ProblemCode::NotReady => Problem::not_ready("shutting_down"),
        ProblemCode::InvalidRequest
        | ProblemCode::InvalidFen
        | ProblemCode::IllegalMove
        | ProblemCode::InvalidPgn
        | ProblemCode::PerftTooLarge => {
            return Value::Null;
        }
    };
    let document = render_document(&problem, &path, REQUEST_ID).unwrap_or_default();
    serde_json::from_slice(&document).unwrap_or_default()
}
