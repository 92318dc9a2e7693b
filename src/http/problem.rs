//! Errors as `application/problem+json` (RFC 9457). The only place where errors become HTTP.

mod code;
mod responses;

pub use code::ProblemCode;
pub(crate) use responses::{
    BatchProblems, CloudEvalProblems, DeletionProblems, ExploreProblems, GamesProblems, Internal,
    JobEventsProblems, JobProblems, LiveProblems, NotAcceptable, NotFound, NotReady, PerftProblems,
    PositionProblems, ProblemDocument, QueryProblems, SearchProblems, TicketProblems,
    problem_response,
};

use std::borrow::Cow;
use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::analysis::AnalysisError;
use crate::analysis::jobs::{GameError, JobError, Shortage};
use crate::chess::{InvalidPosition, ParseMoveError, excerpt};

/// When a client may ask again for whose job there was no room.
const JOBS_RETRY_AFTER: Duration = Duration::from_secs(30);

/// When a probe that met a server that is not ready may ask again.
const PROBE_RETRY_AFTER: Duration = Duration::from_secs(1);

/// When whoever found no free place for a stream may ask again.
const STREAM_RETRY_AFTER: Duration = Duration::from_secs(5);

/// A refusal or failure on its way out. It travels as a response extension; the request layer,
/// which knows the request's id and path, writes the body.
#[derive(Clone, Debug)]
pub struct Problem {
    code: ProblemCode,
    detail: Cow<'static, str>,
    members: Map<String, Value>,
    retry_after: Option<Duration>,
}

/// One thing that is wrong with a request's members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct InvalidMember {
    /// What is wrong.
    pub(crate) code: MemberErrorCode,
    /// JSON Pointer (RFC 6901) to the member; of a missing one, to where it belongs.
    pub(crate) pointer: String,
    /// The same in words.
    pub(crate) detail: String,
}

/// What can be wrong with a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MemberErrorCode {
    /// It is needed.
    Missing,
    /// It can't stand beside another one, or stands there twice.
    Conflict,
    /// There is no member of this name.
    UnknownMember,
    /// It is of another JSON type; null too.
    WrongType,
    /// It is not one of the texts that may stand here.
    UnknownValue,
    /// The number, or the length of the list, is outside its range.
    OutOfRange,
}

/// What is wrong with a game, and where.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct InvalidPgn {
    /// What is wrong: as `why` of `illegal_move` for a move; or `null_move`, `invalid_fen`,
    /// `unknown_variant`, `unclosed_comment`, `too_many_headers`, `too_many_moves`, `too_deep`,
    /// `too_long`.
    code: String,
    /// The same in words.
    detail: String,
    /// Which half-move of the game, from 1.
    ply: u32,
    /// The line of the text, from 1.
    line: u32,
    /// The character in the line, from 1.
    column: u32,
    /// What stands there, cut at 200 characters.
    text: String,
}

impl From<GameError> for InvalidPgn {
    fn from(GameError { code, detail, ply, line, column, text }: GameError) -> InvalidPgn {
        InvalidPgn { code, detail, ply, line, column, text }
    }
}

impl Problem {
    /// A problem of this code.
    pub fn new(code: ProblemCode, detail: impl Into<Cow<'static, str>>) -> Problem {
        Problem { code, detail: detail.into(), members: Map::new(), retry_after: None }
    }

    /// With one more member.
    pub(crate) fn with_member(mut self, name: &str, value: impl Into<Value>) -> Problem {
        self.members.insert(name.to_owned(), value.into());
        self
    }

    /// With `Retry-After`, in whole seconds, rounded up, at least 1.
    pub(crate) fn retry_after(mut self, after: Duration) -> Problem {
        self.retry_after = Some(after);
        self
    }

    /// The code.
    pub fn code(&self) -> ProblemCode {
        self.code
    }

    /// A failure of ours. The cause is logged here, once, and not told.
    pub(crate) fn internal(cause: &dyn std::error::Error) -> Problem {
        tracing::error!(cause = cause.to_string(), "internal error");
        Problem::masked()
    }

    /// A failure of ours that has been logged where it happened.
    pub(crate) fn masked() -> Problem {
        Problem::new(
            ProblemCode::Internal,
            "something went wrong on our side; it has been logged with the request's id",
        )
    }

    /// A path that names nothing.
    pub(crate) fn not_found(path: &str) -> Problem {
        Problem::new(ProblemCode::NotFound, format!("there is nothing at {}", excerpt(path)))
    }

