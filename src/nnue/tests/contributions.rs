//! Tests of the contributions of pieces.

use super::random_network::{LayeredRanges, Ranges, layered_file, network_file};
use super::reference;
use crate::chess::{Color, Position, Square};
use crate::nnue::Network;

fn white_value(bytes: &[u8], fen: &str) -> i32 {
    let position = Position::from_fen(fen).unwrap();
    let value = reference::evaluate(bytes, &position);
    if position.turn() == Color::White { value } else { -value }
}

#[test]
fn a_contribution_is_the_difference_without_the_piece() {
    for bytes in [network_file(21, Ranges::USUAL), layered_file(21, LayeredRanges::USUAL)] {
        let network = Network::from_bytes(&bytes).unwrap();
        for (with, without, square) in [
            (
                "4k3/1p4p1/8/3N4/8/q7/1P6/1K6 w - - 0 1",
                "4k3/1p4p1/8/3N4/8/8/1P6/1K6 w - - 0 1",
                "a3",
            ),
            (
                "4k3/1p4p1/8/3N4/8/q7/1P6/1K6 b - - 0 1",
                "4k3/1p4p1/8/8/8/q7/1P6/1K6 b - - 0 1",
                "d5",
            ),
        ] {
            let contributions = network.contributions(&Position::from_fen(with).unwrap());
            assert_eq!(contributions.white_value, white_value(&bytes, with));
            assert_eq!(contributions.bucket, 1);
            let square: Square = square.parse().unwrap();
            let expected = white_value(&bytes, with) - white_value(&bytes, without);
            assert_eq!(contributions.pieces[square.index()], Some(expected), "{with}");
        }
    }
}

#[test]
fn kings_and_empty_squares_add_nothing() {
    let network = Network::from_bytes(&network_file(22, Ranges::USUAL)).unwrap();
    let start = Position::startpos();
    let contributions = network.contributions(&start);
    assert_eq!(contributions.pieces.iter().flatten().count(), 30);
    for color in Color::ALL {
        assert_eq!(contributions.pieces[start.king(color).index()], None);
    }
}

#[test]
fn a_piece_whose_absence_would_leave_a_king_in_check_has_a_contribution() {
    let network = Network::from_bytes(&network_file(23, Ranges::USUAL)).unwrap();
    // Without the knight on e5 the side that is not to move would be in check.
    let pinned = Position::from_fen("4k3/8/8/4n3/8/8/4R3/4K3 w - - 0 1").unwrap();
    assert!(network.contributions(&pinned).pieces[Square::A1.index() + 36].is_some());
}
