//! The problem responses of the contract, in groups that routes share.

use std::collections::BTreeMap;

use serde_json::Value;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::{
    ArrayBuilder, ContentBuilder, ObjectBuilder, OneOfBuilder, Ref, RefOr, Response,
    ResponseBuilder, Type,
};
use utoipa::{IntoResponses, ToResponse, ToSchema};

use super::code::ProblemCode;
use super::{InvalidMember, InvalidPgn};
use crate::chess::{PositionFaultCode, PositionField};
use crate::http::schema::string_enum;

/// A problem (RFC 9457).
#[derive(Debug, ToSchema)]
#[schema(as = Problem)]
#[expect(dead_code, reason = "it only describes; problems are written by `problem::render`")]
pub(crate) struct ProblemDocument {
    /// `/problems/<code>`, a page about it.
    r#type: String,
    /// A summary, the same at each occurrence.
    title: String,
    /// The HTTP status.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// What happened here, in words.
    detail: String,
    /// The path of the request.
    instance: String,
    /// What happened, from a closed list.
    #[schema(schema_with = codes)]
    code: String,
    /// The request's id, as in `x-request-id`.
    #[schema(min_length = 1, max_length = 128, extensions(("x-varies" = json!(true))))]
    request_id: String,
    /// With `malformed_json`: the line that reading ended in, from 1.
    #[schema(minimum = 1, nullable = false)]
    line: Option<u64>,
    /// With `malformed_json`: the column, in characters from 1.
    #[schema(minimum = 1, nullable = false)]
    column: Option<u64>,
    /// With `invalid_request`, `invalid_fen` and `invalid_pgn`: what is wrong.
    #[schema(schema_with = errors)]
    errors: Option<Vec<Value>>,
    /// With `illegal_move`: which of `moves` or `searchmoves`, from 0.
    #[schema(nullable = false)]
    index: Option<u64>,
    /// With `illegal_move`: the text, cut at 200 characters.
    #[schema(nullable = false)]
    text: Option<String>,
    /// With `illegal_move`: why it can't be played.
    #[schema(schema_with = illegal_move_reasons)]
    why: Option<String>,
    /// With `queue_full`: how many requests wait, or how many places are taken.
    #[schema(nullable = false)]
    queue_length: Option<u64>,
    /// With `not_ready`: why.
    #[schema(schema_with = not_ready_reasons)]
    reasons: Option<Vec<String>>,
}

fn codes() -> ObjectBuilder {
    string_enum("What happened, from a closed list.", ProblemCode::ALL.map(ProblemCode::name))
}

fn illegal_move_reasons() -> ObjectBuilder {
    string_enum(
        "With `illegal_move`: why it can't be played.",
        ["not_a_move", "ambiguous", "not_legal", "game_over"],
    )
}

fn not_ready_reasons() -> ArrayBuilder {
    let reason = string_enum("A reason.", ["starting", "shutting_down", "store"]);
    ArrayBuilder::new().items(reason).description(Some("With `not_ready`: why."))
}

/// The entries of `errors`: of `invalid_request` members, of `invalid_fen` places of the FEN, of
/// `invalid_pgn` places of the text.
fn errors() -> ArrayBuilder {
    let fen_error = ObjectBuilder::new()
        .property(
            "code",
            string_enum("What is wrong.", PositionFaultCode::ALL.map(PositionFaultCode::name)),
        )
        .property(
            "field",
            string_enum("Where it is wrong.", PositionField::ALL.map(PositionField::name)),
        )
        .property("text", text("The offending text, cut at 200 characters."))
        .property("detail", text("The same in words."));
    let fen_error =
        ["code", "field", "text", "detail"].into_iter().fold(fen_error, ObjectBuilder::required);
    let either = OneOfBuilder::new()
        .item(Ref::from_schema_name(InvalidMember::name()))
        .item(fen_error)
        .item(Ref::from_schema_name(InvalidPgn::name()));
    ArrayBuilder::new().items(either).description(Some(
        "With `invalid_request`, `invalid_fen` and `invalid_pgn`: what is wrong.",
    ))
}

