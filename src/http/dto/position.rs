//! A position in a request, and the state of a position in a response.

use std::borrow::Cow;

use serde::Serialize;
use utoipa::openapi::schema::{ArrayBuilder, Schema};
use utoipa::openapi::{ObjectBuilder, RefOr, Type};
use utoipa::{PartialSchema, ToSchema};

use super::Hex;
use crate::chess::encodings::{BitOrder, parse_packed};
use crate::chess::{
    Color, DrawClaim, DrawReason, FenWarning, FenWarningCode, Game, Outcome, ParsedFen, Position,
    PositionField, parse_fen, parse_move,
};
use crate::http::json::{FromMembers, FromValue, JsonPath, JsonValue, Members, read_enum};
use crate::http::problem::{IllegalMoveReason, InvalidMember, MemberErrorCode, Problem};
use crate::http::schema::{nullable_string_enum, side_to_move, string_enum};

/// The name for the FEN of the starting position.
const STARTPOS: &str = "startpos";

/// A position in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PositionRequest {
    source: PositionSource,
    moves: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PositionSource {
    Fen(String),
    Packed(String),
}

/// A legal position with its game history.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedPosition {
    /// The game: the start position and the moves from it.
    pub(crate) game: Game,
    /// Corrections made to the FEN.
    pub(crate) warnings: Vec<FenWarning>,
}

impl FromMembers for PositionRequest {
    fn read(members: &mut Members<'_>) -> Option<PositionRequest> {
        if members.has("fen") && members.has("packed") {
            members.add_error(
                MemberErrorCode::Conflict,
                "packed",
                "fen and packed can't both be given".to_owned(),
            );
        }
        if !members.has("fen") && !members.has("packed") && members.is_object() {
            members.add_error(
                MemberErrorCode::Missing,
                "fen",
                "fen or packed is missing".to_owned(),
            );
        }
        let packed = members.optional("packed").map(PositionSource::Packed);
        let fen = members.optional("fen").map(PositionSource::Fen);
        let moves: Option<Vec<String>> =
            if members.has("moves") { members.optional("moves") } else { Some(Vec::new()) };
        if let Some(moves) = &moves
            && moves.len() > members.max_moves()
        {
            let detail = format!(
                "moves has {} entries; at most {} are allowed",
                moves.len(),
                members.max_moves()
            );
            members.add_error(MemberErrorCode::OutOfRange, "moves", detail);
        }
        Some(PositionRequest { source: fen.or(packed)?, moves: moves? })
    }
}

impl PositionRequest {
    /// The number of moves to play.
    pub(crate) fn move_count(&self) -> usize {
        self.moves.len()
    }

    /// Sets up the position and plays the moves.
    ///
    /// # Errors
    /// Fails with `invalid_fen` or `illegal_move`.
    pub(crate) fn resolve(&self) -> Result<ResolvedPosition, Problem> {
        let ParsedFen { position, warnings } = match &self.source {
            PositionSource::Fen(text) if text == STARTPOS => {
                ParsedFen { position: Position::startpos(), warnings: Vec::new() }
            }
            PositionSource::Fen(text) => parse_fen(text)?,
            PositionSource::Packed(text) => {
                ParsedFen { position: parse_packed(text)?, warnings: Vec::new() }
            }
        };
        let mut game = Game::new(position);
        for (index, text) in self.moves.iter().enumerate() {
            if game.outcome().is_over() {
                return Err(Problem::illegal_move(index, text, IllegalMoveReason::GameOver));
            }
            let mv = parse_move(game.position(), text).map_err(|error| {
                Problem::illegal_move(index, text, IllegalMoveReason::Text(error))
            })?;
            game.play(mv);
        }
        Ok(ResolvedPosition { game, warnings })
    }
}

impl PartialSchema for PositionRequest {
    fn schema() -> RefOr<Schema> {
        let text = |description: &str| {
            ObjectBuilder::new().schema_type(Type::String).description(Some(description))
        };
        let moves = ArrayBuilder::new()
            .items(ObjectBuilder::new().schema_type(Type::String))
            .description(Some(
                "Moves in UCI or SAN, played from that position; at most `moves` of `GET \
                    /v1/limits`. They count for repetitions and move clocks.",
            ));
        let object = ObjectBuilder::new()
            .property(
                "fen",
                text(
                    "A FEN (X-FEN or Shredder-FEN, four to six fields), or `startpos`. Exactly one \
                        of `fen` and `packed` is required.",
                ),
            )
            .property(
                "packed",
                text(
                    "The packed form: base64url without padding. Exactly one of `fen` and `packed` \
                        is required.",
                ),
            )
            .property("moves", moves)
            .build();
        RefOr::T(Schema::Object(object))
    }
}

