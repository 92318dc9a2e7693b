//! The architecture of the network, which this build fixes at compile time. A file of another
//! architecture is refused.

/// The neurons of the hidden layer, for each of the two perspectives of a position.
pub const HIDDEN: usize = 512;

/// The sets of input weights, selected by the square of the perspective's own king.
pub const KING_BUCKETS: usize = 8;

/// The sets of output weights, selected by the number of pieces on the board.
pub const OUTPUT_BUCKETS: usize = 8;

/// The inputs of one king bucket: own or other × six roles × 64 squares.
pub(super) const INPUTS: usize = 768;

/// The quantisation factor of the hidden layer: 255 represents 1.0.
pub(super) const QA: i32 = 255;

/// The quantisation factor of the output weights: 64 represents 1.0.
pub(super) const QB: i32 = 64;

/// The largest output weight: clipped sum × weight still fits 16 bits.
pub(super) const MAX_OUTPUT_WEIGHT: i16 = 127;

/// The output bucket for a number of pieces, including kings and pawns.
pub(super) const fn output_bucket(pieces: u32) -> usize {
    let bucket = pieces.saturating_sub(2) as usize / 32_usize.div_ceil(OUTPUT_BUCKETS);
    if bucket < OUTPUT_BUCKETS { bucket } else { OUTPUT_BUCKETS - 1 }
}

const _: () = {
    assert!(output_bucket(2) == 0 && output_bucket(32) == OUTPUT_BUCKETS - 1);
    assert!(QA * MAX_OUTPUT_WEIGHT as i32 <= i16::MAX as i32);
};

/// A number of 16 bits for each neuron of the hidden layer: a row of weights, or the accumulator of
/// one perspective. It is aligned to a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct Row(pub(super) [i16; HIDDEN]);

impl Row {
    pub(super) const ZERO: Row = Row([0; HIDDEN]);

    /// Reads a row of little-endian numbers. Numbers that `bytes` lacks are zero.
    pub(super) fn from_bytes(bytes: &[u8]) -> Row {
        let mut row = Row::ZERO;
        for (number, bytes) in row.0.iter_mut().zip(bytes.as_chunks().0) {
            *number = i16::from_le_bytes(*bytes);
        }
        row
    }
}
