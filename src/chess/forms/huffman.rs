//! View `huffman`: the code of the board by itself, and the packed form around it.

use super::Packed;
use super::packed::{board_bits, packed_bits};
use crate::chess::Position;

/// A position in Huffman code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Huffman {
    /// The code of the 64 squares a8 … h1 as `0` and `1`. Its length is 164 at the start.
    pub board: String,
    /// The length of the packed form in bits, without the padding of its last byte.
    pub bits: usize,
    /// The packed form.
    pub packed: Packed,
}

impl Huffman {
    /// The code of a position.
    pub fn of(position: &Position) -> Huffman {
        Huffman {
            board: board_bits(position),
            bits: packed_bits(position),
            packed: Packed::of(position),
        }
    }

    /// The length of the board's code in bits.
    pub fn board_bits(&self) -> usize {
        self.board.len()
    }
}
