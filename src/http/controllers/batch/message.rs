//! The messages of a batch: request lines and response lines.

use std::num::NonZeroU64;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use crate::analysis::{AnalysisRequest, Client, PriorityClass};
use crate::chess::Game;
use crate::http::Caps;
use crate::http::controllers::analysis::AnalysisAnswer;
use crate::http::controllers::best_move::{BestMoveAnswer, BestMoveRequest};
use crate::http::dto::{Clamped, CorrelationId, whole_ms};
use crate::http::json::{Members, request};
use crate::http::problem::{MemberErrorCode, ProblemDocument};
use crate::http::schema::{string_enum, varying};

/// The type of the line that answers a request line.
const ANSWER: &str = "answer";

request! {
    /// A position to search and the limits of the search. A value above a cap of `GET /v1/limits`
    /// is clamped.
    #[derive(Clone, Debug)]
    #[refuse("session", "a batch line can't have a session")]
    #[validate(check_multipv(multipv, best_move))]
    pub(crate) struct BatchRequest as "BatchRequest" {
        /// An id of the client's choice, a string or a number. The answer repeats it.
        defaulted pub(super) id: CorrelationId,
        flatten pub(super) best_move: BestMoveRequest,
        /// The number of best moves to return with a line. With this member the answer has `lines`
        /// instead of `pv` and `pv_san`. Can't be combined with `elo`.
        optional pub(super) multipv: NonZeroU64,
    }
}

fn check_multipv(
    members: &mut Members<'_>,
    multipv: Option<&Option<NonZeroU64>>,
    best_move: Option<&BestMoveRequest>,
) {
    if multipv.is_some_and(Option::is_some)
        && best_move.is_some_and(|request| request.elo.is_some())
    {
        let detail = "elo and multipv can't both be given".to_owned();
        members.add_error(MemberErrorCode::Conflict, "elo", detail);
    }
}

impl BatchRequest {
    /// Clamps the limits to the caps. Returns the request to the service and the clamped members.
    pub(super) fn clamp(
        self,
        game: Game,
        client: &Client,
        caps: &Caps,
    ) -> (AnalysisRequest, Vec<Clamped>) {
        let (request, clamped) = self.best_move.clamp(self.multipv, game, client, caps);
        (AnalysisRequest { class: PriorityClass::Batch, ..request }, clamped)
    }
}

/// A line of the response to a batch.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes the schema only; each line is serialized by itself")]
pub(crate) enum BatchResponseLine {
    Answer(Box<BatchAnswer>),
    Analysis(Box<BatchAnalysis>),
    Error(BatchError),
    End(BatchEnd),
}

/// The answer to a line.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BatchAnswer {
    /// The type of the line: `answer`.
    #[schema(schema_with = answer_type)]
    r#type: &'static str,
    /// The `id` of the request line; null if it has none.
    #[schema(schema_with = CorrelationId::response_schema)]
    id: CorrelationId,
    /// The number of the request line, from 0.
    index: usize,
    /// The members of the response of `POST /v1/best-move`.
    #[serde(flatten)]
    answer: BestMoveAnswer,
}

impl BatchAnswer {
    pub(super) fn new(id: CorrelationId, index: usize, answer: BestMoveAnswer) -> BatchAnswer {
        BatchAnswer { r#type: ANSWER, id, index, answer }
    }
}

// A type of its own, so that its schema has a name.
/// The answer to a line with `multipv`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BatchAnalysis {
    /// The type of the line: `answer`.
    #[schema(schema_with = answer_type)]
    r#type: &'static str,
    /// The `id` of the request line; null if it has none.
    #[schema(schema_with = CorrelationId::response_schema)]
    id: CorrelationId,
    /// The number of the request line, from 0.
    index: usize,
    /// The members of the document of `POST /v1/analysis`.
    #[serde(flatten)]
    analysis: AnalysisAnswer,
}

