use super::*;
use crate::chess::parse_move;

/// The material that the exchange wins: the largest threshold that it reaches.
fn exchange(fen: &str, mv: &str) -> Value {
    let position = Position::from_fen(fen).unwrap();
    let mv = parse_move(&position, mv).unwrap();
    (-5500..5500).rev().find(|&threshold| see_at_least(&position, mv, threshold)).unwrap()
}

#[test]
fn a_hanging_piece_is_won() {
    assert_eq!(exchange("4k3/8/8/3n4/8/8/8/3RK3 w - - 0 1", "d1d5"), see_value(Role::Knight));
}

#[test]
fn a_rook_that_takes_a_defended_pawn_is_lost_for_it() {
    assert_eq!(
        exchange("4k3/8/2p5/3p4/8/8/8/3RK3 w - - 0 1", "d1d5"),
        see_value(Role::Pawn) - see_value(Role::Rook)
    );
}

#[test]
fn a_knight_that_takes_a_defended_knight_is_an_even_exchange() {
    assert_eq!(exchange("4k3/8/2p5/3n4/8/2N5/8/4K3 w - - 0 1", "c3d5"), 0);
}

#[test]
fn doubled_rooks_join_the_exchange() {
    // Two rooks against one: rook takes pawn, rook takes rook, rook takes rook.
    assert_eq!(exchange("3r2k1/8/8/3p4/8/8/3R4/3R2K1 w - - 0 1", "d2d5"), see_value(Role::Pawn));
    assert_eq!(
        exchange("3r2k1/3r4/8/3p4/8/8/3R4/3R2K1 w - - 0 1", "d2d5"),
        see_value(Role::Pawn) - see_value(Role::Rook)
    );
}

#[test]
fn a_queen_behind_a_pawn_joins_on_the_diagonal() {
    // Pawn takes pawn, bishop takes back; the queen behind the pawn then wins the bishop for the
    // pawn.
    assert_eq!(exchange("6k1/8/4b3/3p4/4P3/5Q2/8/6K1 w - - 0 1", "e4d5"), see_value(Role::Pawn));
}

#[test]
fn a_king_does_not_take_a_defended_piece() {
    assert_eq!(exchange("8/8/3k4/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5"), see_value(Role::Pawn));
    assert_eq!(
        exchange("8/8/3k4/3p4/8/8/3R4/4K3 w - - 0 1", "d2d5"),
        see_value(Role::Pawn) - see_value(Role::Rook)
    );
}

#[test]
fn a_pinned_piece_does_not_recapture() {
    // The knight on f6 defends d5, but the bishop on h4 pins it to the king.
    let gain = see_value(Role::Pawn);
    assert_eq!(exchange("3k4/8/5n2/3p4/7B/8/8/3RK3 w - - 0 1", "d1d5"), gain);
    assert_eq!(
        exchange("3k4/8/5n2/3p4/8/8/8/3RK3 w - - 0 1", "d1d5"),
        gain - see_value(Role::Rook)
    );
}

#[test]
fn a_pinned_piece_recaptures_once_the_pinning_piece_has_moved() {
    // Pawn takes pawn, pawn takes back. If the queen took it, the knight would be free to take the
    // queen.
    assert_eq!(exchange("4k3/8/2np4/1Q2p3/5P2/8/8/4K3 w - - 0 1", "f4e5"), 0);
}

#[test]
fn the_capture_of_the_pinning_piece_ends_the_pin() {
    // Pawn takes rook, pawn takes back, and the rook that was pinned takes the pawn.
    assert_eq!(exchange("7k/8/3p4/4r3/3P4/4R3/8/4K3 w - - 0 1", "d4e5"), see_value(Role::Rook));
}

#[test]
fn a_pinned_piece_still_guards_against_the_king() {
    // The rook leaves the second rank, so the bishop pins the knight. The king may still not take.
    assert_eq!(exchange("8/8/3k4/b2p4/8/2N5/3R4/4K3 w - - 0 1", "d2d5"), see_value(Role::Pawn));
}

#[test]
fn en_passant_wins_the_pawn_and_opens_the_file_behind_it() {
    assert_eq!(exchange("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"), see_value(Role::Pawn));
    assert_eq!(exchange("3rk3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"), 0);
}

#[test]
fn a_promotion_counts_the_new_piece_and_its_loss() {
    let gain = see_value(Role::Queen) - see_value(Role::Pawn);
    assert_eq!(exchange("8/P6k/8/8/8/8/8/4K3 w - - 0 1", "a7a8q"), gain);
    assert_eq!(exchange("1r6/P6k/8/8/8/8/8/4K3 w - - 0 1", "a7a8q"), gain - see_value(Role::Queen));
}

#[test]
fn a_quiet_move_to_an_attacked_square_loses_the_piece() {
    assert_eq!(exchange("4k3/8/4p3/8/8/8/8/3RK3 w - - 0 1", "d1d5"), -see_value(Role::Rook));
    assert_eq!(exchange("4k3/8/8/8/8/8/8/3RK3 w - - 0 1", "d1d5"), 0);
}

#[test]
fn castling_wins_no_material() {
    assert_eq!(exchange("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1"), 0);
}
