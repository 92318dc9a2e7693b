//! Results of a search: score, win/draw/loss probabilities, and the best move.

use std::borrow::Cow;

use serde::Serialize;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{AllOfBuilder, ArrayBuilder, ObjectBuilder, Ref, RefOr, Type};
use utoipa::{PartialSchema, ToSchema};

use super::{MoveText, round_to_hundredths};
use crate::analysis::review::WinChance;
use crate::chess::Color;
use crate::engine::{Score, Wdl};
use crate::http::json::{FromValue, JsonPath, JsonValue, Named, read_object, request};
use crate::http::problem::InvalidMember;
use crate::http::schema::{ref_or_null, string_enum};

/// The point of view of scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Pov {
    /// The side to move; in a review, the player who makes the move.
    #[default]
    Side,
    /// White.
    White,
}

impl Named for Pov {
    const ALL: &'static [Pov] = &[Pov::Side, Pov::White];

    fn name(self) -> &'static str {
        match self {
            Pov::Side => "side",
            Pov::White => "white",
        }
    }

    fn default_name() -> Option<&'static str> {
        Some(Pov::default().name())
    }
}

impl Pov {
    /// Converts a score from the view of `side`.
    pub(crate) fn score(self, score: Score, side: Color) -> ScoreDto {
        if self.is_opposite_to(side) { score.flip().into() } else { score.into() }
    }

    /// Converts probabilities from the view of `side`.
    pub(crate) fn wdl(self, wdl: Wdl, side: Color) -> WdlDto {
        if self.is_opposite_to(side) { wdl.flip().into() } else { wdl.into() }
    }

    /// Converts a win chance of `side` to percent with two decimal places.
    pub(crate) fn win_chance(self, chance: WinChance, side: Color) -> f64 {
        let chance = if self.is_opposite_to(side) { chance.flipped() } else { chance };
        round_to_hundredths(chance.percent())
    }

    fn is_opposite_to(self, side: Color) -> bool {
        self == Pov::White && side == Color::Black
    }
}

/// A score.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub(crate) enum ScoreDto {
    /// Centipawns: 100 means a win probability of one half, 0 a drawn position.
    Cp(i32),
    /// Moves to mate: negative if the side of the point of view gets mated, 0 after checkmate.
    Mate(i32),
}

impl PartialSchema for ScoreDto {
    fn schema() -> RefOr<Schema> {
        let kind = "`cp`: centipawns, where 100 means a win probability of one half and 0 a drawn \
            position; `mate`: moves to mate.";
        let value = "Negative if it is bad for the side of the point of view. With `mate`, 0 is \
            checkmate.";
        ObjectBuilder::new()
            .description(Some(
                "A score, from the side to move's point of view unless the member says otherwise.",
            ))
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

request! {
    /// A score in a request.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct ScoreRequest as "ScoreRequest" {
        /// `cp`: centipawns, as in `Score`; `mate`: moves to mate.
        required kind as "type": ScoreKind,
        /// The centipawns or moves; negative if the score is bad for the side of the point of view.
        required value: i32,
    }
}

/// The unit of a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScoreKind {
    Cp,
    Mate,
}

impl Named for ScoreKind {
    const ALL: &'static [ScoreKind] = &[ScoreKind::Cp, ScoreKind::Mate];

    fn name(self) -> &'static str {
        match self {
            ScoreKind::Cp => "cp",
            ScoreKind::Mate => "mate",
        }
    }
}

impl<'a> FromValue<'a> for ScoreRequest {
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<ScoreRequest> {
        read_object(value, path, errors)
    }

    fn schema() -> Schema {
        let reference = Ref::from_schema_name(<ScoreRequest as ToSchema>::name());
        AllOfBuilder::new().item(reference).build().into()
    }
}

impl From<ScoreRequest> for Score {
    fn from(ScoreRequest { kind, value }: ScoreRequest) -> Score {
        match kind {
            ScoreKind::Cp => Score::Cp(value),
            ScoreKind::Mate => Score::Mate(value),
        }
    }
}

/// The schema of an optional score.
pub(crate) fn score_or_null() -> Schema {
    ref_or_null::<ScoreDto>("See `Score`. Null if the search was replaced before it found a move.")
}

/// Win, draw and loss probabilities, per mille.
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
                "Win, draw and loss probabilities from the point of view of the score, per mille, \
                    fitted to games of the engine against itself. The sum is 1000. Mates and \
                    finished games have certain results.",
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

/// The schema of optional probabilities.
pub(crate) fn wdl_or_null() -> Schema {
    ref_or_null::<WdlDto>(
        "Win, draw and loss probabilities for the score; null if the score is null.",
    )
}

/// The best move and the expected reply, each in UCI and in SAN.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = BestMoveAndReply)]
pub(crate) struct BestMove {
    /// The best move in UCI; null if there is none.
    #[schema(required, value_type = Option<String>)]
    pub(crate) best_move: Option<MoveText>,
    /// The best move in SAN.
    #[schema(required, value_type = Option<String>)]
    pub(crate) best_move_san: Option<MoveText>,
    /// The expected reply in UCI; null if unknown.
    #[schema(required, value_type = Option<String>)]
    pub(crate) ponder: Option<MoveText>,
    /// The expected reply in SAN.
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
