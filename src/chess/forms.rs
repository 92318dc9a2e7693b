//! The forms that a board or a move can be written in, each with its bits fixed (layout version 1).

mod bitboards;
mod boards;
mod castle_flags;
mod checks;
mod huffman;
mod instruction;
mod list;
mod nibbles;
pub mod packed;
mod piece_bytes;
mod pieces;
mod record;
mod special;
mod state;

pub use bitboards::{Army, Bitboards};
pub use boards::Boards;
pub use castle_flags::CastleFlags;
pub use checks::{Checks, Pins};
pub use huffman::Huffman;
pub use instruction::{Instruction, SecondPiece};
pub use list::List;
pub use nibbles::Nibbles;
pub use packed::{LAYOUT_VERSION, Packed, PackedError, read_packed};
pub use piece_bytes::piece_bytes;
pub use pieces::{PlacedPiece, pieces};
pub use record::{Captured, Record};
pub use special::special;
pub use state::State;

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
            BitOrder::A8 => bitboard.swap_ranks(),
        }
    }

    fn arrange_all<'a>(self, bitboards: impl IntoIterator<Item = &'a mut Bitboard>) {
        for bitboard in bitboards {
            *bitboard = self.arrange(*bitboard);
        }
    }
}