    /// A method that a path does not have.
    pub(crate) fn method_not_allowed(path: &str, method: &str) -> Problem {
        Problem::new(
            ProblemCode::MethodNotAllowed,
            format!("{} can't be asked with {}", excerpt(path), excerpt(method)),
        )
    }

    /// A server that takes no traffic.
    pub(crate) fn not_ready(reason: &'static str) -> Problem {
        let problem =
            Problem::new(ProblemCode::NotReady, format!("the server takes no traffic: {reason}"));
        problem.with_member("reasons", vec![reason]).retry_after(PROBE_RETRY_AFTER)
    }

    /// All streams, or batches, that may be at once are there.
    pub(crate) fn no_capacity_for(resource: &'static str, capacity: usize) -> Problem {
        let problem = Problem::new(
            ProblemCode::QueueFull,
            format!("all {capacity} places for {resource} are taken"),
        );
        problem.with_member("queue_length", capacity).retry_after(STREAM_RETRY_AFTER)
    }

    /// A page of an origin that may not open a board here.
    pub(crate) fn origin_refused(origin: &str) -> Problem {
        Problem::new(
            ProblemCode::OriginRefused,
            format!("pages of {} may not open a board here", excerpt(origin)),
        )
    }

    /// A request that should have asked for a WebSocket.
    pub(crate) fn upgrade_required(reason: &str) -> Problem {
        Problem::new(ProblemCode::UpgradeRequired, format!("a board is a WebSocket: {reason}"))
    }

    /// A body beyond the limit.
    pub(crate) fn body_too_large(max_bytes: usize) -> Problem {
        Problem::new(
            ProblemCode::BodyTooLarge,
            format!("the body is larger than {max_bytes} bytes"),
        )
    }

    /// A body that was late.
    pub(crate) fn request_timeout(timeout: Duration) -> Problem {
        Problem::new(
            ProblemCode::RequestTimeout,
            format!("the body did not come within {} ms", timeout.as_millis()),
        )
    }

    /// A body that can't be read as JSON; `what` and where, from 1.
    pub(crate) fn malformed_json(message: &str, line: usize, column: usize) -> Problem {
        let detail = format!("{message} at line {line}, column {column}");
        Problem::new(ProblemCode::MalformedJson, detail)
            .with_member("line", line)
            .with_member("column", column)
    }

    /// A query that can't be read: the text of the parameter.
    pub(crate) fn malformed_query(text: &str) -> Problem {
        Problem::new(
            ProblemCode::MalformedQuery,
            format!("{:?} is not percent-encoded UTF-8", excerpt(text)),
        )
    }

    /// A client that accepts none of these forms.
    pub(crate) fn not_acceptable(accept: &str, formats: &str) -> Problem {
        Problem::new(
            ProblemCode::NotAcceptable,
            format!("Accept is {:?}, but the forms are {formats}", excerpt(accept)),
        )
    }

    /// A key that was not given out.
    pub(crate) fn unauthorized() -> Problem {
        Problem::new(
            ProblemCode::Unauthorized,
            "the API key that the request shows is not known here",
        )
    }

    /// A client that asks too often.
    pub(crate) fn rate_limited(after: Duration) -> Problem {
        Problem::new(
            ProblemCode::RateLimited,
            "the client has made all the requests that it may make for now",
        )
        .retry_after(after)
    }

    /// A body of another kind than NDJSON.
    pub(crate) fn not_ndjson(content_type: Option<&str>) -> Problem {
        let detail = match content_type {
            None => "the header Content-Type: application/x-ndjson is missing".to_owned(),
            Some(declared) => {
                format!(
                    "Content-Type is {:?}, but must be application/x-ndjson, without Content-Encoding",
                    excerpt(declared)
                )
            }
        };
        Problem::new(ProblemCode::UnsupportedMediaType, detail)
    }

    /// A body of games of a kind that is none.
    pub(crate) fn not_games(content_type: Option<&str>) -> Problem {
        const MEDIA_TYPES: &str =
            "application/x-chess-pgn, application/vnd.chess-pgn, text/plain or application/json";
        let detail = match content_type {
            None => format!("the header Content-Type is missing; it must be {MEDIA_TYPES}"),
            Some(declared) => {
                format!("Content-Type is {:?}, but must be {MEDIA_TYPES}", excerpt(declared))
            }
        };
        Problem::new(ProblemCode::UnsupportedMediaType, detail)
    }

    /// A text without a game that can be read.
    fn invalid_pgn(errors: &[GameError]) -> Problem {
        let detail = match errors {
            [] => "the text has no game".to_owned(),
            [first, ..] => format!("no game of the text can be read: {}", first.detail),
        };
        let errors: Vec<_> = errors.iter().cloned().map(InvalidPgn::from).collect();
        Problem::new(ProblemCode::InvalidPgn, detail)
            .with_member("errors", serde_json::json!(errors))
    }

