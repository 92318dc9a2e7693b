//! Packing.

use super::LAYOUT_VERSION;
use super::bits::{BitWriter, huffman_code};
use crate::chess::{CastlingRights, Color, File, Position, Square};

/// The code of the 64 squares as `0` and `1`.
pub(in crate::chess::encodings) fn board_bit_string(position: &Position) -> String {
    let mut text = String::with_capacity(192);
    for square in Square::all() {
        let code = huffman_code(position.piece_at(square.flip_vertical()));
        text.extend(
            (0..code.len).rev().map(|bit| if code.bits >> bit & 1 == 1 { '1' } else { '0' }),
        );
    }
    text
}

/// The length of the packed form in bits, without its padding.
pub(in crate::chess::encodings) fn packed_bit_len(position: &Position) -> usize {
    pack(position).len
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
    // K, Q, k, q from the most significant bit on: the castling state, turned round.
    out.write_bits(rights.mask().reverse_bits() >> 4, 4);
    if is_standard_castling(rights, |color| position.king(color).file()) {
        out.write_bits(0, 1);
    } else {
        out.write_bits(1, 1);
        for (_, _, rook) in rights.iter() {
            out.write_bits(rook as u8, 3);
        }
    }
    out
}

/// `true` when every right belongs to a king on the e-file with a rook on its corner.
pub(super) fn is_standard_castling(
    rights: CastlingRights,
    king_file: impl Fn(Color) -> File,
) -> bool {
    rights.iter().all(|(color, side, rook)| {
        king_file(color) == File::E && CastlingRights::STANDARD.rook_file(color, side) == Some(rook)
    })
}
