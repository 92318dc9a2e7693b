//! View `huffman`: the code of the board by itself, and the packed form around it.

use super::PackedPosition;
use super::packed::{board_bit_string, packed_bit_len};
use crate::chess::Position;

/// A position in Huffman code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Huffman {
    /// The code of the 64 squares a8 … h1 as `0` and `1`. Its length is 164 at the start.
    pub board: String,
    /// The length of the packed form in bits, without the padding of its last byte.
    pub packed_bit_len: usize,
    /// The packed form.
    pub packed: PackedPosition,
}

impl Huffman {
    /// The code of a position.
    pub fn from_position(position: &Position) -> Huffman {
        Huffman {
            board: board_bit_string(position),
            packed_bit_len: packed_bit_len(position),
            packed: PackedPosition::from_position(position),
        }
    }

    /// The length of the board's code in bits.
    pub fn board_bit_len(&self) -> usize {
        self.board.len()
    }
}
