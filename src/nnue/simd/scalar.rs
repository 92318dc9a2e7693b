//! The scalar kernels, without SIMD instructions: the reference for every other level.

use super::kernels::{Kernels, RowKernels};
use crate::nnue::architecture::{HIDDEN, LAYERED_HIDDEN, QA, Row, SECOND_LAYER, THIRD_LAYER};
use crate::nnue::later_layers::{
    COLUMN_NEURONS, GROUP, LaterLayers, PAIR_SHIFT, PAIRS, second_activations,
};

pub(super) static KERNELS: Kernels =
    Kernels { single_layer: row_kernels(), layered: row_kernels(), output, layered_output };

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

fn layered_output(accumulators: [&Row<LAYERED_HIDDEN>; 2], layers: &LaterLayers) -> i32 {
    let pairs = pairs(accumulators);
    let mut second: [i32; SECOND_LAYER] = layers.second_biases;
    for (group, column) in pairs.as_chunks::<GROUP>().0.iter().zip(&layers.second_weights) {
        for (neuron, sum) in second.iter_mut().enumerate() {
            *sum += dot_product(group, column.of(neuron));
        }
    }
    let activations = second_activations(&second);
    let mut third: [i32; THIRD_LAYER] = layers.third_biases;
    for (group, columns) in activations.as_chunks::<GROUP>().0.iter().zip(&layers.third_weights) {
        for (sums, column) in third.as_chunks_mut::<COLUMN_NEURONS>().0.iter_mut().zip(columns) {
            for (neuron, sum) in sums.iter_mut().enumerate() {
                *sum += dot_product(group, column.of(neuron));
            }
        }
    }
    layers.output(&third)
}

fn pairs(accumulators: [&Row<LAYERED_HIDDEN>; 2]) -> [u8; PAIRS] {
    let clipped = |sum: i16| i32::from(sum).clamp(0, QA);
    let mut pairs = [0; PAIRS];
    let halves = pairs.as_chunks_mut::<{ PAIRS / 2 }>().0;
    for (half, accumulator) in halves.iter_mut().zip(accumulators) {
        let (left, right) = accumulator.0.split_at(LAYERED_HIDDEN / 2);
        for (pair, (&left, &right)) in half.iter_mut().zip(left.iter().zip(right)) {
            *pair = ((clipped(left) * clipped(right)) >> PAIR_SHIFT) as u8;
        }
    }
    pairs
}

fn dot_product(inputs: &[u8; GROUP], weights: &[i8; GROUP]) -> i32 {
    inputs.iter().zip(weights).map(|(&input, &weight)| i32::from(input) * i32::from(weight)).sum()
}
