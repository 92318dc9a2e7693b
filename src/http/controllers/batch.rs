//! `POST /v1/batch`: analysis of many positions, NDJSON in and out.

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

/// The media types of a batch.
const NDJSON_MEDIA_TYPES: [&str; 3] =
    ["application/x-ndjson", "application/ndjson", "application/jsonl"];

/// Many positions
///
/// NDJSON in, one request a line, each with its own limits; NDJSON out, an answer for each line as
/// it finishes: by `id` and `index` (its line, from 0), not in order. A line that can't be answered
/// is an `error` of that line alone. Blank lines are passed over. The whole body is read while it
/// comes, up to `batch.lines` and `batch.bytes` of `GET /v1/limits`, whether answers are read or
/// not; when answers of `batch.bytes` wait to be read, the next line is searched after some of them
/// were. The last line is `end`.
#[utoipa::path(
    post,
    path = "/v1/batch",
    tag = "analysis",
    request_body(content = BatchRequest, content_type = "application/x-ndjson"),
    responses(
        (status = 200, description = "An answer a line.", body = BatchResponseLine, content_type = "application/x-ndjson"),
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
    let permit = app.batch_permit()?;
    let (options, format) = (app.caps().stream, ResponseFormat::NdJson);
    let setup = StreamSetup { options, format, permit, caller };
    Ok(driver::start(app, service, setup, body))
}

fn check_media_type(headers: &HeaderMap) -> Result<(), Problem> {
    let declared = json::content_type(headers);
    let is_ndjson =
        declared.is_some_and(|declared| json::is_media_type(declared, &NDJSON_MEDIA_TYPES));
    if is_ndjson { json::check_encoding(headers) } else { Err(Problem::not_ndjson(declared)) }
}
