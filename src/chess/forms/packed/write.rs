//! Packing.

use super::LAYOUT_VERSION;
use super::bits::{BitWriter, code};
use crate::chess::{CastlingRights, Color, File, Position, Square};

/// The code of the 64 squares as `0` and `1`.
pub(in crate::chess::forms) fn board_bits(position: &Position) -> String {
    let mut text = String::with_capacity(192);
    for square in Square::all() {
        let code = code(position.piece_at(square.flip()));
        text.extend(
            (0..code.len).rev().map(|bit| if code.bits >> bit & 1 == 1 { '1' } else { '0' }),
        );
    }
    text
}

/// The length of the packed form in bits, without its padding.
pub(in crate::chess::forms) fn packed_bits(position: &Position) -> usize {
    pack(position).len
}

/// Packs a position.
pub(super) fn pack(position: &Position) -> BitWriter {
    let mut out = BitWriter::new();
    out.push(LAYOUT_VERSION, 4);
    for square in Square::all() {
        let code = code(position.piece_at(square.flip()));
        out.push(code.bits, code.len);
    }
    out.push(u8::from(position.turn().is_white()), 1);
    match position.en_passant() {
        Some(target) => out.push(0b1000 | target.file() as u8, 4),
        None => out.push(0, 4),
    }
    let rights = position.castling();
    // K, Q, k, q from the most significant bit on: the castling state, turned round.
    out.push(rights.state().reverse_bits() >> 4, 4);
    if is_standard(rights, |color| position.king(color).file()) {
        out.push(0, 1);
    } else {
        out.push(1, 1);
        for (_, _, rook) in rights.iter() {
            out.push(rook as u8, 3);
        }
    }
    out
}

/// `true` when every right belongs to a king on the e-file with a rook on its corner.
pub(super) fn is_standard(rights: CastlingRights, king_file: impl Fn(Color) -> File) -> bool {
    rights.iter().all(|(color, side, rook)| {
        king_file(color) == File::E && CastlingRights::STANDARD.rook(color, side) == Some(rook)
    })
}
