//! View `nibbles`: two squares a byte.

use std::fmt;

use crate::chess::{Piece, Position, Square};

/// 32 bytes; byte i holds square 2i in its low four bits and square 2i + 1 in its high four. Bit 0
/// of a nibble is the colour (1 White), bits 1–3 the kind (0 empty, 1 pawn … 6 king).
///
/// Shown as 64 hex digits, byte 0 first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nibbles(pub [u8; 32]);

impl Nibbles {
    /// The nibbles of a position.
    pub fn from_position(position: &Position) -> Nibbles {
        let mut bytes = [0; 32];
        for square in position.occupied() {
            bytes[square.index() / 2] |= nibble(position, square) << (4 * (square.index() % 2));
        }
        Nibbles(bytes)
    }
}

fn nibble(position: &Position, square: Square) -> u8 {
    position.piece_at(square).map_or(0, |piece: Piece| {
        (piece.role() as u8 + 1) << 1 | u8::from(piece.color().is_white())
    })
}

impl fmt::Display for Nibbles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_is_a1_low_and_b1_high() {
        // A white rook is 4·2 + 1 = 9, a white knight 2·2 + 1 = 5.
        let nibbles = Nibbles::from_position(&Position::startpos());
        assert_eq!(nibbles.0[0], 0x59);
        assert!(nibbles.to_string().starts_with("59b77d9533333333"));
    }
}
