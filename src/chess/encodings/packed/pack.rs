//! Packing of positions.

use super::bits::BitWriter;
use super::layout::{LAYOUT_VERSION, huffman_code};
use crate::chess::{Position, Square};

/// The Huffman codes of the 64 squares a8 … h1 as `0` and `1`.
pub(super) fn board_bit_string(position: &Position) -> String {
    let mut text = String::with_capacity(192);
    for square in Square::all() {
        let code = huffman_code(position.piece_at(square.flip_vertical()));
        text.extend(
            (0..code.len).rev().map(|bit| if code.bits >> bit & 1 == 1 { '1' } else { '0' }),
        );
    }
    text
}

/// Packs a position.
pub(super) fn pack(position: &Position) -> BitWriter {
    let mut out = BitWriter::new();
    out.write_bits(LAYOUT_VERSION, 4);
    for square in Square::all() {
        let code = huffman_code(position.piece_at(square.flip_vertical()));
        out.write_bits(code.bits, code.len);
    }
    out.write_bits(u8::from(position.turn().is_white()), 1);
    match position.en_passant() {
        Some(target) => out.write_bits(0b1000 | target.file() as u8, 4),
        None => out.write_bits(0, 4),
    }
    let rights = position.castling_rights();
    // The layout has K, Q, k, q from the most significant bit, the reverse of the castling mask.
    out.write_bits(rights.mask().reverse_bits() >> 4, 4);
    if rights.are_standard(|color| position.king(color).file()) {
        out.write_bits(0, 1);
    } else {
        out.write_bits(1, 1);
        for (_, _, rook) in rights.iter() {
            out.write_bits(rook as u8, 3);
        }
    }
    out
}
