//! The kernels of a level, and the macro that defines them in terms of vector operations.

use crate::nnue::architecture::{HIDDEN, LAYERED_HIDDEN, MAX_OUTPUT_WEIGHT, QA, Row};
use crate::nnue::later_layers::LaterLayers;

/// The kernels of a level, with the guarantee that this processor has its instructions: only
/// [`Kernels::for_level`] returns them.
pub(in crate::nnue) struct Kernels {
    /// The updates of a single-layer network's accumulators.
    pub(in crate::nnue) single_layer: RowKernels<HIDDEN>,
    /// The updates of a layered network's accumulators.
    pub(in crate::nnue) layered: RowKernels<LAYERED_HIDDEN>,
    pub(super) output: unsafe fn(&Row<HIDDEN>, &Row<HIDDEN>, &[Row<HIDDEN>; 2]) -> i64,
    pub(super) layered_output: unsafe fn([&Row<LAYERED_HIDDEN>; 2], &LaterLayers) -> i32,
}

impl Kernels {
    /// Σ v²·w over the neurons of the side to move and of the other side of a single-layer network,
    /// where v is the sum clipped to 0–255.
    #[inline]
    pub(in crate::nnue) fn output(
        &self,
        own: &Row<HIDDEN>,
        other: &Row<HIDDEN>,
        weights: &[Row<HIDDEN>; 2],
    ) -> i64 {
        // SAFETY: the processor has the instructions, because `Kernels::for_level` checked it
        // before it returned `self`.
        unsafe { (self.output)(own, other, weights) }
    }

    /// The output of a layered network, from the accumulators of the side to move and of the other
    /// side.
    #[inline]
    pub(in crate::nnue) fn layered_output(
        &self,
        accumulators: [&Row<LAYERED_HIDDEN>; 2],
        layers: &LaterLayers,
    ) -> i32 {
        // SAFETY: as in `output`.
        unsafe { (self.layered_output)(accumulators, layers) }
    }
}

type Update<const NEURONS: usize, const ADDED: usize, const REMOVED: usize> =
    unsafe fn(&Row<NEURONS>, &mut Row<NEURONS>, [&Row<NEURONS>; ADDED], [&Row<NEURONS>; REMOVED]);

type Refresh<const NEURONS: usize> =
    unsafe fn(&mut Row<NEURONS>, &mut Row<NEURONS>, &[&Row<NEURONS>], &[&Row<NEURONS>]);

/// The updates of the accumulators of a first layer with so many neurons. They are part of
/// [`Kernels`], so this processor has their instructions.
pub(in crate::nnue) struct RowKernels<const NEURONS: usize> {
    pub(super) apply_move: Update<NEURONS, 1, 1>,
    pub(super) apply_capture: Update<NEURONS, 1, 2>,
    pub(super) apply_castling: Update<NEURONS, 2, 2>,
    pub(super) refresh: Refresh<NEURONS>,
}

impl<const NEURONS: usize> RowKernels<NEURONS> {
    /// `after = before + added - removed`.
    #[inline]
    pub(in crate::nnue) fn apply_move(
        &self,
        before: &Row<NEURONS>,
        after: &mut Row<NEURONS>,
        added: &Row<NEURONS>,
        removed: &Row<NEURONS>,
    ) {
        // SAFETY: the processor has the instructions, because `Kernels::for_level` checked it
        // before it returned the kernels that `self` is part of.
        unsafe { (self.apply_move)(before, after, [added], [removed]) }
    }

    /// `after = before + added - removed[0] - removed[1]`.
    #[inline]
    pub(in crate::nnue) fn apply_capture(
        &self,
        before: &Row<NEURONS>,
        after: &mut Row<NEURONS>,
        added: &Row<NEURONS>,
        removed: [&Row<NEURONS>; 2],
    ) {
        // SAFETY: as in `apply_move`.
        unsafe { (self.apply_capture)(before, after, [added], removed) }
    }

    /// `after = before + added[0] + added[1] - removed[0] - removed[1]`.
    #[inline]
    pub(in crate::nnue) fn apply_castling(
        &self,
        before: &Row<NEURONS>,
        after: &mut Row<NEURONS>,
        added: [&Row<NEURONS>; 2],
        removed: [&Row<NEURONS>; 2],
    ) {
        // SAFETY: as in `apply_move`.
        unsafe { (self.apply_castling)(before, after, added, removed) }
    }

    /// Adds all of `added` to `cached`, subtracts all of `removed`, and copies the result to `out`.
    #[inline]
    pub(in crate::nnue) fn refresh(
        &self,
        cached: &mut Row<NEURONS>,
        out: &mut Row<NEURONS>,
        added: &[&Row<NEURONS>],
        removed: &[&Row<NEURONS>],
    ) {
        // SAFETY: as in `apply_move`.
        unsafe { (self.refresh)(cached, out, added, removed) }
    }
}

/// The largest |v²·w|: the square of a clipped sum times an output weight.
pub(super) const MAX_PRODUCT: usize = (QA * QA) as usize * MAX_OUTPUT_WEIGHT as usize;

