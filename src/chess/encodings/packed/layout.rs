//! The frozen layout of the packed form: version, size and Huffman codes.

use crate::chess::Piece;

/// The layout version that is written and read.
pub const LAYOUT_VERSION: u8 = 1;

/// The greatest length in bytes. A legal position needs at most 4 bits for the version, 32 pieces
/// of 6 bits, 32 empty squares, 9 bits of state and 13 bits of castling.
pub(super) const MAX_BYTES: usize = 32;

/// The Huffman code of an empty square or a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HuffmanCode {
    /// The bits; the first one is the most significant of `len`.
    pub(super) bits: u8,
    /// The number of bits.
    pub(super) len: u8,
}

/// The Huffman code of a square's content.
pub(super) const fn huffman_code(piece: Option<Piece>) -> HuffmanCode {
    let (bits, len) = match piece {
        None => (0b0, 1),
        Some(Piece::WhitePawn) => (0b100, 3),
        Some(Piece::BlackPawn) => (0b101, 3),
        Some(Piece::WhiteBishop) => (0b11000, 5),
        Some(Piece::WhiteKnight) => (0b11001, 5),
        Some(Piece::BlackKnight) => (0b11100, 5),
        Some(Piece::BlackRook) => (0b11101, 5),
        Some(Piece::WhiteRook) => (0b11110, 5),
        Some(Piece::BlackBishop) => (0b11111, 5),
        Some(Piece::BlackKing) => (0b110100, 6),
        Some(Piece::BlackQueen) => (0b110101, 6),
        Some(Piece::WhiteKing) => (0b110110, 6),
        Some(Piece::WhiteQueen) => (0b110111, 6),
    };
    HuffmanCode { bits, len }
}

/// For each value of six bits, the content that they start with and the length of its code. The
/// code is complete, so every value starts with a code.
pub(super) static DECODE_TABLE: [(Option<Piece>, u8); 64] = {
    let mut table = [(None, 1); 64];
    let mut n = 0;
    while n < Piece::ALL.len() {
        let piece = Some(Piece::ALL[n]);
        let HuffmanCode { bits, len } = huffman_code(piece);
        let mut rest = 0;
        while rest < 1 << (6 - len) {
            table[(bits << (6 - len)) as usize + rest] = (piece, len);
            rest += 1;
        }
        n += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_huffman_codes_form_a_complete_prefix_code() {
        let all = Piece::ALL.into_iter().map(Some).chain([None]);
        let leaves: u32 = all.map(|piece| 1 << (6 - huffman_code(piece).len)).sum();
        assert_eq!(leaves, 64);
    }
}
