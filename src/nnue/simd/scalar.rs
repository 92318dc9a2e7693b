//! The kernels without special instructions: what every other level is compared with.

use super::super::architecture::QA;
use super::{Kernels, Row, SimdLevel};

pub(super) static KERNELS: Kernels = Kernels {
    level: SimdLevel::Scalar,
    step: update::<1, 1>,
    capture: update::<1, 2>,
    castle: update::<2, 2>,
    refresh,
    output,
};

fn update<const ON: usize, const OFF: usize>(
    before: &Row,
    after: &mut Row,
    on: [&Row; ON],
    off: [&Row; OFF],
) {
    for (n, sum) in after.0.iter_mut().enumerate() {
        let on = on.iter().fold(before.0[n], |sum, row| sum.wrapping_add(row.0[n]));
        *sum = off.iter().fold(on, |sum, row| sum.wrapping_sub(row.0[n]));
    }
}

fn refresh(kept: &mut Row, copy: &mut Row, on: &[&Row], off: &[&Row]) {
    for row in on {
        kept.0.iter_mut().zip(row.0).for_each(|(sum, weight)| *sum = sum.wrapping_add(weight));
    }
    for row in off {
        kept.0.iter_mut().zip(row.0).for_each(|(sum, weight)| *sum = sum.wrapping_sub(weight));
    }
    *copy = *kept;
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
