//! Move records: a move as bitboards and names.

use super::bitboards::{BitOrder, CastleFlags};
use crate::chess::{Bitboard, CastlingSide, Color, Move, Position, Role};

/// A legal move as bitboards. The record of the HTTP contract also has the static evaluation, which
/// this module does not compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveRecord {
    /// The square that the piece leaves; for castling, the square that the king leaves.
    pub start: Bitboard,
    /// The square that the piece moves to.
    pub end: Bitboard,
    /// The captured piece.
    pub captured: Option<CapturedPiece>,
    /// The player and side of a castling move.
    pub castle: Option<(Color, CastlingSide)>,
    /// The castling rights before the move.
    pub castle_before: CastleFlags,
}

/// A captured piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedPiece {
    /// The player who loses the piece.
    pub side: Color,
    /// The role of the piece.
    pub role: Role,
    /// All pieces of the player with that role before the capture.
    pub bitboard: Bitboard,
}

impl MoveRecord {
    /// The record of a legal move, in the order in which a1 is bit 0.
    pub fn new(before: &Position, mv: Move) -> MoveRecord {
        MoveRecord {
            start: mv.from().bitboard(),
            end: mv.to().bitboard(),
            captured: captured(before, mv),
            castle: mv.castling_side().map(|side| (before.turn(), side)),
            castle_before: CastleFlags::from_rights(before.castling_rights()),
        }
    }

    /// The name of the castling move in the HTTP contract.
    pub const fn castle_type(&self) -> Option<&'static str> {
        Some(match self.castle {
            None => return None,
            Some((Color::White, CastlingSide::King)) => "white_kingside",
            Some((Color::White, CastlingSide::Queen)) => "white_queenside",
            Some((Color::Black, CastlingSide::King)) => "black_kingside",
            Some((Color::Black, CastlingSide::Queen)) => "black_queenside",
        })
    }

    /// The record in another bit order.
    pub fn with_bit_order(mut self, order: BitOrder) -> MoveRecord {
        order.arrange_all([&mut self.start, &mut self.end]);
        order.arrange_all(self.captured.as_mut().map(|captured| &mut captured.bitboard));
        self
    }
}

impl CapturedPiece {
    /// The name of the captured role in the HTTP contract, in the plural.
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
    fn a_pawn_captured_en_passant_is_found_off_the_destination_square() {
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
