//! View `special`: castling and en passant in one byte.

use crate::chess::Position;

/// Bits 0–3 the castling state, bit 4 en passant possible, bits 5–7 its file (0 when not possible).
pub fn castling_ep_byte(position: &Position) -> u8 {
    let en_passant = position.en_passant().map_or(0, |target| 1 << 4 | (target.file() as u8) << 5);
    position.castling_rights().mask() | en_passant
}
