//! The errors of tools.

use serde_json::{Map, Value, json};

/// The members of a problem document that help a model. The others describe the HTTP request.
const PROBLEM_MEMBERS: [&str; 11] = [
    "code",
    "detail",
    "errors",
    "index",
    "text",
    "why",
    "reason",
    "line",
    "column",
    "queue_length",
    "retry_after_ms",
];

/// A call that failed: the code and the reason, with the further members of a problem document.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolError(Map<String, Value>);

impl ToolError {
    /// An error with this code and this reason.
    pub fn new(code: &str, detail: impl Into<String>) -> ToolError {
        let members = [("code", json!(code)), ("detail", json!(detail.into()))];
        ToolError(members.map(|(name, value)| (name.to_owned(), value)).into_iter().collect())
    }

    /// An argument that is missing, unknown or out of range.
    pub(super) fn invalid_request(detail: impl Into<String>) -> ToolError {
        ToolError::new("invalid_request", detail)
    }

    /// A response of the API that is no JSON, or lacks a member.
    pub(super) fn unexpected_response(path: &str) -> ToolError {
        ToolError::new("internal", format!("the response of {path} cannot be read"))
    }

    /// The error of a response with an error status. Its body is a problem document, unless a proxy
    /// has written it.
    pub fn from_response(path: &str, status: u16, body: &[u8]) -> ToolError {
        match serde_json::from_slice(body) {
            Ok(Value::Object(problem)) if problem.get("code").is_some_and(Value::is_string) => {
                let is_kept = |name: &str| PROBLEM_MEMBERS.contains(&name);
                ToolError(problem.into_iter().filter(|(name, _)| is_kept(name)).collect())
            }
            _ => ToolError::new("internal", format!("the server returned {status} for {path}")),
        }
    }

    /// The code of the error.
    pub fn code(&self) -> &str {
        self.text("code")
    }

    /// The reason.
    pub fn detail(&self) -> &str {
        self.text("detail")
    }

    fn text(&self, name: &str) -> &str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// The index in `moves` of the move that is refused.
    pub(super) fn move_index(&self) -> Option<u64> {
        self.0.get("index").and_then(Value::as_u64)
    }

    /// Replaces the reason.
    pub(super) fn with_detail(mut self, detail: String) -> ToolError {
        self.0.insert("detail".to_owned(), Value::String(detail));
        self
    }

    /// The error with the index of the move in the call's own `moves`. The API counts from the
    /// beginning of the game, also the moves of a PGN.
    pub(super) fn with_moves_after(mut self, moves_of_pgn: usize) -> ToolError {
        let own = self.move_index().and_then(|index| index.checked_sub(moves_of_pgn as u64));
        if let (Some(index), Some(own)) = (self.move_index(), own) {
            let named = |index: u64| format!("moves[{index}]");
            let detail = self.detail().replace(&named(index), &named(own));
            self.0.insert("index".to_owned(), json!(own));
            return self.with_detail(detail);
        }
        self
    }

    /// The time after which the call may succeed, if it was refused for a time.
    pub(super) fn retry_after_ms(&self) -> Option<u64> {
        self.0.get("retry_after_ms").and_then(Value::as_u64)
    }

    /// The error of a look at this job, which goes on.
    pub(super) fn of_job(mut self, job: &str) -> ToolError {
        self.0.insert("job".to_owned(), json!(job));
        let detail = format!(
            "{}; the review may go on: call review_game with job {job:?} to look again",
            self.detail()
        );
        self.with_detail(detail)
    }

    /// The members, for the structured content of a result.
    pub(super) fn into_value(self) -> Value {
        Value::Object(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_document_keeps_the_members_that_help() {
        let problem = json!({ "type": "/problems/illegal_move", "title": "Illegal move",
            "status": 422, "detail": "moves[3] is not legal", "instance": "/v1/play",
            "code": "illegal_move", "request_id": "1", "index": 3, "why": "not_legal" });
        let error = ToolError::from_response("/v1/play", 422, problem.to_string().as_bytes());
        assert_eq!((error.code(), error.detail()), ("illegal_move", "moves[3] is not legal"));
        assert_eq!(
            error.clone().into_value(),
            json!({ "detail": "moves[3] is not legal", "code": "illegal_move", "index": 3,
                "why": "not_legal" })
        );
        let own = error.with_moves_after(2);
        assert_eq!((own.detail(), own.move_index()), ("moves[1] is not legal", Some(1)));
    }

    #[test]
    fn a_response_of_a_proxy_has_its_status() {
        let error = ToolError::from_response("/v1/play", 502, b"<html>Bad Gateway</html>");
        assert_eq!(error.code(), "internal");
        assert_eq!(error.detail(), "the server returned 502 for /v1/play");
    }
}
