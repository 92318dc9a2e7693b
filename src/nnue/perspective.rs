//! Perspectives: the views of the board from which the network computes its features.

use super::architecture::{INPUTS, KING_BUCKETS};
use super::error::NetworkError;
use crate::chess::{Color, Piece, Square};

/// The number of squares in a file's king bucket table: `4 · rank + file` with the files a–d.
pub(super) const KING_SQUARES: usize = 32;

/// The mapping from pieces on squares to features, for one player and one square of that player's
/// king. It has three parts: the player's colour, the mirror half and the king bucket.
///
/// Black's ranks are flipped, so that the player's own pieces are at the bottom. With the king on
/// the files e–h the board is mirrored (Chess Programming Wiki, "NNUE": horizontal mirroring), so
/// that the network learns half as many king positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Perspective {
    /// The XOR mask that turns a square into the square of the perspective.
    flip: u8,
    /// The set of input weights.
    king_bucket: u8,
}

impl Perspective {
    /// The perspective of a player with the king on `king`, by a table of king buckets.
    fn new(color: Color, king: Square, buckets: &[u8; KING_SQUARES]) -> Perspective {
        let oriented_king = king.index() as u8 ^ (56 * color as u8);
        let mirror = if oriented_king & 4 == 0 { 0 } else { 7 };
        let mirrored_king = oriented_king ^ mirror;
        let king_bucket =
            buckets[usize::from(mirrored_king >> 3) * 4 + usize::from(mirrored_king & 3)];
        Perspective { flip: (56 * color as u8) ^ mirror, king_bucket }
    }

    /// The index of the row of weights of a piece on a square.
    #[inline]
    pub(super) fn feature_index(self, color: Color, piece: Piece, square: Square) -> usize {
        let other = usize::from(piece.color() != color);
        usize::from(self.king_bucket) * INPUTS
            + other * (INPUTS / 2)
            + piece.role() as usize * 64
            + (square.index() ^ usize::from(self.flip))
    }

    /// The index of the perspective among those of its player: two mirror sides of each king
    /// bucket.
    #[inline]
    pub(super) fn cache_index(self) -> usize {
        usize::from(self.king_bucket) * 2 + usize::from(self.flip & 1)
    }
}

/// The perspectives of both players, by the square of the player's king.
pub(super) struct PerspectiveTable([[Perspective; 64]; 2]);

impl PerspectiveTable {
    /// Checks a table of king buckets.
    pub(super) const fn validate(buckets: &[u8; KING_SQUARES]) -> Result<(), NetworkError> {
        let mut square = 0;
        while square < KING_SQUARES {
            if buckets[square] as usize >= KING_BUCKETS {
                let found = buckets[square];
                return Err(NetworkError::KingBucket { found, buckets: KING_BUCKETS });
            }
            square += 1;
        }
        Ok(())
    }

    /// The perspectives by a validated table of king buckets.
    pub(super) fn new(buckets: &[u8; KING_SQUARES]) -> PerspectiveTable {
        PerspectiveTable(Color::ALL.map(|color| {
            std::array::from_fn(|king| {
                Perspective::new(color, Square::from_index(king as u8), buckets)
            })
        }))
    }

    /// The perspective of a player with the king on `king`.
    #[inline]
    pub(super) fn get(&self, color: Color, king: Square) -> Perspective {
        self.0[color as usize][king.index()]
    }
}
