//! Problem responses of the contract, in groups that routes share.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{
    ArrayBuilder, ContentBuilder, ObjectBuilder, OneOfBuilder, Ref, RefOr, Response,
    ResponseBuilder, Type,
};
use utoipa::{IntoResponses, PartialSchema, ToResponse, ToSchema};

use super::InvalidMember;
use super::code::ProblemCode;
use super::jobs::InvalidPgn;
use crate::chess::{PositionErrorCode, PositionField};
use crate::http::schema::{string_enum, varying};

/// A problem document (RFC 9457).
#[derive(Debug, ToSchema)]
#[schema(as = Problem)]
#[expect(dead_code, reason = "it only describes the schema; `render_document` writes problems")]
pub(crate) struct ProblemDocument {
    /// `/problems/<code>`, the path of a page about the problem.
    r#type: String,
    /// A short summary that is the same for every problem with this code.
    title: String,
    /// The HTTP status.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// A description of this occurrence.
    detail: String,
    /// The path of the request.
    instance: String,
    /// The problem code.
    #[schema(schema_with = codes)]
    code: String,
    /// The request id, as in `x-request-id`.
    #[schema(min_length = 1, max_length = 128, extensions(("x-varies" = json!(true))))]
    request_id: String,
    /// With the statuses 429 and 503: the time to wait before another try, in milliseconds. The
    /// header `Retry-After` has it in whole seconds, rounded up.
    #[schema(schema_with = retry_after)]
    retry_after_ms: Option<u64>,
    /// With `malformed_json`: the line of the error, from 1, if it is known. For a line of a batch,
    /// its number in the body.
    #[schema(minimum = 1, nullable = false)]
    line: Option<u64>,
    /// With `malformed_json`: the column of the error, in characters from 1, if it is known.
    #[schema(minimum = 1, nullable = false)]
    column: Option<u64>,
    /// With `invalid_request`, `invalid_fen` and `invalid_pgn`: the errors.
    #[schema(schema_with = errors)]
    errors: Option<Vec<Value>>,
    /// With `illegal_move`: the index in `moves` or `searchmoves`, from 0.
    #[schema(nullable = false)]
    index: Option<u64>,
    /// With `illegal_move`: the text of the move, cut at 200 characters.
    #[schema(nullable = false)]
    text: Option<String>,
    /// With `illegal_move`: why the move is refused.
    #[schema(schema_with = illegal_move_reasons)]
    why: Option<String>,
    /// With `tablebase_unavailable`: why the tables do not know the position.
    #[schema(schema_with = tablebase_reasons)]
    reason: Option<String>,
    /// With `queue_full`: the number of waiting requests, or of used slots.
    #[schema(nullable = false)]
    queue_length: Option<u64>,
    /// With `not_ready`: the reasons.
    #[schema(schema_with = not_ready_reasons)]
    reasons: Option<Vec<String>>,
}

fn retry_after() -> ObjectBuilder {
    let description = "With the statuses 429 and 503: the time to wait before another try, in \
        milliseconds. The header `Retry-After` has it in whole seconds, rounded up. A problem \
        within a stream or a message has no headers.";
    varying(description).minimum(Some(1))
}

fn codes() -> ObjectBuilder {
    string_enum("The problem code.", ProblemCode::ALL.map(ProblemCode::name))
}

fn illegal_move_reasons() -> ObjectBuilder {
    string_enum(
        "With `illegal_move`: why the move is refused.",
        ["not_a_move", "ambiguous", "not_legal", "game_over"],
    )
}

fn tablebase_reasons() -> ObjectBuilder {
    string_enum(
        "With `tablebase_unavailable`: why the tables do not know the position.",
        ["too_many_men", "castling_rights", "missing_table"],
    )
}

fn not_ready_reasons() -> ArrayBuilder {
    let reason = string_enum("A reason.", ["starting", "shutting_down", "store", "jobs"]);
    ArrayBuilder::new().items(reason).description(Some("With `not_ready`: the reasons."))
}

/// The schema of `errors`: invalid members with `invalid_request`, FEN errors with `invalid_fen`,
/// and PGN errors with `invalid_pgn`.
fn errors() -> ArrayBuilder {
    let either = OneOfBuilder::new()
        .item(Ref::from_schema_name(InvalidMember::name()))
        .item(Ref::from_schema_name(InvalidFen::name()))
        .item(Ref::from_schema_name(InvalidPgn::name()));
    ArrayBuilder::new()
        .items(either)
        .description(Some("With `invalid_request`, `invalid_fen` and `invalid_pgn`: the errors."))
}

/// The schema of an error in a FEN or a packed form.
pub(crate) struct InvalidFen;

