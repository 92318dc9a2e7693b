//! `POST` and `GET /v1/position`: a position in many encodings.

mod view_dtos;

use axum::body::Body;
use axum::http::{HeaderMap, Response};
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};
use utoipa::ToSchema;
use utoipa::openapi::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Type};

use crate::chess::Game;
use crate::chess::encodings::{self, BitOrder, PackedPosition};
use crate::http::access::Caller;
use crate::http::dto::{OpeningDto, PositionRequest, PositionState, opening_or_null};
use crate::http::etag::{Revalidation, cache_control, tagged_json};
use crate::http::json::{Json, JsonBytes, Named, Query, Reply, request};
use crate::http::problem::{PositionProblems, PositionQueryProblems, Problem};
use view_dtos::{
    BitboardsView, BoardsView, ChecksView, HuffmanView, KeyPartView, MagicLookupView, PieceView,
    StateView,
};

request! {
    /// The position to convert, and the requested views.
    #[derive(Clone, Debug)]
    pub(crate) struct PositionViewsRequest as "PositionRequest" {
        flatten position: PositionRequest,
        /// The requested views; all by default.
        optional views: Vec<View>,
        /// The square of bit 0 in bitboards of the response: `a1` (h8 is bit 63), or `a8` (h1 is
        /// bit 63). The key and other numbers stay the same.
        defaulted bit_order: BitOrder,
    }
}

/// A position in many encodings.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Position)]
pub(crate) struct PositionAnswer {
    #[serde(flatten)]
    state: PositionState,
    /// The opening: the name of the last position that has one.
    #[schema(required, schema_with = opening_or_null)]
    opening: Option<OpeningDto>,
    /// The FEN with castling rights as the files of the rooks (Shredder-FEN).
    shredder_fen: String,
    /// The packed form in base64url, accepted wherever a FEN is. It does not contain the clocks.
    #[schema(pattern = "^[A-Za-z0-9_-]+$")]
    packed: String,
    /// `true` if a castling right has its king or rook on a non-standard file.
    chess960: bool,
    /// The requested views.
    views: Views,
}

/// Convert a position
///
/// Reads a position, plays moves from it, and returns the result normalised and in the requested
/// views.
#[utoipa::path(
    post,
    path = "/v1/position",
    tag = "positions",
    request_body = PositionViewsRequest,
    responses((status = 200, description = "The position.", body = PositionAnswer),
        PositionProblems)
)]
pub(crate) async fn position(
    Json(request): Json<PositionViewsRequest>,
) -> Result<Reply<PositionAnswer>, Problem> {
    answer(&request).map(Reply)
}

/// Show a position
///
/// Takes the request of `POST /v1/position` as a query and gives the same response, which browsers
/// and proxies may cache.
#[utoipa::path(
    get,
    path = "/v1/position",
    tag = "positions",
    params(PositionViewsRequest),
    responses(
        (status = 200, description = "The position.", body = PositionAnswer),
        PositionQueryProblems,
    )
)]
pub(crate) async fn show_position(
    caller: Caller,
    headers: HeaderMap,
    Query(request): Query<PositionViewsRequest>,
) -> Result<Response<Body>, Problem> {
    let json = JsonBytes::serialize(&answer(&request)?)?;
    let cache_control = cache_control(caller.identity(), Revalidation::Optional);
    Ok(tagged_json(json, &headers, cache_control))
}

fn answer(request: &PositionViewsRequest) -> Result<PositionAnswer, Problem> {
    let resolved = request.position.resolve()?;
    let position = resolved.game.position();
    Ok(PositionAnswer {
        state: PositionState::from(&resolved),
        opening: OpeningDto::of_game(&resolved.game),
        shredder_fen: position.shredder_fen(),
        packed: PackedPosition::from_position(position).to_text(),
        chess960: position.is_chess960(),
        views: Views::of(
            &resolved.game,
            request.views.as_deref().unwrap_or(View::ALL),
            request.bit_order,
        ),
    })
}

/// An encoding of the position that a client can request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    List,
    Bitboards,
    Boards,
    Nibbles,
    Pieces,
    PieceBytes,
    Special,
    State,
    Huffman,
    Checks,
    Magics,
    Zobrist,
}

impl Named for View {
    const ALL: &'static [View] = &[
        View::List,
        View::Bitboards,
        View::Boards,
        View::Nibbles,
        View::Pieces,
        View::PieceBytes,
        View::Special,
        View::State,
        View::Huffman,
        View::Checks,
        View::Magics,
        View::Zobrist,
    ];

    fn name(self) -> &'static str {
        match self {
            View::List => "list",
            View::Bitboards => "bitboards",
            View::Boards => "boards",
            View::Nibbles => "nibbles",
            View::Pieces => "pieces",
            View::PieceBytes => "piece_bytes",
            View::Special => "special",
            View::State => "state",
            View::Huffman => "huffman",
            View::Checks => "checks",
            View::Magics => "magics",
            View::Zobrist => "zobrist",
        }
    }
}

