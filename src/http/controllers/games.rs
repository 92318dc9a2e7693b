//! `/v1/games`: submission, progress, results and deletion of game-review jobs.

mod events;
mod export;
mod request;
mod response;

pub(crate) use events::JobLine;
pub(crate) use request::{GamesRequest, ReviewLimitsRequest, ReviewViewRequest};
pub(crate) use response::{JobReview, SubmittedJob};

use std::str::FromStr;
use std::sync::Arc;

use axum::Extension;
use axum::body::{Body, HttpBody};
use axum::extract::rejection::PathRejection;
use axum::extract::{OriginalUri, Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::analysis::jobs::{JobError, JobId, JobReader, Submission};
use crate::http::App;
use crate::http::access::Caller;
use crate::http::caps::{SHORT_UPLOAD_BYTES, UPLOAD_COPIES};
use crate::http::headers::LAST_EVENT_ID;
use crate::http::json::{self, NoParameters, Query, Reply};
use crate::http::problem::{
    DeletionProblems, GamesProblems, JobEventsProblems, JobReviewProblems, Problem,
};
use crate::http::request_memory::{Reservation, ShareExceeded, UNREAD_BODY_BYTES};
use crate::http::stream::{
    CHUNKED_BODY_BYTES, ChunkSource, END_EVENT_ID, Permit, ResponseFormat, StreamSetup,
    chunked_body,
};
use request::Upload;

/// Review games
///
/// Creates a job that reviews one or more games. The games are PGN with or without comments and
/// variations, standard chess or Chess960. The parser accepts legacy encodings and common
/// deviations from the standard. A game that can't be read gets an `error` and does not affect
/// other games.
///
/// The response 202 confirms that the job is stored. If the server has a store (`store.path`), the
/// job survives a restart.
///
/// Each position is searched to the limits of the request. A limit above the cap of a single search
/// in `GET /v1/limits` is clamped. Without a limit, the server searches a default number of nodes.
/// With `multipv`, the search returns that number of lines, and `/v1/analysis` can use them from
/// the evaluation cache.
///
/// `jobs.max_nodes` of `GET /v1/limits` is the maximum number of nodes of the whole job. `nodes` is
/// not clamped to it: if `nodes` times the number of positions exceeds it, the response is 413
/// `job_too_large`. Without `nodes`, each position is also limited to its equal part of
/// `jobs.max_nodes`.
///
/// A limit may be a query parameter or a member of a JSON body. It can't be given in both places.
///
/// The unfinished jobs of one API key may use at most half of the server's limits on jobs and
/// storage. Those of one address without a key may use `jobs.anonymous_share_permille` of what
/// other clients leave. Finished jobs are evicted to make room for new ones, beginning with the
/// client that uses most.
///
/// A repeated request with the same `Idempotency-Key`, text and limits returns the same job, again
/// with 202. With another text or other limits it gets 409. Everybody who knows the id of a job can
/// read and delete it, since it can't be guessed. Its URLs need an API key only if the server
/// requires one.
#[utoipa::path(
    post,
    path = "/v1/games",
    tag = "games",
    params(
        ReviewLimitsRequest,
        ("idempotency-key" = Option<String>, Header, min_length = 1, max_length = 128,
            pattern = "^[!-~]+$",
            description = "A key of the client's choice that identifies the job."),
    ),
    request_body(content(
        (GamesRequest = "application/json"),
        (String = "application/x-chess-pgn"),
        (String = "application/vnd.chess-pgn"),
        (String = "text/plain"),
    )),
    responses(
        (status = 202, description = "The job is stored.", body = SubmittedJob,
            headers(("Location" = String, description = "The URL of the job."))),
        GamesProblems,
    )
)]
pub(crate) async fn submit_games(
    State(app): State<App>,
    caller: Caller,
    Extension(memory): Extension<Arc<Reservation>>,
    Query(limits): Query<ReviewLimitsRequest>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let idempotency_key = request::idempotency_key(&headers)?;
    let _permit = admit_upload(&app, &caller, &memory, &headers).await?;
    let Upload { text, limits } = request::read_upload(&app, &headers, body, limits).await?;
    let (review_limits, clamped) = limits.clamp(app.caps());
    let submission = Submission {
        client: caller.client().clone(),
        is_anonymous: caller.identity().key.is_none(),
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

/// Admits an upload. A short text counts as memory of its request. So slow uploads of long texts do
/// not delay it. A long text needs the permit until its job is stored; permits bound the number of
/// such texts in memory.
async fn admit_upload(
    app: &App,
    caller: &Caller,
    memory: &Arc<Reservation>,
    headers: &HeaderMap,
) -> Result<Option<Permit>, Problem> {
    let refused = |ShareExceeded| Problem::memory_share_exceeded();
    match json::content_length(headers) {
        Some(length) if length <= SHORT_UPLOAD_BYTES => {
            memory.grow(UPLOAD_COPIES * length).map_err(refused)?;
            Ok(None)
        }
        _ => {
            let mut unread = memory.part();
            unread.grow_to(UNREAD_BODY_BYTES).map_err(refused)?;
            app.upload_permit(caller.client()).await.map(Some)
        }
    }
}

/// Get a review
///
/// Returns the progress of the job and the reviews of its games so far. Each game is reviewed from
/// its last move to its first; the response lists the moves in game order. The accuracy of the
/// players follows when the whole game is reviewed. The results in the response are stored and
/// survive a crash of the server.
///
/// The scores `before` and `after` of a move are both from the view of the player who makes it, or
/// with `pov=white` both from White's view.
#[utoipa::path(
    get,
    path = "/v1/games/{id}",
    tag = "games",
    params(("id" = String, Path, description = "The id of the job."), ReviewViewRequest),
    responses(
        (status = 200, description = "The review so far.", body = JobReview),
        JobReviewProblems,
    )
)]
pub(crate) async fn game_review(
    State(app): State<App>,
    caller: Caller,
    Query(view): Query<ReviewViewRequest>,
    Extension(memory): Extension<Arc<Reservation>>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Response, Problem> {
    let job = find_job(&app, id, caller.path()).await?;
    let chunks = export::ReviewWriter::new(job, view.pov);
    chunked_response(chunks, "application/json", caller.path(), &memory).await
}

/// Stream a review
///
/// The response is server-sent events:
///
/// - `move`: a move is reviewed. Each game is reviewed from its last move to its first.
/// - `game`: a whole game is reviewed, or it can't be reviewed.
/// - `heartbeat`: the server has sent no other event for some seconds. It has no id.
/// - `end`: the last event, with the id `end`.
///
/// The moves of a game arrive in the order of analysis, last move first. The member `ply` of a
/// `move` says which move it is.
///
/// The ids of `move` and `game` count from 1. An event keeps its id in every stream of the job,
/// also after a restart of the server. A client that reconnects with `Last-Event-ID` receives the
/// events after that id. With the id `end` it gets 204, which stops an `EventSource`. A stream that
/// stops without `end` was interrupted.
#[utoipa::path(
    get,
    path = "/v1/games/{id}/events",
    tag = "games",
    params(
        ("id" = String, Path, description = "The id of the job."),
        ("last-event-id" = Option<String>, Header, description = "The id of the last event that \
            the client received."),
        ReviewViewRequest,
    ),
    responses(
        (status = 200, description = "The events.", body = JobLine,
            content_type = "text/event-stream"),
        (status = 204, description = "The client has already received the whole stream."),
        JobEventsProblems,
    )
)]
pub(crate) async fn game_events(
    State(app): State<App>,
    caller: Caller,
    Query(view): Query<ReviewViewRequest>,
    id: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let job = find_job(&app, id, caller.path()).await?;
    let raw_id = headers.get(LAST_EVENT_ID).and_then(|id| id.to_str().ok()).unwrap_or_default();
    if raw_id == END_EVENT_ID {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    // Any other text is not an id of this stream: the stream starts at the first event.
    let last_event_id = u64::from_str(raw_id).unwrap_or(0);
    let (permit, shutdown) =
        (app.stream_permit(caller.client())?, app.jobs().await.subscribe_shutdown());
    let (options, format) = (app.caps().stream, ResponseFormat::Sse);
    let setup = StreamSetup { options, format, permit, caller };
    Ok(events::stream_events(setup, job, view.pov, last_event_id, shutdown))
}

/// Get the annotated games
///
/// Returns the games as PGN. Each move has its evaluation (`[%eval …]`, from White's point of
/// view). An inaccuracy, mistake or blunder also has its NAG (`$6`, `$2`, `$4`) and the best line
/// as a variation. Existing annotations remain. A game whose review is incomplete is returned
/// unchanged, and a game that can't be read is omitted.
#[utoipa::path(
    get,
    path = "/v1/games/{id}/pgn",
    tag = "games",
    params(("id" = String, Path, description = "The id of the job.")),
    responses((status = 200, description = "The games.", body = String,
        content_type = "application/x-chess-pgn"), JobReviewProblems)
)]
pub(crate) async fn annotated_games(
    State(app): State<App>,
    caller: Caller,
    Query(NoParameters): Query<NoParameters>,
    Extension(memory): Extension<Arc<Reservation>>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Response, Problem> {
    let job = find_job(&app, id, caller.path()).await?;
    let chunks = export::PgnWriter::new(job);
    chunked_response(chunks, "application/x-chess-pgn", caller.path(), &memory).await
}

/// Delete a review
///
/// Deletes a job, finished or not. Its searches stop, and its URLs return 410 from then on. A
/// repeated deletion also returns 204.
#[utoipa::path(
    delete,
    path = "/v1/games/{id}",
    tag = "games",
    params(("id" = String, Path, description = "The id of the job.")),
    responses((status = 204, description = "The job is deleted."), DeletionProblems)
)]
pub(crate) async fn delete_games(
    State(app): State<App>,
    uri: OriginalUri,
    Query(NoParameters): Query<NoParameters>,
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

/// A chunked response. Proxies must not cache it, because the review of a running job changes.
async fn chunked_response(
    chunks: impl ChunkSource<Error = JobError>,
    media_type: &'static str,
    path: &str,
    reservation: &Arc<Reservation>,
) -> Result<Response, Problem> {
    let mut memory = reservation.part();
    memory.grow_to(CHUNKED_BODY_BYTES).map_err(|ShareExceeded| Problem::memory_share_exceeded())?;
    let body = chunked_body(chunks).await.map_err(|error| Problem::from_job_error(error, path))?;
    if body.size_hint().exact().is_none() {
        memory.keep();
    }
    Ok(([(CONTENT_TYPE, media_type), (CACHE_CONTROL, "no-store")], body).into_response())
}

/// Parses a job id. A text that is not an id gets `not_found`, like an unknown job.
fn parse_job_id(id: Result<Path<String>, PathRejection>, path: &str) -> Result<JobId, Problem> {
    let id = id.ok().and_then(|Path(id)| JobId::parse(&id));
    id.ok_or_else(|| Problem::from_job_error(JobError::NotFound, path))
}
