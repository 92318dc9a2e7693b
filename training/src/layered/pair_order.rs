//! The order of a layered network's pairs of neurons. It changes no evaluation.
//!
//! The engine's second layer skips a group of four consecutive pairs if all four are zero. So pairs
//! that are zero in the same positions belong in the same group. Stockfish orders its neurons for
//! the same reason.

use rayon::prelude::*;

use super::quantised::{QuantisedLayers, products_of_pairs};
use crate::quantised_features::QuantisedFeatures;

/// Consecutive pairs that the engine skips together.
const GROUP: usize = 4;

/// In which accumulators each pair is not zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairActivity {
    /// For each pair a bit for each accumulator.
    pairs: Vec<Vec<u64>>,
    accumulators: usize,
}

impl PairActivity {
    /// The activity in these accumulators, each of one perspective.
    #[must_use]
    pub fn of(accumulators: &[Vec<i16>]) -> Self {
        let pairs = accumulators.first().map_or(0, |sums| sums.len() / 2);
        let words = accumulators.len().div_ceil(64);
        let mut activity =
            Self { pairs: vec![vec![0; words]; pairs], accumulators: accumulators.len() };
        for (number, sums) in accumulators.iter().enumerate() {
            for (pair, product) in activity.pairs.iter_mut().zip(products_of_pairs(sums)) {
                pair[number / 64] |= u64::from(product != 0) << (number % 64);
            }
        }
        activity
    }

    /// The share of the groups of four consecutive pairs that are not all zero, with the pairs in
    /// this order.
    #[must_use]
    pub fn active_groups(&self, order: &[usize]) -> f64 {
        let active: u64 = order.chunks(GROUP).map(|group| count(&self.union(group))).sum();
        active as f64 / (order.len().div_ceil(GROUP) * self.accumulators).max(1) as f64
    }

    /// An order with few active groups. Each group starts with the most active pair that is left,
    /// and takes the pairs whose active positions overlap most with its own.
    #[must_use]
    pub fn order(&self) -> Vec<usize> {
        let mut left: Vec<usize> = (0..self.pairs.len()).collect();
        left.sort_by_key(|pair| (count(&self.pairs[*pair]), *pair));
        let mut order = Vec::with_capacity(left.len());
        while let Some(first) = left.pop() {
            order.push(first);
            let mut group = self.pairs[first].clone();
            for _ in 1..GROUP.min(left.len() + 1) {
                let overlaps: Vec<f64> =
                    left.par_iter().map(|pair| overlap(&group, &self.pairs[*pair])).collect();
                let best = (0..left.len()).max_by(|a, b| overlaps[*a].total_cmp(&overlaps[*b]));
                let Some(pair) = best.map(|place| left.remove(place)) else { break };
                order.push(pair);
                for (word, bits) in group.iter_mut().zip(&self.pairs[pair]) {
                    *word |= bits;
                }
            }
        }
        order
    }

    fn union(&self, group: &[usize]) -> Vec<u64> {
        let words = self.pairs.first().map_or(0, Vec::len);
        (0..words)
            .map(|word| group.iter().fold(0, |bits, pair| bits | self.pairs[*pair][word]))
            .collect()
    }
}

/// Puts the pairs of a network into this order.
pub fn reorder(features: &mut QuantisedFeatures, layers: &mut QuantisedLayers, order: &[usize]) {
    let half = order.len();
    let weights = features.weights.chunks_exact_mut(2 * half);
    for row in weights.chain([features.biases.as_mut_slice()]) {
        let (first, second) = row.split_at_mut(half);
        permute(first, order);
        permute(second, order);
    }
    // The inputs of the second layer: the side to move's pairs, then the opponent's.
    for inputs in layers.second.chunks_exact_mut(half) {
        permute(inputs, order);
    }
}

fn permute<T: Copy>(numbers: &mut [T], order: &[usize]) {
    let old = numbers.to_vec();
    for (number, place) in numbers.iter_mut().zip(order) {
        *number = old[*place];
    }
}

fn count(bits: &[u64]) -> u64 {
    bits.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// The share of the positions of either that are positions of both (Jaccard's index), from 0 to 1.
fn overlap(one: &[u64], other: &[u64]) -> f64 {
    let count = |combine: fn(u64, u64) -> u64| -> u64 {
        one.iter().zip(other).map(|(a, b)| u64::from(combine(*a, *b).count_ones())).sum()
    };
    count(|a, b| a & b) as f64 / count(|a, b| a | b).max(1) as f64
}
