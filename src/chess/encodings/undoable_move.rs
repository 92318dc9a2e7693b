//! Undoable moves: changes of the 69-entry mailbox that can be undone. The HTTP contract calls them
//! `instruction`.

use super::square_arrays::{Mailbox69, en_passant_entry, mailbox_index};
use crate::chess::{Move, Piece, Position, Role, Square, castled_rook_square};

/// A move as a change of the mailbox that can be undone. Squares are mailbox indices (a8 is 0),
/// pieces are piece codes. Every undoable move changes the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UndoableMove {
    /// The square that the piece leaves.
    pub origin: u8,
    /// The moving piece, before a promotion.
    pub origin_code: u8,
    /// The square that the piece moves to.
    pub destination: u8,
    /// The piece captured on the destination; 0 without a capture there.
    pub destination_code: u8,
    /// The castling mask before and after the move; `None` if it does not change.
    pub castling: Option<(u8, u8)>,
    /// The en passant file before and after the move (−1 without one); `None` if it does not
    /// change.
    pub en_passant: Option<(i8, i8)>,
    /// The second piece that the move changes.
    pub second: Option<SecondPiece>,
}

/// A piece that a move changes besides the moving piece and the piece on the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondPiece {
    /// The rook of a castling move.
    Rook {
        /// The square that the rook leaves.
        origin: u8,
        /// The piece code of the rook.
        code: u8,
        /// The square that the rook moves to.
        destination: u8,
    },
    /// The pawn that is captured en passant.
    CapturedPawn {
        /// The square of the pawn.
        square: u8,
        /// The piece code of the pawn.
        code: u8,
    },
    /// The piece that a pawn promotes to.
    Promotion {
        /// The piece code of the new piece.
        code: u8,
    },
}

impl UndoableMove {
    /// The undoable form of a legal move.
    pub fn new(before: &Position, mv: Move) -> UndoableMove {
        UndoableMove::from_positions(before, mv, &before.after(mv))
    }

    /// The undoable form of a legal move, from the positions before and after it.
    pub fn from_positions(before: &Position, mv: Move, after: &Position) -> UndoableMove {
        let code = |square: Square| before.piece_at(square).map_or(0, Piece::code);
        let castling = (before.castling_rights().mask(), after.castling_rights().mask());
        let en_passant = (en_passant_entry(before), en_passant_entry(after));
        UndoableMove {
            origin: mailbox_index(mv.from()),
            origin_code: code(mv.from()),
            destination: mailbox_index(mv.to()),
            // In Chess960 the king may castle to the square of its own rook, which is no capture.
            destination_code: if mv.is_castling() { 0 } else { code(mv.to()) },
            castling: (castling.0 != castling.1).then_some(castling),
            en_passant: (en_passant.0 != en_passant.1).then_some(en_passant),
            second: second_piece(before, mv),
        }
    }

    /// The 8, 12 or 13 entries. `None` stands for JSON's `null`.
    pub fn entries(&self) -> Vec<Option<i16>> {
        let number = |entry: u8| Some(i16::from(entry));
        let (castle_before, castle_after) = self.castling.unzip();
        let (en_passant_before, en_passant_after) = self.en_passant.unzip();
        let mut entries = Vec::with_capacity(13);
        entries.extend(
            [self.origin, self.origin_code, self.destination, self.destination_code].map(number),
        );
        entries.extend([castle_before.map(i16::from), castle_after.map(i16::from)]);
        entries.extend([en_passant_before.map(i16::from), en_passant_after.map(i16::from)]);
        match self.second {
            None => {}
            Some(SecondPiece::Rook { origin, code, destination }) => {
                entries.extend([number(origin), number(code), number(destination), number(0)]);
            }
            Some(SecondPiece::CapturedPawn { square, code }) => {
                entries.extend([number(square), number(code), None, None]);
            }
            Some(SecondPiece::Promotion { code }) => {
                entries.extend([None, None, None, None, number(code)])
            }
        }
        entries
    }
}

/// The second piece that a move changes.
fn second_piece(before: &Position, mv: Move) -> Option<SecondPiece> {
    let us = before.turn();
    if let Some(side) = mv.castling_side() {
        return Some(SecondPiece::Rook {
            origin: mailbox_index(before.castling_rook(us, side)?),
            code: Piece::new(us, Role::Rook).code(),
            destination: mailbox_index(castled_rook_square(us, side)),
        });
    }
    if mv.is_en_passant() {
        let pawn = Piece::new(!us, Role::Pawn).code();
        return Some(SecondPiece::CapturedPawn {
            square: mailbox_index(mv.to().forward(!us)),
            code: pawn,
        });
    }
    mv.promotion().map(|role| SecondPiece::Promotion { code: Piece::new(us, role).code() })
}

impl Mailbox69 {
    /// Applies an undoable move.
    pub fn apply(&mut self, mv: &UndoableMove) {
        self.set_square(mv.origin, 0);
        match mv.second {
            Some(SecondPiece::Rook { origin, .. }) => self.set_square(origin, 0),
            Some(SecondPiece::CapturedPawn { square, .. }) => self.set_square(square, 0),
            Some(SecondPiece::Promotion { .. }) | None => {}
        }
        let new_code = match mv.second {
            Some(SecondPiece::Promotion { code }) => code,
            _ => mv.origin_code,
        };
        self.set_square(mv.destination, new_code);
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

    /// Undoes the undoable move that was applied last.
    pub fn undo(&mut self, mv: &UndoableMove) {
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

    /// Updates the king's index if the moved piece is a king.
    fn update_king(&mut self, code: u8, index: u8) {
        if code == Piece::WhiteKing.code() {
            self.kings[0] = index;
        } else if code == Piece::BlackKing.code() {
            self.kings[1] = index;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::parse_move;

    fn entries(fen: &str, text: &str) -> Vec<Option<i16>> {
        let position = Position::from_fen(fen).unwrap();
        let mv = parse_move(&position, text).unwrap();
        let undoable_move = UndoableMove::new(&position, mv);
        let mut mailbox = Mailbox69::from_position(&position);
        mailbox.apply(&undoable_move);
        assert_eq!(mailbox, Mailbox69::from_position(&position.after(mv)), "{text} applied");
        mailbox.undo(&undoable_move);
        assert_eq!(mailbox, Mailbox69::from_position(&position), "{text} undone");
        undoable_move.entries()
    }

    #[test]
    fn castling_moves_the_rook_and_ends_two_rights() {
        let entries = entries("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "O-O");
        let head = [60, 6, 62, 0, 15, 12].map(Some);
        assert_eq!(entries, [&head[..], &[None, None], &[63, 4, 61, 0].map(Some)].concat());
    }

    #[test]
    fn a_king_may_castle_onto_the_square_of_its_rook() {
        // King f1 to g1, rook g1 to f1: they exchange squares.
        let entries = entries("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "O-O");
        assert_eq!(entries[..4], [61, 6, 62, 0].map(Some));
        assert_eq!(entries[8..], [62, 4, 61, 0].map(Some));
    }

    #[test]
    fn an_en_passant_capture_names_the_captured_pawn() {
        let entries = entries("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6");
        let head = [28, 1, 19, 0].map(Some);
        assert_eq!(
            entries,
            [&head[..], &[None, None, Some(3), Some(-1), Some(27), Some(7), None, None]].concat()
        );
    }

    #[test]
    fn a_promotion_has_thirteen_entries() {
        let entries = entries("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "axb8=N");
        let head = [8, 1, 1, 8].map(Some);
        assert_eq!(entries, [&head[..], &[None; 8], &[Some(2)]].concat());
    }
}
