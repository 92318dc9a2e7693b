//! A position's evaluation without a search, as it is told.

use super::wdl::{WdlModel, material, material_value};
use crate::chess::{Color, Position, Square};
use crate::nnue::PieceContributions;

/// A static evaluation and how much of it hangs on each piece, in centipawns of which 100 win half
/// of the games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticEvaluation {
    /// From White's view.
    pub white_value: i32,
    /// The variant of the network's output that judged the position: 0 with the fewest pieces.
    pub bucket: usize,
    /// For each square the evaluation with its piece less the evaluation without it, from White's
    /// view. Empty squares and kings, without which there is no evaluation, have none.
    pub pieces: [Option<i32>; 64],
}

impl StaticEvaluation {
    /// What the network says of a position, in the unit that is told. Without a piece there is less
    /// material, with which the same number of linear centipawns wins another share of games.
    pub(super) fn new(position: &Position, contributions: &PieceContributions) -> StaticEvaluation {
        let material = material(position);
        let white_value =
            WdlModel::for_material(material).centipawns(f64::from(contributions.white_value));
        let pieces = std::array::from_fn(|index| {
            let role = position.piece_at(Square::from_index(index as u8))?.role();
            let without = contributions.white_value - contributions.pieces[index]?;
            Some(
                white_value
                    - WdlModel::for_material(material - material_value(role))
                        .centipawns(f64::from(without)),
            )
        });
        StaticEvaluation { white_value, bucket: contributions.bucket, pieces }
    }

    /// From a player's view.
    pub const fn value(&self, color: Color) -> i32 {
        if color.is_white() { self.white_value } else { -self.white_value }
    }
}
