//! View `list`: 69 entries, and the ground that instructions work on.

use super::{ReversibleMove, SecondPiece};
use crate::chess::{Color, Piece, Position, Square};

/// A position as 64 squares from a8 to h1 and five more entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mailbox69 {
    /// Entries 0–63: the piece states of a8 … h1.
    pub squares: [u8; 64],
    /// Entries 64 and 65: where the white and the black king stand.
    pub kings: [u8; 2],
    /// Entry 66: the castling state.
    pub castling: u8,
    /// Entry 67: the file of a legal en passant capture, −1 for none.
    pub en_passant: i8,
    /// Entry 68: White is to move.
    pub white_to_move: bool,
}

/// The index of a square in the list: a8 is 0.
pub(super) fn mailbox_index(square: Square) -> u8 {
    square.flip_vertical().index() as u8
}

/// Entry 67 of a position.
pub(super) fn en_passant_entry(position: &Position) -> i8 {
    position.en_passant().map_or(-1, |target| target.file() as i8)
}

impl Mailbox69 {
    /// The list of a position.
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

    /// Carries an instruction out.
    pub fn apply(&mut self, mv: &ReversibleMove) {
        self.set_square(mv.origin, 0);
        match mv.second {
            Some(SecondPiece::Rook { origin, .. }) => self.set_square(origin, 0),
            Some(SecondPiece::CapturedPawn { square, .. }) => self.set_square(square, 0),
            Some(SecondPiece::Promotion { .. }) | None => {}
        }
        let arriving = match mv.second {
            Some(SecondPiece::Promotion { code }) => code,
            _ => mv.origin_code,
        };
        self.set_square(mv.destination, arriving);
        if let Some(SecondPiece::Rook { code, destination, .. }) = mv.second {
            self.set_square(destination, code);
        }
        self.update_king(mv.origin_code, mv.destination);
        if let Some((_, after)) = mv.castling {
            self.castling = after;
        }
        if let Some((_, after)) = mv.en_passant {
            self.en_passant = after;
        }
        self.white_to_move = !self.white_to_move;
    }

    /// Takes back an instruction that was carried out last.
    pub fn undo(&mut self, mv: &ReversibleMove) {
        self.set_square(mv.destination, 0);
        if let Some(SecondPiece::Rook { destination, .. }) = mv.second {
            self.set_square(destination, 0);
        }
        self.set_square(mv.destination, mv.destination_code);
        self.set_square(mv.origin, mv.origin_code);
        match mv.second {
            Some(SecondPiece::Rook { origin, code, .. }) => self.set_square(origin, code),
            Some(SecondPiece::CapturedPawn { square, code }) => self.set_square(square, code),
            Some(SecondPiece::Promotion { .. }) | None => {}
        }
        self.update_king(mv.origin_code, mv.origin);
        if let Some((before, _)) = mv.castling {
            self.castling = before;
        }
        if let Some((before, _)) = mv.en_passant {
            self.en_passant = before;
        }
        self.white_to_move = !self.white_to_move;
    }

    fn set_square(&mut self, index: u8, code: u8) {
        self.squares[usize::from(index & 63)] = code;
    }

    /// Notes where a king has gone, if the piece is one.
    fn update_king(&mut self, code: u8, index: u8) {
        if code == Piece::WhiteKing.code() {
            self.kings[0] = index;
        } else if code == Piece::BlackKing.code() {
            self.kings[1] = index;
        }
    }
}
