//! `POST /v1/batch`: analysis of many positions, NDJSON in and NDJSON out.

mod driver;
mod line_reader;
mod message;

pub(crate) use message::{BatchRequest, BatchResponseLine};

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use crate::analysis::AnalysisError;
use crate::http::access::Caller;
use crate::http::problem::{BatchProblems, Problem};
use crate::http::stream::{ResponseFormat, StreamSetup};
use crate::http::{App, json};

/// The accepted media types of a request body. An undeclared body is NDJSON too.
const NDJSON_MEDIA_TYPES: [&str; 3] =
    ["application/x-ndjson", "application/ndjson", "application/jsonl"];

/// Analyse many positions
///
/// The body is NDJSON: one request per line, each with its own limits. The response is NDJSON: one
/// answer per request, in the order in which the searches finish. The members `id` and `index` (the
/// line, from 0) name the request. A line that can't be answered gets an `error` and does not
/// affect other lines. Blank lines are skipped. The last line is `end`.
///
/// The server reads the body as it arrives, up to `batch.lines` and `batch.bytes` of `GET
/// /v1/limits`, even if the client does not read the answers yet. It starts no further search while
/// `batch.bytes` of answers are unread.
#[utoipa::path(
    post,
    path = "/v1/batch",
    tag = "analysis",
    // The body as a whole is a text: generated clients and the API reference send it as it is.
    request_body(content = String, content_type = "application/x-ndjson",
        description = "One `BatchRequest` per line."),
    responses(
        (status = 200, description = "One answer per line.", body = BatchResponseLine,
            content_type = "application/x-ndjson"),
        BatchProblems,
    )
)]
pub(crate) async fn batch(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    check_media_type(&headers)?;
    let service = app.service().await.clone();
    if service.status().shutting_down {
        return Err(AnalysisError::shutting_down().into());
    }
    let permit = app.batch_permit(caller.client())?;
    let (options, format) = (app.caps().stream, ResponseFormat::NdJson);
    let setup = StreamSetup { options, format, permit, caller };
    Ok(driver::start(app, service, setup, body))
}

fn check_media_type(headers: &HeaderMap) -> Result<(), Problem> {
    let declared = json::content_type(headers);
    let is_ndjson = json::is_undeclared(declared)
        || declared.is_some_and(|declared| json::is_media_type(declared, &NDJSON_MEDIA_TYPES));
    if is_ndjson { json::check_encoding(headers) } else { Err(Problem::not_ndjson(declared)) }
}
