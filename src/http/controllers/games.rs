//! `POST /v1/games` and the URLs of review jobs below it.

mod events;
mod export;
mod request;
mod response;

pub(crate) use events::JobLine;
pub(crate) use request::{GamesRequest, ReviewLimitsRequest};
pub(crate) use response::{JobReview, OpeningDto, SubmittedJob};

use std::str::FromStr;

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{OriginalUri, Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::analysis::jobs::{JobError, JobId, JobReader, Submission};
use crate::http::App;
use crate::http::access::Caller;
use crate::http::headers::LAST_EVENT_ID;
use crate::http::json::{Query, Reply};
use crate::http::problem::{
    DeletionProblems, GamesProblems, JobEventsProblems, JobProblems, Problem,
};
use crate::http::stream::{ChunkSource, END_EVENT_ID, ResponseFormat, StreamSetup, chunked_body};
use request::Upload;

/// Review games
///
/// One game or many, as PGN: Chess960, comments, variations, odd encodings and what people write in
/// place of the standard are understood. A game that cannot be read is an `error` of that game
/// alone. They become a job, which outlasts the server's process where it keeps anything at all:
/// 202 says that the job is kept. Each position of the games is searched to the limits that are
/// given, within the caps of `GET /v1/limits`; without any for as many nodes as the server sees
/// fit. With `multipv` so many lines are searched, and remembered for `/v1/analysis`.
///
/// A client's jobs that are not done take half of the places and of the room at most; what is done
/// makes way for what is new, of the client with the most first.
///
/// Given again under the same `Idempotency-Key`, with the same text and limits, it is the same job,
/// and is answered 202 again; with another text or other limits 409. A job's own URLs need no API
/// key: its id cannot be guessed.
#[utoipa::path(
    post,
    path = "/v1/games",
    tag = "games",
    params(
        ("depth" = Option<u64>, Query, minimum = 1, description = "As the member of that name; not both."),
        ("nodes" = Option<u64>, Query, minimum = 1, description = "As the member of that name; not both."),
        ("movetime_ms" = Option<u64>, Query, minimum = 1, description = "As the member of that name; not both."),
        ("multipv" = Option<u64>, Query, minimum = 1, description = "As the member of that name; not both."),
        ("idempotency-key" = Option<String>, Header, min_length = 1, max_length = 128, pattern = "^[!-~]+$",
            description = "The client's own name for the job."),
    ),
    request_body(content(
        (GamesRequest = "application/json"),
        (String = "application/x-chess-pgn"),
        (String = "application/vnd.chess-pgn"),
        (String = "text/plain"),
    )),
    responses(
        (status = 202, description = "The job is kept.", body = SubmittedJob,
            headers(("Location" = String, description = "The URL of the job."))),
        GamesProblems,
    )
)]
pub(crate) async fn submit_games(
    State(app): State<App>,
    caller: Caller,
    Query(limits): Query<ReviewLimitsRequest>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let idempotency_key = request::idempotency_key(&headers)?;
    // What arrives holds its place until it is kept: so few texts are in memory at once.
    let _permit = app.upload_permit(caller.client()).await?;
    let Upload { text, limits } = request::read_upload(&app, &headers, body, limits).await?;
    let (review_limits, clamped) = limits.clamp(app.caps());
    let submission = Submission {
        client: caller.client().clone(),
        text,
        limits: review_limits,
        idempotency_key,
    };
    let (job, progress) = app
        .jobs()
        .await
        .submit(submission)
        .await
        .map_err(|error| Problem::from_job_error(error, caller.path()))?;
    let submitted = SubmittedJob::new(&job, progress, clamped);
    let location =
        HeaderValue::from_str(&submitted.url).map_err(|error| Problem::internal(&error))?;
    Ok((StatusCode::ACCEPTED, [(LOCATION, location)], Reply(submitted)).into_response())
}

/// A review
///
/// How far the job is, and what is said of its games so far: of each from its last move back, in
/// the order of the moves. How accurate the players were is told once all of a game is reviewed.
/// What is told here is kept: it is the same after the server was killed.
#[utoipa::path(
    get,
    path = "/v1/games/{id}",
    tag = "games",
    params(("id" = String, Path, description = "The job's id.")),
    responses((status = 200, description = "The review so far.", body = JobReview), JobProblems)
)]
pub(crate) async fn game_review(
    State(app): State<App>,
    caller: Caller,
    id: Result<Path<String>, PathRejection>,
) -> Result<Response, Problem> {
    let job = find_job(&app, id, caller.path()).await?;
    chunked_response(export::ReviewWriter::new(job), "application/json", caller.path()).await
}

