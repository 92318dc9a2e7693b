//! `POST /v1/play`

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use crate::chess::encodings::{BitOrder, CapturedPiece, MoveRecord, ReversibleMove};
use crate::chess::{CastlingNotation, Color, Game, Move, Position, SanWriter, to_uci_inline};
use crate::http::App;
use crate::http::dto::{
    CastleFlagsView, Hex, MoveText, PositionRequest, PositionState, bit_order_schema,
};
use crate::http::json::{FromMembers, Json, Members, Reply};
use crate::http::problem::{MemberErrorCode, PositionProblems, Problem};
use crate::http::schema::{nullable_string_enum, reversible_move};

/// Which moves are played.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = PlayRequest)]
pub(crate) struct PlayRequest {
    position: PositionRequest,
    /// So many of the last moves are taken back again.
    #[schema(required = false, default = 0)]
    undo: usize,
    /// Which square is bit 0 of the answer's bitboards.
    #[schema(required = false, schema_with = bit_order_schema)]
    bit_order: BitOrder,
}

/// A game that was played.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct PlayedGame {
    #[serde(flatten)]
    state: PositionState,
    /// The moves that are still played, in order.
    plies: Vec<Ply>,
}

/// A move that was played.
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
    /// The position after it.
    fen: String,
    /// The key of the position after it.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    key: Hex,
    /// The move as a reversible change of the list.
    #[schema(schema_with = reversible_move)]
    instruction: Vec<Option<i16>>,
    /// The move as bitboards.
    record: RecordDto,
}

/// A move as bitboards and names.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Record)]
pub(crate) struct RecordDto {
    /// Where the piece comes from; of castling, where the king does.
    #[schema(value_type = String)]
    start: Hex,
    /// Where it arrives.
    #[schema(value_type = String)]
    end: Hex,
    /// Whose piece is captured; null without a capture.
    #[schema(required, schema_with = nullable_colors)]
    captured_side: Option<&'static str>,
    /// Its kind; null without a capture.
    #[schema(required, schema_with = captured_pieces)]
    captured_piece: Option<&'static str>,
    /// All pieces of that side and kind before the capture; null without a capture.
    #[schema(required, value_type = Option<String>)]
    captured_bitboard: Option<Hex>,
    /// Who castles, and to which side; null when nobody does.
    #[schema(required, schema_with = castle_types)]
    castle_type: Option<&'static str>,
    /// The static evaluation after the move, in centipawns of which 100 win half of the games, from
    /// White's side.
    score: i32,
    /// The castling rights before the move.
    #[serde(flatten)]
    castle: CastleFlagsView,
}

impl FromMembers for PlayRequest {
    fn read(members: &mut Members<'_>) -> Option<PlayRequest> {
        members.require("moves");
        let position = PositionRequest::read(members);
        let undo = members.optional_number("undo", 0..=u64::MAX).unwrap_or(0);
        let bit_order = members.optional("bit_order").unwrap_or_default();
        let position = position?;
        let undo = usize::try_from(undo).unwrap_or(usize::MAX);
        if undo > position.move_count() {
            let detail =
                format!("undo is {undo}, but the number of moves is {}", position.move_count());
            members.add_error(MemberErrorCode::OutOfRange, "undo", detail);
        }
        Some(PlayRequest { position, undo, bit_order })
    }
}

/// Play moves
///
/// Plays moves, takes the last ones back if asked, and tells of each move that remains what it
/// changed.
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
    let mut resolved = request.position.resolve()?;
    for _ in 0..request.undo {
        resolved.game.undo();
    }
    let engine = app.engine().await;
    let white_score = |position: &Position| {
        let score = engine.evaluate(position);
        if position.turn().is_white() { score } else { -score }
    };
    let plies = plies(&resolved.game, |before, mv, after| Ply {
        uci: MoveText(to_uci_inline(before, mv, CastlingNotation::Standard)),
        san: MoveText(SanWriter::new(before).write(mv).text),
        code: mv.code(),
        fen: after.fen(),
        key: Hex(after.key()),
        instruction: ReversibleMove::from_positions(before, mv, after).entries(),
        record: RecordDto::new(
            MoveRecord::new(before, mv).with_bit_order(request.bit_order),
            white_score(after),
        ),
    });
    Ok(Reply(PlayedGame { state: PositionState::from(&resolved), plies }))
}

/// One ply for each move of the game, from the positions around it.
fn plies(game: &Game, make_ply: impl Fn(&Position, Move, &Position) -> Ply) -> Vec<Ply> {
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

fn nullable_colors() -> ObjectBuilder {
    nullable_string_enum(
        "Whose piece is captured; null without a capture.",
        Color::ALL.map(Color::name),
    )
}

fn captured_pieces() -> ObjectBuilder {
    nullable_string_enum(
        "The kind of the captured piece; null without a capture.",
        ["pawns", "knights", "bishops", "rooks", "queens"],
    )
}

fn castle_types() -> ObjectBuilder {
    nullable_string_enum(
        "Who castles, and to which side; null when nobody does.",
        ["white_kingside", "white_queenside", "black_kingside", "black_queenside"],
    )
}
