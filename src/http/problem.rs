//! What goes wrong, as `application/problem+json` (RFC 9457). The only place where faults become
//! HTTP.

mod code;
mod example;
mod render;

use std::borrow::Cow;
use std::time::Duration;

use axum::http::HeaderValue;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

pub use code::Code;
pub(crate) use example::example;
pub(crate) use render::{object, render};

use crate::analysis::AnalysisError;
use crate::analysis::jobs::{Fault, JobError, Scarce};
use crate::chess::{InvalidPosition, MoveTextError, excerpt};

/// When a client may ask again for whose job there was no room.
const JOBS_AGAIN: Duration = Duration::from_secs(30);

/// When a probe that met a server that is not ready may ask again.
const PROBE_AGAIN: Duration = Duration::from_secs(1);

/// When whoever found no free place for a stream may ask again.
const STREAM_AGAIN: Duration = Duration::from_secs(5);

/// A refusal or failure on its way out. It travels as a response extension; the request layer,
/// which knows the request's id and path, writes the body.
#[derive(Clone, Debug)]
pub struct Problem {
    code: Code,
    detail: Cow<'static, str>,
    members: Map<String, Value>,
    retry_after: Option<Duration>,
}

/// One thing that is wrong with a request's members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct InvalidMember {
    /// What is wrong.
    pub(crate) code: MemberFault,
    /// JSON Pointer (RFC 6901) to the member; of a missing one, to where it belongs.
    pub(crate) pointer: String,
    /// The same in words.
    pub(crate) detail: String,
}

/// What can be wrong with a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MemberFault {
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

impl Problem {
    /// A problem of this code.
    pub fn new(code: Code, detail: impl Into<Cow<'static, str>>) -> Problem {
        Problem { code, detail: detail.into(), members: Map::new(), retry_after: None }
    }

