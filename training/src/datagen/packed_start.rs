//! The start position of a packed game, and its validation.

use crate::game_layout::{BLACK_BIT, NO_SQUARE, PACKED_BYTES, PIECES_OFFSET, STATE_OFFSET};

/// Number of piece codes: six roles, and a rook that may castle.
const PIECE_CODES: u8 = 7;
const KING_CODE: u8 = 5;

/// The reason why bytes are not the start position of a game. Fewer than [`PACKED_BYTES`] bytes are
/// checked as the beginning of one.
pub(super) fn start_position_error(bytes: &[u8]) -> Option<&'static str> {
    let occupied =
        bytes.first_chunk().map(|occupied| u64::from_le_bytes(*occupied).count_ones() as usize)?;
    if !(2..=32).contains(&occupied) {
        return Some("the position does not have 2 to 32 pieces");
    }
    let nibbles = bytes[PIECES_OFFSET..]
        .iter()
        .take(STATE_OFFSET - PIECES_OFFSET)
        .flat_map(|byte| [byte & 15, byte >> 4]);
    let mut kings = [0; 2];
    for (index, nibble) in nibbles.enumerate() {
        let role = nibble % BLACK_BIT;
        if index >= occupied && nibble != 0 || role >= PIECE_CODES {
            return Some("a piece code is invalid");
        }
        if index < occupied && role == KING_CODE {
            kings[usize::from(nibble / BLACK_BIT)] += 1;
        }
    }
    let state = bytes.get(STATE_OFFSET..PACKED_BYTES)?;
    match state {
        _ if kings != [1, 1] => Some("a side does not have exactly one king"),
        [turn_and_en_passant, ..] if turn_and_en_passant & 127 > NO_SQUARE => {
            Some("the en-passant square is invalid")
        }
        [.., result, _] if *result > 2 => Some("the result is invalid"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datagen::training_game::TrainingGame;
    use kibitzer::chess::Position;
    use viriformat::dataformat::WDL;

    fn start(fen: &str) -> Vec<u8> {
        TrainingGame::new(&Position::from_fen(fen).unwrap()).unwrap().finish(WDL::Draw).unwrap()
    }

    #[test]
    fn a_valid_game_and_each_prefix_of_it_are_accepted() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rnbqkbnr/ppp1pppp/8/8/3pP3/5N1P/PPPP1PP1/RNBQKB1R b KQkq e3 0 3",
            "8/8/8/4k3/8/3K4/8/8 b - - 99 200",
        ] {
            let bytes = start(fen);
            for length in 0..=bytes.len() {
                assert_eq!(start_position_error(&bytes[..length]), None, "{length} bytes of {fen}");
            }
        }
    }

    #[test]
    fn an_impossible_position_is_refused() {
        let bytes = start("4k3/8/8/8/8/8/8/4K2R w K - 0 1");
        for (offset, byte) in
            [(0, 255), (8, 0x77), (8, 0x66), (9, 0x05), (20, 1), (24, 65), (30, 3)]
        {
            let mut other = bytes.clone();
            other[offset] = byte;
            if offset == 0 {
                other[..8].fill(byte);
            }
            assert!(start_position_error(&other).is_some(), "{byte} at {offset}");
        }
        assert!(start_position_error(b"This text is a note and not a game of chess.").is_some());
        assert!(start_position_error(b"This text is a note").is_some(), "a prefix is checked too");
    }
}
