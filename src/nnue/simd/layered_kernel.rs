//! The macro that defines a level's kernel of a layered network's output in terms of vector
//! operations.

use crate::nnue::later_layers::{GROUP, PAIRS};

/// The groups of inputs of the second layer. Their numbers fit a byte.
const GROUPS: usize = PAIRS / GROUP;
const _: () = assert!(GROUPS == 1 << u8::BITS);

/// For each set of eight groups, as bits, the numbers of those in the set, in the bytes of a number
/// from the lowest on.
static MEMBERS: [u64; 256] = {
    let mut members = [0; 256];
    let mut set = 0;
    while set < 256 {
        let (mut count, mut group) = (0, 0);
        while group < 8 {
            if set >> group & 1 == 1 {
                members[set] |= group << (8 * count);
                count += 1;
            }
            group += 1;
        }
        set += 1;
    }
    members
};

/// The numbers of the groups of inputs that are not all zero.
pub(super) struct ActiveGroups {
    /// Eight numbers are written at a time, so there is room for more than there are groups.
    numbers: [u8; GROUPS + 8],
    count: usize,
}

impl ActiveGroups {
    pub(super) const NONE: ActiveGroups = ActiveGroups { numbers: [0; GROUPS + 8], count: 0 };

    /// Adds a set of the eight groups from `first` on.
    #[inline]
    pub(super) fn add(&mut self, first: u8, set: u8) {
        const EACH: u64 = 0x0101_0101_0101_0101;
        let numbers = MEMBERS[usize::from(set)].wrapping_add(u64::from(first) * EACH);
        if let Some(slot) = self.numbers.get_mut(self.count..self.count + 8) {
            slot.copy_from_slice(&numbers.to_le_bytes());
        }
        self.count += set.count_ones() as usize;
    }

    #[inline]
    pub(super) fn numbers(&self) -> &[u8] {
        &self.numbers[..self.count.min(GROUPS)]
    }
}

