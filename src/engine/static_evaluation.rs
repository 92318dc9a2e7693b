//! The reported static evaluation of a position.

use super::wdl::{WdlModel, material, material_value};
use crate::chess::{Color, Position, Square};
use crate::nnue::PieceContributions;

/// A static evaluation and the contribution of each piece, in centipawns of which 100 win half of
/// the games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticEvaluation {
    /// The evaluation from White's view.
    pub white_value: i32,
    /// The output bucket of the network; bucket 0 has the fewest pieces.
    pub bucket: usize,
    /// For each square the evaluation with its piece minus the evaluation without it, from White's
    /// view. `None` for empty squares, and for kings, without which a position has no evaluation.
    pub pieces: [Option<i32>; 64],
}

impl StaticEvaluation {
    /// Converts the network's raw centipawns to reported ones. Without a piece there is less
    /// material, so the win model scales the two evaluations differently.
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

    /// The evaluation from a player's view.
    pub const fn value(&self, color: Color) -> i32 {
        if color.is_white() { self.white_value } else { -self.white_value }
    }
}
