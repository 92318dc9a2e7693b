//! Encodings of a position's state without its pieces: the views `state` and `special`.

use crate::chess::{Color, File, Position};

/// The side to move, the rights and the clocks of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameState {
    /// The side to move.
    pub turn: Color,
    /// The file of a legal en passant capture.
    pub en_passant: Option<File>,
    /// The castling rights as `0bKQkq`: K is 8, Q 4, k 2, q 1. Other encodings use the order of
    /// [`CastlingRights::mask`](crate::chess::CastlingRights::mask).
    pub castling: u8,
    /// Plies since the last capture or pawn move.
    pub halfmove_clock: u16,
    /// The full-move number, from 1.
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

    /// The state without the clocks, in nine bits: bit 0 is the side to move (1 for White), bit 1
    /// en passant, bits 2–4 its file (0 without en passant), bits 5–8 the castling rights.
    pub fn bits(&self) -> u16 {
        let en_passant = self.en_passant.map_or(0, |file| 1 << 1 | (file as u16) << 2);
        u16::from(self.turn.is_white()) | en_passant | u16::from(self.castling) << 5
    }
}

/// Castling and en passant in one byte: bits 0–3 are the castling mask, bit 4 is set for a legal en
/// passant capture, bits 5–7 are its file (0 without a capture).
pub fn castling_ep_byte(position: &Position) -> u8 {
    let en_passant = position.en_passant().map_or(0, |target| 1 << 4 | (target.file() as u8) << 5);
    position.castling_rights().mask() | en_passant
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn castling_rights_have_two_bit_orders() {
        let position = Position::from_fen("4k3/8/8/3pP3/8/8/8/4K2R w K d6 0 1").unwrap();
        let state = GameState::from_position(&position);
        assert_eq!(state.castling, 0b1000);
        assert_eq!(state.bits(), (0b1000 << 5) | (3 << 2) | 0b11);
        assert_eq!(castling_ep_byte(&position), (3 << 5) | 0b1_0001);
    }
}
