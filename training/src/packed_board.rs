//! viriformat's packed boards and moves as positions and moves of the engine's rules, and back.

use anyhow::{Context, Result, anyhow, ensure};
use kibitzer::chess::{
    Bitboard, CastlingSide, Color, Move, MoveKind, Piece, Position, Role, Setup, Square,
    castled_king_square,
};

use crate::game_layout::{
    BLACK_BIT, FULLMOVE_NUMBER_OFFSET, NO_SQUARE, PACKED_BYTES, PIECES_OFFSET, STATE_OFFSET,
    UNMOVED_ROOK,
};

/// The position of a packed board, with half-move clock 0 and full-move number 1.
///
/// # Errors
///
/// When a piece code is unknown, there are more than 32 pieces, or the position is not legal.
pub fn unpack(packed: &[u8; PACKED_BYTES]) -> Result<Position> {
    let mut setup = Setup::EMPTY;
    let occupied = Bitboard(packed.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)));
    ensure!(occupied.count() <= 32, "the board has {} pieces; at most 32 fit", occupied.count());
    let mut seen_king = [false; 2];
    for (i, square) in occupied.enumerate() {
        let code = packed[PIECES_OFFSET + i / 2] >> (4 * (i % 2)) & 15;
        let color = if code & BLACK_BIT == 0 { Color::White } else { Color::Black };
        let role = match code & 7 {
            UNMOVED_ROOK => {
                let is_right_of_king = seen_king[color as usize];
                let side = if is_right_of_king { CastlingSide::King } else { CastlingSide::Queen };
                setup.castling_rights.set(color, side, Some(square.file()));
                Role::Rook
            }
            code => *Role::ALL
                .get(usize::from(code))
                .ok_or_else(|| anyhow!("the piece on {square} has the unknown kind {code}"))?,
        };
        seen_king[color as usize] |= role == Role::King;
        setup.board[square.index()] = Some(Piece::new(color, role));
    }
    setup.turn = if packed[STATE_OFFSET] >> 7 == 0 { Color::White } else { Color::Black };
    let target = packed[STATE_OFFSET] & 127;
    setup.en_passant = (target < NO_SQUARE).then(|| Square::from_index(target));
    setup.validate().map_err(|error| anyhow!("the position is not legal: {error}"))
}

/// A position as a packed board without half-move clock, score and result.
#[must_use]
pub fn pack(position: &Position) -> [u8; PACKED_BYTES] {
    let mut packed = [0; PACKED_BYTES];
    let occupied = position.occupied();
    packed[..PIECES_OFFSET].copy_from_slice(&occupied.0.to_le_bytes());
    for (i, square) in occupied.enumerate() {
        if let Some(piece) = position.piece_at(square) {
            let code = piece.role() as u8 | (piece.color() as u8 * BLACK_BIT);
            packed[PIECES_OFFSET + i / 2] |= code << (4 * (i % 2));
        }
    }
    for color in Color::ALL {
        for side in CastlingSide::ALL {
            if let Some(rook) = position.castling_rook(color, side) {
                let before = Bitboard(rook.bitboard().0 - 1);
                let i = (occupied & before).count() as usize;
                packed[PIECES_OFFSET + i / 2] ^= (Role::Rook as u8 ^ UNMOVED_ROOK) << (4 * (i % 2));
            }
        }
    }
    let target = position.en_passant().map_or(NO_SQUARE, |square| square.index() as u8);
    packed[STATE_OFFSET] = (position.turn() as u8) << 7 | target;
    packed[FULLMOVE_NUMBER_OFFSET] = 1;
    packed
}

/// The move of a code of viriformat; `None` if it is not legal in `position`.
#[must_use]
pub fn unpack_move(position: &Position, code: u16) -> Option<Move> {
    let square = |shift: u16| Square::from_index((code >> shift & 63) as u8);
    let (from, to) = (square(0), square(6));
    let is_capture = position.piece_at(to).is_some();
    let mv = match code >> 14 {
        0 if is_capture => Move::new(from, to, MoveKind::Capture),
        0 if is_double_push(position, from, to) => Move::new(from, to, MoveKind::DoublePush),
        0 => Move::new(from, to, MoveKind::Quiet),
        1 => Move::new(from, to, MoveKind::EnPassant),
        // Castling is the king onto its rook.
        2 => {
            let (side, kind) = if to > from {
                (CastlingSide::King, MoveKind::CastleShort)
            } else {
                (CastlingSide::Queen, MoveKind::CastleLong)
            };
            Move::new(from, castled_king_square(position.turn(), side), kind)
        }
        _ => {
            let role = Role::PROMOTIONS[usize::from(code >> 12 & 3)];
            Move::new_promotion(from, to, role, is_capture)
        }
    };
    position.is_legal(mv).then_some(mv)
}

/// Plays the move of a code of viriformat.
///
/// # Errors
///
/// When the move is not legal.
pub fn play(position: &mut Position, code: u16) -> Result<Move> {
    let mv = unpack_move(position, code);
    let mv = mv.with_context(|| format!("{code:#06x} is not a move in {}", position.fen()))?;
    position.play(mv);
    Ok(mv)
}

fn is_double_push(position: &Position, from: Square, to: Square) -> bool {
    position.role_at(from) == Some(Role::Pawn) && from.index().abs_diff(to.index()) == 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datagen::TrainingGame;
    use kibitzer::chess::{parse_move, to_san};
    use viriformat::dataformat::WDL;

    #[test]
    fn a_position_survives_and_is_packed_as_viriformat_packs_it() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rnbqkbnr/ppp1pppp/8/8/3pP3/5N1P/PPPP1PP1/RNBQKB1R b KQkq e3 0 1",
            "1rr1k3/pppppppp/8/8/8/8/PPPPPPPP/1R2KR2 b FBc - 0 1",
            "r3k2r/8/8/8/8/8/8/R3K2R w Kq - 0 1",
            "8/8/8/4k3/8/3K4/8/8 b - - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            let packed = pack(&position);
            assert_eq!(unpack(&packed).unwrap(), position, "{fen}");
            let game = TrainingGame::new(&position).unwrap().finish(WDL::Loss).unwrap();
            assert_eq!(packed, game[..PACKED_BYTES], "{fen}");
        }
    }

    #[test]
    fn the_codes_of_illegal_moves_are_no_moves() {
        let position = Position::from_fen("r3k2r/P6p/8/3pP3/8/8/P7/R3K2R w KQkq d6 0 1").unwrap();
        let moves: Vec<String> = (0..=u16::MAX)
            .filter_map(|code| unpack_move(&position, code))
            .map(|mv| to_san(&position, mv))
            .collect();
        let legal = position.legal_moves();
        assert!(legal.iter().all(|mv| moves.contains(&to_san(&position, *mv))));
        // A promotion piece, and the kind of no promotion, leave bits that do not count.
        assert!(moves.iter().all(|san| legal.contains(&parse_move(&position, san).unwrap())));
        assert!(moves.contains(&"exd6".to_owned()) && moves.contains(&"O-O-O".to_owned()));
    }

    #[test]
    fn damaged_boards_are_refused() {
        let packed = pack(&Position::startpos());
        for (place, byte, words) in
            [(8, 0x73, "unknown kind 7"), (8, 0x55, "must have 1"), (24, 20, "no pawn has just")]
        {
            let mut damaged = packed;
            damaged[place] = byte;
            let error = unpack(&damaged).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        let mut crowded = packed;
        crowded[..PIECES_OFFSET].fill(255);
        assert!(unpack(&crowded).unwrap_err().to_string().contains("64 pieces"));
    }
}