    /// Another job under the same key.
    pub(crate) fn idempotency_conflict() -> Problem {
        Problem::new(
            ProblemCode::IdempotencyConflict,
            "the client has given another job under this Idempotency-Key",
        )
    }

    /// A job that was there.
    pub(crate) fn gone() -> Problem {
        Problem::new(ProblemCode::Gone, "the job was deleted, or has expired")
    }

    /// More texts at once than are read, of all clients or of this one.
    pub(crate) fn too_many_uploads(max: usize, max_per_client: usize) -> Problem {
        let detail = format!(
            "{max} texts are read at once, {max_per_client} of one client, and no place has become free"
        );
        Problem::new(ProblemCode::QueueFull, detail)
            .with_member("queue_length", max)
            .retry_after(JOBS_RETRY_AFTER)
    }

    /// A job that does not fit beside the unfinished jobs of its client, or of all clients.
    fn job_limit_reached(shortage: Shortage, owner: &str, unfinished: usize) -> Problem {
        let detail = match shortage {
            Shortage::Jobs { max } => {
                format!("all {max} places of {owner} are taken by jobs that are not done")
            }
            Shortage::Bytes { max } => format!(
                "jobs that are not done leave too little of the room of {owner}, {max} bytes"
            ),
        };
        Problem::new(ProblemCode::QueueFull, detail)
            .with_member("queue_length", unfinished)
            .retry_after(JOBS_RETRY_AFTER)
    }

    /// What went wrong with a job at this path.
    pub(crate) fn from_job_error(error: JobError, path: &str) -> Problem {
        match error {
            JobError::NotFound => Problem::not_found(path),
            JobError::Gone => Problem::gone(),
            JobError::NoGame(faults) => Problem::invalid_pgn(&faults),
            JobError::TooLarge { bytes, max: most } => {
                let detail = format!(
                    "the games and their reviews take up to {bytes} bytes, but the jobs of one client together may take {most}"
                );
                Problem::new(ProblemCode::BodyTooLarge, detail)
            }
            JobError::TooManyGames { max: most } => Problem::new(
                ProblemCode::BodyTooLarge,
                format!("the text has more than {most} games, which no job may have"),
            ),
            JobError::IdempotencyConflict => Problem::idempotency_conflict(),
            JobError::QuotaExceeded { unfinished, shortage } => {
                Problem::job_limit_reached(shortage, "one client", unfinished)
            }
            JobError::Full { unfinished, shortage } => {
                Problem::job_limit_reached(shortage, "all clients", unfinished)
            }
            JobError::ShuttingDown => AnalysisError::shutting_down().into(),
            JobError::Store(error) => {
                tracing::warn!(error = error.to_string(), "a job could not be read or written");
                Problem::not_ready("store")
            }
            JobError::Internal(_) => Problem::internal(&error),
        }
    }

    /// A line beyond the limit.
    pub(crate) fn line_too_long() -> Problem {
        Problem::new(ProblemCode::BodyTooLarge, "the line is longer than 64 KiB")
    }

    /// A body of another kind than JSON.
    pub(crate) fn not_json(content_type: Option<&str>) -> Problem {
        let detail = match content_type {
            None => "the header Content-Type: application/json is missing".to_owned(),
            Some(declared) => {
                format!("Content-Type is {:?}, but must be application/json", excerpt(declared))
            }
        };
        Problem::new(ProblemCode::UnsupportedMediaType, detail)
    }

    /// Members that are missing, unknown, of the wrong type or out of range.
    pub(crate) fn invalid_request(errors: &[InvalidMember]) -> Problem {
        let detail = match errors {
            [only] => only.detail.clone(),
            [first, rest @ ..] => format!("{} (and {} more)", first.detail, rest.len()),
            [] => String::new(),
        };
        Problem::new(ProblemCode::InvalidRequest, detail)
            .with_member("errors", serde_json::json!(errors))
    }

    /// A text in `moves` that can't be played.
    pub(crate) fn illegal_move(index: usize, text: &str, reason: IllegalMoveReason) -> Problem {
        Problem::illegal_move_in("moves", index, text, reason)
    }

    /// A text in `searchmoves` that can't be played.
    pub(crate) fn illegal_searchmove(index: usize, text: &str, reason: ParseMoveError) -> Problem {
        Problem::illegal_move_in("searchmoves", index, text, IllegalMoveReason::Text(reason))
    }

