//! The parts of the views, as JSON.

use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use crate::chess::encodings::{self, Checks};
use crate::chess::{Bitboard, Color};
use crate::http::dto::{CastleFlagsView, Hex};
use crate::http::schema::{owner, role, side_to_move, string_enum};

const fn hex(bitboard: Bitboard) -> Hex {
    Hex(bitboard.0)
}

/// A bitboard for each side and kind of piece: 16 hex digits, bit n is square n.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Bitboards)]
pub(crate) struct BitboardsView {
    /// White's pawns.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    white_pawns: Hex,
    /// White's knights.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    white_knights: Hex,
    /// White's bishops.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    white_bishops: Hex,
    /// White's rooks.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    white_rooks: Hex,
    /// White's queens.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    white_queens: Hex,
    /// White's king.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    white_kings: Hex,
    /// Black's pawns.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    black_pawns: Hex,
    /// Black's knights.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    black_knights: Hex,
    /// Black's bishops.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    black_bishops: Hex,
    /// Black's rooks.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    black_rooks: Hex,
    /// Black's queens.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    black_queens: Hex,
    /// Black's king.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    black_kings: Hex,
    /// All of White's pieces.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    all_white: Hex,
    /// All of Black's pieces.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    all_black: Hex,
    /// All pieces.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    all_pieces: Hex,
    /// The side to move.
    #[schema(schema_with = side_to_move)]
    side: &'static str,
    /// The other side.
    #[schema(schema_with = opponent)]
    opponent_side: &'static str,
    /// The square that a capturing pawn moves to; empty when there is none.
    #[schema(value_type = String)]
    en_passant_position: Hex,
    #[serde(flatten)]
    castle: CastleFlagsView,
}

impl From<encodings::Bitboards> for BitboardsView {
    fn from(bitboards: encodings::Bitboards) -> BitboardsView {
        let encodings::Bitboards { white, black, all_pieces, side, en_passant_position, castle } =
            bitboards;
        BitboardsView {
            white_pawns: hex(white.pawns),
            white_knights: hex(white.knights),
            white_bishops: hex(white.bishops),
            white_rooks: hex(white.rooks),
            white_queens: hex(white.queens),
            white_kings: hex(white.kings),
            black_pawns: hex(black.pawns),
            black_knights: hex(black.knights),
            black_bishops: hex(black.bishops),
            black_rooks: hex(black.rooks),
            black_queens: hex(black.queens),
            black_kings: hex(black.kings),
            all_white: hex(white.all),
            all_black: hex(black.all),
            all_pieces: hex(all_pieces),
            side: side.name(),
            opponent_side: (!side).name(),
            en_passant_position: hex(en_passant_position),
            castle: castle.into(),
        }
    }
}

/// The seven-board form: a bitboard for each kind of piece of both colours, and White's pieces.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Boards)]
pub(crate) struct BoardsView {
    /// The pawns of both colours.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    pawn: Hex,
    /// The knights of both colours.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    knight: Hex,
    /// The bishops of both colours.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    bishop: Hex,
    /// The rooks of both colours.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    rook: Hex,
    /// The queens of both colours.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    queen: Hex,
    /// The kings of both colours.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    king: Hex,
    /// White's pieces.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    white: Hex,
}

impl From<encodings::SevenBoards> for BoardsView {
    fn from(view: encodings::SevenBoards) -> BoardsView {
        BoardsView {
            pawn: hex(view.pawn),
            knight: hex(view.knight),
            bishop: hex(view.bishop),
            rook: hex(view.rook),
            queen: hex(view.queen),
            king: hex(view.king),
            white: hex(view.white),
        }
    }
}

/// A piece and its square.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = PlacedPiece)]
pub(crate) struct PieceView {
    /// Whose it is.
    #[schema(schema_with = owner)]
    color: &'static str,
    /// Its kind.
    #[schema(schema_with = role)]
    r#type: &'static str,
    /// Its square: a1 is 0, b1 1 … h8 63.
    #[schema(minimum = 0, maximum = 63)]
    position: usize,
}

