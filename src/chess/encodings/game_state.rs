//! View `state`: what a position is beside its pieces.

use crate::chess::{Color, File, Position};

/// Who is to move, the special rights and the clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameState {
    /// Who is to move.
    pub turn: Color,
    /// The file of a legal en passant capture.
    pub en_passant: Option<File>,
    /// The rights as `0bKQkq`: K is 8, Q 4, k 2, q 1. No other form has this order.
    pub castling: u8,
    /// Plies since the last capture or pawn move.
    pub halfmove_clock: u16,
    /// The number of the move, from 1.
    pub fullmove_number: u16,
}

impl GameState {
    /// The state of a position.
    pub fn from_position(position: &Position) -> GameState {
        GameState {
            turn: position.turn(),
            en_passant: position.en_passant().map(|target| target.file()),
            castling: position.castling_rights().mask().reverse_bits() >> 4,
            halfmove_clock: position.halfmove_clock(),
            fullmove_number: position.fullmove_number(),
        }
    }

    /// All but the clocks in nine bits: bit 0 the turn (1 White), bit 1 en passant, bits 2–4 its
    /// file (0 when none), bits 5–8 the rights.
    pub fn bits(&self) -> u16 {
        let en_passant = self.en_passant.map_or(0, |file| 1 << 1 | (file as u16) << 2);
        u16::from(self.turn.is_white()) | en_passant | u16::from(self.castling) << 5
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::encodings::castling_ep_byte;

    #[test]
    fn castling_rights_have_two_bit_orders() {
        let position = Position::from_fen("4k3/8/8/3pP3/8/8/8/4K2R w K d6 0 1").unwrap();
        let state = GameState::from_position(&position);
        assert_eq!(state.castling, 0b1000);
        assert_eq!(state.bits(), (0b1000 << 5) | (3 << 2) | 0b11);
        assert_eq!(castling_ep_byte(&position), (3 << 5) | 0b1_0001);
    }
}
