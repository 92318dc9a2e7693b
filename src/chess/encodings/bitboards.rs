//! Encodings of a position as bitboards: the views `bitboards` (one per player and role) and
//! `boards` (one per role and one for White).

use crate::chess::{Bitboard, CastlingRights, CastlingSide, Color, Position, Role, Square};

/// The bit order of a bitboard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BitOrder {
    /// a1 is bit 0 and h8 is bit 63, the order of [`Bitboard`].
    #[default]
    A1,
    /// a8 is bit 0 and h1 is bit 63.
    A8,
}

impl BitOrder {
    /// The bitboard in this order.
    pub const fn arrange(self, bitboard: Bitboard) -> Bitboard {
        match self {
            BitOrder::A1 => bitboard,
            BitOrder::A8 => bitboard.flip_vertical(),
        }
    }

    /// Rearranges several bitboards.
    pub(super) fn arrange_all<'a>(self, bitboards: impl IntoIterator<Item = &'a mut Bitboard>) {
        for bitboard in bitboards {
            *bitboard = self.arrange(*bitboard);
        }
    }
}

/// The castling rights as four flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CastleFlags {
    /// White may castle short.
    pub white_king_side: bool,
    /// White may castle long.
    pub white_queen_side: bool,
    /// Black may castle short.
    pub black_king_side: bool,
    /// Black may castle long.
    pub black_queen_side: bool,
}

impl CastleFlags {
    /// The flags of castling rights.
    pub const fn from_rights(rights: CastlingRights) -> CastleFlags {
        CastleFlags {
            white_king_side: rights.rook_file(Color::White, CastlingSide::King).is_some(),
            white_queen_side: rights.rook_file(Color::White, CastlingSide::Queen).is_some(),
            black_king_side: rights.rook_file(Color::Black, CastlingSide::King).is_some(),
            black_queen_side: rights.rook_file(Color::Black, CastlingSide::Queen).is_some(),
        }
    }
}

/// The bitboards of one player.
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
    /// All pieces of the player.
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

/// A position as one bitboard per player and role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bitboards {
    /// White's pieces.
    pub white: SideBitboards,
    /// Black's pieces.
    pub black: SideBitboards,
    /// All pieces.
    pub all_pieces: Bitboard,
    /// The side to move.
    pub side: Color,
    /// The square of a legal en passant capture; empty if no such capture is legal.
    pub en_passant_position: Bitboard,
    /// The castling rights.
    pub castle: CastleFlags,
}

impl Bitboards {
    /// The bitboards of a position, in the order in which a1 is bit 0.
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

    /// The bitboards in another bit order.
    pub fn with_bit_order(mut self, order: BitOrder) -> Bitboards {
        self.white.arrange(order);
        self.black.arrange(order);
        order.arrange_all([&mut self.all_pieces, &mut self.en_passant_position]);
        self
    }
}

/// A position as seven bitboards, one per role and one for White's pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SevenBoards {
    /// The pawns of both players.
    pub pawn: Bitboard,
    /// The knights of both players.
    pub knight: Bitboard,
    /// The bishops of both players.
    pub bishop: Bitboard,
    /// The rooks of both players.
    pub rook: Bitboard,
    /// The queens of both players.
    pub queen: Bitboard,
    /// The kings of both players.
    pub king: Bitboard,
    /// White's pieces of every role.
    pub white: Bitboard,
}

impl SevenBoards {
    /// The bitboards of a position, in the order in which a1 is bit 0.
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

    /// The bitboards in another bit order.
    pub fn with_bit_order(mut self, order: BitOrder) -> SevenBoards {
        let SevenBoards { pawn, knight, bishop, rook, queen, king, white } = &mut self;
        order.arrange_all([pawn, knight, bishop, rook, queen, king, white]);
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
        let flipped = view.with_bit_order(BitOrder::A8);
        assert_eq!(flipped.white.pawns.to_string(), "00ff000000000000");
        assert_eq!(flipped.black.rooks.to_string(), "0000000000000081");
        assert_eq!(flipped.with_bit_order(BitOrder::A8), view);
        assert_eq!(view.with_bit_order(BitOrder::A1), view);
    }
}
