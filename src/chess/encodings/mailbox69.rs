//! The mailbox encoding with 69 entries: the view `list`.

use crate::chess::{Color, Piece, Position, Square};

/// A position as 64 squares from a8 to h1 and five more entries. [`super::ReversibleMove`] changes
/// it.
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