impl From<encodings::PlacedPiece> for PieceView {
    fn from(piece: encodings::PlacedPiece) -> PieceView {
        PieceView {
            color: piece.color.name(),
            r#type: piece.role.name(),
            position: piece.square.index(),
        }
    }
}

/// What the position is beside its pieces.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = GameState)]
pub(crate) struct StateView {
    /// The side to move.
    #[schema(schema_with = side_to_move)]
    turn: &'static str,
    /// An en passant capture is legal.
    en_passant: bool,
    /// Its file 0–7, or null.
    #[schema(required, maximum = 7)]
    en_passant_file: Option<u8>,
    /// The rights as 0bKQkq: K is 8, Q 4, k 2, q 1. No other form has this order.
    #[schema(maximum = 15)]
    castling: u8,
    /// Plies since the last capture or pawn move.
    halfmove_clock: u16,
    /// The number of the move.
    #[schema(minimum = 1)]
    fullmove_number: u16,
    /// All but the clocks in nine bits: bit 0 turn (1 white), bit 1 en passant, bits 2–4 its file
    /// (0 when none), bits 5–8 `castling`.
    #[schema(maximum = 511)]
    bits: u16,
}

impl From<encodings::GameState> for StateView {
    fn from(state: encodings::GameState) -> StateView {
        StateView {
            turn: state.turn.name(),
            en_passant: state.en_passant.is_some(),
            en_passant_file: state.en_passant.map(|file| file as u8),
            castling: state.castling,
            halfmove_clock: state.halfmove_clock,
            fullmove_number: state.fullmove_number,
            bits: state.bits(),
        }
    }
}

/// The Huffman code.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Huffman)]
pub(crate) struct HuffmanView {
    /// The code of the 64 squares a8 … h1.
    #[schema(pattern = "^[01]+$")]
    board: String,
    /// Its length in bits.
    board_bits: usize,
    /// The length of the packed form in bits, without the padding of its last byte.
    bits: usize,
    /// The packed form.
    packed: String,
}

impl From<encodings::Huffman> for HuffmanView {
    fn from(huffman: encodings::Huffman) -> HuffmanView {
        HuffmanView {
            board_bits: huffman.board_bit_len(),
            bits: huffman.packed_bit_len,
            packed: huffman.packed.to_text(),
            board: huffman.board,
        }
    }
}

/// Checks and pins, as bitboards.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Checks)]
pub(crate) struct ChecksView {
    /// The pieces that give check.
    #[schema(value_type = String)]
    checkers: Hex,
    /// The squares that a piece other than the king may move to as far as checks go.
    #[schema(value_type = String)]
    check_mask: Hex,
    /// The pins of both sides.
    pins: PinsView,
}

/// For each side nine bitboards: the rays from its king to the north, north-east, east … north-west
/// up to the pinning piece, where a piece is pinned, and their union.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Pins)]
pub(crate) struct PinsView {
    /// White's pinned pieces.
    #[schema(value_type = Vec<String>, min_items = 9, max_items = 9)]
    white: [Hex; 9],
    /// Black's pinned pieces.
    #[schema(value_type = Vec<String>, min_items = 9, max_items = 9)]
    black: [Hex; 9],
}

impl From<Checks> for ChecksView {
    fn from(checks: Checks) -> ChecksView {
        let pins = |color| {
            let pins = checks.pins_of(color);
            std::array::from_fn(|index| {
                hex(pins.rays.get(index).copied().unwrap_or_else(|| pins.union()))
            })
        };
        ChecksView {
            checkers: hex(checks.checkers),
            check_mask: hex(checks.check_mask),
            pins: PinsView { white: pins(Color::White), black: pins(Color::Black) },
        }
    }
}

fn opponent() -> ObjectBuilder {
    string_enum("The other side.", Color::ALL.map(Color::name))
}
