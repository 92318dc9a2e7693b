//! The instruction: a reversible change of the list. The undo stack of a game is the list of its
//! instructions.

use super::mailbox69::{en_passant_entry, mailbox_index};
use crate::chess::{Color, Move, Piece, Position, Role, Square, castled_rook_square};

/// A move as a change of the list that can be taken back. Squares are list indices (a8 is 0),
/// pieces are piece states.
///
/// The side to move changes with every instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReversibleMove {
    /// Where the piece comes from.
    pub origin: u8,
    /// The piece that moves, as it was.
    pub origin_code: u8,
    /// Where it arrives.
    pub destination: u8,
    /// What it captures there; 0 for nothing.
    pub destination_code: u8,
    /// The castling state before and after, when it changes.
    pub castling: Option<(u8, u8)>,
    /// The en passant file before and after (−1 for none), when it changes.
    pub en_passant: Option<(i8, i8)>,
    /// What else the move touches.
    pub second: Option<SecondPiece>,
}

/// What a move touches beside the piece that moves and the square that it arrives on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondPiece {
    /// The rook of a castling move.
    Rook {
        /// Where it comes from.
        origin: u8,
        /// The rook.
        code: u8,
        /// Where it arrives.
        destination: u8,
    },
    /// The pawn that is taken en passant.
    CapturedPawn {
        /// Where it stands.
        square: u8,
        /// The pawn.
        code: u8,
    },
    /// The piece that a pawn becomes.
    Promotion {
        /// The new piece.
        code: u8,
    },
}

impl ReversibleMove {
    /// The instruction of a legal move.
    pub fn new(before: &Position, mv: Move) -> ReversibleMove {
        ReversibleMove::from_positions(before, mv, &before.after(mv))
    }

    /// The same, when the position after the move is at hand.
    pub fn from_positions(before: &Position, mv: Move, after: &Position) -> ReversibleMove {
        let code = |square: Square| before.piece_at(square).map_or(0, Piece::code);
        let castling = (before.castling_rights().mask(), after.castling_rights().mask());
        let en_passant = (en_passant_entry(before), en_passant_entry(after));
        ReversibleMove {
            origin: mailbox_index(mv.from()),
            origin_code: code(mv.from()),
            destination: mailbox_index(mv.to()),
            // In Chess960 a castling king may arrive where its own rook stands.
            destination_code: if mv.is_castling() { 0 } else { code(mv.to()) },
            castling: (castling.0 != castling.1).then_some(castling),
            en_passant: (en_passant.0 != en_passant.1).then_some(en_passant),
            second: second_piece(before, mv),
        }
    }

    /// The 8, 12 or 13 entries; `None` is JSON's `null`.
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
    let promotion =
        |color: Color, role| SecondPiece::Promotion { code: Piece::new(color, role).code() };
    mv.promotion().map(|role| promotion(us, role))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::encodings::Mailbox69;
    use crate::chess::parse_move;

    fn entries(fen: &str, text: &str) -> Vec<Option<i16>> {
        let position = Position::from_fen(fen).unwrap();
        let mv = parse_move(&position, text).unwrap();
        let reversible_move = ReversibleMove::new(&position, mv);
        let mut mailbox = Mailbox69::from_position(&position);
        mailbox.apply(&reversible_move);
        assert_eq!(mailbox, Mailbox69::from_position(&position.after(mv)), "{text} applied");
        mailbox.undo(&reversible_move);
        assert_eq!(mailbox, Mailbox69::from_position(&position), "{text} taken back");
        reversible_move.entries()
    }

    #[test]
    fn castling_moves_the_rook_and_ends_two_rights() {
        let entries = entries("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "O-O");
        let head = [60, 6, 62, 0, 15, 12].map(Some);
        assert_eq!(entries, [&head[..], &[None, None], &[63, 4, 61, 0].map(Some)].concat());
    }

    #[test]
    fn a_king_may_castle_onto_the_square_of_its_rook() {
        // King f1 to g1, rook g1 to f1: they change places.
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