/// The requested views.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub(crate) struct Views {
    /// An array of 69 entries. 0–63: the piece states of a8, b8 … h1 (0 empty, 1–6 White's pawn,
    /// knight, bishop, rook, queen, king, 7–12 Black's). 64 and 65: the index of the white and of
    /// the black king. 66: the castling rights (bit 0 White short, 1 White long, 2 Black short, 3
    /// Black long). 67: the en passant file, 0–7 or −1. 68: `true` if White is to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = list_schema, required = false)]
    list: Option<ListView>,
    /// One bitboard per side and kind of piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    bitboards: Option<BitboardsView>,
    /// The seven-board form.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    boards: Option<BoardsView>,
    /// Two squares per byte, 32 bytes as 64 hex digits. Byte i holds square 2i in its low four bits
    /// and square 2i + 1 in its high four. Bit 0 of a square is the colour (1 white), bits 1–3 are
    /// the kind (0 empty, 1 pawn … 6 king).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^[0-9a-f]{64}$")]
    nibbles: Option<String>,
    /// The pieces in ascending order of squares.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_items = 2, max_items = 32)]
    pieces: Option<Vec<PieceView>>,
    /// One byte per square a1 … h8: bit 0 colour (1 white), bit 1 has moved, bit 2 pawn, 3 knight,
    /// 4 bishop, 5 rook, 6 queen, 7 king. An empty square is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_items = 64, max_items = 64)]
    piece_bytes: Option<Vec<u8>>,
    /// Castling and en passant in one byte: bits 0–3 the castling rights, bit 4 set if en passant
    /// is possible, bits 5–7 its file (0 if not possible).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    special: Option<u8>,
    /// The state of the game without the pieces.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    state: Option<StateView>,
    /// The Huffman code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    huffman: Option<HuffmanView>,
    /// Checks and pins.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    checks: Option<ChecksView>,
    /// The lookups of slider attacks in magic bitboards, by rising square. A queen has two: as a
    /// bishop, then as a rook. With a1 as bit 0, `index` is ((occupied AND `relevant`) · `magic`
    /// modulo 2⁶⁴) >> `shift`. The server's move generator works with these numbers. The factors
    /// may change between versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_items = 44)]
    magics: Option<Vec<MagicLookupView>>,
    /// The parts of the position that have a value in its key, by rising number. The exclusive or
    /// of their values is `key`. The values are the first 793 outputs of SplitMix64 from the state
    /// 0x6b696269747a6572. For each output, modulo 2⁶⁴: state += 0x9e3779b97f4a7c15; z = state;
    /// z = (z XOR z >> 30) · 0xbf58476d1ce4e5b9; z = (z XOR z >> 27) · 0x94d049bb133111eb; the
    /// output is z XOR z >> 31.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_items = 2, max_items = 38)]
    zobrist: Option<Vec<KeyPartView>>,
}

impl Views {
    /// Builds the requested views of a game's current position.
    pub(crate) fn of(game: &Game, requested: &[View], order: BitOrder) -> Views {
        let position = game.position();
        let mut views = Views::default();
        for view in requested {
            match view {
                View::List => {
                    views.list = Some(ListView(encodings::Mailbox69::from_position(position)))
                }
                View::Bitboards => {
                    views.bitboards = Some(
                        encodings::Bitboards::from_position(position).with_bit_order(order).into(),
                    )
                }
                View::Boards => {
                    views.boards = Some(
                        encodings::SevenBoards::from_position(position)
                            .with_bit_order(order)
                            .into(),
                    )
                }
                View::Nibbles => {
                    views.nibbles = Some(hex_digits(&encodings::Nibbles::from_position(position).0))
                }
                View::Pieces => {
                    views.pieces = Some(
                        encodings::piece_list(position).into_iter().map(PieceView::from).collect(),
                    )
                }
                View::PieceBytes => views.piece_bytes = Some(encodings::piece_bytes(game).to_vec()),
                View::Special => views.special = Some(encodings::castling_ep_byte(position)),
                View::State => {
                    views.state = Some(encodings::GameState::from_position(position).into())
                }
                View::Huffman => {
                    views.huffman = Some(encodings::Huffman::from_position(position).into())
                }
                View::Checks => {
                    views.checks = Some(
                        encodings::Checks::from_position(position).with_bit_order(order).into(),
                    )
                }
                View::Magics => {
                    let lookups = encodings::magic_lookups(position).into_iter();
                    views.magics =
                        Some(lookups.map(|lookup| lookup.with_bit_order(order).into()).collect())
                }
                View::Zobrist => {
                    views.zobrist = Some(
                        encodings::key_parts(position).into_iter().map(KeyPartView::from).collect(),
                    )
                }
            }
        }
        views
    }
}

fn hex_digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[derive(Clone, Debug)]
pub(crate) struct ListView(encodings::Mailbox69);

impl Serialize for ListView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ListView(list) = self;
        let mut entries = serializer.serialize_seq(Some(69))?;
        for entry in list.squares.iter().chain(&list.kings).chain([&list.castling]) {
            entries.serialize_element(entry)?;
        }
        entries.serialize_element(&list.en_passant)?;
        entries.serialize_element(&list.white_to_move)?;
        entries.end()
    }
}

fn list_schema() -> ArrayBuilder {
    let number =
        ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(-1)).maximum(Some(63));
    let entry =
        OneOfBuilder::new().item(number).item(ObjectBuilder::new().schema_type(Type::Boolean));
    ArrayBuilder::new().items(entry).min_items(Some(69)).max_items(Some(69)).description(Some(
        "An array of 69 entries. 0–63: the piece states of a8, b8 … h1 (0 empty, 1–6 White's pawn, \
            knight, bishop, rook, queen, king, 7–12 Black's). 64 and 65: the index of the white \
            and of the black king. 66: the castling rights (bit 0 White short, 1 White long, 2 \
            Black short, 3 Black long). 67: the en passant file, 0–7 or −1. 68: `true` if White is \
            to move.",
    ))
}
