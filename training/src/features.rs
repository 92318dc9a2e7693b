//! From a position to the indices of the network's active inputs.

use crate::king_buckets::KingBuckets;
use crate::sample::Sample;

/// Inputs of one perspective in one king bucket: 2 colours × 6 roles × 64 squares.
pub const INPUTS: usize = 768;

/// No position has more pieces, so no perspective more active inputs.
pub const MAX_ACTIVE: usize = 32;

/// Active inputs of one perspective: the first [`Sample::piece_count`] entries count.
pub type ActiveFeatures = [u16; MAX_ACTIVE];

/// Active inputs of the side to move's perspective and of the opponent's, in this order.
///
/// A perspective sees its own pieces play up the board, and its own king on the files a–d: with the
/// king on e–h every square's file is mirrored. Index: 768·bucket(own king) + (own piece ? 0 : 384)
/// + 64·role + square.
#[must_use]
pub fn active_features(sample: &Sample, buckets: &KingBuckets) -> [ActiveFeatures; 2] {
    let (own_flip, own_base) = perspective_transform(sample.own_king(), buckets);
    let (their_flip, their_base) = perspective_transform(sample.their_king() ^ 56, buckets);

    let mut active = [[0; MAX_ACTIVE]; 2];
    for (i, piece) in sample.pieces().enumerate() {
        let role = 64 * u16::from(piece.role);
        let (to_own, to_their) = if piece.own { (0, 384) } else { (384, 0) };
        active[0][i] = own_base + to_own + role + u16::from(piece.square ^ own_flip);
        active[1][i] = their_base + to_their + role + u16::from(piece.square ^ 56 ^ their_flip);
    }
    active
}

/// How a perspective with its king here (own pieces playing up) mirrors squares, and the first
/// index of its king bucket.
fn perspective_transform(king: u8, buckets: &KingBuckets) -> (u8, u16) {
    let flip = if king & 4 == 0 { 0 } else { 7 };
    (flip, INPUTS as u16 * u16::from(buckets.of(king ^ flip)))
}
