//! The JSON forms of the views of a position.

use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use crate::chess::encodings::{self, Checks};
use crate::chess::zobrist::KeyPart;
use crate::chess::{Bitboard, Color, Role};
use crate::http::dto::{CastleFlagsView, Hex, SquareName};
use crate::http::schema::{owner, role, side_to_move, string_enum};

const fn hex(bitboard: Bitboard) -> Hex {
    Hex(bitboard.0)
}

/// One bitboard per side and kind of piece: 16 hex digits, bit n is square n.
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
    /// The destination square of an en passant capture; empty if there is none.
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

/// The seven-board form: one bitboard per kind of piece, with both colours, and one of White's
/// pieces.
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
    /// The owner of the piece.
    #[schema(schema_with = owner)]
    color: &'static str,
    /// The kind of piece.
    #[schema(schema_with = role)]
    r#type: &'static str,
    /// The square: a1 is 0, b1 is 1 … h8 is 63.
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

/// The state of the game without the pieces.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = GameState)]
pub(crate) struct StateView {
    /// The side to move.
    #[schema(schema_with = side_to_move)]
    turn: &'static str,
    /// `true` if an en passant capture is legal.
    en_passant: bool,
    /// The file of the en passant capture, 0–7, or null.
    #[schema(required, maximum = 7)]
    en_passant_file: Option<u8>,
    /// The castling rights as 0bKQkq: K is 8, Q is 4, k is 2, q is 1. No other view uses this bit
    /// order.
    #[schema(maximum = 15)]
    castling: u8,
    /// The number of plies since the last capture or pawn move.
    halfmove_clock: u16,
    /// The number of the move, from 1.
    #[schema(minimum = 1)]
    fullmove_number: u16,
    /// The state without the clocks, in nine bits: bit 0 `turn` (1 white), bit 1 `en_passant`, bits
    /// 2–4 its file (0 if none), bits 5–8 `castling`.
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

/// The position in Huffman code.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Huffman)]
pub(crate) struct HuffmanView {
    /// The code of the 64 squares a8 … h1.
    #[schema(pattern = "^[01]+$")]
    board: String,
    /// The length of `board` in bits.
    board_bits: usize,
    /// The length of `packed` in bits, without the padding of its last byte.
    bits: usize,
    /// The packed form in base64url.
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
    /// The squares where a piece other than the king answers the check: all squares without a
    /// check, none in double check. The destination of an en passant capture of a checking pawn is
    /// not included.
    #[schema(value_type = String)]
    check_mask: Hex,
    /// The pins of both sides.
    pins: PinsView,
}

/// Nine bitboards per side. The first eight are the rays from its king to the north, north-east,
/// east … north-west, each up to and including the pinning piece, and empty without a pin. The
/// ninth is their union.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Pins)]
pub(crate) struct PinsView {
    /// The rays of pins against White's king.
    #[schema(value_type = Vec<String>, min_items = 9, max_items = 9)]
    white: [Hex; 9],
    /// The rays of pins against Black's king.
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

/// A lookup of the squares that a slider attacks in magic bitboards.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = MagicLookup)]
pub(crate) struct MagicLookupView {
    /// The square of the slider.
    #[schema(value_type = String, pattern = "^[a-h][1-8]$")]
    square: SquareName,
    /// The lines: `bishop` for the diagonals, `rook` for the rank and the file.
    #[schema(schema_with = lines_of_slider)]
    role: &'static str,
    /// The squares whose occupancy matters: those of the lines, without the last square of each
    /// direction and without `square`.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    relevant: Hex,
    /// The factor, 16 hex digits.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    magic: Hex,
    /// 64 less the number of `relevant` squares.
    #[schema(minimum = 52, maximum = 59)]
    shift: u32,
    /// The index in the part of the attack table that belongs to `square` and `role`.
    #[schema(maximum = 4095)]
    index: usize,
    /// The attacked squares: in each direction up to and including the first occupied one, whatever
    /// its colour.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    attacks: Hex,
}

impl From<encodings::MagicLookup> for MagicLookupView {
    fn from(lookup: encodings::MagicLookup) -> MagicLookupView {
        MagicLookupView {
            square: SquareName(lookup.square),
            role: lookup.role.name(),
            relevant: hex(lookup.relevant),
            magic: Hex(lookup.magic),
            shift: lookup.shift,
            index: lookup.index,
            attacks: hex(lookup.attacks),
        }
    }
}

/// A part of a position that has a value in its Zobrist key.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = KeyPart)]
pub(crate) struct KeyPartView {
    /// The number of the value among the outputs of SplitMix64, from 0: 64 · (piece state − 1) +
    /// square for a piece; 768 + file of the rook for a castling right of White, 776 + file for
    /// one of Black; 784 + file for a legal en passant capture; 792 if Black is to move. Squares
    /// count from a1 = 0, b1 = 1 to h8 = 63, files from a = 0. Piece states are those of `list`.
    #[schema(maximum = 792)]
    number: usize,
    /// The value, 16 hex digits.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    value: Hex,
    /// The part in words: `white knight on g1`, `white castling with the rook on the h-file`,
    /// `en passant on the e-file`, `black to move`.
    meaning: String,
}

impl From<KeyPart> for KeyPartView {
    fn from(part: KeyPart) -> KeyPartView {
        KeyPartView { number: part.number(), value: Hex(part.value()), meaning: part.to_string() }
    }
}

fn lines_of_slider() -> ObjectBuilder {
    let description = "The lines: `bishop` for the diagonals, `rook` for the rank and the file.";
    string_enum(description, [Role::Bishop, Role::Rook].map(Role::name))
}

fn opponent() -> ObjectBuilder {
    string_enum("The other side.", Color::ALL.map(Color::name))
}
