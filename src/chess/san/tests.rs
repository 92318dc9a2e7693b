use super::*;
use crate::chess::{Position, parse_move};

/// The SAN of a move in UCI.
fn san(fen: &str, uci: &str) -> String {
    let position = Position::from_fen(fen).unwrap();
    to_san(&position, parse_move(&position, uci).unwrap())
}

#[test]
fn moves_of_every_kind_are_written() {
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    assert_eq!(san(kiwipete, "d2e3"), "Be3");
    assert_eq!(san(kiwipete, "e5f7"), "Nxf7");
    assert_eq!(san(kiwipete, "d5e6"), "dxe6");
    assert_eq!(san(kiwipete, "a2a4"), "a4");
    assert_eq!(san(kiwipete, "e1g1"), "O-O");
    assert_eq!(san(kiwipete, "e1c1"), "O-O-O");
}

#[test]
fn disambiguation_prefers_the_file_then_the_rank_then_both() {
    let queens = "8/k7/8/8/4Q2Q/8/8/K6Q w - - 0 1";
    assert_eq!(san(queens, "e4e1"), "Qee1");
    assert_eq!(san(queens, "h4e1"), "Qh4e1");
    assert_eq!(san(queens, "h1e1"), "Q1e1");
    assert_eq!(san("4k3/8/8/8/R7/8/8/R3K3 w - - 0 1", "a1a3"), "R1a3");
    assert_eq!(
        san("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "a1c1"),
        "Rc1",
        "the king is between the rooks"
    );
    assert_eq!(san("4k3/8/8/8/8/8/8/R4RK1 w - - 0 1", "a1c1"), "Rac1");
}

#[test]
fn a_pinned_piece_causes_no_disambiguation() {
    assert_eq!(san("4k3/4r3/8/8/1N6/8/4N3/4K3 w - - 0 1", "b4d3"), "Nd3");
    assert_eq!(
        san("k7/8/8/8/3R4/8/8/r1R1K3 w - - 0 1", "d4d1"),
        "Rdd1",
        "a pinned rook may move along its pin"
    );
}

#[test]
fn a_piece_that_would_leave_the_king_in_check_causes_no_disambiguation() {
    // Only the knight on f3 may block the check on d2, because the knight on b3 is pinned.
    assert_eq!(san("3rk3/8/8/8/8/1N3N2/8/3K4 w - - 0 1", "b3d2"), "Nbd2");
    assert_eq!(san("3rk3/8/8/8/b7/1N3N2/8/3K4 w - - 0 1", "f3d2"), "Nd2");
}

#[test]
fn a_promotion_has_its_piece_and_its_check_mark() {
    assert_eq!(san("2k5/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7e8q"), "e8=Q+");
    assert_eq!(san("3rk3/2P5/8/8/8/8/8/4K3 w - - 0 1", "c7d8n"), "cxd8=N");
    assert_eq!(
        san("8/4P3/8/4k3/8/8/8/4K3 w - - 0 1", "e7e8r"),
        "e8=R+",
        "the rook gives check through the pawn's square"
    );
}

#[test]
fn an_en_passant_capture_that_opens_a_line_gives_check() {
    assert_eq!(san("8/8/8/r2pPk2/8/8/8/4KB2 w - d6 0 1", "e5d6"), "exd6");
    assert_eq!(san("7k/8/8/3pP3/8/8/1B6/K7 w - d6 0 1", "e5d6"), "exd6+");
}

#[test]
fn castling_may_give_check_or_mate() {
    assert_eq!(san("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1"), "O-O+");
    assert_eq!(san("4rkr1/4p1p1/8/8/8/8/8/4K2R w K - 0 1", "e1g1"), "O-O#");
    assert_eq!(san("3rkr2/3p1p2/8/8/8/8/8/3QK2R w K - 0 1", "e1g1"), "O-O");
}

#[test]
fn mate_is_marked_and_stalemate_is_not() {
    assert_eq!(
        san("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2", "d8h4"),
        "Qh4#"
    );
    assert_eq!(san("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "g5g6"), "Qg6");
}

#[test]
fn check_marks_agree_with_the_position_after_the_move() {
    let positions = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1",
        "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1",
    ];
    let mut checks = 0;
    for fen in positions {
        let position = Position::from_fen(fen).unwrap();
        for first in &position.legal_moves() {
            let position = position.after(first);
            let moves = position.legal_moves();
            for (mv, san) in moves.into_iter().zip(to_san_all(&position, &moves)) {
                let after = position.after(mv);
                assert_eq!(san.check, after.in_check(), "{san:?} in {}", position.fen());
                assert_eq!(
                    san.mate,
                    after.in_check() && !after.has_moves(),
                    "{san:?} in {}",
                    position.fen()
                );
                checks += u32::from(san.check);
            }
        }
    }
    assert!(checks > 100, "only {checks} moves give check");
}
