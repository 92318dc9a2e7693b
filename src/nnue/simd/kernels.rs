//! The kernels of a level, and the macro that defines them in terms of vector operations.

use crate::nnue::architecture::{MAX_OUTPUT_WEIGHT, QA, Row};

/// The kernels of a level, with the guarantee that this processor has its instructions: only
/// [`Kernels::for_level`] returns them.
pub(in crate::nnue) struct Kernels {
    pub(super) apply_move: unsafe fn(&Row, &mut Row, [&Row; 1], [&Row; 1]),
    pub(super) apply_capture: unsafe fn(&Row, &mut Row, [&Row; 1], [&Row; 2]),
    pub(super) apply_castling: unsafe fn(&Row, &mut Row, [&Row; 2], [&Row; 2]),
    pub(super) refresh: unsafe fn(&mut Row, &mut Row, &[&Row], &[&Row]),
    pub(super) output: unsafe fn(&Row, &Row, &[Row; 2]) -> i64,
}

impl Kernels {
    /// `after = before + added - removed`.
    #[inline]
    pub(in crate::nnue) fn apply_move(
        &self,
        before: &Row,
        after: &mut Row,
        added: &Row,
        removed: &Row,
    ) {
        // SAFETY: the processor has the instructions, because `Kernels::for_level` checked it
        // before it returned `self`.
        unsafe { (self.apply_move)(before, after, [added], [removed]) }
    }

    /// `after = before + added - removed[0] - removed[1]`.
    #[inline]
    pub(in crate::nnue) fn apply_capture(
        &self,
        before: &Row,
        after: &mut Row,
        added: &Row,
        removed: [&Row; 2],
    ) {
        // SAFETY: as in `apply_move`.
        unsafe { (self.apply_capture)(before, after, [added], removed) }
    }

    /// `after = before + added[0] + added[1] - removed[0] - removed[1]`.
    #[inline]
    pub(in crate::nnue) fn apply_castling(
        &self,
        before: &Row,
        after: &mut Row,
        added: [&Row; 2],
        removed: [&Row; 2],
    ) {
        // SAFETY: as in `apply_move`.
        unsafe { (self.apply_castling)(before, after, added, removed) }
    }

    /// Adds all of `added` to `cached`, subtracts all of `removed`, and copies the result to `out`.
    #[inline]
    pub(in crate::nnue) fn refresh(
        &self,
        cached: &mut Row,
        out: &mut Row,
        added: &[&Row],
        removed: &[&Row],
    ) {
        // SAFETY: as in `apply_move`.
        unsafe { (self.refresh)(cached, out, added, removed) }
    }

    /// Σ v²·w over the neurons of the side to move and of the other side, where v is the sum
    /// clipped to 0–255.
    #[inline]
    pub(in crate::nnue) fn output(&self, own: &Row, other: &Row, weights: &[Row; 2]) -> i64 {
        // SAFETY: as in `apply_move`.
        unsafe { (self.output)(own, other, weights) }
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
/// - `total(Sums) -> i64`.
macro_rules! kernels {
    ($features:literal) => {
        pub(super) static KERNELS: super::kernels::Kernels = super::kernels::Kernels {
            apply_move: update::<1, 1>,
            apply_capture: update::<1, 2>,
            apply_castling: update::<2, 2>,
            refresh,
            output,
        };

        /// The number of vectors held in registers: every level has sixteen registers or more.
        const BLOCK: usize = 8;

        /// The number of independent sums: an addition need not wait for the previous one, and no
        /// sum overflows.
        const CHAINS: usize = 4;

        const _: () = {
            assert!(
                HIDDEN % (BLOCK * LANES) == 0,
                "the hidden layer must divide into blocks of vectors"
            );
            let products = 2 * HIDDEN / (CHAINS * SUM_LANES);
            assert!(
                products * super::kernels::MAX_PRODUCT <= i32::MAX as usize,
                "a lane of a sum must not overflow"
            );
        };

        #[target_feature(enable = $features)]
        fn update<const ADDED: usize, const REMOVED: usize>(
            before: &Row,
            after: &mut Row,
            added: [&Row; ADDED],
            removed: [&Row; REMOVED],
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
        fn refresh(cached: &mut Row, out: &mut Row, added: &[&Row], removed: &[&Row]) {
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
        fn output(own: &Row, other: &Row, weights: &[Row; 2]) -> i64 {
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
