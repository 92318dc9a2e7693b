//! The architectures of the networks, which this build fixes at compile time. A file of another
//! architecture is refused.

/// The neurons of a single-layer network's hidden layer, for each of the two perspectives of a
/// position.
pub const HIDDEN: usize = 512;

/// The neurons of a layered network's first layer, for each of the two perspectives of a position.
pub(super) const LAYERED_HIDDEN: usize = 1024;

/// The neurons of a layered network's second layer.
pub(super) const SECOND_LAYER: usize = 16;

/// The neurons of a layered network's third layer.
pub(super) const THIRD_LAYER: usize = 32;

/// The sets of input weights, selected by the square of the perspective's own king.
pub const KING_BUCKETS: usize = 8;

/// The sets of weights after the accumulators, selected by the number of pieces on the board.
pub const OUTPUT_BUCKETS: usize = 8;

/// The inputs of one king bucket: own or other × six roles × 64 squares.
pub(super) const INPUTS: usize = 768;

/// The quantisation factor of the accumulators: 255 represents 1.0.
pub(super) const QA: i32 = 255;

/// The quantisation factor of the weights after them: 64 represents 1.0.
pub(super) const QB: i32 = 64;

/// The largest output weight of a single-layer network: clipped sum × weight still fits 16 bits.
pub(super) const MAX_OUTPUT_WEIGHT: i16 = 127;

/// The output bucket for a number of pieces, including kings and pawns.
pub(super) const fn output_bucket(pieces: u32) -> usize {
    let bucket = pieces.saturating_sub(2) as usize / 32_usize.div_ceil(OUTPUT_BUCKETS);
    if bucket < OUTPUT_BUCKETS { bucket } else { OUTPUT_BUCKETS - 1 }
}

/// Converts an output, of which `one` represents 1.0, to a unit that divides 100 raw centipawns
/// into `units_per_pawn` parts. `scale` is the raw centipawns of an output of 1.0.
#[inline]
pub(super) fn scale_output(output: i64, one: i32, scale: u16, units_per_pawn: i32) -> i32 {
    let value = output * i64::from(scale) * i64::from(units_per_pawn) / (100 * i64::from(one));
    value.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

const _: () = {
    assert!(output_bucket(2) == 0 && output_bucket(32) == OUTPUT_BUCKETS - 1);
    assert!(QA * MAX_OUTPUT_WEIGHT as i32 <= i16::MAX as i32);
};

/// A number of 16 bits for each neuron of the first layer: a row of weights, or the accumulator of
/// one perspective. It is aligned to a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct Row<const NEURONS: usize>(pub(super) [i16; NEURONS]);

impl<const NEURONS: usize> Row<NEURONS> {
    pub(super) const ZERO: Row<NEURONS> = Row([0; NEURONS]);
}
