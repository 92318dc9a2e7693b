//! The kernels in terms of vectors, which each level's file defines.

/// The greatest |v²·w|: a clipped sum squared times an output weight.
pub(super) const MAX_PRODUCT: usize = (super::super::architecture::QA
    * super::super::architecture::QA) as usize
    * super::super::architecture::MAX_OUTPUT_WEIGHT as usize;

/// Makes a level's `KERNELS` in its file, of the instructions that `features` names. The file
/// defines, under the same features:
///
/// - `Vector`: so many `i16`; `LANES`: how many;
/// - `load(&[i16; LANES]) -> Vector`, `store(Vector, &mut [i16; LANES])`, `add`, `sub`: wrapping;
/// - `Sums`: `i32` lanes, `SUM_LANES` of them, each of which takes `LANES / SUM_LANES` products a
///   time; `no_sums() -> Sums`;
/// - `add_products(Sums, sums: Vector, weights: Vector) -> Sums`: adds v²·w, v the sum clipped to
///   0–255;
/// - `total(Sums) -> i64`.
macro_rules! kernels {
    ($level:expr, $features:literal) => {
        pub(super) static KERNELS: super::Kernels = super::Kernels {
            level: $level,
            step: update::<1, 1>,
            capture: update::<1, 2>,
            castle: update::<2, 2>,
            refresh,
            output,
        };

        /// Vectors that are kept in registers at once: every level has sixteen or more.
        const BLOCK: usize = 8;

        /// Sums that are added to in turn: so that an addition need not wait for the one before,
        /// and that none overflows.
        const CHAINS: usize = 4;

        const _: () = {
            use super::super::architecture::HIDDEN;
            assert!(
                HIDDEN % (BLOCK * LANES) == 0,
                "the hidden layer divides into blocks of vectors"
            );
            let products = 2 * HIDDEN / (CHAINS * SUM_LANES);
            assert!(
                products * super::kernels::MAX_PRODUCT <= i32::MAX as usize,
                "no lane of a sum overflows"
            );
        };

        #[target_feature(enable = $features)]
        fn update<const ON: usize, const OFF: usize>(
            before: &super::Row,
            after: &mut super::Row,
            on: [&super::Row; ON],
            off: [&super::Row; OFF],
        ) {
            let on = on.map(|row| row.0.as_chunks().0);
            let off = off.map(|row| row.0.as_chunks().0);
            let before = before.0.as_chunks().0;
            for (n, place) in after.0.as_chunks_mut().0.iter_mut().enumerate() {
                let mut sums = load(&before[n]);
                for row in on {
                    sums = add(sums, load(&row[n]));
                }
                for row in off {
                    sums = sub(sums, load(&row[n]));
                }
                store(sums, place);
            }
        }

        #[target_feature(enable = $features)]
        fn refresh(
            kept: &mut super::Row,
            copy: &mut super::Row,
            on: &[&super::Row],
            off: &[&super::Row],
        ) {
            let kept = kept.0.as_chunks_mut::<LANES>().0.as_chunks_mut::<BLOCK>().0;
            let copy = copy.0.as_chunks_mut::<LANES>().0.as_chunks_mut::<BLOCK>().0;
            for (n, (kept, copy)) in kept.iter_mut().zip(copy).enumerate() {
                let mut sums = [load(&kept[0]); BLOCK];
                for (sums, kept) in sums.iter_mut().zip(&*kept) {
                    *sums = load(kept);
                }
                for row in on {
                    let weights = &row.0.as_chunks::<LANES>().0.as_chunks::<BLOCK>().0[n];
                    for (sums, weights) in sums.iter_mut().zip(weights) {
                        *sums = add(*sums, load(weights));
                    }
                }
                for row in off {
                    let weights = &row.0.as_chunks::<LANES>().0.as_chunks::<BLOCK>().0[n];
                    for (sums, weights) in sums.iter_mut().zip(weights) {
                        *sums = sub(*sums, load(weights));
                    }
                }
                for ((sums, kept), copy) in sums.iter().zip(kept).zip(copy) {
                    store(*sums, kept);
                    store(*sums, copy);
                }
            }
        }

        #[target_feature(enable = $features)]
        fn output(own: &super::Row, other: &super::Row, weights: &[super::Row; 2]) -> i64 {
            let mut chains = [no_sums(); CHAINS];
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
