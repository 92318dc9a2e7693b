//! `POST /v1/play`: plays moves and records the changes that each move makes.

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::Object;
use utoipa::openapi::schema::Schema;

use crate::chess::encodings::{BitOrder, CapturedPiece, MoveRecord, UndoableMove};
use crate::chess::{CastlingNotation, Game, Move, Position, SanWriter, to_uci_inline};
use crate::http::App;
use crate::http::dto::{CastleFlagsView, Hex, MoveText, PositionRequest, PositionState};
use crate::http::json::{DescribeMembers, FromMembers, Json, Members, Reply, request};
use crate::http::problem::{MemberErrorCode, PositionProblems, Problem};
use crate::http::schema::{ColorName, named_enum, ref_or_null, undoable_move};

request! {
    /// The moves to play, and the number of moves to take back.
    #[derive(Clone, Debug)]
    #[validate(check_undo(position, undo))]
    pub(crate) struct PlayRequest as "PlayRequest" {
        flatten position: PositionWithMoves,
        /// The number of moves to take back from the end.
        defaulted undo: usize,
        /// The square of bit 0 in bitboards of the response: `a1` (h8 is bit 63), or `a8` (h1 is
        /// bit 63).
        defaulted bit_order: BitOrder,
    }
}

fn check_undo(
    members: &mut Members<'_>,
    position: Option<&PositionWithMoves>,
    undo: Option<&usize>,
) {
    let (Some(position), Some(&undo)) = (position, undo) else { return };
    let move_count = position.0.move_count();
    if undo > move_count {
        let detail = format!("undo is {undo}; it must be 0 to {move_count}, the number of moves");
        members.add_error(MemberErrorCode::OutOfRange, "undo", detail);
    }
}

/// A position in a request that must have the member `moves`.
#[derive(Clone, Debug)]
struct PositionWithMoves(PositionRequest);

impl FromMembers for PositionWithMoves {
    fn read(members: &mut Members<'_>) -> Option<PositionWithMoves> {
        members.require("moves");
        PositionRequest::read(members).map(PositionWithMoves)
    }
}

impl DescribeMembers for PositionWithMoves {
    fn describe(request: &mut Object) {
        PositionRequest::describe(request);
        request.required.push("moves".to_owned());
    }
}

/// The state after the moves, and the played moves.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct PlayedGame {
    #[serde(flatten)]
    state: PositionState,
    /// The moves that are not taken back, in order.
    plies: Vec<Ply>,
}

/// A played move.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Ply {
    /// The move in UCI.
    #[schema(value_type = String)]
    uci: MoveText,
    /// The move in SAN.
    #[schema(value_type = String)]
    san: MoveText,
    /// The move as a 16-bit code.
    #[schema(minimum = 1)]
    code: u16,
    /// The FEN after the move.
    fen: String,
    /// The Zobrist key of the position after the move.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    key: Hex,
    /// The move as a reversible change of the view `list`.
    #[schema(schema_with = undoable_move)]
    instruction: Vec<Option<i16>>,
    /// The move as bitboards.
    record: RecordDto,
}

/// A move as bitboards and names.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Record)]
pub(crate) struct RecordDto {
    /// The square that the piece leaves; for castling, the king's square.
    #[schema(value_type = String)]
    start: Hex,
    /// The square that the piece reaches.
    #[schema(value_type = String)]
    end: Hex,
    /// The owner of the captured piece; null without a capture.
    #[schema(required, schema_with = color_or_null)]
    captured_side: Option<&'static str>,
    /// The kind of the captured piece; null without a capture.
    #[schema(required, schema_with = captured_piece_or_null)]
    captured_piece: Option<&'static str>,
    /// All pieces of that owner and kind before the capture; null without a capture.
    #[schema(required, value_type = Option<String>)]
    captured_bitboard: Option<Hex>,
    /// The side that castles and the direction; null without castling.
    #[schema(required, schema_with = castle_type_or_null)]
    castle_type: Option<&'static str>,
    /// The static evaluation after the move from White's point of view, in normalised centipawns
    /// (+100 = 50 % win probability).
    score: i32,
    /// The castling rights before the move.
    #[serde(flatten)]
    castle: CastleFlagsView,
}

/// Play moves
///
/// Plays moves, takes back the last `undo` of them, and returns what each remaining move changes.
#[utoipa::path(
    post,
    path = "/v1/play",
    tag = "positions",
    request_body = PlayRequest,
    responses((status = 200, description = "The game.", body = PlayedGame), PositionProblems)
)]
pub(crate) async fn play(
    State(app): State<App>,
    Json(request): Json<PlayRequest>,
) -> Result<Reply<PlayedGame>, Problem> {
    let mut resolved = request.position.0.resolve()?;
    for _ in 0..request.undo {
        resolved.game.undo();
    }
    let engine = app.engine().await;
    let mut evaluator = engine.static_evaluator();
    let plies = plies(&resolved.game, |before, mv, after| Ply {
        uci: MoveText(to_uci_inline(before, mv, CastlingNotation::Standard)),
        san: MoveText(SanWriter::new(before).write(mv).text),
        code: mv.code(),
        fen: after.fen(),
        key: Hex(after.key()),
        instruction: UndoableMove::from_positions(before, mv, after).entries(),
        record: RecordDto::new(
            MoveRecord::new(before, mv).with_bit_order(request.bit_order),
            evaluator.white_value(after),
        ),
    });
    Ok(Reply(PlayedGame { state: PositionState::from(&resolved), plies }))
}

/// Makes a ply of each move of the game, from the positions before and after it.
fn plies(game: &Game, mut make_ply: impl FnMut(&Position, Move, &Position) -> Ply) -> Vec<Ply> {
    let moves = game.moves().iter().enumerate();
    moves
        .filter_map(|(index, &mv)| {
            Some(make_ply(game.position_before(index)?, mv, game.position_before(index + 1)?))
        })
        .collect()
}

impl RecordDto {
    fn new(record: MoveRecord, score: i32) -> RecordDto {
        RecordDto {
            start: Hex(record.start.0),
            end: Hex(record.end.0),
            captured_side: record.captured.map(|captured| captured.side.name()),
            captured_piece: record.captured.as_ref().map(CapturedPiece::piece),
            captured_bitboard: record.captured.map(|captured| Hex(captured.bitboard.0)),
            castle_type: record.castle_type(),
            score,
            castle: record.castle_before.into(),
        }
    }
}

named_enum! {
    /// The kind of a captured piece.
    pub(crate) struct PieceKind as "PieceKind" =
        ["pawns", "knights", "bishops", "rooks", "queens"]
}

named_enum! {
    /// The side that castles and the direction.
    pub(crate) struct CastleType as "CastleType" =
        ["white_kingside", "white_queenside", "black_kingside", "black_queenside"]
}

fn color_or_null() -> Schema {
    ref_or_null::<ColorName>("The owner of the captured piece; null without a capture.")
}

fn captured_piece_or_null() -> Schema {
    ref_or_null::<PieceKind>("The kind of the captured piece; null without a capture.")
}

fn castle_type_or_null() -> Schema {
    ref_or_null::<CastleType>("The side that castles and the direction; null without castling.")
}
