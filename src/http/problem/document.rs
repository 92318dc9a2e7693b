//! Problem documents: the JSON body of an error response, or an object in another response.

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Problem, retry_after_ms};
use crate::http::headers::RequestId;

/// The media type of problems.
const PROBLEM_JSON: HeaderValue = HeaderValue::from_static("application/problem+json");

#[derive(Serialize)]
struct ProblemBody<'a> {
    r#type: String,
    title: &'static str,
    status: u16,
    detail: &'a str,
    instance: &'a str,
    code: &'static str,
    request_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
    #[serde(flatten)]
    members: &'a Map<String, Value>,
}

/// Serializes a problem as a JSON document.
fn render_document(
    problem: &Problem,
    instance: &str,
    request_id: &str,
) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&ProblemBody {
        r#type: format!("/problems/{}", problem.code.name()),
        title: problem.code.title(),
        status: problem.code.status().as_u16(),
        detail: &problem.detail,
        instance,
        code: problem.code.name(),
        request_id,
        retry_after_ms: problem.retry_after.map(retry_after_ms),
        members: &problem.members,
    })
}

/// The document of a problem with the head of a request. Its path and its request id can't be
/// known.
pub(crate) fn head_problem_document(problem: &Problem) -> Vec<u8> {
    let request_id = RequestId::from_headers(&HeaderMap::new());
    render_document(problem, "/", request_id.as_str()).unwrap_or_default()
}

/// A problem as an object within another response.
pub(crate) fn render_object(
    problem: &Problem,
    instance: &str,
    request_id: &str,
) -> serde_json::Result<Map<String, Value>> {
    serde_json::from_slice(&render_document(problem, instance, request_id)?)
}

/// A problem as an object that replaces a line of a stream.
///
/// It has no `type`: the `type` of a line says what the line is, and the member `code` identifies
/// the problem. Returns `None` and logs the error if the problem cannot be serialized.
pub(crate) fn render_line_object(
    problem: &Problem,
    instance: &str,
    request_id: &str,
) -> Option<Map<String, Value>> {
    match render_object(problem, instance, request_id) {
        Ok(mut object) => {
            object.remove("type");
            Some(object)
        }
        Err(error) => {
            tracing::error!(error = error.to_string(), "problem could not be serialized");
            None
        }
    }
}

/// Writes the body of a response that carries a [`Problem`]. Any other response stays as it is.
pub(crate) fn render_problem(response: &mut Response, instance: &str, request_id: &str) {
    let Some(problem) = response.extensions_mut().remove::<Problem>() else {
        return;
    };
    match render_document(&problem, instance, request_id) {
        Ok(body) => *response.body_mut() = Body::from(body),
        Err(error) => tracing::error!(error = error.to_string(), "problem could not be serialized"),
    }
    response.headers_mut().insert(CONTENT_TYPE, PROBLEM_JSON);
}
