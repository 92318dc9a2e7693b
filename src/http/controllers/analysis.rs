//! `POST` and `GET /v1/analysis`: analysis of a position, as one document or as a stream.

mod request;
mod response;
mod streaming;

pub(crate) use request::AnalysisOptions;
pub(crate) use response::{AnalysisAnswer, Pov, RenderOptions, StreamLine};
pub(crate) use streaming::UpdateThrottle;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::http::App;
use crate::http::access::Caller;
use crate::http::dto::PositionState;
use crate::http::headers::LAST_EVENT_ID;
use crate::http::json::{Json, Query, Reply};
use crate::http::problem::{Problem, QueryProblems, SearchProblems};
use crate::http::stream::{END_EVENT_ID, ResponseFormat, StreamSetup};
use request::AnalysisRequestDto;

/// Analyse
///
/// The best lines, in one answer at the end or line by line as they deepen, as `Accept` says. What
/// memory knows is told at once; a deeper search goes on from there.
///
/// Line by line, as NDJSON or as server-sent events, whose names are the member `type` and whose
/// ids the member `seq`: `info` for what memory knows and then for each finished iteration that is
/// deeper, at most ten a second; `queued` while the search waits for a worker; `heartbeat` whenever
/// nothing else was said for some seconds; and as the last one `end`, or `problem` when the stream
/// breaks on the server's side.
#[utoipa::path(
    post,
    path = "/v1/analysis",
    tag = "analysis",
    request_body = AnalysisRequestDto,
    responses(
        (status = 200, description = "The analysis.", content(
            (AnalysisAnswer = "application/json"),
            (StreamLine = "application/x-ndjson"),
            (StreamLine = "text/event-stream"),
        )),
        SearchProblems,
        crate::http::problem::NotAcceptable,
    )
)]
pub(crate) async fn analyse(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Json(request): Json<AnalysisRequestDto>,
) -> Result<Response, Problem> {
    let format = ResponseFormat::negotiate(&headers, ResponseFormat::Json)?;
    respond(&app, caller, format, request).await
}

/// Follow an analysis
///
/// The same by a query, for an `EventSource`: server-sent events unless `Accept` says otherwise.
/// Who comes back with `Last-Event-ID: end` has heard everything and is answered 204, at which an
/// EventSource stops.
#[utoipa::path(
    get,
    path = "/v1/analysis",
    tag = "analysis",
    params(
        ("last-event-id" = Option<String>, Header, description = "The id of the last event that was heard."),
        ("ticket" = Option<String>, Query, description = "From `POST /v1/tickets`, for those who can't send a key."),
    ),
    responses(
        (status = 200, description = "The analysis.", content(
            (StreamLine = "text/event-stream"),
            (StreamLine = "application/x-ndjson"),
            (AnalysisAnswer = "application/json"),
        )),
        (status = 204, description = "The stream that the client comes back to has ended."),
        QueryProblems,
        crate::http::problem::NotAcceptable,
    )
)]
pub(crate) async fn follow_analysis(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Query(request): Query<AnalysisRequestDto>,
) -> Result<Response, Problem> {
    let format = ResponseFormat::negotiate(&headers, ResponseFormat::Sse)?;
    if headers.get(LAST_EVENT_ID).is_some_and(|id| id == END_EVENT_ID) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    respond(&app, caller, format, request).await
}

async fn respond(
    app: &App,
    caller: Caller,
    format: ResponseFormat,
    request: AnalysisRequestDto,
) -> Result<Response, Problem> {
    let resolved = request.position.resolve()?;
    let state = PositionState::from(&resolved);
    let (request, render_options) =
        request.options.clamp(resolved.game, caller.client(), app.caps())?;
    if format == ResponseFormat::Json {
        let answer = app.service().await.start_analysis(request)?.wait_for_end().await?;
        return Ok(Reply(AnalysisAnswer::new(state, &render_options, &answer)).into_response());
    }
    let permit = app.stream_permit()?;
    let analysis = app.service().await.start_analysis(request)?;
    let setup = StreamSetup { options: app.caps().stream, format, permit, caller };
    streaming::stream_response(setup, render_options, analysis).await
}