    /// With one more member.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Problem {
        self.members.insert(name.to_owned(), value.into());
        self
    }

    /// With `Retry-After`, in whole seconds, rounded up, at least 1.
    pub(crate) fn retry_after(mut self, after: Duration) -> Problem {
        self.retry_after = Some(after);
        self
    }

    /// The code.
    pub fn code(&self) -> Code {
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
            Code::Internal,
            "something went wrong on our side; it has been logged with the request's id",
        )
    }

    /// A path that names nothing.
    pub(crate) fn not_found(path: &str) -> Problem {
        Problem::new(Code::NotFound, format!("there is nothing at {}", excerpt(path)))
    }

    /// A method that a path does not have.
    pub(crate) fn method_not_allowed(path: &str, method: &str) -> Problem {
        Problem::new(
            Code::MethodNotAllowed,
            format!("{} can't be asked with {}", excerpt(path), excerpt(method)),
        )
    }

    /// A server that takes no traffic.
    pub(crate) fn not_ready(reason: &'static str) -> Problem {
        let problem =
            Problem::new(Code::NotReady, format!("the server takes no traffic: {reason}"));
        problem.with("reasons", vec![reason]).retry_after(PROBE_AGAIN)
    }

    /// All streams, or batches, that may be at once are there.
    pub(crate) fn no_place_for(what: &'static str, all: usize) -> Problem {
        let problem =
            Problem::new(Code::QueueFull, format!("all {all} places for {what} are taken"));
        problem.with("queue_length", all).retry_after(STREAM_AGAIN)
    }

    /// A page of an origin that may not open a board here.
    pub(crate) fn origin_refused(origin: &str) -> Problem {
        Problem::new(
            Code::OriginRefused,
            format!("pages of {} may not open a board here", excerpt(origin)),
        )
    }

    /// A request that should have asked for a WebSocket.
    pub(crate) fn upgrade_required(why: &str) -> Problem {
        Problem::new(Code::UpgradeRequired, format!("a board is a WebSocket: {why}"))
    }

    /// A body beyond the limit.
    pub(crate) fn body_too_large(max_bytes: usize) -> Problem {
        Problem::new(Code::BodyTooLarge, format!("the body is larger than {max_bytes} bytes"))
    }

    /// A body that was late.
    pub(crate) fn request_timeout(timeout: Duration) -> Problem {
        Problem::new(
            Code::RequestTimeout,
            format!("the body did not come within {} ms", timeout.as_millis()),
        )
    }

    /// A body that can't be read as JSON; `what` and where, from 1.
    pub(crate) fn malformed_json(what: &str, line: usize, column: usize) -> Problem {
        let detail = format!("{what} at line {line}, column {column}");
        Problem::new(Code::MalformedJson, detail).with("line", line).with("column", column)
    }

    /// A query that can't be read: the text of the parameter.
    pub(crate) fn malformed_query(text: &str) -> Problem {
        Problem::new(
            Code::MalformedQuery,
            format!("{:?} is not percent-encoded UTF-8", excerpt(text)),
        )
    }

    /// A client that accepts none of these forms.
    pub(crate) fn not_acceptable(accept: &str, forms: &str) -> Problem {
        Problem::new(
            Code::NotAcceptable,
            format!("Accept is {:?}, but the forms are {forms}", excerpt(accept)),
        )
    }

    /// A key that was not given out.
    pub(crate) fn unauthorized() -> Problem {
        Problem::new(Code::Unauthorized, "the API key that the request shows is not known here")
    }

    /// A client that asks too often.
    pub(crate) fn rate_limited(after: Duration) -> Problem {
        Problem::new(
            Code::RateLimited,
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
        Problem::new(Code::UnsupportedMediaType, detail)
    }

    /// A body of games of a kind that is none.
    pub(crate) fn not_games(content_type: Option<&str>) -> Problem {
        const KINDS: &str =
            "application/x-chess-pgn, application/vnd.chess-pgn, text/plain or application/json";
        let detail = match content_type {
            None => format!("the header Content-Type is missing; it must be {KINDS}"),
            Some(declared) => {
                format!("Content-Type is {:?}, but must be {KINDS}", excerpt(declared))
            }
        };
        Problem::new(Code::UnsupportedMediaType, detail)
    }

    /// A text without a game that can be read.
    fn invalid_pgn(faults: &[Fault]) -> Problem {
        let detail = match faults {
            [] => "the text has no game".to_owned(),
            [first, ..] => format!("no game of the text can be read: {}", first.detail),
        };
        let errors = faults.iter().map(|fault| {
            let Fault { code, detail, ply, line, column, text } = fault;
            serde_json::json!({ "code": code, "detail": detail, "ply": ply, "line": line, "column": column, "text": text })
        });
        Problem::new(Code::InvalidPgn, detail).with("errors", errors.collect::<Vec<_>>())
    }

    /// Another job under the same key.
    pub(crate) fn idempotency_conflict() -> Problem {
        Problem::new(
            Code::IdempotencyConflict,
            "the client has given another job under this Idempotency-Key",
        )
    }

    /// A job that was there.
    pub(crate) fn gone() -> Problem {
        Problem::new(Code::Gone, "the job was deleted, or has expired")
    }

    /// More texts at once than are read, of all clients or of this one.
    pub(crate) fn too_many_texts(at_once: usize, of_one: usize) -> Problem {
        let detail = format!(
            "{at_once} texts are read at once, {of_one} of one client, and no place has become free"
        );
        Problem::new(Code::QueueFull, detail).with("queue_length", at_once).retry_after(JOBS_AGAIN)
    }

    /// No place or no room for a job beside so many that are not done.
    fn no_room_for_job(detail: String, unfinished: usize) -> Problem {
        Problem::new(Code::QueueFull, detail)
            .with("queue_length", unfinished)
            .retry_after(JOBS_AGAIN)
    }

    /// What went wrong with a job at this path.
    pub(crate) fn of_job(error: JobError, path: &str) -> Problem {
        match error {
            JobError::Unknown => Problem::not_found(path),
            JobError::Gone => Problem::gone(),
            JobError::NoGame(faults) => Problem::invalid_pgn(&faults),
            JobError::TooLarge { bytes, most } => {
                let detail = format!(
                    "the games and their reviews take up to {bytes} bytes, but the jobs of one client together may take {most}"
                );
                Problem::new(Code::BodyTooLarge, detail)
            }
            JobError::TooManyGames { most } => Problem::new(
                Code::BodyTooLarge,
                format!("the text has more than {most} games, which no job may have"),
            ),
            JobError::KeyTaken => Problem::idempotency_conflict(),
            JobError::ShareTaken { unfinished, scarce } => {
                let detail = match scarce {
                    Scarce::Jobs { most } => format!(
                        "all {most} places of one client are taken by jobs that are not done"
                    ),
                    Scarce::Bytes { most } => {
                        format!(
                            "jobs that are not done leave too little of the room of one client, {most} bytes"
                        )
                    }
                };
                Problem::no_room_for_job(detail, unfinished)
            }
            JobError::Full { unfinished, scarce } => {
                let detail = match scarce {
                    Scarce::Jobs { most } => {
                        format!("all {most} places are taken by jobs that are not done")
                    }
                    Scarce::Bytes { most } => {
                        format!(
                            "jobs that are not done leave too little of the room of all clients, {most} bytes"
                        )
                    }
                };
                Problem::no_room_for_job(detail, unfinished)
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
        Problem::new(Code::BodyTooLarge, "the line is longer than 64 KiB")
    }

    /// A body of another kind than JSON.
    pub(crate) fn not_json(content_type: Option<&str>) -> Problem {
        let detail = match content_type {
            None => "the header Content-Type: application/json is missing".to_owned(),
            Some(declared) => {
                format!("Content-Type is {:?}, but must be application/json", excerpt(declared))
            }
        };
        Problem::new(Code::UnsupportedMediaType, detail)
    }

    /// Members that are missing, unknown, of the wrong type or out of range.
    pub(crate) fn invalid_request(errors: &[InvalidMember]) -> Problem {
        let detail = match errors {
            [only] => only.detail.clone(),
            [first, rest @ ..] => format!("{} (and {} more)", first.detail, rest.len()),
            [] => String::new(),
        };
        let errors = errors
            .iter()
            .map(|error| serde_json::json!({ "code": error.code, "pointer": error.pointer, "detail": error.detail }));
        Problem::new(Code::InvalidRequest, detail).with("errors", errors.collect::<Vec<_>>())
    }

    /// A text in `moves` that can't be played.
    pub(crate) fn illegal_move(index: usize, text: &str, why: WhyNot) -> Problem {
        Problem::no_move("moves", index, text, why)
    }

    /// A text in `searchmoves` that can't be played.
    pub(crate) fn illegal_searchmove(index: usize, text: &str, why: MoveTextError) -> Problem {
        Problem::no_move("searchmoves", index, text, WhyNot::Text(why))
    }

    fn no_move(list: &'static str, index: usize, text: &str, why: WhyNot) -> Problem {
        let text = excerpt(text);
        let what = match why {
            WhyNot::Text(MoveTextError::NotAMove) => "is not a move in UCI or SAN",
            WhyNot::Text(MoveTextError::Ambiguous) => "fits more than one legal move",
            WhyNot::Text(MoveTextError::NotLegal) => "is not legal there",
            WhyNot::GameOver => "comes after the end of the game",
        };
        let detail = format!("{list}[{index}], {text:?}, {what}");
        Problem::new(Code::IllegalMove, detail)
            .with("index", index)
            .with("text", text)
            .with("why", why.name())
    }
}

/// Why a text in `moves` can't be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WhyNot {
    /// The text fits no legal move, or several.
    Text(MoveTextError),
    /// The game was over before it.
    GameOver,
}

impl WhyNot {
    const fn name(self) -> &'static str {
        match self {
            WhyNot::Text(error) => error.name(),
            WhyNot::GameOver => "game_over",
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
        Problem::new(Code::InvalidFen, detail).with("errors", errors.collect::<Vec<_>>())
    }
}

impl From<AnalysisError> for Problem {
    fn from(error: AnalysisError) -> Problem {
        match error {
            AnalysisError::QueueFull { length, retry_after } => {
                Problem::new(Code::QueueFull, format!("all {length} places of the queue are taken"))
                    .with("queue_length", length)
                    .retry_after(retry_after)
            }
            AnalysisError::Deadline { waited, retry_after } => Problem::new(
                Code::Deadline,
                format!("no worker was free within {} ms", waited.as_millis()),
            )
            .retry_after(retry_after),
            AnalysisError::ShuttingDown { retry_after } => Problem::new(
                Code::ShuttingDown,
                "the server is shutting down and takes no new work",
            )
            .retry_after(retry_after),
            AnalysisError::PerftTooLarge { max } => Problem::new(
                Code::PerftTooLarge,
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
            let response = Problem::new(Code::QueueFull, "").retry_after(after).into_response();
            assert_eq!(response.headers()[RETRY_AFTER], header);
        }
    }
}
