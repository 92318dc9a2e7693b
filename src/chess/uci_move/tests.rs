//! Claims about writing UCI.

use super::*;
use crate::chess::parse_move;

fn both(fen: &str, text: &str) -> [String; 2] {
    let position = Position::from_fen(fen).unwrap();
    let mv = parse_move(&position, text).unwrap();
    [CastlingNotation::Standard, CastlingNotation::Chess960]
        .map(|castling| to_uci(&position, mv, castling))
}

#[test]
fn normal_moves_have_one_spelling() {
    assert_eq!(both("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e4"), ["e2e4", "e2e4"]);
    assert_eq!(both("7k/P7/8/8/8/8/8/4K3 w - - 0 1", "a8=N"), ["a7a8n", "a7a8n"]);
}

#[test]
fn standard_castling_is_the_kings_step_and_in_chess960_king_takes_rook() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1";
    assert_eq!(both(fen, "O-O"), ["e8g8", "e8h8"]);
    assert_eq!(both(fen, "O-O-O"), ["e8c8", "e8a8"]);
}

#[test]
fn non_standard_castling_is_always_king_takes_rook() {
    assert_eq!(both("4k3/8/8/8/8/8/8/4K1R1 w K - 0 1", "O-O"), ["e1g1", "e1g1"]);
    assert_eq!(both("4k3/8/8/8/8/8/8/R2K3R w KQ - 0 1", "O-O"), ["d1h1", "d1h1"]);
    assert_eq!(both("4k3/8/8/8/8/8/8/R2K3R w KQ - 0 1", "O-O-O"), ["d1a1", "d1a1"]);
}
