//! The evaluation of a bare king against material that mates it.
//!
//! Such positions are won, but the network says too little about the way. As Stockfish before its
//! network did, the evaluation drives the bare king to the edge and brings the kings together.
//! Chess Programming Wiki, "Mop-up Evaluation". Bishop and knight mate only in a corner of the
//! bishop's colour; `bishop_and_knight` has the distance of that mate.

mod bishop_and_knight;

pub use bishop_and_knight::bishop_and_knight_plies;

use bishop_and_knight::MAX_MEAN_PLIES;

use super::score::{KNOWN_WIN, Value};
use crate::chess::{Bitboard, Color, Position, Role, Square};

/// The value of a step towards the edge.
const EDGE_STEP: Value = 90;

/// The value of a step of the kings towards each other.
const KING_STEP: Value = 60;

/// The value of a ply less to the mate with bishop and knight.
const PLY_STEP: Value = 80;

/// Whether one side has its king alone.
#[inline]
pub(super) fn has_bare_king(position: &Position) -> bool {
    bare_side(position).is_some()
}

#[inline]
fn bare_side(position: &Position) -> Option<Color> {
    Color::ALL.into_iter().find(|&color| !position.by_color(color).more_than_one())
}

/// The value of a position from the view of the side to move, in units of the search. `None` unless
/// one side has a bare king and the other one mates.
#[inline]
pub(super) fn bare_king_value(position: &Position) -> Option<Value> {
    let bare = bare_side(position)?;
    let value = winner_value(position, bare)?;
    Some(if position.turn() == bare { -value } else { value })
}

#[cold]
fn winner_value(position: &Position, bare: Color) -> Option<Value> {
    let role = |role| position.by_role(role);
    let bishops = role(Role::Bishop);
    let has_major = !(role(Role::Queen) | role(Role::Rook)).is_empty();
    let has_bishop_pair = bishops.intersects(Bitboard::DARK_SQUARES)
        && !bishops.without(Bitboard::DARK_SQUARES).is_empty();
    let has_bishop_and_knight = !bishops.is_empty() && !role(Role::Knight).is_empty();
    let needs_corner = !has_major && !has_bishop_pair;
    if needs_corner && !has_bishop_and_knight {
        return None;
    }
    let (loser, winner) = (position.king(bare), position.king(!bare));
    let progress = if needs_corner {
        let is_dark = bishops.intersects(Bitboard::DARK_SQUARES);
        let plies = bishop_and_knight_plies(loser, winner, is_dark);
        PLY_STEP * Value::from(MAX_MEAN_PLIES - plies)
    } else {
        // A piece more is never worse.
        PLY_STEP * Value::from(MAX_MEAN_PLIES)
            + EDGE_STEP * center_distance(loser)
            + KING_STEP * (7 - king_distance(loser, winner))
    };
    // A piece more is worth something, so that none is given away.
    let pieces = position.occupied().count() as Value;
    Some(KNOWN_WIN + 50 * pieces + progress)
}

/// The steps from the four squares of the centre, along ranks and files together: 0 to 6.
fn center_distance(square: Square) -> Value {
    let from_center = |index: Value| (3 - index).max(index - 4);
    from_center(square.file() as Value) + from_center(square.rank() as Value)
}

/// The moves that a king needs between two squares.
fn king_distance(a: Square, b: Square) -> Value {
    let files = (a.file() as Value - b.file() as Value).abs();
    let ranks = (a.rank() as Value - b.rank() as Value).abs();
    files.max(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(fen: &str) -> Option<Value> {
        bare_king_value(&Position::from_fen(fen).unwrap())
    }

    #[test]
    fn only_material_that_mates_a_bare_king_is_evaluated() {
        for men in ["Q7", "R7", "BB6", "BN6", "NB5Q", "R6N"] {
            let fen = format!("8/8/8/8/4k3/8/6K1/{men} b - - 0 1");
            assert!(value(&fen).is_some(), "{fen}");
        }
        for fen in [
            "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
            "4k3/8/8/8/8/8/8/NN2K3 w - - 0 1",
            "4k3/8/8/8/8/8/8/B1B1K3 w - - 0 1",
            "4k3/7p/8/8/8/8/8/Q3K3 w - - 0 1",
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        ] {
            assert_eq!(value(fen), None, "{fen}");
        }
    }

    #[test]
    fn the_value_rises_towards_the_mate() {
        let center = value("8/8/8/4k3/8/8/8/R3K3 w - - 0 1").unwrap();
        let edge = value("4k3/8/8/8/8/8/8/R3K3 w - - 0 1").unwrap();
        let near = value("4k3/8/4K3/8/8/8/8/R7 w - - 0 1").unwrap();
        assert!(center < edge && edge < near, "{center} {edge} {near}");
        assert_eq!(value("4k3/8/4K3/8/8/8/8/R7 b - - 0 1"), Some(-near));
    }

    #[test]
    fn bishop_and_knight_mate_in_a_corner_of_the_bishop() {
        // The bishop on f1 runs on light squares: a8 and h1 are its corners.
        let right = value("k7/8/8/8/8/8/8/4KBN1 w - - 0 1").unwrap();
        let wrong = value("7k/8/8/8/8/8/8/4KBN1 w - - 0 1").unwrap();
        assert!(right > wrong + 500, "{right} {wrong}");
    }

    #[test]
    fn a_rook_more_is_worth_more_than_any_progress() {
        let far = value("8/8/8/4k3/8/8/8/KBNR4 w - - 0 1").unwrap();
        let near = value("k7/8/1K6/8/8/8/8/4BN2 w - - 0 1").unwrap();
        assert!(far > near, "{far} {near}");
    }
}
