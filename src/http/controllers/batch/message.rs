//! The lines of a batch: requests and response lines.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use crate::analysis::{AnalysisRequest, Client, PriorityClass};
use crate::chess::Game;
use crate::http::Caps;
use crate::http::controllers::best_move::BestMoveAnswer;
use crate::http::dto::{Clamped, CorrelationId, PositionRequest, SearchRequest, whole_ms};
use crate::http::json::{FromMembers, Members};
use crate::http::problem::{MemberErrorCode, ProblemDocument};
use crate::http::schema::{string_enum, varying};

/// One of many positions, and how hard it is to be searched. What is beyond a cap of `GET
/// /v1/limits` is clamped.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = BatchRequest)]
pub(crate) struct BatchRequest {
    /// Comes back in the answer: a string or a number.
    #[schema(required = false, schema_with = CorrelationId::schema)]
    pub(super) id: CorrelationId,
    pub(super) position: PositionRequest,
    pub(super) search: SearchRequest,
    /// How many of the best moves get a line; with it the answer has `lines` in place of `pv` and
    /// `pv_san`.
    #[schema(minimum = 1, nullable = false)]
    pub(super) multipv: Option<u64>,
}

impl FromMembers for BatchRequest {
    fn read(members: &mut Members<'_>) -> Option<BatchRequest> {
        let id = members.optional("id").unwrap_or_default();
        if members.has("session") {
            members.add_error(
                MemberErrorCode::UnknownMember,
                "session",
                "a line of a batch has no session".to_owned(),
            );
        }
        let (position, search) = (PositionRequest::read(members), SearchRequest::read(members));
        let multipv = members.optional_number("multipv", 1..=u64::MAX);
        Some(BatchRequest { id, position: position?, search: search?, multipv })
    }
}

impl BatchRequest {
    /// The question within the caps, and what was lowered for that.
    pub(super) fn clamp(
        self,
        game: Game,
        client: &Client,
        caps: &Caps,
    ) -> (AnalysisRequest, Vec<Clamped>) {
        let (request, clamped) = self.search.clamp(self.multipv, game, client, caps);
        (AnalysisRequest { class: PriorityClass::Batch, ..request }, clamped)
    }
}

/// A line of the answer to a batch.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it only describes; each line is written by itself")]
pub(crate) enum BatchResponseLine {
    Answer(Box<BatchAnswer>),
    Error(BatchError),
    End(BatchEnd),
}

/// The answer to one line.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BatchAnswer {
    /// The line's own.
    #[schema(schema_with = CorrelationId::schema)]
    id: Value,
    /// Which line, from 0.
    index: usize,
    /// As of `POST /v1/best-move`; for a line with `multipv` as the one document of `POST
    /// /v1/analysis`.
    #[serde(flatten)]
    answer: BestMoveAnswer,
}

/// An answer with what tells which line it belongs to.
#[derive(Debug, Serialize)]
pub(super) struct Indexed<T> {
    pub(super) id: CorrelationId,
    pub(super) index: usize,
    #[serde(flatten)]
    pub(super) answer: T,
}

/// A line that could not be answered.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BatchError {
    /// The line's own; null where it has none that can be read.
    #[schema(schema_with = CorrelationId::schema)]
    pub(super) id: CorrelationId,
    /// Which line, from 0.
    pub(super) index: usize,
    /// What is wrong with it.
    #[schema(value_type = ProblemDocument)]
    pub(super) error: Map<String, Value>,
}

/// The last line.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BatchEnd {
    /// `end`
    #[schema(schema_with = end_type)]
    r#type: &'static str,
    /// Why no more lines were read.
    #[schema(schema_with = reasons)]
    reason: &'static str,
    /// Lines that were answered.
    answered: usize,
    /// Lines with an error.
    failed: usize,
    /// How long it all took, in milliseconds.
    #[schema(schema_with = time_ms)]
    time_ms: u64,
}

/// Why no more lines were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndReason {
    /// There were no more.
    Done,
    /// More lines or bytes than one batch may have.
    TooLarge,
    /// The body broke off, or nothing came for too long.
    Broken,
    /// The server ends.
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

impl BatchEnd {
    pub(super) fn new(
        reason: EndReason,
        answered: usize,
        failed: usize,
        time: Duration,
    ) -> BatchEnd {
        BatchEnd { r#type: "end", reason: reason.name(), answered, failed, time_ms: whole_ms(time) }
    }
}

fn end_type() -> ObjectBuilder {
    string_enum("What tells the last line from answers.", ["end"])
}

fn reasons() -> ObjectBuilder {
    let description = "Why no more lines were read: `done`, there were no more; `too_large`, more than one batch may have; `broken`, the body broke off or \
                       nothing came for too long; `shutdown`, the server ends.";
    string_enum(description, EndReason::ALL.map(EndReason::name))
}

fn time_ms() -> ObjectBuilder {
    varying("How long it all took, in milliseconds.")
}