/// Defines `layered_output` with the instructions that `features` names. Beside what `kernels`
/// needs, the file must define, under the same features:
///
/// - `multiply_pairs(left: Vector, right: Vector) -> Vector`: the products of sums that are clipped
///   to 0–255, shifted by `PAIR_SHIFT`; where a sum of `right` is negative, 0 or any negative
///   number;
/// - `store_bytes(Vector, Vector, &mut [u8; 2 * LANES])`: the numbers of both vectors, which are at
///   most 127, and 0 for negative ones;
/// - `active_groups(&[u8; 64]) -> u16`: for each group of four bytes a bit, which is 0 if all four
///   are 0;
/// - `Bytes`: a vector of `4 * SUM_LANES` bytes; `repeat(&[u8; 4]) -> Bytes` repeats a group of
///   inputs, `load_weights(&[i8; 4 * SUM_LANES]) -> Bytes`;
/// - `add_groups(Sums, inputs: Bytes, weights: Bytes) -> Sums`: adds to each sum the four products
///   of a group, where inputs are at most 127;
/// - `load_sums(&[i32; SUM_LANES]) -> Sums`, `store_sums(Sums, &mut [i32; SUM_LANES])`, and the
///   wrapping `add_sums`.
macro_rules! layered_kernel {
    ($features:literal) => {
        use crate::nnue::architecture::{LAYERED_HIDDEN, SECOND_LAYER, THIRD_LAYER};
        use crate::nnue::later_layers::{
            ACTIVATIONS, COLUMN_NEURONS, Column, GROUP, LaterLayers, PAIRS, Pairs,
            second_activations,
        };
        use crate::nnue::simd::layered_kernel::ActiveGroups;

        #[target_feature(enable = $features)]
        fn layered_output(accumulators: [&Row<LAYERED_HIDDEN>; 2], layers: &LaterLayers) -> i32 {
            let mut pairs = Pairs([0; PAIRS]);
            let mut groups = ActiveGroups::NONE;
            multiply_all(accumulators, &mut pairs);
            find_active_groups(&pairs, &mut groups);
            let activations = second_activations(&second_sums(layers, &pairs, groups.numbers()));
            layers.output(&third_sums(layers, &activations))
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn multiply_all(accumulators: [&Row<LAYERED_HIDDEN>; 2], pairs: &mut Pairs) {
            let halves = pairs.0.as_chunks_mut::<{ PAIRS / 2 }>().0;
            for (half, accumulator) in halves.iter_mut().zip(accumulators) {
                let (left, right) = accumulator.0.split_at(LAYERED_HIDDEN / 2);
                let left = left.as_chunks::<LANES>().0.as_chunks::<2>().0;
                let right = right.as_chunks::<LANES>().0.as_chunks::<2>().0;
                let out = half.as_chunks_mut::<{ 2 * LANES }>().0;
                for (out, (left, right)) in out.iter_mut().zip(left.iter().zip(right)) {
                    let first = multiply_pairs(load(&left[0]), load(&right[0]));
                    let second = multiply_pairs(load(&left[1]), load(&right[1]));
                    store_bytes(first, second, out);
                }
            }
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn find_active_groups(pairs: &Pairs, groups: &mut ActiveGroups) {
            for (block, bytes) in (0_u8..).zip(pairs.0.as_chunks::<64>().0) {
                let [low, high] = active_groups(bytes).to_le_bytes();
                groups.add(16 * block, low);
                groups.add(16 * block + 8, high);
            }
        }

        /// The vectors of the sums of a column's neurons.
        const VECTORS: usize = COLUMN_NEURONS / SUM_LANES;

        /// Adds the products of a group of inputs to the sums of a column's neurons.
        #[inline]
        #[target_feature(enable = $features)]
        fn add_column(sums: &mut [Sums; VECTORS], inputs: Bytes, column: &Column) {
            for (sums, weights) in sums.iter_mut().zip(column.0.as_chunks().0) {
                *sums = add_groups(*sums, inputs, load_weights(weights));
            }
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn second_sums(
            layers: &LaterLayers,
            Pairs(pairs): &Pairs,
            groups: &[u8],
        ) -> [i32; SECOND_LAYER] {
            let inputs = pairs.as_chunks::<GROUP>().0;
            // Two chains, so that an addition need not wait for the previous one.
            let (mut even, mut odd) = ([zero_sums(); VECTORS], [zero_sums(); VECTORS]);
            for (sums, biases) in even.iter_mut().zip(layers.second_biases.as_chunks().0) {
                *sums = load_sums(biases);
            }
            let (twos, last) = groups.as_chunks::<2>();
            for &[one, other] in twos {
                let (one, other) = (usize::from(one), usize::from(other));
                add_column(&mut even, repeat(&inputs[one]), &layers.second_weights[one]);
                add_column(&mut odd, repeat(&inputs[other]), &layers.second_weights[other]);
            }
            for &group in last {
                let group = usize::from(group);
                add_column(&mut even, repeat(&inputs[group]), &layers.second_weights[group]);
            }
            let mut all = [0; SECOND_LAYER];
            for ((out, even), odd) in all.as_chunks_mut().0.iter_mut().zip(even).zip(odd) {
                store_sums(add_sums(even, odd), out);
            }
            all
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn third_sums(layers: &LaterLayers, activations: &[u8; ACTIVATIONS]) -> [i32; THIRD_LAYER] {
            let mut all = layers.third_biases;
            for (half, all) in all.as_chunks_mut::<COLUMN_NEURONS>().0.iter_mut().enumerate() {
                let mut sums = [zero_sums(); VECTORS];
                for (sums, biases) in sums.iter_mut().zip(all.as_chunks().0) {
                    *sums = load_sums(biases);
                }
                let groups = activations.as_chunks::<GROUP>().0;
                for (group, columns) in groups.iter().zip(&layers.third_weights) {
                    add_column(&mut sums, repeat(group), &columns[half]);
                }
                for (out, sums) in all.as_chunks_mut().0.iter_mut().zip(sums) {
                    store_sums(sums, out);
                }
            }
            all
        }
    };
}
