use crate::chess::{Color, Move, MoveKind, Position, Role, Square};

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

/// Compares the incrementally updated fields with a rebuilt position.
fn assert_consistent(position: &Position) {
    let rebuilt = Position::from_setup_unchecked(&position.to_setup());
    assert_eq!(&rebuilt, position, "{}", position.fen());
}

#[test]
fn incremental_updates_match_a_rebuilt_position() {
    fn walk(position: &Position, depth: u32) {
        assert_consistent(position);
        if depth == 0 {
            return;
        }
        let mut child = position.clone();
        for mv in &position.legal_moves() {
            position.after_into(mv, &mut child);
            walk(&child, depth - 1);
        }
    }
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "1r2k2r/1b4bq/8/8/8/8/7B/RR2K2R w BHbh - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    ] {
        walk(&position(fen), 3);
    }
}

#[test]
fn the_three_ways_to_play_a_move_agree() {
    let before = position("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    let mut child = Position::startpos();
    for mv in &before.legal_moves() {
        let after = before.after(mv);
        let mut played = before.clone();
        played.play(mv);
        before.after_into(mv, &mut child);
        assert_eq!(played, after);
        assert_eq!(child, after);
    }
}

#[test]
fn a_null_move_passes_the_turn_and_clears_en_passant() {
    let before = position("rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 3");
    assert!(before.en_passant().is_some());
    let mut after = before.clone();
    after.play_null_move();
    assert_eq!(after.turn(), Color::White);
    assert_eq!(after.en_passant(), None);
    assert_eq!(after.halfmove_clock(), 1);
    assert_eq!(
        after.key(),
        position("rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR w KQkq - 1 3").key()
    );
}

#[test]
fn a_double_push_sets_en_passant_only_where_a_capture_is_legal() {
    let double = |fen: &str, from: &str, to: &str| {
        let mv = Move::new(from.parse().unwrap(), to.parse().unwrap(), MoveKind::DoublePush);
        let before = position(fen);
        assert!(before.is_legal(mv));
        before.after(mv).en_passant()
    };
    assert_eq!(double("4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1", "d2", "d4"), "d3".parse().ok());
    assert_eq!(double("4k3/8/8/8/8/8/3P4/4K3 w - - 0 1", "d2", "d4"), None, "no pawn can capture");
    assert_eq!(
        double("8/8/8/8/1k2p2R/8/3P4/4K3 w - - 0 1", "d2", "d4"),
        None,
        "the capture opens the rank to the king"
    );
}

#[test]
fn king_and_rook_may_exchange_squares_when_castling() {
    // In Chess960 king and rook may exchange squares.
    let before = position("4k3/8/8/8/8/8/8/5KR1 w G - 0 1");
    let castle = before.legal_moves().into_iter().find(|mv| mv.is_castling()).unwrap();
    let after = before.after(castle);
    assert_eq!(after.role_at("g1".parse().unwrap()), Some(Role::King));
    assert_eq!(after.role_at("f1".parse().unwrap()), Some(Role::Rook));
    assert!(after.castling_rights().is_empty());
    assert_consistent(&after);
}

#[test]
fn capturing_a_rook_removes_its_castling_right() {
    let before = position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    let after = before.after(Move::new(Square::H1, Square::H8, MoveKind::Capture));
    assert_eq!(after.fen(), "r3k2R/8/8/8/8/8/8/R3K3 b Qq - 0 1");
    assert_consistent(&after);
}

#[test]
fn playing_any_move_code_does_not_panic() {
    for fen in ["r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1"] {
        let before = position(fen);
        for code in 0..=u16::MAX {
            std::hint::black_box(before.after(Move::from_code(code)));
        }
    }
}
