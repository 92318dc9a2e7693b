//! Errors as `application/problem+json` (RFC 9457). Only this module maps errors to HTTP.

mod code;
mod document;
mod jobs;
mod request_head;
mod responses;

pub use code::ProblemCode;
pub(crate) use document::{
    head_problem_document, render_line_object, render_object, render_problem,
};
pub(crate) use jobs::InvalidPgn;
pub(crate) use responses::{
    BatchProblems, BodyProblems, ChessApiProblems, ChessApiSocketProblems, CloudEvalProblems,
    DeletionProblems, ExploreProblems, GamesProblems, Internal, InvalidFen, JobEventsProblems,
    JobReviewProblems, LiveProblems, McpProblems, NoParametersProblems, NotAcceptable, NotFound,
    NotReady, PerftProblems, PictureProblems, PositionProblems, PositionQueryProblems,
    ProblemDocument, QueryProblems, SearchProblems, StandardProblems, StockfishOnlineProblems,
    TablebaseProblems, TablebaseQueryProblems, problem_response,
};

use std::borrow::Cow;
use std::time::Duration;

use axum::http::HeaderValue;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::analysis::AnalysisError;
use crate::chess::{InvalidPosition, ParseMoveError, excerpt};
use crate::http::headers::whole_seconds;
use crate::tablebase::ProbeError;

/// `Retry-After` of `not_ready`.
const PROBE_RETRY_AFTER: Duration = Duration::from_secs(1);

/// `Retry-After` of a refused stream, batch or explore request.
const STREAM_RETRY_AFTER: Duration = Duration::from_secs(5);

/// An error response. It is stored in the response extensions. The request layer adds the request
/// id and the path, and writes the body.
#[derive(Clone, Debug)]
pub struct Problem {
    code: ProblemCode,
    detail: Cow<'static, str>,
    members: Map<String, Value>,
    retry_after: Option<Duration>,
}

/// One invalid member of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct InvalidMember {
    /// The kind of error.
    pub(crate) code: MemberErrorCode,
    /// JSON Pointer (RFC 6901) to the member, or to the place of a missing member.
    pub(crate) pointer: String,
    /// A description of the error.
    pub(crate) detail: String,
}

/// The kinds of errors of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MemberErrorCode {
    /// The member is required.
    Missing,
    /// The member excludes another one, or is given more than once.
    Conflict,
    /// No member has this name.
    UnknownMember,
    /// The value has the wrong JSON type; null counts as a type.
    WrongType,
    /// The text is not one of the allowed values.
    UnknownValue,
    /// The number, or the length of the list, is out of range.
    OutOfRange,
}

impl Problem {
    /// Creates a problem with this code.
    pub fn new(code: ProblemCode, detail: impl Into<Cow<'static, str>>) -> Problem {
        Problem { code, detail: detail.into(), members: Map::new(), retry_after: None }
    }

    /// Adds a member.
    pub(crate) fn with_member(mut self, name: &str, value: impl Into<Value>) -> Problem {
        self.members.insert(name.to_owned(), value.into());
        self
    }

    /// Appends to the description.
    pub(crate) fn with_more_detail(mut self, more: &str) -> Problem {
        self.detail.to_mut().push_str(more);
        self
    }

    /// Sets `Retry-After`, in whole seconds, rounded up, at least 1; and the member
    /// `retry_after_ms`, for problems in a stream or a message, which have no headers.
    pub(crate) fn retry_after(mut self, after: Duration) -> Problem {
        self.retry_after = Some(after);
        self
    }

    /// The problem code.
    pub fn code(&self) -> ProblemCode {
        self.code
    }

