//! A position in a request, and the state of a position in a response.

use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ArrayBuilder, Schema};
use utoipa::openapi::{Object, ObjectBuilder};

use super::Hex;
use super::moves::promotion_advice;
use crate::chess::encodings::{BitOrder, parse_packed};
use crate::chess::{
    Color, DrawClaim, DrawReason, FenWarning, FenWarningCode, Game, InvalidPosition, Outcome,
    ParsedFen, Position, PositionField, Setup, excerpt, parse_fen, parse_fen_setup, parse_move,
};
use crate::http::json::{DescribeMembers, FromMembers, Members, Named, request};
use crate::http::problem::{IllegalMoveReason, MemberErrorCode, Problem};
use crate::http::schema::{ColorName, named_enum, ref_or_null, side_to_move, string_enum};

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

request! {
    /// The members of a position.
    #[derive(Clone, Debug)]
    #[check(check_source)]
    #[validate(check_move_count(moves))]
    struct PositionMembers as "PositionMembers" {
        /// A FEN (X-FEN or Shredder-FEN, four to six fields), or `startpos`. Exactly one of `fen`
        /// and `packed` is required.
        optional fen: String,
        /// The packed form: base64url without padding. Exactly one of `fen` and `packed` is
        /// required.
        optional packed: String,
        /// Moves in UCI or SAN, played from that position; at most `moves` of `GET /v1/limits`.
        /// They count for repetitions and move clocks.
        defaulted moves: Vec<String>,
    }
}

fn check_source(members: &mut Members<'_>) {
    match (members.has("fen"), members.has("packed")) {
        (true, true) => members.add_error(
            MemberErrorCode::Conflict,
            "packed",
            "fen and packed can't both be given".to_owned(),
        ),
        (false, false) if members.is_object() => members.add_error(
            MemberErrorCode::Missing,
            "fen",
            "fen or packed is missing".to_owned(),
        ),
        _ => {}
    }
}

fn check_move_count(members: &mut Members<'_>, moves: Option<&Vec<String>>) {
    let (count, max) = (moves.map_or(0, Vec::len), members.max_moves());
    if count > max {
        let detail = format!("moves has {count} entries; at most {max} are allowed");
        members.add_error(MemberErrorCode::OutOfRange, "moves", detail);
    }
}

impl FromMembers for PositionRequest {
    fn read(members: &mut Members<'_>) -> Option<PositionRequest> {
        let PositionMembers { fen, packed, moves } = PositionMembers::read(members)?;
        let fen = fen.map(PositionSource::Fen);
        let source = fen.or(packed.map(PositionSource::Packed))?;
        Some(PositionRequest { source, moves })
    }
}

impl DescribeMembers for PositionRequest {
    fn describe(request: &mut Object) {
        PositionMembers::describe(request);
    }
}

impl PositionRequest {
    /// The number of moves to play.
    pub(crate) fn move_count(&self) -> usize {
        self.moves.len()
    }

    /// What a FEN without moves describes, which need not be legal. `None` for any other request.
    ///
    /// # Errors
    /// Fails with `invalid_fen`.
    pub(crate) fn setup_without_moves(&self) -> Option<Result<Setup, Problem>> {
        match &self.source {
            PositionSource::Fen(text) if self.moves.is_empty() && text != STARTPOS => {
                Some(parse_fen_setup(text).map_err(|invalid| with_startpos_advice(invalid, text)))
            }
            _ => None,
        }
    }

    /// Sets up the position and plays the moves.
    ///
    /// # Errors
    /// Fails with `invalid_fen` or `illegal_move`.
    pub(crate) fn resolve(&self) -> Result<ResolvedPosition, Problem> {
        let ParsedFen { position, warnings } = match &self.source {
            PositionSource::Fen(text) => resolve_fen(text)?,
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
                    .with_more_detail(&promotion_advice(game.position(), text))
            })?;
            game.play(mv);
        }
        Ok(ResolvedPosition { game, warnings })
    }
}

/// Reads a FEN or `startpos`. The first error of a text that begins like `startpos` suggests that
/// word.
///
/// # Errors
/// Fails with `invalid_fen`.
pub(crate) fn resolve_fen(text: &str) -> Result<ParsedFen, Problem> {
    if text == STARTPOS {
        return Ok(ParsedFen { position: Position::startpos(), warnings: Vec::new() });
    }
    parse_fen(text).map_err(|invalid| with_startpos_advice(invalid, text))
}

fn with_startpos_advice(mut invalid: InvalidPosition, text: &str) -> Problem {
    if let Some(error) = invalid.errors.first_mut() {
        error.detail.push_str(startpos_advice(text));
    }
    invalid.into()
}

/// The end of an error message about a text that is no FEN but begins like `startpos`, in any case
/// and in any quotes. Empty for any other text.
fn startpos_advice(text: &str) -> &'static str {
    // No FEN begins with `s`.
    const BEGINNING: &str = "start";
    let text = excerpt(text).trim_start_matches(|letter: char| !letter.is_alphanumeric());
    let begins_like_it =
        text.get(..BEGINNING.len()).is_some_and(|start| start.eq_ignore_ascii_case(BEGINNING));
    if !begins_like_it {
        ""
    } else if text.split_whitespace().any(|word| word.eq_ignore_ascii_case("moves")) {
        "; did you mean startpos? Put moves in the member moves"
    } else {
        "; did you mean startpos?"
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
    #[schema(required, schema_with = winner_or_null)]
    pub(crate) winner: Option<&'static str>,
    /// The reason for the status `draw`; else null. Legal moves are still listed.
    #[schema(required, schema_with = draw_reason_or_null)]
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

named_enum! {
    /// The reason for a draw.
    pub(crate) struct DrawReasonName as "DrawReason" =
        [DrawReason::FivefoldRepetition, DrawReason::SeventyFiveMoves, DrawReason::DeadPosition]
            .map(DrawReason::name)
}

fn winner_or_null() -> Schema {
    ref_or_null::<ColorName>("The winner; null without a checkmate.")
}

fn draw_reason_or_null() -> Schema {
    ref_or_null::<DrawReasonName>(
        "The reason for the status `draw`; else null. Legal moves are still listed.",
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

impl Named for BitOrder {
    const ALL: &'static [BitOrder] = &[BitOrder::A1, BitOrder::A8];

    fn name(self) -> &'static str {
        match self {
            BitOrder::A1 => "a1",
            BitOrder::A8 => "a8",
        }
    }

    fn default_name() -> Option<&'static str> {
        Some(BitOrder::default().name())
    }
}
