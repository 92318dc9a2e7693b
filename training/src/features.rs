//! Input features: the indices of the inputs that a position activates.

use crate::king_buckets::KingBuckets;
use crate::sample::Sample;

/// Inputs of one perspective in one king bucket: 2 colours × 6 roles × 64 squares.
pub const INPUTS: usize = 768;

/// The largest number of active inputs per perspective: a position has at most 32 pieces.
pub const MAX_ACTIVE: usize = 32;

/// Active inputs of one perspective. Only the first [`Sample::piece_count`] entries are valid.
pub type ActiveFeatures = [u16; MAX_ACTIVE];

/// Active inputs of the side to move's perspective and of the opponent's, in this order.
///
/// In a perspective the own pieces play up the board and the own king is on the files a–d. With the
/// king on e–h, every square's file is mirrored. The index of a piece is 768·bucket(own king) +
/// (own piece ? 0 : 384) + 64·role + square.
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

/// The XOR mask that mirrors squares for a king on this square, and the first index of its king
/// bucket. The own pieces play up the board.
fn perspective_transform(king: u8, buckets: &KingBuckets) -> (u8, u16) {
    let flip = if king & 4 == 0 { 0 } else { 7 };
    (flip, INPUTS as u16 * u16::from(buckets.of(king ^ flip)))
}
