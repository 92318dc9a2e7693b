//! View `piece_bytes`: a byte for each square, with what has moved.

use crate::chess::{Game, Piece};

const WHITE: u8 = 1 << 0;
const HAS_MOVED: u8 = 1 << 1;
const PAWN: u8 = 1 << 2;

/// The bytes of a1 … h8: bit 0 colour (1 White), bit 1 has moved, bit 2 pawn, 3 knight, 4 bishop, 5
/// rook, 6 queen, 7 king; 0 is an empty square.
pub fn piece_bytes(game: &Game) -> [u8; 64] {
    let mut bytes = [0; 64];
    for square in game.position().occupied() {
        let kind = |piece: Piece| {
            PAWN << piece.role() as u8 | if piece.color().is_white() { WHITE } else { 0 }
        };
        let moved = if game.moved_pieces().contains(square) { HAS_MOVED } else { 0 };
        bytes[square.index()] = game.position().piece_at(square).map_or(0, kind) | moved;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Position, Square, parse_move};

    fn byte_after(fen: &str, moves: &str, square: &str) -> u8 {
        let mut game = Game::new(Position::from_fen(fen).unwrap());
        for text in moves.split_whitespace() {
            let mv = parse_move(game.position(), text).unwrap();
            game.play(mv);
        }
        piece_bytes(&game)[square.parse::<Square>().unwrap().index()]
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn a_white_knight_that_has_moved_is_11() {
        assert_eq!(byte_after(START, "", "g1"), 9);
        assert_eq!(byte_after(START, "Nf3", "f3"), 11);
        assert_eq!(byte_after(START, "Nf3", "g1"), 0);
    }

    #[test]
    fn a_piece_that_returns_still_counts_as_moved() {
        assert_eq!(byte_after(START, "Nf3 Nf6 Ng1 Ng8", "g1"), 11);
        assert_eq!(byte_after(START, "Nf3 Nf6 Ng1 Ng8", "b1"), 9);
    }

    #[test]
    fn both_pieces_of_a_castling_move_have_moved() {
        let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        assert_eq!(byte_after(fen, "O-O", "g1"), 128 | 3);
        assert_eq!(byte_after(fen, "O-O", "f1"), 32 | 3);
        assert_eq!(
            byte_after(fen, "O-O", "a1"),
            32 | 1,
            "the other rook has not moved, though its right is gone"
        );
    }

    #[test]
    fn a_king_without_a_right_and_a_pawn_off_its_rank_have_moved() {
        let fen = "4k3/8/8/8/4P3/8/3P4/R3K2R w K - 0 1";
        assert_eq!(byte_after(fen, "", "e4"), 7);
        assert_eq!(byte_after(fen, "", "d2"), 5);
        assert_eq!(byte_after(fen, "", "e8"), 130);
        assert_eq!(byte_after(fen, "", "a1"), 35);
        assert_eq!(byte_after(fen, "", "h1"), 33);
    }

    #[test]
    fn a_capturing_piece_has_moved_and_a_pawn_taken_en_passant_is_gone() {
        let fen = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
        assert_eq!(byte_after(fen, "exd6", "d6"), 7);
        assert_eq!(byte_after(fen, "exd6", "d5"), 0);
    }
}
