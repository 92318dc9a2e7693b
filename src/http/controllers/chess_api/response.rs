//! The responses of chess-api.com: a move with its score and line, or an error.

use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::{Object, SchemaType};
use utoipa::openapi::{ObjectBuilder, Type};

use crate::chess::{
    CastlingNotation, CastlingSide, InlineStr, Move, Position, Role, SanWriter, to_uci_inline,
};
use crate::engine::{Report, Score};
use crate::http::dto::{CorrelationId, MoveText, line_texts, whole_ms};
use crate::http::problem::{Problem, ProblemCode};
use crate::http::schema::{string_enum, varying};

/// The centipawns of a mate, in the members that cannot say that it is one.
const MATE_CENTIPAWNS: i32 = 10_000;

/// The centipawns from which `text` calls a side the winning one.
const WINNING_CENTIPAWNS: i32 = 100;

/// The slope of Lichess's win chance over centipawns. chess-api.com does not limit the centipawns.
const STEEPNESS: f64 = 0.003_682_08;

/// A response in the format of chess-api.com.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes the schema only; each response is serialized by itself")]
pub(crate) enum ChessApiAnswer {
    Move(Box<ChessApiMove>),
    Error(ChessApiError),
}

/// A move in the format of chess-api.com. `eval`, `centipawns`, `mate` and `winChance` are from
/// White's point of view.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChessApiMove {
    /// A sentence about the move, for people.
    text: String,
    /// The score in pawns. A mate counts as 100.
    eval: f64,
    /// The move in UCI.
    #[serde(rename = "move")]
    #[schema(value_type = String)]
    uci: MoveText,
    /// The position: `fen` as the client sent it, or the position after the moves of `input`.
    fen: String,
    /// The depth of the last finished iteration, in plies.
    depth: u8,
    /// The win chance in percent: 100 / (1 + e^(−0.00368208 · centipawns)). A mate is 100 or 0.
    #[schema(minimum = 0, maximum = 100)]
    win_chance: f64,
    /// The expected moves after this one, in UCI.
    #[schema(value_type = Vec<String>)]
    continuation_arr: Vec<MoveText>,
    /// The number of moves to mate; negative if White is mated. Null if no mate is known.
    #[schema(required)]
    mate: Option<i32>,
    /// The score in centipawns, as text. A mate counts as 10000.
    centipawns: String,
    /// The move in SAN.
    #[schema(value_type = String)]
    san: MoveText,
    /// The move in UCI, as `move`.
    #[schema(value_type = String)]
    lan: MoveText,
    /// The side to move: `w` or `b`.
    #[schema(value_type = String, pattern = "^[wb]$")]
    turn: char,
    /// The color of the piece: `w` or `b`.
    #[schema(value_type = String, pattern = "^[wb]$")]
    color: char,
    /// The piece that moves: `p`, `n`, `b`, `r`, `q` or `k`.
    #[schema(value_type = String, pattern = "^[pnbrqk]$")]
    piece: char,
    /// The kind of the move: `n` quiet, `b` a pawn's two squares, `c` capture, `e` en passant, `k`
    /// or `q` castling; then `p` for a promotion.
    #[schema(value_type = String)]
    flags: &'static str,
    /// Whether the move captures a piece.
    is_capture: bool,
    /// Whether the move is castling.
    is_castling: bool,
    /// Whether the move is a promotion.
    is_promotion: bool,
    /// The captured piece, `p`, `n`, `b`, `r` or `q`; `false` without one.
    #[schema(schema_with = captured_piece)]
    captured: PieceOrFalse,
    /// The piece that a pawn promotes to, `n`, `b`, `r` or `q`; `false` without one.
    #[schema(schema_with = promotion_piece)]
    promotion: PieceOrFalse,
    #[serde(flatten)]
    step: ChessApiStep,
    /// The moves of `continuationArr` as squares.
    continuation: Vec<ChessApiStep>,
    /// The id of the request.
    #[schema(schema_with = response_task_id)]
    task_id: CorrelationId,
    /// The time of the search in milliseconds.
    #[schema(schema_with = search_time)]
    time: u64,
    /// `bestmove` for the result of a search, `move` for a result so far.
    #[schema(schema_with = message_kinds)]
    r#type: &'static str,
}

