//! `POST` and `GET /v1/analysis`

mod render_options;
mod request;
mod stream_line;
mod streaming;
mod update_throttle;

pub(crate) use render_options::{Pov, RenderOptions};
pub(crate) use request::AnalysisOptions;
pub(crate) use stream_line::StreamLine;
pub(crate) use update_throttle::UpdateThrottle;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::analysis::Answer;
use crate::http::App;
use crate::http::access::Caller;
use crate::http::dto::{
    BestMove, PositionState, ScoreDto, SearchStats, WdlDto, score_or_null, wdl_or_null,
};
use crate::http::headers::LAST_EVENT_ID;
use crate::http::json::{Json, Query, Reply};
use crate::http::problem::{Problem, QueryProblems, SearchProblems};
use crate::http::stream::{self, ResponseFormat};
use render_options::PvLine;
use request::AnalysisRequestDto;

/// An analysis at its end.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct AnalysisAnswer {
    #[serde(flatten)]
    state: PositionState,
    #[serde(flatten)]
    best_move: BestMove,
    /// As `pov` says. Null when the search was replaced before it had found anything.
    #[schema(required, schema_with = score_or_null)]
    score: Option<ScoreDto>,
    /// What the score means in games; null with the score.
    #[schema(required, schema_with = wdl_or_null)]
    wdl: Option<WdlDto>,
    /// The best moves, each with its line; none where the game is over.
    lines: Vec<PvLine>,
    #[serde(flatten)]
    stats: SearchStats,
}

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
    if headers.get(LAST_EVENT_ID).is_some_and(|id| id == stream::END_EVENT_ID) {
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
        request.manner.clamp(resolved.game, caller.client(), app.caps())?;
    if format == ResponseFormat::Json {
        let answer = app.service().await.start_analysis(request)?.wait_for_end().await?;
        return Ok(Reply(AnalysisAnswer::new(state, &render_options, &answer)).into_response());
    }
    let permit = app.stream_permit()?;
    let analysis = app.service().await.start_analysis(request)?;
    streaming::stream_response(app.caps().stream, permit, format, caller, render_options, analysis)
        .await
}

impl AnalysisAnswer {
    pub(crate) fn new(
        state: PositionState,
        render_options: &RenderOptions,
        answer: &Answer,
    ) -> AnalysisAnswer {
        let report = &answer.report;
        let (score, wdl) = render_options.to_pov(report.score, report.wdl);
        AnalysisAnswer {
            state,
            best_move: BestMove::from_line(render_options.render_moves(&report.pv)),
            score: answer.has_result().then_some(score),
            wdl: answer.has_result().then_some(wdl),
            lines: render_options.render_lines(report),
            stats: SearchStats::new(answer, render_options.clamped.clone()),
        }
    }
}