impl PartialSchema for InvalidFen {
    fn schema() -> RefOr<Schema> {
        let codes = PositionErrorCode::ALL.map(PositionErrorCode::name);
        let fields = PositionField::ALL.map(PositionField::name);
        let error = ObjectBuilder::new()
            .description(Some("An error in a FEN or a packed form."))
            .property("code", string_enum("The kind of error.", codes))
            .property("field", string_enum("The field with the error.", fields))
            .property("text", text("The offending text, cut at 200 characters."))
            .property("detail", text("A description of the error."));
        ["code", "field", "text", "detail"].into_iter().fold(error, ObjectBuilder::required).into()
    }
}

impl ToSchema for InvalidFen {
    fn name() -> Cow<'static, str> {
        "InvalidFen".into()
    }
}

fn text(description: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).description(Some(description))
}

/// The problems of a route whose body holds a position.
#[derive(Debug)]
pub(crate) struct PositionProblems;

impl IntoResponses for PositionProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        position_problems(&[])
    }
}

/// The problems of a route whose JSON body holds no position.
#[derive(Debug)]
pub(crate) struct BodyProblems;

impl IntoResponses for BodyProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(&[
            ProblemCode::MalformedJson,
            ProblemCode::RequestTimeout,
            ProblemCode::BodyTooLarge,
            ProblemCode::UnsupportedMediaType,
            ProblemCode::InvalidRequest,
        ])
    }
}

/// The problems of the tools for language models. The problems of a call are within its result.
#[derive(Debug)]
pub(crate) struct McpProblems;

impl IntoResponses for McpProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(&[
            ProblemCode::OriginRefused,
            ProblemCode::RequestTimeout,
            ProblemCode::BodyTooLarge,
            ProblemCode::UnsupportedMediaType,
            ProblemCode::InvalidRequest,
        ])
    }
}

/// The problems of a route that searches a position from its body.
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

/// The problems of perft.
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

/// Responses for these codes and for an internal error.
fn problems_and_internal(codes: &[ProblemCode]) -> BTreeMap<String, RefOr<Response>> {
    let mut responses = problems(codes);
    responses.insert("500".to_owned(), Ref::from_response_name(Internal::response().0).into());
    responses
}

/// The problems of a route that searches a position from its query.
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

/// The problems of a route whose query holds a position.
#[derive(Debug)]
pub(crate) struct PositionQueryProblems;

impl IntoResponses for PositionQueryProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(&POSITION_QUERY_CODES)
    }
}

/// The codes of a query that holds a position.
const POSITION_QUERY_CODES: [ProblemCode; 4] = [
    ProblemCode::MalformedQuery,
    ProblemCode::InvalidRequest,
    ProblemCode::InvalidFen,
    ProblemCode::IllegalMove,
];

/// The problems of `GET /v1/explore`, which reads a position from its query but needs no worker.
#[derive(Debug)]
pub(crate) struct ExploreProblems;

impl IntoResponses for ExploreProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(
            &[POSITION_QUERY_CODES.as_slice(), &[ProblemCode::QueueFull]].concat(),
        )
    }
}

/// The problems of a picture that is drawn on a blocking thread.
pub(crate) type PictureProblems = ExploreProblems;

/// The problems of a lookup in the tablebases of a position from the body.
#[derive(Debug)]
pub(crate) struct TablebaseProblems;

impl IntoResponses for TablebaseProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        position_problems(&TABLEBASE_CODES)
    }
}

/// The problems of a lookup in the tablebases of a position from the query.
#[derive(Debug)]
pub(crate) struct TablebaseQueryProblems;

impl IntoResponses for TablebaseQueryProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(
            &[POSITION_QUERY_CODES.as_slice(), TABLEBASE_CODES.as_slice()].concat(),
        )
    }
}

/// The codes of a lookup in the tablebases.
const TABLEBASE_CODES: [ProblemCode; 3] =
    [ProblemCode::NoTablebase, ProblemCode::TablebaseUnavailable, ProblemCode::QueueFull];

/// The problems of lila-tablebase's routes, where an invalid position is a plain text.
#[derive(Debug)]
pub(crate) struct StandardProblems;

impl IntoResponses for StandardProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(&[ProblemCode::InvalidRequest, ProblemCode::QueueFull])
    }
}

/// The problems of `GET /api/cloud-eval`, where an invalid position is not an error.
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

/// The problems of chess-api.com's route, where bad input is not a problem.
#[derive(Debug)]
pub(crate) struct ChessApiProblems;

impl IntoResponses for ChessApiProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(&[
            ProblemCode::RequestTimeout,
            ProblemCode::BodyTooLarge,
            ProblemCode::UnsupportedMediaType,
            ProblemCode::QueueFull,
            ProblemCode::Deadline,
            ProblemCode::ShuttingDown,
        ])
    }
}