impl BatchAnalysis {
    pub(super) fn new(id: CorrelationId, index: usize, analysis: AnalysisAnswer) -> BatchAnalysis {
        BatchAnalysis { r#type: ANSWER, id, index, analysis }
    }
}

/// A line that could not be answered.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BatchError {
    /// The type of the line: `error`.
    #[schema(schema_with = error_type)]
    r#type: &'static str,
    /// The `id` of the request line; null if it has none or it can't be read.
    #[schema(schema_with = CorrelationId::response_schema)]
    id: CorrelationId,
    /// The number of the request line, from 0.
    index: usize,
    /// The problem with the line.
    #[schema(value_type = ProblemDocument)]
    error: Map<String, Value>,
}

impl BatchError {
    pub(super) fn new(id: CorrelationId, index: usize, error: Map<String, Value>) -> BatchError {
        BatchError { r#type: "error", id, index, error }
    }
}

/// The last line of a batch.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BatchEnd {
    /// The type of the line: `end`.
    #[schema(schema_with = end_type)]
    r#type: &'static str,
    /// The reason why the server read no more lines.
    #[schema(schema_with = reasons)]
    reason: &'static str,
    /// The number of answered lines.
    answered: usize,
    /// The number of lines with an error.
    failed: usize,
    /// The duration of the batch, in milliseconds.
    #[schema(schema_with = time_ms)]
    time_ms: u64,
    /// With `too_large`: the exceeded limit, and how many lines were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    detail: Option<String>,
}

/// The reason why the server read no more lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndReason {
    /// The body ended.
    Done,
    /// The body exceeds the maximum number of lines or bytes.
    TooLarge,
    /// The connection failed, the client sent nothing for too long, or an array has no end.
    Broken,
    /// The server is shutting down.
    Shutdown,
}

impl EndReason {
    const ALL: [EndReason; 4] =
        [EndReason::Done, EndReason::TooLarge, EndReason::Broken, EndReason::Shutdown];

    const fn name(self) -> &'static str {
        match self {
            EndReason::Done => "done",
            EndReason::TooLarge => "too_large",
            EndReason::Broken => "broken",
            EndReason::Shutdown => "shutdown",
        }
    }
}

/// A limit that a batch body exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExceededLimit {
    /// `batch.lines`.
    Lines {
        /// The maximum number of lines.
        max: usize,
    },
    /// `batch.bytes`.
    Bytes {
        /// The maximum number of bytes.
        max: usize,
    },
}

impl BatchEnd {
    pub(super) fn new(
        reason: EndReason,
        answered: usize,
        failed: usize,
        time: Duration,
    ) -> BatchEnd {
        let (r#type, reason, time_ms) = ("end", reason.name(), whole_ms(time));
        BatchEnd { r#type, reason, answered, failed, time_ms, detail: None }
    }

    /// Adds the limit that ended the batch, and the number of lines that were read.
    pub(super) fn with_limit(mut self, exceeded: ExceededLimit, lines_read: usize) -> BatchEnd {
        let excess = match exceeded {
            ExceededLimit::Lines { max } => format!("has more than {max} lines (batch.lines)"),
            ExceededLimit::Bytes { max } => format!("is larger than {max} bytes (batch.bytes)"),
        };
        self.detail = Some(format!(
            "the body {excess}; the server read {lines_read} lines; send the rest in another batch"
        ));
        self
    }
}

fn answer_type() -> ObjectBuilder {
    string_enum("The type of the line.", [ANSWER])
}

fn error_type() -> ObjectBuilder {
    string_enum("The type of the line.", ["error"])
}

fn end_type() -> ObjectBuilder {
    string_enum("The type of the line.", ["end"])
}

fn reasons() -> ObjectBuilder {
    let description = "The reason why the server read no more lines: `done`, the body ended; \
        `too_large`, the body has more lines or bytes than a batch may have; `broken`, the \
        connection failed, the client sent nothing for too long, or an array has no end; \
        `shutdown`, the server is shutting down.";
    string_enum(description, EndReason::ALL.map(EndReason::name))
}

fn time_ms() -> ObjectBuilder {
    varying("The duration of the batch, in milliseconds.")
}
