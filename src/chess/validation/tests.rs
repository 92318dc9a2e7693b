use super::*;
use crate::chess::{CastlingSide, File};

fn errors(fen: &str) -> Vec<&'static str> {
    match Position::from_fen(fen) {
        Ok(_) => Vec::new(),
        Err(invalid) => invalid.errors.iter().map(|error| error.code.name()).collect(),
    }
}

#[test]
fn each_player_has_one_king() {
    assert_eq!(errors("8/8/8/8/8/8/8/8 w - - 0 1"), ["no_king", "no_king"]);
    assert_eq!(errors("4k3/8/8/8/8/8/8/3KK3 w - - 0 1"), ["too_many_kings"]);
}

#[test]
fn the_opponent_must_not_be_in_check() {
    assert_eq!(errors("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1"), ["opponent_in_check"]);
    assert_eq!(errors("4k3/8/8/8/8/8/4R3/4K3 b - - 0 1"), [""; 0]);
    assert_eq!(errors("8/8/8/3kK3/8/8/8/8 w - - 0 1"), ["opponent_in_check"]);
}

#[test]
fn each_promoted_piece_needs_a_missing_pawn() {
    assert_eq!(errors("4k3/ppppppp1/8/8/qq6/8/8/4K3 w - - 0 1"), [""; 0]);
    assert_eq!(errors("4k3/pppppppp/8/8/qq6/8/8/4K3 w - - 0 1"), ["impossible_promotions"]);
    assert_eq!(errors("4k3/pppppp2/8/8/qqnnn3/8/8/4K3 w - - 0 1"), [""; 0]);
    assert_eq!(errors("4k3/ppppppp1/8/8/qqnnn3/8/8/4K3 w - - 0 1"), ["impossible_promotions"]);
}

#[test]
fn several_errors_of_the_board_are_all_reported() {
    assert_eq!(
        errors("P3k3/pppp1ppp/pp6/8/8/8/4R3/4K3 w - - 0 1"),
        ["too_many_pawns", "pawn_on_back_rank", "opponent_in_check"]
    );
}

#[test]
fn three_checkers_are_impossible() {
    assert_eq!(errors("4k3/8/8/8/7b/5n2/8/r3K3 w - - 0 1"), ["impossible_check"]);
    assert_eq!(errors("4k3/8/8/8/8/5n2/8/r3K3 w - - 0 1"), [""; 0]);
}

#[test]
fn two_checkers_on_one_line_with_the_king_are_impossible() {
    assert_eq!(errors("4k3/8/8/8/8/8/8/r3K2r w - - 0 1"), ["impossible_check"]);
    assert_eq!(errors("4k3/8/8/8/8/8/r7/r3K3 w - - 0 1"), [""; 0], "the rook on a2 gives no check");
}

#[test]
fn only_a_slider_behind_the_pawns_origin_may_check_after_a_double_step() {
    assert_eq!(
        errors("4r2k/8/8/3pP3/4K3/8/8/8 w - d6 0 1"),
        [""; 0],
        "the pawn on e5 shields the king"
    );
    assert_eq!(
        errors("7k/8/8/3pP3/r3K3/8/8/8 w - d6 0 1"),
        ["impossible_check"],
        "the rook on a4 gave check before the double step"
    );
    assert_eq!(
        errors("7k/8/8/3p4/r5K1/8/8/8 w - d6 0 1"),
        ["impossible_check"],
        "the check is impossible even without a possible capture"
    );
    assert_eq!(
        errors("3r3k/8/8/3p4/3K4/8/8/8 w - d6 0 1"),
        [""; 0],
        "the pawn on d5 blocks the rook"
    );
}

#[test]
fn an_en_passant_square_needs_a_pawn_that_has_just_passed_it() {
    for (fen, reason) in [
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d3 0 1", "the wrong rank for White to move"),
        ("4k3/8/8/4P3/8/8/8/4K3 w - d6 0 1", "no pawn on d5"),
        ("4k3/8/8/3PP3/8/8/8/4K3 w - d6 0 1", "a pawn of the wrong side"),
        ("4k3/3p4/8/3pP3/8/8/8/4K3 w - d6 0 1", "the origin of the pawn is not empty"),
        ("4k3/8/3n4/3pP3/8/8/8/4K3 w - d6 0 1", "the en passant square is not empty"),
    ] {
        assert_eq!(errors(fen), ["en_passant_impossible"], "{reason}");
    }
}

#[test]
fn castling_rights_without_king_and_rook_are_rejected() {
    let mut setup = Position::startpos().to_setup();
    setup.castling_rights.set(Color::White, CastlingSide::King, Some(File::G));
    let invalid = setup.validate().unwrap_err();
    assert_eq!(invalid.errors[0].field, PositionField::Castling);
    setup.castling_rights.set(Color::White, CastlingSide::King, Some(File::A));
    assert!(setup.validate().is_err(), "the rook on a1 is on the queen's side");
}

#[test]
fn clocks_out_of_range_are_rejected() {
    let setup = Position::startpos().to_setup();
    assert!(
        Setup { halfmove_clock: 150, fullmove_number: 9999, ..setup.clone() }.validate().is_ok()
    );
    assert!(Setup { halfmove_clock: 151, ..setup.clone() }.validate().is_err());
    assert!(Setup { fullmove_number: 10_000, ..setup.clone() }.validate().is_err());
    assert!(Setup { fullmove_number: 0, ..setup }.validate().is_err());
}
