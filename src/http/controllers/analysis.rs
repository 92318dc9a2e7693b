//! `POST` and `GET /v1/analysis`: analysis of a position, as one document or as a stream.

mod request;
mod response;
mod streaming;

pub(crate) use request::AnalysisOptions;
pub(crate) use response::{AnalysisAnswer, RenderOptions, StreamLine};
pub(crate) use streaming::UpdateThrottle;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::http::App;
use crate::http::access::Caller;
use crate::http::controllers::tablebase::searched_entry;
use crate::http::dto::PositionState;
use crate::http::headers::LAST_EVENT_ID;
use crate::http::json::{Json, Query, Reply};
use crate::http::problem::{Problem, QueryProblems, SearchProblems};
use crate::http::stream::{END_EVENT_ID, ResponseFormat, StreamSetup};
use request::AnalysisRequestDto;

/// Analyse a position
///
/// Returns the best lines, as one document at the end of the search or as a stream during it. The
/// header `Accept` selects the format. The server sends a result from the evaluation cache at once
/// and continues with a deeper search.
///
/// A stream is NDJSON or server-sent events. The name of an event is its member `type`. The id of
/// an `info` event is its `seq`, and the id of the last event is `end`. The types are:
///
/// - `info`: the result from the evaluation cache, then each deeper finished iteration, at most ten
///   per second.
/// - `queued`: the search waits for a worker, or pauses for another client.
/// - `heartbeat`: the server has sent no other line for some seconds.
/// - `end`: the last line.
/// - `problem`: the last line if the server fails to finish the stream.
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

/// Stream an analysis
///
/// Takes the request of `POST /v1/analysis` as a query, for an `EventSource`. The response is
/// server-sent events; the data of each is a line of the stream. A client that reconnects with
/// `Last-Event-ID: end` gets 204, which stops an `EventSource`.
///
/// `Accept` can also select the other formats of `POST /v1/analysis`, `application/x-ndjson` and
/// `application/json`.
#[utoipa::path(
    get,
    path = "/v1/analysis",
    tag = "analysis",
    params(
        AnalysisRequestDto,
        ("last-event-id" = Option<String>, Header, description = "The id of the last event that \
            the client received."),
        ("ticket" = Option<String>, Query, description = "A ticket from `POST /v1/tickets`, for \
            clients that can't send an API key."),
    ),
    responses(
        // The only format here, unlike in POST. A client of @hey-api/openapi-ts has one format for
        // each response: JSON if it is declared. It would read the events, which are the default of
        // this route, as a document.
        (status = 200, description = "The analysis.", body = StreamLine,
            content_type = "text/event-stream"),
        (status = 204, description = "The client has already received the whole stream."),
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
    let (request, mut render_options) =
        request.options.clamp(resolved.game, caller.client(), app.caps())?;
    let service = app.service().await;
    if format == ResponseFormat::Json {
        let mut analysis = service.follow(request).await?;
        render_options.tablebase =
            searched_entry(app, caller.client(), &render_options.position).await;
        let answer = analysis.wait_for_end().await?;
        return Ok(Reply(AnalysisAnswer::new(state, &render_options, &answer)).into_response());
    }
    let permit = app.stream_permit(caller.client())?;
    let analysis = service.follow(request).await?;
    render_options.tablebase = searched_entry(app, caller.client(), &render_options.position).await;
    let setup = StreamSetup { options: app.caps().stream, format, permit, caller };
    streaming::stream_response(setup, render_options, analysis).await
}