    fn illegal_move_in(
        list: &'static str,
        index: usize,
        text: &str,
        reason: IllegalMoveReason,
    ) -> Problem {
        let text = excerpt(text);
        let explanation = match reason {
            IllegalMoveReason::Text(ParseMoveError::NotAMove) => "is not a move in UCI or SAN",
            IllegalMoveReason::Text(ParseMoveError::Ambiguous) => "fits more than one legal move",
            IllegalMoveReason::Text(ParseMoveError::NotLegal) => "is not legal there",
            IllegalMoveReason::GameOver => "comes after the end of the game",
        };
        let detail = format!("{list}[{index}], {text:?}, {explanation}");
        Problem::new(ProblemCode::IllegalMove, detail)
            .with_member("index", index)
            .with_member("text", text)
            .with_member("why", reason.name())
    }
}

/// Why a text in `moves` can't be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IllegalMoveReason {
    /// The text fits no legal move, or several.
    Text(ParseMoveError),
    /// The game was over before it.
    GameOver,
}

impl IllegalMoveReason {
    const fn name(self) -> &'static str {
        match self {
            IllegalMoveReason::Text(error) => error.name(),
            IllegalMoveReason::GameOver => "game_over",
        }
    }
}

impl From<InvalidPosition> for Problem {
    fn from(invalid: InvalidPosition) -> Problem {
        let detail = invalid.faults.first().map(|fault| fault.detail.clone()).unwrap_or_default();
        let errors = invalid.faults.iter().map(|fault| {
            serde_json::json!({
                "code": fault.code.name(), "field": fault.field.name(), "text": fault.text, "detail": fault.detail,
            })
        });
        Problem::new(ProblemCode::InvalidFen, detail)
            .with_member("errors", errors.collect::<Vec<_>>())
    }
}

impl From<AnalysisError> for Problem {
    fn from(error: AnalysisError) -> Problem {
        match error {
            AnalysisError::QueueFull { length, retry_after } => Problem::new(
                ProblemCode::QueueFull,
                format!("all {length} places of the queue are taken"),
            )
            .with_member("queue_length", length)
            .retry_after(retry_after),
            AnalysisError::Deadline { waited, retry_after } => Problem::new(
                ProblemCode::Deadline,
                format!("no worker was free within {} ms", waited.as_millis()),
            )
            .retry_after(retry_after),
            AnalysisError::ShuttingDown { retry_after } => Problem::new(
                ProblemCode::ShuttingDown,
                "the server is shutting down and takes no new work",
            )
            .retry_after(retry_after),
            AnalysisError::PerftTooLarge { max } => Problem::new(
                ProblemCode::PerftTooLarge,
                format!("the count takes longer than {} ms", max.as_millis()),
            ),
            AnalysisError::Internal(_) => Problem::masked(),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.code.status().into_response();
        if let Some(after) = self.retry_after {
            let seconds = after.as_millis().div_ceil(1_000).clamp(1, u128::from(u32::MAX)) as u32;
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response.extensions_mut().insert(self);
        response
    }
}

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

/// A problem as an object that takes the place of a line; `None`, and a log line, when it cannot be
/// serialized. It has no `type`: a line's own `type` says what the line is, and the member `code`
/// identifies the problem.
pub(crate) fn render_line_object(
    problem: &Problem,
    instance: &str,
    request_id: &str,
) -> Option<Map<String, Value>> {
    match render_object(problem, instance, request_id) {
        Ok(mut object) => {
            object.remove("type");
            Some(object)
        }
        Err(error) => {
            tracing::error!(error = error.to_string(), "a problem could not be written");
            None
        }
    }
}

/// Writes the body of a response that carries a [`Problem`]; any other passes untouched.
pub(crate) fn render_problem(response: &mut Response, instance: &str, request_id: &str) {
    let Some(problem) = response.extensions_mut().remove::<Problem>() else {
        return;
    };
    match render_document(&problem, instance, request_id) {
        Ok(body) => *response.body_mut() = Body::from(body),
        Err(error) => tracing::error!(error = error.to_string(), "a problem could not be written"),
    }
    response.headers_mut().insert(CONTENT_TYPE, PROBLEM_JSON);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_in_whole_seconds_and_never_0() {
        for (after, header) in [
            (Duration::ZERO, "1"),
            (Duration::from_millis(1_001), "2"),
            (Duration::from_secs(7), "7"),
        ] {
            let response =
                Problem::new(ProblemCode::QueueFull, "").retry_after(after).into_response();
            assert_eq!(response.headers()[RETRY_AFTER], header);
        }
    }
}
