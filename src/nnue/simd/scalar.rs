//! The scalar kernels, without SIMD instructions: the reference for every other level.

use super::kernels::Kernels;
use crate::nnue::architecture::{QA, Row};

pub(super) static KERNELS: Kernels = Kernels {
    apply_move: update::<1, 1>,
    apply_capture: update::<1, 2>,
    apply_castling: update::<2, 2>,
    refresh,
    output,
};

fn update<const ADDED: usize, const REMOVED: usize>(
    before: &Row,
    after: &mut Row,
    added: [&Row; ADDED],
    removed: [&Row; REMOVED],
) {
    for (n, sum) in after.0.iter_mut().enumerate() {
        let increased = added.iter().fold(before.0[n], |sum, row| sum.wrapping_add(row.0[n]));
        *sum = removed.iter().fold(increased, |sum, row| sum.wrapping_sub(row.0[n]));
    }
}

fn refresh(cached: &mut Row, out: &mut Row, added: &[&Row], removed: &[&Row]) {
    for row in added {
        cached.0.iter_mut().zip(row.0).for_each(|(sum, weight)| *sum = sum.wrapping_add(weight));
    }
    for row in removed {
        cached.0.iter_mut().zip(row.0).for_each(|(sum, weight)| *sum = sum.wrapping_sub(weight));
    }
    *out = *cached;
}

fn output(own: &Row, other: &Row, weights: &[Row; 2]) -> i64 {
    let products = |sums: &Row, weights: &Row| -> i64 {
        let products = sums.0.iter().zip(weights.0).map(|(&sum, weight)| {
            let clipped = i32::from(sum).clamp(0, QA);
            i64::from(clipped * clipped * i32::from(weight))
        });
        products.sum()
    };
    products(own, &weights[0]) + products(other, &weights[1])
}
