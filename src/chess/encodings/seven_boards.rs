//! View `boards`: the seven-board form, one board for each kind and one for White.

use super::BitOrder;
use crate::chess::{Bitboard, Color, Position, Role};

/// Seven bitboards that say what stands where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SevenBoards {
    /// The pawns of both players.
    pub pawn: Bitboard,
    /// The knights.
    pub knight: Bitboard,
    /// The bishops.
    pub bishop: Bitboard,
    /// The rooks.
    pub rook: Bitboard,
    /// The queens.
    pub queen: Bitboard,
    /// The kings.
    pub king: Bitboard,
    /// White's pieces of every kind.
    pub white: Bitboard,
}

impl SevenBoards {
    /// The view of a position, a1 being bit 0.
    pub fn from_position(position: &Position) -> SevenBoards {
        SevenBoards {
            pawn: position.by_role(Role::Pawn),
            knight: position.by_role(Role::Knight),
            bishop: position.by_role(Role::Bishop),
            rook: position.by_role(Role::Rook),
            queen: position.by_role(Role::Queen),
            king: position.by_role(Role::King),
            white: position.by_color(Color::White),
        }
    }

    /// The same in another bit order.
    pub fn with_bit_order(mut self, order: BitOrder) -> SevenBoards {
        let SevenBoards { pawn, knight, bishop, rook, queen, king, white } = &mut self;
        order.arrange_all([pawn, knight, bishop, rook, queen, king, white]);
        self
    }
}