/// The squares of a move in the format of chess-api.com.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChessApiStep {
    /// The square that the piece leaves.
    from: String,
    /// The square that the piece moves to. For castling that is not the standard one, the rook's
    /// square.
    to: String,
    /// `from` as two digits, file and rank: `b7` is `27`.
    from_numeric: String,
    /// `to` as two digits.
    to_numeric: String,
}

/// Bad input in the format of chess-api.com.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChessApiError {
    /// `error`
    #[schema(schema_with = error_type)]
    r#type: &'static str,
    /// `INVALID_FEN_VALIDATION_ERROR`, or `INVALID_INPUT` for any other error.
    #[schema(schema_with = error_codes)]
    error: &'static str,
    /// A description of the error.
    text: String,
    /// The id of the request, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = response_task_id)]
    task_id: Option<CorrelationId>,
}

/// The letter of a piece, or `false`.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(untagged)]
enum PieceOrFalse {
    Piece(char),
    None(bool),
}

impl PieceOrFalse {
    fn new(role: Option<Role>) -> PieceOrFalse {
        role.map_or(PieceOrFalse::None(false), |role| PieceOrFalse::Piece(role.letter()))
    }
}

/// The kind of a message about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageKind {
    /// A result so far.
    Move,
    /// The result of the search.
    BestMove,
}

impl MessageKind {
    const fn name(self) -> &'static str {
        match self {
            MessageKind::Move => "move",
            MessageKind::BestMove => "bestmove",
        }
    }
}

/// What all messages of a search have in common.
#[derive(Clone, Debug)]
pub(super) struct MessageContext {
    pub(super) position: Position,
    /// The position as the client knows it.
    pub(super) fen: String,
    pub(super) task_id: CorrelationId,
}

impl MessageContext {
    /// The message about a line of a report, with this score for the side to move. `None` without a
    /// move.
    pub(super) fn message(
        &self,
        kind: MessageKind,
        score: Score,
        pv: &[Move],
        report: &Report,
    ) -> Option<ChessApiMove> {
        let position = &self.position;
        let (&mv, _) = pv.split_first()?;
        let white_score = if position.turn().is_white() { score } else { score.flip() };
        let (centipawns, mate) = match white_score {
            Score::Cp(value) => (value, None),
            Score::Mate(moves) => (MATE_CENTIPAWNS * moves.signum(), Some(moves)),
        };
        let eval = f64::from(centipawns) / 100.0;
        let uci = to_uci_inline(position, mv, CastlingNotation::Standard);
        let san = SanWriter::new(position).write(mv).text;
        let step = ChessApiStep::new(uci);
        let continuation_arr: Vec<_> = line_texts(position, pv, CastlingNotation::Standard)
            .skip(1)
            .map(|(uci, _)| uci)
            .collect();
        let shown = mate.map_or_else(|| format!("{eval:.2}"), |moves| format!("#{moves}"));
        Some(ChessApiMove {
            text: format!(
                "Move {} → {} ({}): [{shown}]. {} Depth {}.",
                step.from,
                step.to,
                san.as_str(),
                verdict(centipawns),
                report.depth
            ),
            eval,
            uci: MoveText(uci),
            fen: self.fen.clone(),
            depth: report.depth,
            win_chance: mate.map_or_else(
                || win_chance(centipawns),
                |moves| if moves > 0 { 100.0 } else { 0.0 },
            ),
            continuation: continuation_arr.iter().map(|uci| ChessApiStep::new(uci.0)).collect(),
            continuation_arr,
            mate,
            centipawns: centipawns.to_string(),
            san: MoveText(san),
            lan: MoveText(uci),
            turn: position.turn().letter(),
            color: position.turn().letter(),
            piece: position.role_at(mv.from()).map_or('p', Role::letter),
            flags: flags(mv),
            is_capture: mv.is_capture(),
            is_castling: mv.castling_side().is_some(),
            is_promotion: mv.is_promotion(),
            captured: PieceOrFalse::new(position.victim(mv)),
            promotion: PieceOrFalse::new(mv.promotion()),
            step,
            task_id: self.task_id.clone(),
            time: whole_ms(report.elapsed),
            r#type: kind.name(),
        })
    }
}

