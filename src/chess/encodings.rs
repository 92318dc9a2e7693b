//! The forms that a board or a move can be written in, each with its bits fixed (layout version 1).

mod bitboards;
mod castle_flags;
mod castling_ep_byte;
mod checks;
mod game_state;
mod huffman;
mod mailbox69;
mod move_record;
mod nibbles;
pub mod packed;
mod piece_bytes;
mod piece_list;
mod reversible_move;
mod seven_boards;

pub use bitboards::{Bitboards, SideBitboards};
pub use castle_flags::CastleFlags;
pub use castling_ep_byte::castling_ep_byte;
pub use checks::{Checks, Pins};
pub use game_state::GameState;
pub use huffman::Huffman;
pub use mailbox69::Mailbox69;
pub use move_record::{CapturedPiece, MoveRecord};
pub use nibbles::Nibbles;
pub use packed::{LAYOUT_VERSION, PackedError, PackedPosition, parse_packed};
pub use piece_bytes::piece_bytes;
pub use piece_list::{PlacedPiece, piece_list};
pub use reversible_move::{ReversibleMove, SecondPiece};
pub use seven_boards::SevenBoards;

use super::Bitboard;

/// Which square is bit 0 of a bitboard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BitOrder {
    /// a1 is bit 0 and h8 bit 63, as everywhere inside.
    #[default]
    A1,
    /// a8 is bit 0 and h1 bit 63.
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

    fn arrange_all<'a>(self, bitboards: impl IntoIterator<Item = &'a mut Bitboard>) {
        for bitboard in bitboards {
            *bitboard = self.arrange(*bitboard);
        }
    }
}
