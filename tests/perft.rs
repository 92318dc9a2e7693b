//! Perft counts of well-known positions.
//!
//! The counts are published (Chess Programming Wiki, "Perft Results" and "Chess960 Perft Results").
//! Martin Sedlak collected the small positions, each of which catches one mistake.

#![allow(clippy::panic, reason = "a test fails by panicking")]

use kibitzer::chess::{Position, perft};

/// Compares the count at every depth from 1 with the known count.
fn assert_perft(fen: &str, known: &[u64]) {
    let position =
        Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen} was refused: {error:?}"));
    for (depth, &nodes) in (1..).zip(known) {
        assert_eq!(perft::perft(&position, depth), nodes, "{fen} at depth {depth}");
    }
}

/// Compares the count at one depth, where only that is known.
fn assert_perft_at(fen: &str, depth: u8, nodes: u64) {
    let position =
        Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen} was refused: {error:?}"));
    assert_eq!(perft::perft(&position, depth), nodes, "{fen} at depth {depth}");
}

#[test]
fn the_start_position_has_20_400_8902_move_sequences() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    assert_perft(start, &[20, 400, 8_902, 197_281, 4_865_609]);
    assert_eq!(Position::from_fen(start).expect("legal"), Position::startpos());
}

#[test]
fn kiwipete_has_every_kind_of_move() {
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    assert_perft(fen, &[48, 2_039, 97_862, 4_085_603]);
}

#[test]
fn a_rook_endgame_has_pins_along_the_fifth_rank() {
    let fen = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
    assert_perft(fen, &[14, 191, 2_812, 43_238, 674_624, 11_030_083]);
}

#[test]
fn a_tactical_position_has_promotions_and_castling() {
    let fen = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1";
    assert_perft(fen, &[6, 264, 9_467, 422_333]);
}

#[test]
fn the_mirrored_tactical_position_has_the_same_counts() {
    let fen = "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1";
    assert_perft(fen, &[6, 264, 9_467, 422_333]);
}

#[test]
fn a_pawn_on_the_seventh_promotes_beside_the_castled_king() {
    let fen = "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8";
    assert_perft(fen, &[44, 1_486, 62_379, 2_103_487]);
}

#[test]
fn a_quiet_middle_game_has_the_known_counts() {
    let fen = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";
    assert_perft(fen, &[46, 2_079, 89_890, 3_894_594]);
}

#[test]
fn many_promotions_at_once_are_counted() {
    let fen = "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1";
    assert_perft(fen, &[24, 496, 9_483, 182_838, 3_605_103]);
}

#[test]
fn an_en_passant_capture_may_not_expose_the_king_along_the_rank() {
    assert_perft_at("3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1", 6, 1_134_888);
    assert_perft_at("8/8/8/8/k1p4R/8/3P4/3K4 w - - 0 1", 6, 1_134_888);
}

#[test]
fn an_en_passant_capture_may_not_expose_the_king_along_a_diagonal() {
    assert_perft_at("8/5bk1/8/2Pp4/8/1K6/8/8 w - d6 0 1", 6, 824_064);
    assert_perft_at("8/b2p2k1/8/2P5/8/4K3/8/8 b - - 0 1", 6, 1_015_133);
}

#[test]
fn an_en_passant_capture_may_answer_a_check_of_the_double_step() {
    assert_perft_at("8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1", 6, 1_440_467);
}

#[test]
fn castling_short_gives_check() {
    assert_perft_at("5k2/8/8/8/8/8/8/4K2R w K - 0 1", 6, 661_072);
}

#[test]
fn castling_long_gives_check() {
    assert_perft_at("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", 6, 803_711);
}

#[test]
fn a_captured_rook_loses_its_castling_right() {
    assert_perft_at("r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1", 4, 1_274_206);
}

#[test]
fn castling_through_check_is_illegal() {
    assert_perft_at("r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1", 4, 1_720_476);
}

#[test]
fn a_promotion_ends_a_check() {
    assert_perft_at("2K2r2/4P3/8/8/8/8/8/3k4 w - - 0 1", 6, 3_821_001);
}

#[test]
fn a_discovered_check_is_found() {
    assert_perft_at("8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1", 5, 1_004_658);
}

#[test]
fn a_promotion_gives_check() {
    assert_perft_at("4k3/1P6/8/8/8/8/K7/8 w - - 0 1", 6, 217_342);
}

#[test]
fn an_underpromotion_gives_check() {
    assert_perft_at("8/P1k5/K7/8/8/8/8/8 w - - 0 1", 6, 92_683);
}

#[test]
fn a_stalemated_side_has_no_move_sequences() {
    assert_perft_at("K1k5/8/P7/8/8/8/8/8 w - - 0 1", 6, 2_217);
    assert_perft_at("8/k1P5/8/1K6/8/8/8/8 w - - 0 1", 7, 567_584);
}

#[test]
fn a_double_check_leaves_only_king_moves() {
    assert_perft_at("8/8/2k5/5q2/5n2/8/5K2/8 b - - 0 1", 4, 23_527);
}

#[test]
fn chess960_kings_castle_with_rooks_on_the_f_and_h_files() {
    let fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
    assert_perft(fen, &[21, 528, 12_189, 326_672, 8_146_062]);
}

#[test]
fn chess960_kings_castle_with_rooks_on_both_adjacent_files() {
    let fen = "rkrbb1nq/p2pppp1/1p4n1/2p4p/3N4/4P1P1/PPPP1P1P/RKRBBN1Q w CAca - 0 9";
    assert_perft(fen, &[32, 697, 22_231, 531_121]);
}

#[test]
fn chess960_one_side_may_castle_and_the_other_may_not() {
    let fen = "nnq1brkr/pp1pppp1/8/2p4P/8/5K2/PPPbPP1P/NNQBBR1R w hf - 0 9";
    assert_perft(fen, &[23, 724, 18_263, 571_072]);
}

#[test]
fn chess960_castling_rights_are_lost_separately() {
    let fen = "bnnbrkr1/ppp2p1p/5q2/3pp1p1/4P3/1N4P1/PPPPRP1P/BN1B1KRQ w Gge - 0 9";
    assert_perft(fen, &[26, 1_036, 27_228, 1_028_084]);
}
