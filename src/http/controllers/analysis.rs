//! `POST` and `GET /v1/analysis`

mod lines;
mod narrator;
mod pump;
mod request;
mod telling;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) use lines::StreamLine;
pub(crate) use narrator::Narrator;
use request::Analysis;
pub(crate) use request::Manner;
use telling::Line;
pub(crate) use telling::{Pov, Telling};

use crate::analysis::Answer;
use crate::http::App;
use crate::http::asker::Asker;
use crate::http::dto::{
    Choice, Found, PositionState, ScoreDto, WdlDto, score_or_null, wdl_or_null,
};
use crate::http::json::{Json, Query, Reply};
use crate::http::openapi::{QueryProblems, SearchProblems};
use crate::http::problem::Problem;
use crate::http::stream::{self, Form, LAST_EVENT_ID};

/// An analysis at its end.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct AnalysisAnswer {
    #[serde(flatten)]
    state: PositionState,
    #[serde(flatten)]
    choice: Choice,
    /// As `pov` says. Null when the search was replaced before it had found anything.
    #[schema(required, schema_with = score_or_null)]
    score: Option<ScoreDto>,
    /// What the score means in games; null with the score.
    #[schema(required, schema_with = wdl_or_null)]
    wdl: Option<WdlDto>,
    /// The best moves, each with its line; none where the game is over.
    lines: Vec<Line>,
    #[serde(flatten)]
    found: Found,
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
    request_body = Analysis,
    responses(
        (status = 200, description = "The analysis.", content(
            (AnalysisAnswer = "application/json"),
            (StreamLine = "application/x-ndjson"),
            (StreamLine = "text/event-stream"),
        )),
        SearchProblems,
        crate::http::openapi::NotAcceptable,
    )
)]
pub(crate) async fn analyse(
    State(app): State<App>,
    asker: Asker,
    headers: HeaderMap,
    Json(request): Json<Analysis>,
) -> Result<Response, Problem> {
    let form = Form::negotiate(&headers, Form::Json)?;
    answer(&app, asker, form, request).await
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
        crate::http::openapi::NotAcceptable,
    )
)]
pub(crate) async fn follow_analysis(
    State(app): State<App>,
    asker: Asker,
    headers: HeaderMap,
    Query(request): Query<Analysis>,
) -> Result<Response, Problem> {
    let form = Form::negotiate(&headers, Form::Events)?;
    if headers.get(LAST_EVENT_ID).is_some_and(|id| id == stream::END) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    answer(&app, asker, form, request).await
}

async fn answer(
    app: &App,
    asker: Asker,
    form: Form,
    request: Analysis,
) -> Result<Response, Problem> {
    let resolved = request.position.resolve()?;
    let state = PositionState::from(&resolved);
    let (request, telling) = request.manner.clamp(resolved.game, asker.client(), app.caps())?;
    if form == Form::Json {
        let answer = app.service().await.follow(request)?.end().await?;
        return Ok(Reply(AnalysisAnswer::new(state, &telling, &answer)).into_response());
    }
    let place = app.stream_place()?;
    let following = app.service().await.follow(request)?;
    pump::stream(app.caps().stream, place, form, asker, telling, following).await
}

impl AnalysisAnswer {
    pub(crate) fn new(state: PositionState, telling: &Telling, answer: &Answer) -> AnalysisAnswer {
        let report = &answer.report;
        let (score, wdl) = telling.turned(report.score, report.wdl);
        AnalysisAnswer {
            state,
            choice: Choice::of(telling.texts(&report.pv)),
            score: answer.has_found().then_some(score),
            wdl: answer.has_found().then_some(wdl),
            lines: telling.lines(report),
            found: Found::new(answer, telling.clamped.clone()),
        }
    }
}
