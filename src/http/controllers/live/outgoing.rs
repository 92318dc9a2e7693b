//! What a board says to its client.

use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use crate::http::controllers::analysis::StreamLine;
use crate::http::dto::{CorrelationId, PositionState};
use crate::http::schema::string_enum;

/// The new position stands on the board.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = LiveReady)]
pub(crate) struct Ready {
    /// `ready`
    #[schema(schema_with = type_ready)]
    r#type: &'static str,
    #[serde(flatten)]
    state: PositionState,
}

impl Ready {
    pub(super) fn new(state: PositionState) -> Ready {
        Ready { r#type: "ready", state }
    }
}

/// A line with the id of the message that it answers.
#[derive(Debug, Serialize)]
pub(super) struct LineWithId<'a, T> {
    #[serde(flatten)]
    pub(super) line: &'a T,
    pub(super) id: &'a CorrelationId,
}

/// What a board says: a line of an analysis, `ready`, or the problem with a message, each with the
/// `id` of the message that it answers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it only describes; each line is written by itself")]
pub(crate) enum LiveLine {
    Ready(Ready),
    Line(StreamLine),
}

fn type_ready() -> ObjectBuilder {
    string_enum("What it is.", ["ready"])
}