    /// The description.
    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }

    /// An internal error. The cause is logged here, once, and hidden from the client.
    pub(crate) fn internal(cause: &dyn std::error::Error) -> Problem {
        tracing::error!(cause = cause.to_string(), "internal error");
        Problem::internal_already_logged()
    }

    /// An internal error that has already been logged.
    pub(crate) fn internal_already_logged() -> Problem {
        Problem::new(
            ProblemCode::Internal,
            "an internal error occurred; it was logged with the request id",
        )
    }

    /// A lookup on a server without tablebases.
    pub(crate) fn no_tablebase() -> Problem {
        Problem::new(
            ProblemCode::NoTablebase,
            "the server has no tablebases; the operator names their folders with syzygy.paths",
        )
    }

    /// A position that the tablebases do not know, or tables that cannot be read.
    pub(crate) fn tablebase_unavailable(error: &ProbeError) -> Problem {
        let reason = match error {
            ProbeError::TooManyMen { .. } => "too_many_men",
            ProbeError::CastlingRights => "castling_rights",
            ProbeError::MissingTable { .. } => "missing_table",
            ProbeError::Read(_) => return Problem::internal(error),
        };
        Problem::new(ProblemCode::TablebaseUnavailable, error.to_string())
            .with_member("reason", reason)
    }

    /// A path that does not exist.
    pub(crate) fn not_found(path: &str) -> Problem {
        Problem::new(ProblemCode::NotFound, format!("{} does not exist", excerpt(path)))
    }

    /// A path that does not exist, and the route whose path is similar, or the list of all routes.
    pub(crate) fn no_such_route(path: &str, similar: Option<&str>) -> Problem {
        let problem = Problem::not_found(path);
        match similar {
            Some(similar) => problem.with_more_detail(&format!("; did you mean {similar}?")),
            None => problem.with_more_detail("; see /docs"),
        }
    }

    /// A method that a path does not support. `allowed` are the methods that it supports, as far as
    /// they are known.
    pub(crate) fn method_not_allowed(path: &str, method: &str, allowed: &[&str]) -> Problem {
        let mut detail = format!("{} does not support {}", excerpt(path), excerpt(method));
        if !allowed.is_empty() {
            detail += &format!("; use {}", allowed.join(" or "));
        }
        Problem::new(ProblemCode::MethodNotAllowed, detail)
    }

    /// A server that is not ready.
    pub(crate) fn not_ready(reason: &'static str) -> Problem {
        let problem =
            Problem::new(ProblemCode::NotReady, format!("the server is not ready: {reason}"));
        problem.with_member("reasons", vec![reason]).retry_after(PROBE_RETRY_AFTER)
    }

    /// A resource whose limit of concurrent uses is reached.
    pub(crate) fn no_capacity_for(resource: &'static str, capacity: usize) -> Problem {
        let problem = Problem::new(
            ProblemCode::QueueFull,
            format!("the limit of {capacity} concurrent {resource} is reached"),
        );
        problem.with_member("queue_length", capacity).retry_after(STREAM_RETRY_AFTER)
    }

    /// A resource of which a client uses its whole share.
    pub(crate) fn no_capacity_for_client(resource: &'static str, share: usize) -> Problem {
        let problem = Problem::new(
            ProblemCode::QueueFull,
            format!("the limit of {share} concurrent {resource} of one client is reached"),
        );
        problem.with_member("queue_length", share).retry_after(STREAM_RETRY_AFTER)
    }

    /// A request beyond the memory that the concurrent requests of one client may take.
    pub(crate) fn memory_share_exceeded() -> Problem {
        Problem::new(
            ProblemCode::QueueFull,
            "the concurrent requests of this client take its whole share of the memory for \
             requests and responses",
        )
        .retry_after(PROBE_RETRY_AFTER)
    }

    /// A web page of an origin that may not open a WebSocket or call tools.
    pub(crate) fn origin_refused(origin: &str, purpose: &str) -> Problem {
        let detail = format!("the origin {} is not allowed {purpose}", excerpt(origin));
        Problem::new(ProblemCode::OriginRefused, detail)
    }

    /// A call of tools under a host that the settings do not list.
    pub(crate) fn host_refused(host: &str) -> Problem {
        let detail = format!(
            "the host {:?} is not allowed to call tools; mcp.allowed_hosts lists the allowed ones",
            excerpt(host)
        );
        Problem::new(ProblemCode::OriginRefused, detail)
    }

    /// A request without a valid WebSocket handshake.
    pub(crate) fn upgrade_required(reason: &str) -> Problem {
        Problem::new(
            ProblemCode::UpgradeRequired,
            format!("this route needs a WebSocket handshake: {reason}"),
        )
    }

    /// A body above the size limit.
    pub(crate) fn body_too_large(max_bytes: usize) -> Problem {
        Problem::new(
            ProblemCode::BodyTooLarge,
            format!("the body is larger than {max_bytes} bytes"),
        )
    }

    /// A body that did not arrive in time.
    pub(crate) fn request_timeout(timeout: Duration) -> Problem {
        Problem::new(
            ProblemCode::RequestTimeout,
            format!("the body did not arrive within {} ms", timeout.as_millis()),
        )
    }

    /// A body that is not valid JSON. `line` and `column` count from 1.
    pub(crate) fn malformed_json(message: &str, line: usize, column: usize) -> Problem {
        let detail = format!("{message} at line {line}, column {column}");
        Problem::new(ProblemCode::MalformedJson, detail)
            .with_member("line", line)
            .with_member("column", column)
    }

    /// A binary message of a WebSocket.
    pub(crate) fn binary_message() -> Problem {
        Problem::malformed_json("the message is binary; it must be text", 1, 1)
    }

    /// A line of a batch that is not valid JSON. `line` is its number in the body, and `column` the
    /// place of the error in it, both from 1.
    pub(crate) fn malformed_line(message: &str, line: usize, column: usize) -> Problem {
        let detail = format!("{message} at column {column} of the line");
        Problem::new(ProblemCode::MalformedJson, detail)
            .with_member("line", line)
            .with_member("column", column)
    }

    /// White space where a JSON object must be, called `name`.
    pub(crate) fn empty_json(name: &str) -> Problem {
        let detail = format!("{name} is empty; it must be a JSON object");
        Problem::new(ProblemCode::MalformedJson, detail)
            .with_member("line", 1)
            .with_member("column", 1)
    }

    /// An array of requests that is not JSON as a whole. The position of the error is not known.
    pub(crate) fn malformed_array(detail: &'static str) -> Problem {
        Problem::new(ProblemCode::MalformedJson, detail)
    }

    /// A query whose parameter `text` cannot be decoded.
    pub(crate) fn malformed_query(text: &str) -> Problem {
        Problem::new(
            ProblemCode::MalformedQuery,
            format!("{:?} is not percent-encoded UTF-8", excerpt(text)),
        )
    }

    /// A client that accepts none of these formats.
    pub(crate) fn not_acceptable(accept: &str, formats: &str) -> Problem {
        Problem::new(
            ProblemCode::NotAcceptable,
            format!("Accept is {:?}; the response formats are {formats}", excerpt(accept)),
        )
    }

    /// An unknown API key, or an invalid ticket.
    pub(crate) fn unauthorized() -> Problem {
        Problem::new(ProblemCode::Unauthorized, "the API key or ticket is not valid")
    }

    /// A request for a ticket with a ticket.
    pub(crate) fn ticket_for_ticket() -> Problem {
        Problem::new(
            ProblemCode::Unauthorized,
            "a ticket gives no other ticket; send the API key to POST /v1/tickets",
        )
    }

    /// A request without an API key or ticket to a server that requires one.
    pub(crate) fn key_required() -> Problem {
        Problem::new(
            ProblemCode::Unauthorized,
            "this server requires an API key; send it as Authorization: Bearer KEY or \
             x-api-key: KEY, or use a ticket",
        )
    }

    /// A header `Authorization` with another scheme than `Bearer`. Its value is not repeated,
    /// because it may be a secret.
    pub(crate) fn other_auth_scheme() -> Problem {
        Problem::new(
            ProblemCode::Unauthorized,
            "the header Authorization has another scheme than Bearer; send an API key as \
             Authorization: Bearer KEY or x-api-key: KEY",
        )
    }

    /// A client that exceeds its rate limit of so many requests per window.
    pub(crate) fn rate_limited(requests: u32, window: Duration, after: Duration) -> Problem {
        let (window, wait) = (whole_seconds(window), retry_seconds(after));
        let detail = format!(
            "rate limit exceeded: {requests} requests per {window} s; try again in {wait} s"
        );
        Problem::new(ProblemCode::RateLimited, detail).retry_after(after)
    }

    /// A client that requests a ticket while too many are valid.
    pub(crate) fn too_many_tickets(after: Duration) -> Problem {
        let wait = retry_seconds(after);
        let detail = format!("too many tickets are valid; use them, or try again in {wait} s");
        Problem::new(ProblemCode::RateLimited, detail).retry_after(after)
    }

    /// A batch with an unsupported media type.
    pub(crate) fn not_a_batch(content_type: Option<&str>) -> Problem {
        let declared = excerpt(content_type.unwrap_or_default());
        let detail = format!(
            "Content-Type is {declared:?}; it must be application/x-ndjson for a request per \
             line, or application/json for an array of requests"
        );
        Problem::new(ProblemCode::UnsupportedMediaType, detail)
    }

    /// A batch that is declared as JSON, but is no array.
    pub(crate) fn not_an_array(is_empty: bool) -> Problem {
        let found = if is_empty { "empty" } else { "not an array" };
        let detail = format!(
            "the body is {found}; application/json must be an array of requests, and \
             application/x-ndjson one request per line"
        );
        let (code, pointer) = (MemberErrorCode::WrongType, String::new());
        Problem::invalid_request(&[InvalidMember { code, pointer, detail }])
    }

    /// A line or an array element above the size limit.
    pub(crate) fn line_too_long() -> Problem {
        Problem::new(
            ProblemCode::BodyTooLarge,
            "the line or element is longer than 64 KiB; curl keeps line breaks only with \
             --data-binary",
        )
    }

    /// A body that is not declared as JSON.
    pub(crate) fn not_json(content_type: Option<&str>) -> Problem {
        let detail = match content_type {
            None => "the header Content-Type: application/json is missing".to_owned(),
            Some(declared) => {
                format!("Content-Type is {:?}; it must be application/json", excerpt(declared))
            }
        };
        Problem::new(ProblemCode::UnsupportedMediaType, detail)
    }

    /// A request with invalid members.
    pub(crate) fn invalid_request(errors: &[InvalidMember]) -> Problem {
        let detail = match errors {
            [only] => only.detail.clone(),
            [first, rest @ ..] => format!("{} (and {} more)", first.detail, rest.len()),
            [] => String::new(),
        };
        Problem::new(ProblemCode::InvalidRequest, detail)
            .with_member("errors", serde_json::json!(errors))
    }

    /// A text in `moves` that is not a playable move.
    pub(crate) fn illegal_move(index: usize, text: &str, reason: IllegalMoveReason) -> Problem {
        Problem::illegal_move_in("moves", index, text, reason)
    }

    /// A text in `searchmoves` that is not a legal move.
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
            IllegalMoveReason::Text(ParseMoveError::Ambiguous) => {
                "matches more than one legal move"
            }
            IllegalMoveReason::Text(ParseMoveError::NotLegal) => "is not legal in that position",
            IllegalMoveReason::GameOver => "comes after the end of the game",
        };
        let detail = format!("{list}[{index}], {text:?}, {explanation}");
        Problem::new(ProblemCode::IllegalMove, detail)
            .with_member("index", index)
            .with_member("text", text)
            .with_member("why", reason.name())
    }
}

