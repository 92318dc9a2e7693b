//! View `bitboards`: one set of squares for each player and kind.

use super::{BitOrder, CastleFlags};
use crate::chess::{Bitboard, Color, Position, Role, Square};

/// The pieces of one player by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideBitboards {
    /// The pawns.
    pub pawns: Bitboard,
    /// The knights.
    pub knights: Bitboard,
    /// The bishops.
    pub bishops: Bitboard,
    /// The rooks.
    pub rooks: Bitboard,
    /// The queens.
    pub queens: Bitboard,
    /// The king.
    pub kings: Bitboard,
    /// All of them.
    pub all: Bitboard,
}

impl SideBitboards {
    fn from_position(position: &Position, color: Color) -> SideBitboards {
        let pieces = |role| position.pieces(color, role);
        SideBitboards {
            pawns: pieces(Role::Pawn),
            knights: pieces(Role::Knight),
            bishops: pieces(Role::Bishop),
            rooks: pieces(Role::Rook),
            queens: pieces(Role::Queen),
            kings: pieces(Role::King),
            all: position.by_color(color),
        }
    }

    fn arrange(&mut self, order: BitOrder) {
        let SideBitboards { pawns, knights, bishops, rooks, queens, kings, all } = self;
        order.arrange_all([pawns, knights, bishops, rooks, queens, kings, all]);
    }
}

/// A position as bitboards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bitboards {
    /// White's pieces.
    pub white: SideBitboards,
    /// Black's pieces.
    pub black: SideBitboards,
    /// All pieces.
    pub all_pieces: Bitboard,
    /// Who is to move.
    pub side: Color,
    /// The square that a capturing pawn moves to en passant; empty where no such capture is legal.
    pub en_passant_position: Bitboard,
    /// Who may still castle.
    pub castle: CastleFlags,
}

impl Bitboards {
    /// The view of a position, a1 being bit 0.
    pub fn from_position(position: &Position) -> Bitboards {
        Bitboards {
            white: SideBitboards::from_position(position, Color::White),
            black: SideBitboards::from_position(position, Color::Black),
            all_pieces: position.occupied(),
            side: position.turn(),
            en_passant_position: position.en_passant().map_or(Bitboard::EMPTY, Square::bitboard),
            castle: CastleFlags::from_rights(position.castling_rights()),
        }
    }

    /// The same in another bit order.
    pub fn with_bit_order(mut self, order: BitOrder) -> Bitboards {
        self.white.arrange(order);
        self.black.arrange(order);
        order.arrange_all([&mut self.all_pieces, &mut self.en_passant_position]);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_bit_order_has_a8_as_bit_0() {
        let view = Bitboards::from_position(&Position::startpos());
        assert_eq!(view.white.pawns.to_string(), "000000000000ff00");
        let turned = view.with_bit_order(BitOrder::A8);
        assert_eq!(turned.white.pawns.to_string(), "00ff000000000000");
        assert_eq!(turned.black.rooks.to_string(), "0000000000000081");
        assert_eq!(turned.with_bit_order(BitOrder::A8), view);
        assert_eq!(view.with_bit_order(BitOrder::A1), view);
    }
}
