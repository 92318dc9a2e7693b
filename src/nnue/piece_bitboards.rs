//! The part of a position that the network sees: the pieces and their squares.

use crate::chess::{Bitboard, Color, Piece, Position, Role, Square};

/// The pieces of a board as bitboards, without the other state of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PieceBitboards {
    colors: [Bitboard; 2],
    roles: [Bitboard; 6],
}

impl PieceBitboards {
    pub(super) const EMPTY: PieceBitboards =
        PieceBitboards { colors: [Bitboard::EMPTY; 2], roles: [Bitboard::EMPTY; 6] };

    pub(super) fn from_position(position: &Position) -> PieceBitboards {
        PieceBitboards {
            colors: Color::ALL.map(|color| position.by_color(color)),
            roles: Role::ALL.map(|role| position.by_role(role)),
        }
    }

    /// The squares of a piece.
    #[inline]
    pub(super) fn squares(&self, piece: Piece) -> Bitboard {
        self.colors[piece.color() as usize] & self.roles[piece.role() as usize]
    }

    /// The number of pieces.
    #[inline]
    pub(super) fn count(&self) -> u32 {
        (self.colors[0] | self.colors[1]).count()
    }

    /// The same board without the piece on a square.
    pub(super) fn without(mut self, square: Square) -> PieceBitboards {
        for set in self.colors.iter_mut().chain(&mut self.roles) {
            *set = set.without(square.bitboard());
        }
        self
    }
}