impl ToSchema for PositionRequest {
    fn name() -> Cow<'static, str> {
        "PositionMembers".into()
    }
}

/// The state of a position.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = State)]
pub(crate) struct PositionState {
    /// The position after `moves` as a normalised FEN (X-FEN).
    pub(crate) fen: String,
    /// The Zobrist key of the position, 16 hex digits. It ignores the move clocks.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    pub(crate) key: Hex,
    /// The side to move.
    #[schema(schema_with = side_to_move)]
    pub(crate) turn: &'static str,
    /// The side to move is in check.
    pub(crate) check: bool,
    /// Whether the game is over. Checkmate takes precedence over stalemate, and stalemate over
    /// draws.
    #[schema(schema_with = statuses)]
    pub(crate) status: &'static str,
    /// The winner; null without a checkmate.
    #[schema(schema_with = winners)]
    pub(crate) winner: Option<&'static str>,
    /// The reason for the status `draw`; else null. Legal moves are still listed.
    #[schema(schema_with = draw_reasons)]
    pub(crate) draw_reason: Option<&'static str>,
    /// The draws that the side to move may claim. The game continues without a claim. Empty unless
    /// the status is `ongoing`.
    #[schema(schema_with = claims)]
    pub(crate) claims: Vec<&'static str>,
    /// Corrections made to the FEN.
    pub(crate) warnings: Vec<Warning>,
}

/// A correction made to a FEN.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Warning {
    /// The kind of correction.
    #[schema(schema_with = warning_codes)]
    pub(crate) code: &'static str,
    /// The corrected field of the FEN.
    #[schema(schema_with = fields)]
    pub(crate) field: &'static str,
    /// The original text, cut at 200 characters.
    pub(crate) text: String,
    /// A description of the correction.
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
    string_enum("The corrected field of the FEN.", PositionField::ALL.map(PositionField::name))
}

fn statuses() -> ObjectBuilder {
    let all = [
        Outcome::Ongoing,
        Outcome::Checkmate { winner: Color::White },
        Outcome::Stalemate,
        Outcome::Draw(DrawReason::DeadPosition),
    ];
    let description = "Whether the game is over. Checkmate takes precedence over stalemate, and \
        stalemate over draws.";
    string_enum(description, all.map(Outcome::name))
}

fn winners() -> ObjectBuilder {
    nullable_string_enum("The winner; null without a checkmate.", Color::ALL.map(Color::name))
}

fn draw_reasons() -> ObjectBuilder {
    let all =
        [DrawReason::FivefoldRepetition, DrawReason::SeventyFiveMoves, DrawReason::DeadPosition];
    nullable_string_enum(
        "The reason for the status `draw`; else null. Legal moves are still listed.",
        all.map(DrawReason::name),
    )
}

fn claims() -> ArrayBuilder {
    let claim = string_enum(
        "A claimable draw.",
        [DrawClaim::ThreefoldRepetition, DrawClaim::FiftyMoves].map(DrawClaim::name),
    );
    let description = "The draws that the side to move may claim. The game continues without a \
        claim. Empty unless the status is `ongoing`.";
    ArrayBuilder::new().items(claim).description(Some(description))
}

fn warning_codes() -> ObjectBuilder {
    string_enum("The kind of correction.", FenWarningCode::ALL.map(FenWarningCode::name))
}

const BIT_ORDERS: [BitOrder; 2] = [BitOrder::A1, BitOrder::A8];

const fn bit_order_name(order: BitOrder) -> &'static str {
    match order {
        BitOrder::A1 => "a1",
        BitOrder::A8 => "a8",
    }
}

impl<'a> FromValue<'a> for BitOrder {
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<BitOrder> {
        read_enum(value, path, errors, &BIT_ORDERS, |&order| bit_order_name(order))
    }
}

/// The schema of the member `bit_order`.
pub(crate) fn bit_order_schema() -> ObjectBuilder {
    let description = "The square of bit 0 in bitboards of the response: `a1` (h8 is bit 63), or \
        `a8` (h1 is bit 63).";
    string_enum(description, BIT_ORDERS.map(bit_order_name))
        .default(Some(bit_order_name(BitOrder::default()).into()))
}