/// The win chance of White in percent.
fn win_chance(centipawns: i32) -> f64 {
    100.0 / (1.0 + (-STEEPNESS * f64::from(centipawns)).exp())
}

/// A sentence about a score from White's view.
fn verdict(centipawns: i32) -> &'static str {
    if centipawns.abs() < WINNING_CENTIPAWNS {
        "The game is balanced."
    } else if centipawns > 0 {
        "White is winning."
    } else {
        "Black is winning."
    }
}

/// The kind of a move in the letters of chess.js.
fn flags(mv: Move) -> &'static str {
    match (mv.castling_side(), mv.is_promotion(), mv.is_capture()) {
        (Some(CastlingSide::King), ..) => "k",
        (Some(CastlingSide::Queen), ..) => "q",
        (None, true, true) => "cp",
        (None, true, false) => "np",
        (None, false, _) if mv.is_en_passant() => "e",
        (None, false, true) => "c",
        (None, false, false) if mv.is_double_push() => "b",
        (None, false, false) => "n",
    }
}

impl ChessApiStep {
    /// The squares of a move in UCI.
    fn new(uci: InlineStr) -> ChessApiStep {
        let (from, to) = uci.as_str().split_at(2);
        let to = &to[..2];
        ChessApiStep {
            from: from.to_owned(),
            to: to.to_owned(),
            from_numeric: numeric(from),
            to_numeric: numeric(to),
        }
    }
}

/// The file and the rank of a square as digits.
fn numeric(square: &str) -> String {
    let digit = |letter| match letter {
        'a'..='h' => char::from(letter as u8 - b'a' + b'1'),
        other => other,
    };
    square.chars().map(digit).collect()
}

impl ChessApiError {
    fn new(error: &'static str, text: impl Into<String>) -> ChessApiError {
        ChessApiError { r#type: "error", error, text: text.into(), task_id: None }
    }

    /// A FEN that is not a legal position.
    pub(super) fn invalid_fen(text: impl Into<String>) -> ChessApiError {
        ChessApiError::new(INVALID_FEN, text)
    }

    /// Any other bad input.
    pub(super) fn invalid_input(text: impl Into<String>) -> ChessApiError {
        ChessApiError::new(INVALID_INPUT, text)
    }

    /// The answer to a request that has not the form of one.
    ///
    /// # Errors
    /// The problem, if it is another one.
    pub(super) fn from_unreadable(problem: Problem) -> Result<ChessApiError, Problem> {
        match problem.code() {
            ProblemCode::MalformedJson | ProblemCode::InvalidRequest => {
                Ok(ChessApiError::invalid_input(problem.detail()))
            }
            _ => Err(problem),
        }
    }

    /// Adds the id of the request.
    pub(super) fn with_task_id(self, task_id: Option<CorrelationId>) -> ChessApiError {
        ChessApiError { task_id, ..self }
    }
}

const INVALID_FEN: &str = "INVALID_FEN_VALIDATION_ERROR";
const INVALID_INPUT: &str = "INVALID_INPUT";

fn error_type() -> ObjectBuilder {
    string_enum("The type of the message.", ["error"])
}

fn error_codes() -> ObjectBuilder {
    string_enum("The kind of error.", [INVALID_FEN, INVALID_INPUT])
}

fn message_kinds() -> ObjectBuilder {
    string_enum(
        "`bestmove` for the result of a search, `move` for a result so far.",
        [MessageKind::Move, MessageKind::BestMove].map(MessageKind::name),
    )
}

fn search_time() -> ObjectBuilder {
    varying("The time of the search in milliseconds.")
}

fn response_task_id() -> Object {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::String, Type::Number]))
        .description(Some("The id of the request, or one that the server made."))
        .build()
}

fn piece_or_false(description: &str) -> Object {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::String, Type::Boolean]))
        .description(Some(description))
        .build()
}

fn captured_piece() -> Object {
    piece_or_false("The captured piece, `p`, `n`, `b`, `r` or `q`; `false` without one.")
}

fn promotion_piece() -> Object {
    piece_or_false("The piece that a pawn promotes to, `n`, `b`, `r` or `q`; `false` without one.")
}
