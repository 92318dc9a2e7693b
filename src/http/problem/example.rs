//! What problems look like, for the contract: made by the code that makes the real ones.

use std::time::Duration;

use serde_json::Value;

use super::render::document;
use super::{Code, Problem};
use crate::analysis::AnalysisError;

const REQUEST_ID: &str = "5f0c9a3e77d1b284";
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// A problem of this code on this path; null for those that need a request to be told.
pub(crate) fn example(code: Code, path: &str) -> Value {
    let path =
        path.replace("{code}", "unheard_of").replace("{id}", "3b0c44298fc1c149afbf4c8996fb9242");
    let problem = match code {
        Code::MalformedJson => Problem::malformed_json("expected value", 1, 9),
        Code::MalformedQuery => Problem::malformed_query("fen=%zz"),
        Code::NotAcceptable => Problem::not_acceptable(
            "text/html",
            "application/json, application/x-ndjson and text/event-stream",
        ),
        Code::Unauthorized => Problem::unauthorized(),
        Code::OriginRefused => Problem::origin_refused("https://elsewhere.example"),
        Code::UpgradeRequired => Problem::upgrade_required("the header Upgrade is missing"),
        Code::RateLimited => Problem::rate_limited(RETRY_AFTER),
        Code::NotFound => Problem::not_found(&path),
        Code::MethodNotAllowed => Problem::method_not_allowed(&path, "DELETE"),
        Code::RequestTimeout => Problem::request_timeout(Duration::from_secs(10)),
        Code::BodyTooLarge => Problem::body_too_large(65_536),
        Code::UnsupportedMediaType => Problem::not_json(Some("text/plain")),
        Code::IdempotencyConflict => Problem::idempotency_conflict(),
        Code::Gone => Problem::gone(),
        Code::Internal => Problem::masked(),
        Code::QueueFull => {
            AnalysisError::QueueFull { length: 128, retry_after: RETRY_AFTER }.into()
        }
        Code::Deadline => {
            AnalysisError::Deadline { waited: Duration::from_secs(30), retry_after: RETRY_AFTER }
                .into()
        }
        Code::ShuttingDown => AnalysisError::ShuttingDown { retry_after: RETRY_AFTER }.into(),
        Code::NotReady if path.starts_with("/v1/games") => Problem::not_ready("store"),
        Code::NotReady => Problem::not_ready("shutting_down"),
        Code::InvalidRequest
        | Code::InvalidFen
        | Code::IllegalMove
        | Code::InvalidPgn
        | Code::PerftTooLarge => {
            return Value::Null;
        }
    };
    let document = document(&problem, &path, REQUEST_ID).unwrap_or_default();
    serde_json::from_slice(&document).unwrap_or_default()
}
