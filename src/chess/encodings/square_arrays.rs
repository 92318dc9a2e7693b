//! Encodings square by square: the views `pieces`, `nibbles`, `piece_bytes` and `list`.

use std::fmt;

use crate::chess::{Color, Game, Piece, Position, Role, Square};

/// A piece on a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedPiece {
    /// The colour of the piece.
    pub color: Color,
    /// The role of the piece.
    pub role: Role,
    /// The square of the piece.
    pub square: Square,
}

/// All pieces in the order of their squares: a1, b1 … h8.
pub fn piece_list(position: &Position) -> Vec<PlacedPiece> {
    let placed = |square| {
        let piece = position.piece_at(square)?;
        Some(PlacedPiece { color: piece.color(), role: piece.role(), square })
    };
    position.occupied().filter_map(placed).collect()
}

/// The board in 32 bytes. Byte i has square 2i in its low four bits and square 2i + 1 in its high
/// four bits. Bit 0 of a nibble is the colour (1 for White), bits 1–3 are the role (0 empty, 1 pawn
/// … 6 king).
///
/// The text form is 64 hexadecimal digits, byte 0 first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nibbles(pub [u8; 32]);

impl Nibbles {
    /// The nibbles of a position.
    pub fn from_position(position: &Position) -> Nibbles {
        let mut bytes = [0; 32];
        for square in position.occupied() {
            bytes[square.index() / 2] |= nibble(position, square) << (4 * (square.index() % 2));
        }
        Nibbles(bytes)
    }
}

fn nibble(position: &Position, square: Square) -> u8 {
    position.piece_at(square).map_or(0, |piece: Piece| {
        (piece.role() as u8 + 1) << 1 | u8::from(piece.color().is_white())
    })
}

impl fmt::Display for Nibbles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

const WHITE: u8 = 1 << 0;
const HAS_MOVED: u8 = 1 << 1;
const PAWN: u8 = 1 << 2;

/// The bytes of a1 … h8: bit 0 is the colour (1 for White), bit 1 is set if the piece has moved,
/// and bit 2 is set for a pawn, 3 knight, 4 bishop, 5 rook, 6 queen, 7 king. An empty square is 0.
pub fn piece_bytes(game: &Game) -> [u8; 64] {
    let mut bytes = [0; 64];
    for square in game.position().occupied() {
        let piece_bits = |piece: Piece| {
            PAWN << piece.role() as u8 | if piece.color().is_white() { WHITE } else { 0 }
        };
        let moved = if game.moved_pieces().contains(square) { HAS_MOVED } else { 0 };
        bytes[square.index()] = game.position().piece_at(square).map_or(0, piece_bits) | moved;
    }
    bytes
}

/// The mailbox encoding: a position as 64 squares from a8 to h1 and five more entries.
/// [`super::UndoableMove`] changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mailbox69 {
    /// Entries 0–63: the piece codes of a8 … h1.
    pub squares: [u8; 64],
    /// Entries 64 and 65: the indices of the white and the black king.
    pub kings: [u8; 2],
    /// Entry 66: the castling mask.
    pub castling: u8,
    /// Entry 67: the file of a legal en passant capture; −1 without one.
    pub en_passant: i8,
    /// Entry 68: `true` when White is to move.
    pub white_to_move: bool,
}

/// The index of a square in the mailbox: a8 is 0.
pub(super) fn mailbox_index(square: Square) -> u8 {
    square.flip_vertical().index() as u8
}

/// The file of a legal en passant capture; −1 without one (entry 67).
pub(super) fn en_passant_entry(position: &Position) -> i8 {
    position.en_passant().map_or(-1, |target| target.file() as i8)
}

impl Mailbox69 {
    /// The mailbox of a position.
    pub fn from_position(position: &Position) -> Mailbox69 {
        let mut squares = [0; 64];
        for (code, square) in squares.iter_mut().zip(Square::all()) {
            *code = position.piece_at(square.flip_vertical()).map_or(0, Piece::code);
        }
        Mailbox69 {
            squares,
            kings: Color::ALL.map(|color| mailbox_index(position.king(color))),
            castling: position.castling_rights().mask(),
            en_passant: en_passant_entry(position),
            white_to_move: position.turn().is_white(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::parse_move;

    #[test]
    fn the_first_byte_is_a1_low_and_b1_high() {
        // A white rook is 4·2 + 1 = 9, a white knight 2·2 + 1 = 5.
        let nibbles = Nibbles::from_position(&Position::startpos());
        assert_eq!(nibbles.0[0], 0x59);
        assert!(nibbles.to_string().starts_with("59b77d9533333333"));
    }

    fn byte_after(fen: &str, moves: &str, square: &str) -> u8 {
        let mut game = Game::new(Position::from_fen(fen).unwrap());
        for text in moves.split_whitespace() {
            let mv = parse_move(game.position(), text).unwrap();
            game.play(mv);
        }
        piece_bytes(&game)[square.parse::<Square>().unwrap().index()]
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn a_white_knight_that_has_moved_is_11() {
        assert_eq!(byte_after(START, "", "g1"), 9);
        assert_eq!(byte_after(START, "Nf3", "f3"), 11);
        assert_eq!(byte_after(START, "Nf3", "g1"), 0);
    }

    #[test]
    fn a_piece_that_returns_still_counts_as_moved() {
        assert_eq!(byte_after(START, "Nf3 Nf6 Ng1 Ng8", "g1"), 11);
        assert_eq!(byte_after(START, "Nf3 Nf6 Ng1 Ng8", "b1"), 9);
    }

    #[test]
    fn both_pieces_of_a_castling_move_have_moved() {
        let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        assert_eq!(byte_after(fen, "O-O", "g1"), 128 | 3);
        assert_eq!(byte_after(fen, "O-O", "f1"), 32 | 3);
        assert_eq!(
            byte_after(fen, "O-O", "a1"),
            32 | 1,
            "the other rook has not moved, but it has lost its right"
        );
    }

    #[test]
    fn a_king_without_a_right_and_a_pawn_off_its_rank_have_moved() {
        let fen = "4k3/8/8/8/4P3/8/3P4/R3K2R w K - 0 1";
        assert_eq!(byte_after(fen, "", "e4"), 7);
        assert_eq!(byte_after(fen, "", "d2"), 5);
        assert_eq!(byte_after(fen, "", "e8"), 130);
        assert_eq!(byte_after(fen, "", "a1"), 35);
        assert_eq!(byte_after(fen, "", "h1"), 33);
    }

    #[test]
    fn a_capturing_piece_has_moved_and_a_pawn_captured_en_passant_is_removed() {
        let fen = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
        assert_eq!(byte_after(fen, "exd6", "d6"), 7);
        assert_eq!(byte_after(fen, "exd6", "d5"), 0);
    }
}
