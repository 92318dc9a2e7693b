//! The lines of a batch's answer.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use crate::http::controllers::best_move::BestMoveAnswer;
use crate::http::dto::{CorrelationId, whole_ms};
use crate::http::problem::ProblemDocument;
use crate::http::schema::{string_enum, varying};

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