fn text(description: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).description(Some(description))
}

/// What every route with a body about a position may answer.
#[derive(Debug)]
pub(crate) struct PositionProblems;

impl IntoResponses for PositionProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        position_problems(&[])
    }
}

/// The same, of a route that has to wait for a worker.
#[derive(Debug)]
pub(crate) struct SearchProblems;

impl IntoResponses for SearchProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        position_problems(&[
            ProblemCode::QueueFull,
            ProblemCode::Deadline,
            ProblemCode::ShuttingDown,
        ])
    }
}

/// The same, of perft.
#[derive(Debug)]
pub(crate) struct PerftProblems;

impl IntoResponses for PerftProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        position_problems(&[
            ProblemCode::PerftTooLarge,
            ProblemCode::QueueFull,
            ProblemCode::Deadline,
            ProblemCode::ShuttingDown,
        ])
    }
}

fn position_problems(more: &[ProblemCode]) -> BTreeMap<String, RefOr<Response>> {
    let mut codes = vec![
        ProblemCode::MalformedJson,
        ProblemCode::RequestTimeout,
        ProblemCode::BodyTooLarge,
        ProblemCode::UnsupportedMediaType,
        ProblemCode::InvalidRequest,
        ProblemCode::InvalidFen,
        ProblemCode::IllegalMove,
    ];
    codes.extend_from_slice(more);
    problems_and_internal(&codes)
}

/// Responses for these codes, and that of a fault of ours.
fn problems_and_internal(codes: &[ProblemCode]) -> BTreeMap<String, RefOr<Response>> {
    let mut responses = problems(codes);
    responses.insert("500".to_owned(), Ref::from_response_name(Internal::response().0).into());
    responses
}

/// What a route whose request stands in the query may answer, when it has to wait for a worker.
#[derive(Debug)]
pub(crate) struct QueryProblems;

impl IntoResponses for QueryProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(&[
            ProblemCode::MalformedQuery,
            ProblemCode::InvalidRequest,
            ProblemCode::InvalidFen,
            ProblemCode::IllegalMove,
            ProblemCode::QueueFull,
            ProblemCode::Deadline,
            ProblemCode::ShuttingDown,
        ])
    }
}

/// The same, of a route that waits for its turn alone.
#[derive(Debug)]
pub(crate) struct ExploreProblems;

impl IntoResponses for ExploreProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let position = [
            ProblemCode::MalformedQuery,
            ProblemCode::InvalidRequest,
            ProblemCode::InvalidFen,
            ProblemCode::IllegalMove,
        ];
        problems_and_internal(&[position.as_slice(), &[ProblemCode::QueueFull]].concat())
    }
}

/// What a query may be answered where what is no position is no fault.
#[derive(Debug)]
pub(crate) struct CloudEvalProblems;

impl IntoResponses for CloudEvalProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(&[
            ProblemCode::MalformedQuery,
            ProblemCode::InvalidRequest,
            ProblemCode::QueueFull,
            ProblemCode::Deadline,
            ProblemCode::ShuttingDown,
        ])
    }
}

/// What a batch as a whole may be answered; what is wrong with a line is told in its place.
#[derive(Debug)]
pub(crate) struct BatchProblems;

impl IntoResponses for BatchProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(&[
            ProblemCode::UnsupportedMediaType,
            ProblemCode::QueueFull,
            ProblemCode::ShuttingDown,
        ])
    }
}

/// What a route that takes games may answer.
#[derive(Debug)]
pub(crate) struct GamesProblems;

