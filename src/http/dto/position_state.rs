//! The state of the position, which stands in every answer about one.

use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::{ArrayBuilder, ObjectBuilder};

use super::{Hex, ResolvedPosition, nullable_string_enum, side_to_move, string_enum};
use crate::chess::{
    Color, DrawClaim, DrawReason, FenWarning, FenWarningCode, Game, Outcome, PositionField,
};

/// The state of a position.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = State)]
pub(crate) struct PositionState {
    /// The position as FEN, normalised (X-FEN), after `moves`.
    pub(crate) fen: String,
    /// Its Zobrist key, 16 hex digits. Clocks are not in it.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    pub(crate) key: Hex,
    /// The side to move.
    #[schema(schema_with = side_to_move)]
    pub(crate) turn: &'static str,
    /// The side to move is in check.
    pub(crate) check: bool,
    /// Whether the game is over. Checkmate comes before everything, stalemate before draws.
    #[schema(schema_with = statuses)]
    pub(crate) status: &'static str,
    /// Who has won; null without a checkmate.
    #[schema(schema_with = winners)]
    pub(crate) winner: Option<&'static str>,
    /// Why the game is a draw, with the status `draw`; else null. Legal moves are still listed.
    #[schema(schema_with = draw_reasons)]
    pub(crate) draw_reason: Option<&'static str>,
    /// The draws that the player to move may claim now; the game goes on. Empty unless the status
    /// is `ongoing`.
    #[schema(schema_with = claims)]
    pub(crate) claims: Vec<&'static str>,
    /// What was mended in the FEN.
    pub(crate) warnings: Vec<Warning>,
}

/// Something that was mended in a FEN.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Warning {
    /// What was mended.
    #[schema(schema_with = warning_codes)]
    pub(crate) code: &'static str,
    /// The field that it was mended in.
    #[schema(schema_with = fields)]
    pub(crate) field: &'static str,
    /// The text that was mended, as given, cut at 200 characters.
    pub(crate) text: String,
    /// What was mended, in words.
    pub(crate) detail: String,
}

impl From<&FenWarning> for Warning {
    fn from(warning: &FenWarning) -> Warning {
        Warning {
            code: warning.code.name(),
            field: warning.field.name(),
            text: warning.text.clone(),
            detail: warning.detail.clone(),
        }
    }
}

impl From<&ResolvedPosition> for PositionState {
    fn from(resolved: &ResolvedPosition) -> PositionState {
        PositionState::new(&resolved.game, resolved.warnings.iter().map(Warning::from).collect())
    }
}

impl PositionState {
    fn new(game: &Game, warnings: Vec<Warning>) -> PositionState {
        let position = game.position();
        let outcome = game.outcome();
        PositionState {
            fen: position.fen(),
            key: Hex(position.key()),
            turn: position.turn().name(),
            check: position.in_check(),
            status: outcome.name(),
            winner: outcome.winner().map(Color::name),
            draw_reason: outcome.draw_reason().map(DrawReason::name),
            claims: game.claims().into_iter().map(DrawClaim::name).collect(),
            warnings,
        }
    }
}

fn fields() -> ObjectBuilder {
    string_enum("The field that it was mended in.", PositionField::ALL.map(PositionField::name))
}

fn statuses() -> ObjectBuilder {
    let all = [
        Outcome::Ongoing,
        Outcome::Checkmate { winner: Color::White },
        Outcome::Stalemate,
        Outcome::Draw(DrawReason::DeadPosition),
    ];
    let description =
        "Whether the game is over. Checkmate comes before everything, stalemate before draws.";
    string_enum(description, all.map(Outcome::name))
}

fn winners() -> ObjectBuilder {
    nullable_string_enum("Who has won; null without a checkmate.", Color::ALL.map(Color::name))
}

fn draw_reasons() -> ObjectBuilder {
    let all =
        [DrawReason::FivefoldRepetition, DrawReason::SeventyFiveMoves, DrawReason::DeadPosition];
    nullable_string_enum(
        "Why the game is a draw, with the status `draw`; else null. Legal moves are still listed.",
        all.map(DrawReason::name),
    )
}

fn claims() -> ArrayBuilder {
    let claim = string_enum(
        "A draw.",
        [DrawClaim::ThreefoldRepetition, DrawClaim::FiftyMoves].map(DrawClaim::name),
    );
    let description = "The draws that the player to move may claim now; the game goes on. Empty unless the status is `ongoing`.";
    ArrayBuilder::new().items(claim).description(Some(description))
}

fn warning_codes() -> ObjectBuilder {
    string_enum("What was mended.", FenWarningCode::ALL.map(FenWarningCode::name))
}