/// Defines a level's `KERNELS` in its file, with the instructions that `features` names. The file
/// must define, under the same features:
///
/// - `Vector`: a vector of `LANES` numbers of type `i16`;
/// - `load(&[i16; LANES]) -> Vector`, `store(Vector, &mut [i16; LANES])`, and the wrapping `add`
///   and `sub`;
/// - `Sums`: a vector of `SUM_LANES` sums of type `i32`, each of which adds `LANES / SUM_LANES`
///   products at a time; `zero_sums() -> Sums`;
/// - `add_products(Sums, sums: Vector, weights: Vector) -> Sums`: adds v²·w, where v is the sum
///   clipped to 0–255;
/// - `total(Sums) -> i64`;
/// - what `layered_kernel` needs.
macro_rules! kernels {
    ($features:literal) => {
        layered_kernel!($features);

        pub(super) static KERNELS: super::kernels::Kernels = super::kernels::Kernels {
            single_layer: row_kernels(),
            layered: row_kernels(),
            output,
            layered_output,
        };

        const fn row_kernels<const NEURONS: usize>() -> super::kernels::RowKernels<NEURONS> {
            const {
                assert!(
                    NEURONS % (BLOCK * LANES) == 0,
                    "the first layer must divide into blocks of vectors"
                );
            }
            super::kernels::RowKernels {
                apply_move: update::<NEURONS, 1, 1>,
                apply_capture: update::<NEURONS, 1, 2>,
                apply_castling: update::<NEURONS, 2, 2>,
                refresh: refresh::<NEURONS>,
            }
        }

        /// The number of vectors held in registers: every level has sixteen registers or more.
        const BLOCK: usize = 8;

        /// The number of independent sums: an addition need not wait for the previous one, and no
        /// sum overflows.
        const CHAINS: usize = 4;

        const _: () = {
            let products = 2 * HIDDEN / (CHAINS * SUM_LANES);
            assert!(
                products * super::kernels::MAX_PRODUCT <= i32::MAX as usize,
                "a lane of a sum must not overflow"
            );
        };

        #[target_feature(enable = $features)]
        fn update<const NEURONS: usize, const ADDED: usize, const REMOVED: usize>(
            before: &Row<NEURONS>,
            after: &mut Row<NEURONS>,
            added: [&Row<NEURONS>; ADDED],
            removed: [&Row<NEURONS>; REMOVED],
        ) {
            let added = added.map(|row| row.0.as_chunks().0);
            let removed = removed.map(|row| row.0.as_chunks().0);
            let before = before.0.as_chunks().0;
            for (n, slot) in after.0.as_chunks_mut().0.iter_mut().enumerate() {
                let mut sums = load(&before[n]);
                for row in added {
                    sums = add(sums, load(&row[n]));
                }
                for row in removed {
                    sums = sub(sums, load(&row[n]));
                }
                store(sums, slot);
            }
        }

        #[target_feature(enable = $features)]
        fn refresh<const NEURONS: usize>(
            cached: &mut Row<NEURONS>,
            out: &mut Row<NEURONS>,
            added: &[&Row<NEURONS>],
            removed: &[&Row<NEURONS>],
        ) {
            let cached = cached.0.as_chunks_mut::<LANES>().0.as_chunks_mut::<BLOCK>().0;
            let out = out.0.as_chunks_mut::<LANES>().0.as_chunks_mut::<BLOCK>().0;
            for (n, (cached, out)) in cached.iter_mut().zip(out).enumerate() {
                let mut sums = [load(&cached[0]); BLOCK];
                for (sums, cached) in sums.iter_mut().zip(&*cached) {
                    *sums = load(cached);
                }
                for row in added {
                    let weights = &row.0.as_chunks::<LANES>().0.as_chunks::<BLOCK>().0[n];
                    for (sums, weights) in sums.iter_mut().zip(weights) {
                        *sums = add(*sums, load(weights));
                    }
                }
                for row in removed {
                    let weights = &row.0.as_chunks::<LANES>().0.as_chunks::<BLOCK>().0[n];
                    for (sums, weights) in sums.iter_mut().zip(weights) {
                        *sums = sub(*sums, load(weights));
                    }
                }
                for ((sums, cached), out) in sums.iter().zip(cached).zip(out) {
                    store(*sums, cached);
                    store(*sums, out);
                }
            }
        }

        #[target_feature(enable = $features)]
        fn output(own: &Row<HIDDEN>, other: &Row<HIDDEN>, weights: &[Row<HIDDEN>; 2]) -> i64 {
            let mut chains = [zero_sums(); CHAINS];
            for (row, weights) in [own, other].into_iter().zip(weights) {
                let sums = row.0.as_chunks::<LANES>().0.as_chunks::<CHAINS>().0;
                let weights = weights.0.as_chunks::<LANES>().0.as_chunks::<CHAINS>().0;
                for (sums, weights) in sums.iter().zip(weights) {
                    for (chain, (sums, weights)) in chains.iter_mut().zip(sums.iter().zip(weights))
                    {
                        *chain = add_products(*chain, load(sums), load(weights));
                    }
                }
            }
            let mut sum = 0;
            for chain in chains {
                sum += total(chain);
            }
            sum
        }
    };
}
