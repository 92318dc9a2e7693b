//! The shape of the network that this build is made for. Loops over neurons are fixed by it; a file
//! of another shape is refused.

/// Neurons of the hidden layer, for each of the two views of a position.
pub const HIDDEN: usize = 512;

/// Sets of input weights, chosen by the square of the view's own king.
pub const KING_BUCKETS: usize = 8;

/// Sets of output weights, chosen by the number of pieces on the board.
pub const OUTPUT_BUCKETS: usize = 8;

/// Inputs of one set: own or other × six kinds × 64 squares.
pub(super) const INPUTS: usize = 768;

/// What 1.0 is in the hidden layer.
pub(super) const QA: i32 = 255;

/// What 1.0 is among the output weights.
pub(super) const QB: i32 = 64;

/// The greatest output weight: with it, clipped sum × weight still fits 16 bits.
pub(super) const MAX_OUTPUT_WEIGHT: i16 = 127;

/// The output bucket of a number of pieces, kings and pawns among them.
pub(super) const fn output_bucket(pieces: u32) -> usize {
    let bucket = pieces.saturating_sub(2) as usize / 32_usize.div_ceil(OUTPUT_BUCKETS);
    if bucket < OUTPUT_BUCKETS { bucket } else { OUTPUT_BUCKETS - 1 }
}

const _: () = {
    assert!(output_bucket(2) == 0 && output_bucket(32) == OUTPUT_BUCKETS - 1);
    assert!(QA * MAX_OUTPUT_WEIGHT as i32 <= i16::MAX as i32);
};
