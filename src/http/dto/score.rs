//! Results of a search: score, win/draw/loss chances, and the best move.

use std::borrow::Cow;

use serde::Serialize;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{ArrayBuilder, ObjectBuilder, RefOr, Type};
use utoipa::{PartialSchema, ToSchema};

use super::MoveText;
use crate::engine::{Score, Wdl};
use crate::http::schema::{ref_or_null, string_enum};

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

/// Win, draw and loss of the side to move, per mille.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct WdlDto([u16; 3]);

impl PartialSchema for WdlDto {
    fn schema() -> RefOr<Schema> {
        let chance =
            ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0)).maximum(Some(1000));
        ArrayBuilder::new()
            .items(chance)
            .min_items(Some(3))
            .max_items(Some(3))
            .description(Some(
                "How many games of a thousand the side to move wins, draws and loses with this score, fitted to games of the engine \
                 against itself. The sum is 1000. A mate is certain, and so is the result of a game that is over.",
            ))
            .into()
    }
}

impl ToSchema for WdlDto {
    fn name() -> Cow<'static, str> {
        "Wdl".into()
    }
}

impl From<Wdl> for WdlDto {
    fn from(Wdl { win, draw, loss }: Wdl) -> WdlDto {
        WdlDto([win, draw, loss])
    }
}

/// The chances of an answer that may have none.
pub(crate) fn wdl_or_null() -> Schema {
    ref_or_null::<WdlDto>("What the score means in games; null with the score.")
}

/// The best move and the answer to it, each in UCI and in SAN.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct BestMove {
    /// The best move in UCI; null when there is none.
    #[schema(required, value_type = Option<String>)]
    pub(crate) best_move: Option<MoveText>,
    /// The same in SAN.
    #[schema(required, value_type = Option<String>)]
    pub(crate) best_move_san: Option<MoveText>,
    /// The answer that is expected to it, in UCI; null when none is known.
    #[schema(required, value_type = Option<String>)]
    pub(crate) ponder: Option<MoveText>,
    /// The same in SAN.
    #[schema(required, value_type = Option<String>)]
    pub(crate) ponder_san: Option<MoveText>,
}

impl BestMove {
    /// The first two moves of a line, each in UCI and in SAN.
    pub(crate) fn from_line(mut line: impl Iterator<Item = (MoveText, MoveText)>) -> BestMove {
        let (best, reply) = (line.next(), line.next());
        BestMove {
            best_move: best.map(|(uci, _)| uci),
            best_move_san: best.map(|(_, san)| san),
            ponder: reply.map(|(uci, _)| uci),
            ponder_san: reply.map(|(_, san)| san),
        }
    }
}