/// The reason why a text in `moves` is not a playable move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IllegalMoveReason {
    /// The text matches no legal move, or several.
    Text(ParseMoveError),
    /// The game is over before this move.
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
        let detail = invalid.errors.first().map(|error| error.detail.clone()).unwrap_or_default();
        let errors = invalid.errors.iter().map(|error| {
            serde_json::json!({
                "code": error.code.name(),
                "field": error.field.name(),
                "text": error.text,
                "detail": error.detail,
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
                format!("the queue is full; {length} requests are waiting"),
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
                "the server is shutting down and accepts no new requests",
            )
            .retry_after(retry_after),
            AnalysisError::PerftTooLarge { max } => Problem::new(
                ProblemCode::PerftTooLarge,
                format!(
                    "the perft takes longer than {} ms (perft.max_ms); request a smaller depth",
                    max.as_millis()
                ),
            ),
            AnalysisError::Internal(_) => Problem::internal_already_logged(),
        }
    }
}

/// The seconds of `Retry-After`.
fn retry_seconds(after: Duration) -> u32 {
    whole_seconds(after).clamp(1, u128::from(u32::MAX)) as u32
}

/// The member `retry_after_ms`, rounded up like `Retry-After`.
fn retry_after_ms(after: Duration) -> u64 {
    let milliseconds = after.as_nanos().div_ceil(1_000_000);
    u64::try_from(milliseconds).unwrap_or(u64::MAX).clamp(1, 1_000 * u64::from(u32::MAX))
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.code.status().into_response();
        if let Some(after) = self.retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(retry_seconds(after)));
        }
        response.extensions_mut().insert(self);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_rounded_up_and_never_0() {
        for (after, header) in [
            (Duration::ZERO, "1"),
            (Duration::from_millis(1_001), "2"),
            (Duration::from_secs(7), "7"),
        ] {
            let response =
                Problem::new(ProblemCode::QueueFull, "").retry_after(after).into_response();
            assert_eq!(response.headers()[RETRY_AFTER], header);
            assert_eq!(retry_after_ms(after).div_ceil(1_000).to_string(), header);
        }
        assert_eq!(retry_after_ms(Duration::from_micros(1_500_001)), 1_501);
        assert_eq!(retry_after_ms(Duration::ZERO), 1);
    }
}
