//! `POST /v1/batch`: analysis of many positions, NDJSON or a JSON array in and NDJSON out.

mod array_scanner;
mod driver;
mod line_reader;
mod message;

pub(crate) use message::{BatchRequest, BatchResponseLine};

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use line_reader::{BodyForm, BodyLimits, LineReader};
use message::EndReason;

use crate::analysis::AnalysisError;
use crate::http::App;
use crate::http::access::Caller;
use crate::http::json::{self, MembersInBody};
use crate::http::problem::{BatchProblems, Problem};
use crate::http::stream::{ResponseFormat, StreamSetup};

/// The media types of NDJSON.
const NDJSON_MEDIA_TYPES: [&str; 3] =
    ["application/x-ndjson", "application/ndjson", "application/jsonl"];

/// Analyse many positions
///
/// The body is NDJSON, one request per line, or a JSON array of requests. Each request has its own
/// limits. The response is always NDJSON: one answer per request, in the order in which the
/// searches finish. The members `id` and `index` (the line or element, from 0) name the request. A
/// request that can't be answered gets an `error` and does not affect others. Blank lines are
/// skipped. The last line is `end`.
///
/// A body without a declared media type is an array if it begins with `[`, and NDJSON otherwise.
/// curl keeps the line breaks of a file only with `--data-binary`; `-d` removes them.
///
/// The server reads the body as it arrives, up to `batch.lines` and `batch.bytes` of `GET
/// /v1/limits`, even if the client does not read the answers yet. It starts no further search while
/// `batch.bytes` of answers are unread. An element of an array counts as a line.
#[utoipa::path(
    post,
    path = "/v1/batch",
    tag = "analysis",
    // The body as a whole is a text: generated clients and the API reference send it as it is.
    request_body(description = "One `BatchRequest` per line, or an array of them.", content(
        (String = "application/x-ndjson"),
        (Vec<BatchRequest> = "application/json"),
    )),
    responses(
        (status = 200, description = "One answer per line.", body = BatchResponseLine,
            content_type = "application/x-ndjson"),
        BatchProblems,
    )
)]
pub(crate) async fn batch(
    State(app): State<App>,
    caller: Caller,
    _: MembersInBody,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let declared = declared_form(&headers)?;
    let service = app.service().await.clone();
    if service.status().shutting_down {
        return Err(AnalysisError::shutting_down().into());
    }
    let permit = app.batch_permit(caller.client())?;
    let mut input = LineReader::new(body, declared.body_form(), BodyLimits::new(app.caps()));
    if declared == DeclaredForm::Array {
        await_array(&app, &mut input).await?;
    }
    let (options, format) = (app.caps().stream, ResponseFormat::NdJson);
    let setup = StreamSetup { options, format, permit, caller };
    Ok(driver::start(&app, service, setup, input))
}

/// The form of a body as its media type declares it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DeclaredForm {
    Unknown,
    Lines,
    Array,
}

impl DeclaredForm {
    fn body_form(self) -> BodyForm {
        match self {
            DeclaredForm::Unknown | DeclaredForm::Array => BodyForm::Unknown,
            DeclaredForm::Lines => BodyForm::Lines,
        }
    }
}

fn declared_form(headers: &HeaderMap) -> Result<DeclaredForm, Problem> {
    let declared = json::content_type(headers);
    let is_ndjson =
        declared.is_some_and(|declared| json::is_media_type(declared, &NDJSON_MEDIA_TYPES));
    let form = if is_ndjson {
        DeclaredForm::Lines
    } else if json::is_undeclared(declared) {
        DeclaredForm::Unknown
    } else if json::may_be_json(declared) {
        DeclaredForm::Array
    } else {
        return Err(Problem::not_a_batch(declared));
    };
    json::check_encoding(headers)?;
    Ok(form)
}

/// Waits for the first character of a body that is declared as JSON, which must begin an array.
async fn await_array(app: &App, input: &mut LineReader) -> Result<(), Problem> {
    let is_array = tokio::select! {
        biased;
        () = app.shutting_down() => return Err(AnalysisError::shutting_down().into()),
        is_array = input.is_array() => is_array,
    };
    match is_array {
        Ok(Some(true)) => Ok(()),
        Err(EndReason::Broken) => Err(Problem::request_timeout(app.caps().body_timeout)),
        Err(EndReason::TooLarge) => Err(Problem::body_too_large(app.caps().batch_bytes)),
        Ok(Some(false)) => Err(Problem::not_an_array(false)),
        Ok(None) | Err(_) => Err(Problem::not_an_array(true)),
    }
}