/// Follow a review
///
/// Server-sent events: `move` for each move that is reviewed, from the last of a game back; `game`
/// when all of a game is, or it cannot be; and as the last one `end`. Ids rise by one from 1, and
/// an event has the same id each time that it is told, also after the server was restarted: who
/// comes back with `Last-Event-ID` hears what comes after it. The id of `end` is `end`; who comes
/// back with that is answered 204, at which an EventSource stops. `heartbeat`, which has no id,
/// comes whenever nothing else was said for some seconds. A stream without `end` has broken off.
#[utoipa::path(
    get,
    path = "/v1/games/{id}/events",
    tag = "games",
    params(
        ("id" = String, Path, description = "The job's id."),
        ("last-event-id" = Option<String>, Header, description = "The id of the last event that was heard."),
    ),
    responses(
        (status = 200, description = "The events.", body = JobLine, content_type = "text/event-stream"),
        (status = 204, description = "The stream that the client comes back to has ended."),
        JobEventsProblems,
    )
)]
pub(crate) async fn game_events(
    State(app): State<App>,
    caller: Caller,
    id: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let job = find_job(&app, id, caller.path()).await?;
    let raw_id = headers.get(LAST_EVENT_ID).and_then(|id| id.to_str().ok()).unwrap_or_default();
    if raw_id == END_EVENT_ID {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    // Who says something else has heard nothing of ours.
    let last_event_id = u64::from_str(raw_id).unwrap_or(0);
    let (permit, shutdown) = (app.stream_permit()?, app.jobs().await.subscribe_shutdown());
    let (options, format) = (app.caps().stream, ResponseFormat::Sse);
    let setup = StreamSetup { options, format, permit, caller };
    Ok(events::stream_events(setup, job, last_event_id, shutdown))
}

/// The annotated games
///
/// As PGN: after each move its evaluation (`[%eval …]`, White's view), of an inaccuracy, mistake or
/// blunder the glyph (`$6`, `$2`, `$4`) and the best line as a variation, beside all that the games
/// came with. A game that is not reviewed to its first move yet comes as it was; one that cannot be
/// read is left out.
#[utoipa::path(
    get,
    path = "/v1/games/{id}/pgn",
    tag = "games",
    params(("id" = String, Path, description = "The job's id.")),
    responses((status = 200, description = "The games.", body = String, content_type = "application/x-chess-pgn"), JobProblems)
)]
pub(crate) async fn annotated_games(
    State(app): State<App>,
    caller: Caller,
    id: Result<Path<String>, PathRejection>,
) -> Result<Response, Problem> {
    let job = find_job(&app, id, caller.path()).await?;
    chunked_response(export::PgnWriter::new(job), "application/x-chess-pgn", caller.path()).await
}

/// Delete a review
///
/// Done or not: what is searched for it stops, and from then on its URLs answer 410. Deleted again
/// it is answered 204 as well.
#[utoipa::path(
    delete,
    path = "/v1/games/{id}",
    tag = "games",
    params(("id" = String, Path, description = "The job's id.")),
    responses((status = 204, description = "The job is gone."), DeletionProblems)
)]
pub(crate) async fn delete_games(
    State(app): State<App>,
    uri: OriginalUri,
    id: Result<Path<String>, PathRejection>,
) -> Result<StatusCode, Problem> {
    let id = parse_job_id(id, uri.path())?;
    app.jobs()
        .await
        .delete(id)
        .await
        .map_err(|error| Problem::from_job_error(error, uri.path()))?;
    Ok(StatusCode::NO_CONTENT)
}

async fn find_job(
    app: &App,
    id: Result<Path<String>, PathRejection>,
    path: &str,
) -> Result<JobReader, Problem> {
    let id = parse_job_id(id, path)?;
    app.jobs().await.find(id).await.map_err(|error| Problem::from_job_error(error, path))
}

/// What is known of a job, as it is written. A review goes on: nobody between the server and its
/// reader is to keep an answer.
async fn chunked_response(
    chunks: impl ChunkSource<Error = JobError>,
    media_type: &'static str,
    path: &str,
) -> Result<Response, Problem> {
    let body = chunked_body(chunks).await.map_err(|error| Problem::from_job_error(error, path))?;
    Ok(([(CONTENT_TYPE, media_type), (CACHE_CONTROL, "no-store")], body).into_response())
}

/// A text that is no id names no job.
fn parse_job_id(id: Result<Path<String>, PathRejection>, path: &str) -> Result<JobId, Problem> {
    let id = id.ok().and_then(|Path(id)| JobId::parse(&id));
    id.ok_or_else(|| Problem::from_job_error(JobError::NotFound, path))
}
