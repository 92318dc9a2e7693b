use std::collections::BTreeSet;

use crate::chess::{Move, MoveGenType, MoveList, Position, Role, to_san};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const PROMOTIONS: &str = "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1";
const EN_PASSANT: &str = "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1";
const CHESS960: &str = "1r2k2r/1b4bq/8/8/8/8/7B/RR2K2R w BHbh - 0 1";

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

fn moves(fen: &str) -> BTreeSet<String> {
    let position = position(fen);
    position.legal_moves().into_iter().map(|mv| to_san(&position, mv)).collect()
}

/// Visits every position of a few game trees.
fn for_each_position(visit: &mut impl FnMut(&Position)) {
    fn walk(position: &Position, depth: u32, visit: &mut impl FnMut(&Position)) {
        visit(position);
        if depth > 0 {
            for mv in &position.legal_moves() {
                walk(&position.after(mv), depth - 1, visit);
            }
        }
    }
    for fen in [KIWIPETE, PROMOTIONS, EN_PASSANT, CHESS960] {
        walk(&position(fen), 2, visit);
    }
}

#[test]
fn a_code_is_legal_exactly_when_it_is_in_the_list() {
    for fen in [KIWIPETE, PROMOTIONS, EN_PASSANT, CHESS960] {
        let root = position(fen);
        for child in root.legal_moves().into_iter().map(|mv| root.after(mv)).chain([root.clone()]) {
            let listed: BTreeSet<Move> = child.legal_moves().into_iter().collect();
            let legal: BTreeSet<Move> =
                (0..=u16::MAX).map(Move::from_code).filter(|&mv| child.is_legal(mv)).collect();
            assert_eq!(legal, listed, "{}", child.fen());
        }
    }
}

#[test]
fn noisy_and_quiet_moves_are_all_moves_and_share_none() {
    for_each_position(&mut |position| {
        let (mut noisy, mut quiet) = (MoveList::new(), MoveList::new());
        position.for_each_move(MoveGenType::Noisy, |mv| noisy.push(mv));
        position.for_each_move(MoveGenType::Quiet, |mv| quiet.push(mv));
        assert!(noisy.into_iter().all(Move::is_noisy), "{}", position.fen());
        assert!(!quiet.into_iter().any(Move::is_noisy), "{}", position.fen());
        let both: Vec<Move> = noisy.into_iter().chain(&quiet).collect();
        let all: BTreeSet<Move> = position.legal_moves().into_iter().collect();
        assert_eq!(both.len(), all.len(), "{}", position.fen());
        assert_eq!(both.into_iter().collect::<BTreeSet<_>>(), all, "{}", position.fen());
    });
}

#[test]
fn bulk_counting_agrees_with_the_list() {
    for_each_position(&mut |position| {
        assert_eq!(position.count_moves(), position.legal_moves().len() as u64)
    });
}

#[test]
fn the_position_with_the_most_moves_fits_the_list() {
    let most = position("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1");
    assert_eq!(most.legal_moves().len(), 218);
}

#[test]
fn an_en_passant_capture_that_exposes_the_king_on_its_rank_is_illegal() {
    assert!(!moves("8/8/8/8/1k1Pp2R/8/8/4K3 b - d3 0 1").contains("exd3"));
}

#[test]
fn a_pinned_pawn_captures_en_passant_only_along_its_pin() {
    assert!(!moves("8/1k6/8/8/3Pp3/8/8/4K2B b - d3 0 1").contains("exd3"));
    assert!(moves("8/7k/8/8/3Pp3/8/8/1B2K3 b - d3 0 1").contains("exd3"));
}

#[test]
fn an_en_passant_capture_may_remove_the_checking_pawn() {
    assert!(moves("8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1").contains("exd3"));
}

#[test]
fn only_the_king_moves_in_double_check() {
    let fen = "4k3/8/4r3/8/8/3n4/8/R3K2R w KQ - 0 1";
    let position = position(fen);
    assert_eq!(position.checkers().count(), 2);
    assert!(
        position
            .legal_moves()
            .into_iter()
            .all(|mv| position.role_at(mv.from()) == Some(Role::King))
    );
}

#[test]
fn a_king_castles_neither_out_of_nor_through_nor_into_check() {
    let castles =
        |fen: &str| moves(fen).into_iter().filter(|san| san.starts_with('O')).collect::<Vec<_>>();
    assert_eq!(castles("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"), ["O-O", "O-O-O"]);
    assert_eq!(castles("4k3/8/8/8/8/4r3/8/R3K2R w KQ - 0 1"), [""; 0]);
    assert_eq!(castles("4k3/8/8/8/8/5r2/8/R3K2R w KQ - 0 1"), ["O-O-O"]);
    assert_eq!(castles("4k3/8/8/8/8/6r1/8/R3K2R w KQ - 0 1"), ["O-O-O"]);
    assert_eq!(
        castles("1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"),
        ["O-O", "O-O-O"],
        "the rook may pass the attacked square b1"
    );
}

#[test]
fn a_chess960_rook_that_shields_its_king_may_not_castle_away() {
    let fen = "4k3/8/8/8/8/8/8/4KRrq w F - 0 1";
    assert!(Position::from_fen(fen).is_ok());
    assert!(!moves(fen).contains("O-O"));
    let fen = "4k3/8/8/8/8/8/8/qR1K4 w B - 0 1";
    assert!(!moves(fen).contains("O-O-O"), "the king on c1 is on the queen's open rank");
}
