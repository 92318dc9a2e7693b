//! The kernels in terms of vector operations, which each level's file defines.

/// The largest |v²·w|: the square of a clipped sum times an output weight.
pub(super) const MAX_PRODUCT: usize = (super::super::architecture::QA
    * super::super::architecture::QA) as usize
    * super::super::architecture::MAX_OUTPUT_WEIGHT as usize;

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
    ($level:expr, $features:literal) => {
        pub(super) static KERNELS: super::Kernels = super::Kernels {
            level: $level,
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
            use super::super::architecture::HIDDEN;
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
            before: &super::Row,
            after: &mut super::Row,
            added: [&super::Row; ADDED],
            removed: [&super::Row; REMOVED],
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
        fn refresh(
            cached: &mut super::Row,
            out: &mut super::Row,
            added: &[&super::Row],
            removed: &[&super::Row],
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
        fn output(own: &super::Row, other: &super::Row, weights: &[super::Row; 2]) -> i64 {
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
