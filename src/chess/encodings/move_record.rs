//! The move record: a move as bitboards and names.

use super::{BitOrder, CastleFlags};
use crate::chess::{Bitboard, CastlingSide, Color, Move, Position, Role};

/// What a legal move does, as bitboards. The static evaluation that belongs to the record is not
/// known to the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveRecord {
    /// Where the piece comes from; of castling, where the king does.
    pub start: Bitboard,
    /// Where it arrives.
    pub end: Bitboard,
    /// What is captured.
    pub captured: Option<CapturedPiece>,
    /// Who castles, and to which side.
    pub castle: Option<(Color, CastlingSide)>,
    /// Who might castle before the move.
    pub castle_before: CastleFlags,
}

/// A captured piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedPiece {
    /// The player who loses it.
    pub side: Color,
    /// Its kind.
    pub role: Role,
    /// All pieces of that player and kind before the capture.
    pub bitboard: Bitboard,
}

impl MoveRecord {
    /// The record of a legal move, a1 being bit 0.
    pub fn new(before: &Position, mv: Move) -> MoveRecord {
        MoveRecord {
            start: mv.from().bitboard(),
            end: mv.to().bitboard(),
            captured: captured(before, mv),
            castle: mv.castling_side().map(|side| (before.turn(), side)),
            castle_before: CastleFlags::from_rights(before.castling_rights()),
        }
    }

    /// The name of the castling move.
    pub const fn castle_type(&self) -> Option<&'static str> {
        Some(match self.castle {
            None => return None,
            Some((Color::White, CastlingSide::King)) => "white_kingside",
            Some((Color::White, CastlingSide::Queen)) => "white_queenside",
            Some((Color::Black, CastlingSide::King)) => "black_kingside",
            Some((Color::Black, CastlingSide::Queen)) => "black_queenside",
        })
    }

    /// The same in another bit order.
    pub fn with_bit_order(mut self, order: BitOrder) -> MoveRecord {
        order.arrange_all([&mut self.start, &mut self.end]);
        order.arrange_all(self.captured.as_mut().map(|captured| &mut captured.bitboard));
        self
    }
}

impl CapturedPiece {
    /// The name of the captured kind, in the plural.
    pub const fn piece(&self) -> &'static str {
        match self.role {
            Role::Pawn => "pawns",
            Role::Knight => "knights",
            Role::Bishop => "bishops",
            Role::Rook => "rooks",
            Role::Queen => "queens",
            Role::King => "kings",
        }
    }
}

fn captured(before: &Position, mv: Move) -> Option<CapturedPiece> {
    if !mv.is_capture() {
        return None;
    }
    let side = !before.turn();
    let role = if mv.is_en_passant() { Role::Pawn } else { before.role_at(mv.to())? };
    Some(CapturedPiece { side, role, bitboard: before.pieces(side, role) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::parse_move;

    #[test]
    fn a_pawn_taken_en_passant_is_found_though_its_square_is_not_the_target() {
        let position = Position::from_fen("4k3/p7/8/3pP3/8/8/8/4K3 w - d6 0 1").unwrap();
        let record = MoveRecord::new(&position, parse_move(&position, "exd6").unwrap());
        let captured = record.captured.unwrap();
        assert_eq!((captured.side, captured.piece()), (Color::Black, "pawns"));
        assert_eq!(captured.bitboard.to_string(), "0001000800000000");
        assert_eq!(
            record.with_bit_order(BitOrder::A8).captured.unwrap().bitboard.to_string(),
            "0000000008000100"
        );
    }
}