/// The problems of opening chess-api.com's WebSocket.
#[derive(Debug)]
pub(crate) struct ChessApiSocketProblems;

impl IntoResponses for ChessApiSocketProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(&[
            ProblemCode::OriginRefused,
            ProblemCode::UpgradeRequired,
            ProblemCode::QueueFull,
            ProblemCode::ShuttingDown,
        ])
    }
}

/// The problems of stockfish.online's route, where bad input is not a problem.
#[derive(Debug)]
pub(crate) struct StockfishOnlineProblems;

impl IntoResponses for StockfishOnlineProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(&[
            ProblemCode::QueueFull,
            ProblemCode::Deadline,
            ProblemCode::ShuttingDown,
        ])
    }
}

/// The problems of a whole batch. Errors of one line are reported in its place. Only a body that is
/// declared as JSON can time out before the response, or be no array.
#[derive(Debug)]
pub(crate) struct BatchProblems;

impl IntoResponses for BatchProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(&[
            ProblemCode::RequestTimeout,
            ProblemCode::UnsupportedMediaType,
            ProblemCode::InvalidRequest,
            ProblemCode::QueueFull,
            ProblemCode::ShuttingDown,
        ])
    }
}

/// The problems of a route that accepts games.
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
            ProblemCode::JobTooLarge,
            ProblemCode::UnsupportedMediaType,
            ProblemCode::InvalidRequest,
            ProblemCode::InvalidPgn,
            ProblemCode::QueueFull,
            ProblemCode::ShuttingDown,
            ProblemCode::NotReady,
        ])
    }
}

/// The problems of reading the review of a job.
#[derive(Debug)]
pub(crate) struct JobReviewProblems;

impl IntoResponses for JobReviewProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(&[
            ProblemCode::MalformedQuery,
            ProblemCode::NotFound,
            ProblemCode::Gone,
            ProblemCode::InvalidRequest,
            ProblemCode::NotReady,
        ])
    }
}

/// The problems of the event stream of a job.
#[derive(Debug)]
pub(crate) struct JobEventsProblems;

impl IntoResponses for JobEventsProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(&[
            ProblemCode::MalformedQuery,
            ProblemCode::NotFound,
            ProblemCode::Gone,
            ProblemCode::InvalidRequest,
            ProblemCode::QueueFull,
            ProblemCode::NotReady,
        ])
    }
}

/// The problems of deleting a job. Deleting a job that is already gone succeeds.
#[derive(Debug)]
pub(crate) struct DeletionProblems;

impl IntoResponses for DeletionProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(&[
            ProblemCode::MalformedQuery,
            ProblemCode::NotFound,
            ProblemCode::InvalidRequest,
            ProblemCode::NotReady,
        ])
    }
}

/// The problems of opening a live board.
#[derive(Debug)]
pub(crate) struct LiveProblems;

impl IntoResponses for LiveProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(&[
            ProblemCode::MalformedQuery,
            ProblemCode::InvalidRequest,
            ProblemCode::OriginRefused,
            ProblemCode::UpgradeRequired,
            ProblemCode::QueueFull,
            ProblemCode::ShuttingDown,
        ])
    }
}

/// The problems of a route that takes no parameters.
#[derive(Debug)]
pub(crate) struct NoParametersProblems;

impl IntoResponses for NoParametersProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems_and_internal(&[ProblemCode::MalformedQuery, ProblemCode::InvalidRequest])
    }
}

/// The additional problem of a route with several response formats.
#[derive(Debug)]
pub(crate) struct NotAcceptable;

impl IntoResponses for NotAcceptable {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems(&[ProblemCode::NotAcceptable])
    }
}

/// The problem of a server that is starting or shutting down.
#[derive(Debug)]
pub(crate) struct NotReady;

impl IntoResponses for NotReady {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems(&[ProblemCode::NotReady])
    }
}

/// The problem of an unknown path.
#[derive(Debug)]
pub(crate) struct NotFound;

impl IntoResponses for NotFound {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems(&[ProblemCode::NotFound])
    }
}

/// The response for an internal error, shared by all routes.
#[derive(Debug)]
pub(crate) struct Internal;

impl<'r> ToResponse<'r> for Internal {
    fn response() -> (&'r str, RefOr<Response>) {
        ("Internal", RefOr::T(problem_response(&[ProblemCode::Internal])))
    }
}

/// Responses for these codes; codes with the same status share one.
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
        .description(Some("Whole seconds after which a retry makes sense."))
        .schema(Some(ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1))));
    if retry { response.header("Retry-After", seconds.build()).build() } else { response.build() }
}
