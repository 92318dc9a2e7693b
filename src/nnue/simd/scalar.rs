//! The scalar kernels, without SIMD instructions: the reference for every other level.

use super::kernels::{Kernels, RowKernels};
use crate::nnue::architecture::{HIDDEN, QA, Row};

pub(super) static KERNELS: Kernels =
    Kernels { single_layer: row_kernels(), layered: row_kernels(), output };

const fn row_kernels<const NEURONS: usize>() -> RowKernels<NEURONS> {
    RowKernels {
        apply_move: update::<NEURONS, 1, 1>,
        apply_capture: update::<NEURONS, 1, 2>,
        apply_castling: update::<NEURONS, 2, 2>,
        refresh: refresh::<NEURONS>,
    }
}

fn update<const NEURONS: usize, const ADDED: usize, const REMOVED: usize>(
    before: &Row<NEURONS>,
    after: &mut Row<NEURONS>,
    added: [&Row<NEURONS>; ADDED],
    removed: [&Row<NEURONS>; REMOVED],
) {
    for (n, sum) in after.0.iter_mut().enumerate() {
        let increased = added.iter().fold(before.0[n], |sum, row| sum.wrapping_add(row.0[n]));
        *sum = removed.iter().fold(increased, |sum, row| sum.wrapping_sub(row.0[n]));
    }
}

fn refresh<const NEURONS: usize>(
    cached: &mut Row<NEURONS>,
    out: &mut Row<NEURONS>,
    added: &[&Row<NEURONS>],
    removed: &[&Row<NEURONS>],
) {
    for row in added {
        cached.0.iter_mut().zip(row.0).for_each(|(sum, weight)| *sum = sum.wrapping_add(weight));
    }
    for row in removed {
        cached.0.iter_mut().zip(row.0).for_each(|(sum, weight)| *sum = sum.wrapping_sub(weight));
    }
    *out = *cached;
}

fn output(own: &Row<HIDDEN>, other: &Row<HIDDEN>, weights: &[Row<HIDDEN>; 2]) -> i64 {
    let products = |sums: &Row<HIDDEN>, weights: &Row<HIDDEN>| -> i64 {
        let products = sums.0.iter().zip(weights.0).map(|(&sum, weight)| {
            let clipped = i32::from(sum).clamp(0, QA);
            i64::from(clipped * clipped * i32::from(weight))
        });
        products.sum()
    };
    products(own, &weights[0]) + products(other, &weights[1])
}
