//! A problem's body.

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Response};
use serde::Serialize;
use serde_json::{Map, Value};

use super::Problem;

/// The media type of problems.
pub(crate) const PROBLEM_JSON: HeaderValue = HeaderValue::from_static("application/problem+json");

#[derive(Serialize)]
struct ProblemBody<'a> {
    r#type: String,
    title: &'static str,
    status: u16,
    detail: &'a str,
    instance: &'a str,
    code: &'static str,
    request_id: &'a str,
    #[serde(flatten)]
    members: &'a Map<String, Value>,
}

/// A problem as JSON.
pub(super) fn render_document(
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
        members: &problem.members,
    })
}

/// A problem as an object within another answer.
pub(crate) fn render_object(
    problem: &Problem,
    instance: &str,
    request_id: &str,
) -> serde_json::Result<Map<String, Value>> {
    serde_json::from_slice(&render_document(problem, instance, request_id)?)
}

/// Writes the body of a response that carries a [`Problem`]; any other passes untouched.
pub(crate) fn render_problem(response: &mut Response<Body>, instance: &str, request_id: &str) {
    let Some(problem) = response.extensions_mut().remove::<Problem>() else {
        return;
    };
    match render_document(&problem, instance, request_id) {
        Ok(body) => *response.body_mut() = Body::from(body),
        Err(error) => tracing::error!(error = error.to_string(), "a problem could not be written"),
    }
    response.headers_mut().insert(CONTENT_TYPE, PROBLEM_JSON);
}