impl IntoResponses for GamesProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(&[
            ProblemCode::MalformedJson,
            ProblemCode::MalformedQuery,
            ProblemCode::RequestTimeout,
            ProblemCode::IdempotencyConflict,
            ProblemCode::BodyTooLarge,
            ProblemCode::UnsupportedMediaType,
            ProblemCode::InvalidRequest,
            ProblemCode::InvalidPgn,
            ProblemCode::QueueFull,
            ProblemCode::ShuttingDown,
            ProblemCode::NotReady,
        ])
    }
}

/// What the URLs of a job may answer.
#[derive(Debug)]
pub(crate) struct JobProblems;

impl IntoResponses for JobProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(&[ProblemCode::NotFound, ProblemCode::Gone, ProblemCode::NotReady])
    }
}

/// What is answered in place of a job's events.
#[derive(Debug)]
pub(crate) struct JobEventsProblems;

impl IntoResponses for JobEventsProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(&[
            ProblemCode::NotFound,
            ProblemCode::Gone,
            ProblemCode::QueueFull,
            ProblemCode::NotReady,
        ])
    }
}

/// What may be answered to who deletes a job: one that is gone is gone.
#[derive(Debug)]
pub(crate) struct DeletionProblems;

impl IntoResponses for DeletionProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(&[ProblemCode::NotFound, ProblemCode::NotReady])
    }
}

/// What is answered in place of a live board.
#[derive(Debug)]
pub(crate) struct LiveProblems;

impl IntoResponses for LiveProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(&[
            ProblemCode::OriginRefused,
            ProblemCode::UpgradeRequired,
            ProblemCode::QueueFull,
            ProblemCode::ShuttingDown,
        ])
    }
}

/// What is answered in place of a ticket.
#[derive(Debug)]
pub(crate) struct TicketProblems;

impl IntoResponses for TicketProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(&[])
    }
}

/// What a route with several forms may answer.
#[derive(Debug)]
pub(crate) struct NotAcceptable;

impl IntoResponses for NotAcceptable {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems(&[ProblemCode::NotAcceptable])
    }
}

/// A server that takes no traffic yet, or no longer.
#[derive(Debug)]
pub(crate) struct NotReady;

impl IntoResponses for NotReady {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems(&[ProblemCode::NotReady])
    }
}

/// A path that names nothing.
#[derive(Debug)]
pub(crate) struct NotFound;

impl IntoResponses for NotFound {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems(&[ProblemCode::NotFound])
    }
}

/// The one response of a fault of ours, on whatever route.
#[derive(Debug)]
pub(crate) struct Internal;

impl<'r> ToResponse<'r> for Internal {
    fn response() -> (&'r str, RefOr<Response>) {
        ("Internal", RefOr::T(problem_response(&[ProblemCode::Internal])))
    }
}

/// Responses for these codes, those of one status as one.
fn problems(codes: &[ProblemCode]) -> BTreeMap<String, RefOr<Response>> {
    let mut by_status = BTreeMap::<_, Vec<_>>::new();
    for &code in codes {
        by_status.entry(code.status().as_str().to_owned()).or_default().push(code);
    }
    by_status
        .into_iter()
        .map(|(status, codes)| (status, RefOr::T(problem_response(&codes))))
        .collect()
}

pub(crate) fn problem_response(codes: &[ProblemCode]) -> Response {
    let explanations: Vec<_> =
        codes.iter().map(|code| format!("`{}`: {}", code.name(), code.explanation())).collect();
    let content =
        ContentBuilder::new().schema(Some(Ref::from_schema_name(ProblemDocument::name()))).build();
    let response = ResponseBuilder::new()
        .description(explanations.join("\n\n"))
        .content("application/problem+json", content);
    let retry = codes.iter().any(|code| matches!(code.status().as_u16(), 429 | 503));
    let seconds = HeaderBuilder::new()
        .description(Some("Whole seconds after which it is worth to ask again."))
        .schema(Some(ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1))));
    if retry { response.header("Retry-After", seconds.build()).build() } else { response.build() }
}
