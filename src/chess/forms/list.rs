//! View `list`: 69 entries, and the ground that instructions work on.

use super::{Instruction, SecondPiece};
use crate::chess::{Color, Piece, Position, Square};

/// A position as 64 squares from a8 to h1 and five more entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
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
pub(super) fn list_index(square: Square) -> u8 {
    square.flip().index() as u8
}

/// Entry 67 of a position.
pub(super) fn en_passant_entry(position: &Position) -> i8 {
    position.en_passant().map_or(-1, |target| target.file() as i8)
}

impl List {
    /// The list of a position.
    pub fn of(position: &Position) -> List {
        let mut squares = [0; 64];
        for (state, square) in squares.iter_mut().zip(Square::all()) {
            *state = position.piece_at(square.flip()).map_or(0, Piece::state);
        }
        List {
            squares,
            kings: Color::ALL.map(|color| list_index(position.king(color))),
            castling: position.castling().state(),
            en_passant: en_passant_entry(position),
            white_to_move: position.turn().is_white(),
        }
    }

    /// Carries an instruction out.
    pub fn apply(&mut self, instruction: &Instruction) {
        self.set(instruction.origin, 0);
        match instruction.second {
            Some(SecondPiece::Rook { origin, .. }) => self.set(origin, 0),
            Some(SecondPiece::CapturedPawn { square, .. }) => self.set(square, 0),
            Some(SecondPiece::Promotion { .. }) | None => {}
        }
        let arriving = match instruction.second {
            Some(SecondPiece::Promotion { state }) => state,
            _ => instruction.origin_state,
        };
        self.set(instruction.destination, arriving);
        if let Some(SecondPiece::Rook { state, destination, .. }) = instruction.second {
            self.set(destination, state);
        }
        self.place_king(instruction.origin_state, instruction.destination);
        if let Some((_, after)) = instruction.castling {
            self.castling = after;
        }
        if let Some((_, after)) = instruction.en_passant {
            self.en_passant = after;
        }
        self.white_to_move = !self.white_to_move;
    }

    /// Takes back an instruction that was carried out last.
    pub fn undo(&mut self, instruction: &Instruction) {
        self.set(instruction.destination, 0);
        if let Some(SecondPiece::Rook { destination, .. }) = instruction.second {
            self.set(destination, 0);
        }
        self.set(instruction.destination, instruction.destination_state);
        self.set(instruction.origin, instruction.origin_state);
        match instruction.second {
            Some(SecondPiece::Rook { origin, state, .. }) => self.set(origin, state),
            Some(SecondPiece::CapturedPawn { square, state }) => self.set(square, state),
            Some(SecondPiece::Promotion { .. }) | None => {}
        }
        self.place_king(instruction.origin_state, instruction.origin);
        if let Some((before, _)) = instruction.castling {
            self.castling = before;
        }
        if let Some((before, _)) = instruction.en_passant {
            self.en_passant = before;
        }
        self.white_to_move = !self.white_to_move;
    }

    fn set(&mut self, index: u8, state: u8) {
        self.squares[usize::from(index & 63)] = state;
    }

    /// Notes where a king has gone, if the piece is one.
    fn place_king(&mut self, state: u8, index: u8) {
        if state == Piece::WhiteKing.state() {
            self.kings[0] = index;
        } else if state == Piece::BlackKing.state() {
            self.kings[1] = index;
        }
    }
}
