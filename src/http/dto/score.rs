//! A score, as every answer that has one writes it.

use std::borrow::Cow;

use serde::Serialize;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{ObjectBuilder, RefOr, Type};
use utoipa::{PartialSchema, ToSchema};

use super::{ref_or_null, string_enum};
use crate::engine::Score;

/// A score.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub(crate) enum ScoreDto {
    /// Centipawns, of which 100 win half of the games; a drawn position is 0.
    Cp(i32),
    /// Mate in so many moves; negative when the side to move is mated, 0 when it is checkmated.
    Mate(i32),
}

impl PartialSchema for ScoreDto {
    fn schema() -> RefOr<Schema> {
        let kind = "`cp`: centipawns, of which 100 win half of the games, and 0 for a drawn position; `mate`: moves to the mate.";
        let value =
            "Of `mate` negative when the side to move is mated, and 0 when it is checkmated.";
        ObjectBuilder::new()
            .description(Some("From the side to move's view."))
            .property("type", string_enum(kind, ["cp", "mate"]))
            .required("type")
            .property(
                "value",
                ObjectBuilder::new().schema_type(Type::Integer).description(Some(value)),
            )
            .required("value")
            .into()
    }
}

impl ToSchema for ScoreDto {
    fn name() -> Cow<'static, str> {
        "Score".into()
    }
}

impl From<Score> for ScoreDto {
    fn from(score: Score) -> ScoreDto {
        match score {
            Score::Cp(value) => ScoreDto::Cp(value),
            Score::Mate(moves) => ScoreDto::Mate(moves),
        }
    }
}

/// The score of an answer that may have none.
pub(crate) fn score_or_null() -> Schema {
    ref_or_null::<ScoreDto>(
        "As `Score` says. Null when the search was replaced before it had found anything.",
    )
}
