//! The layers of the layered network: products of pairs of clipped accumulators, 16 neurons, 32
//! neurons, the output.
//!
//! The forward pass computes with integers where the network file does: with
//! [`Rounding::Quantised`] it clips and rounds like the engine, and sums of integers are exact in
//! an f32 up to 2^24, in any order. The backward pass ignores the rounding (the straight-through
//! estimator, see [`Rounding`]). The shape is that of Stockfish's and Reckless's networks
//! (<https://www.chessprogramming.org/Stockfish_NNUE>).

pub mod feature_index;
pub mod later_layers;
pub mod pair_order;
pub mod quantised;
pub mod tile;

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rayon::prelude::*;

use crate::example::Example;
use crate::optimiser::{Parameters, Step};
use crate::rounding::Rounding;
use crate::row::{HalfRow, LANES, Row};
use crate::shape::{SECOND_NEURONS, Shape};
use feature_index::FeatureIndex;
use later_layers::LaterLayers;
use tile::PairTile;

/// The initial bias of the first layer. It gives most pairs a slope.
const BIAS_INIT: f32 = 0.3;
/// Initial weights of the second layer are between ± this.
const SECOND_INIT_RANGE: f32 = 0.1;
/// The initial bias of the second layer.
const SECOND_BIAS_INIT: f32 = 0.1;

/// Groups of tiles, each with its own sums of the second layer. The number is fixed, so the result
/// does not depend on the number of threads.
const GROUPS: usize = 8;
/// Examples that one task takes through the later layers.
const CHUNK: usize = 512;

/// All layers of a layered network in training.
#[derive(Clone, Debug)]
pub struct Layered {
    /// The first layer and the weights of the second.
    pub tiles: Vec<PairTile>,
    /// The other weights.
    pub later: LaterLayers,
    inputs: usize,
    /// For each group of tiles, the sums of the second layer of the last batch.
    group_sums: Vec<Vec<HalfRow>>,
    /// The sums of all groups.
    sums: Vec<HalfRow>,
    sum_gradients: Vec<HalfRow>,
}

impl Layered {
    /// Layers whose weights are all zero.
    #[must_use]
    pub fn zeros(shape: &Shape, rounding: Rounding) -> Self {
        Self {
            tiles: vec![PairTile::zeros(shape, rounding); shape.hidden / LANES],
            later: LaterLayers::zeros(shape, rounding),
            group_sums: Vec::new(),
            sums: Vec::new(),
            sum_gradients: Vec::new(),
            inputs: shape.inputs(),
        }
    }

    /// Draws all weights but those of the features. All output buckets get the same.
    pub fn randomise(&mut self, random: &mut ChaCha8Rng) {
        for tile in &mut self.tiles {
            tile.features.bias.value[0] = Row::splat(BIAS_INIT);
            draw(&mut tile.second.value, SECOND_NEURONS, SECOND_INIT_RANGE, random);
        }
        let range = 1.0 / (LANES as f32).sqrt();
        draw(&mut self.later.third.value, LANES, range, random);
        draw(&mut self.later.output.value, 1, range, random);
        for row in &mut self.later.second_bias.value {
            *row = Row::from_halves(HalfRow::splat(SECOND_BIAS_INIT), HalfRow::ZERO);
        }
    }

    /// Recomputes the effective weights. Call it after setting parameters from outside.
    pub fn refresh(&mut self) {
        self.tiles.par_iter_mut().for_each(PairTile::refresh);
        self.later.refresh();
    }

    /// Copies the weights of trained layers.
    pub fn start_from(&mut self, other: &Layered) {
        for (tile, other) in self.tiles.iter_mut().zip(&other.tiles) {
            tile.start_from(other);
        }
        self.later.start_from(&other.later);
    }

    /// All parameter groups, in a fixed order.
    pub fn parameter_groups(&self) -> impl Iterator<Item = &Parameters> {
        self.tiles.iter().flat_map(PairTile::parameter_groups).chain(self.later.parameter_groups())
    }

    /// All parameter groups, in the order of [`Layered::parameter_groups`].
    pub fn parameter_groups_mut(&mut self) -> impl Iterator<Item = &mut Parameters> {
        let tiles = self.tiles.iter_mut().flat_map(PairTile::parameter_groups_mut);
        tiles.chain(self.later.parameter_groups_mut())
    }

    /// Computes the outputs of a batch, as logits.
    pub fn forward(&mut self, batch: &[Example], outputs: &mut Vec<f32>) {
        let tiles_per_group = self.tiles.len().div_ceil(GROUPS);
        self.group_sums.resize(self.tiles.len().div_ceil(tiles_per_group), Vec::new());
        let groups = self.tiles.par_chunks_mut(tiles_per_group).zip(&mut self.group_sums);
        groups.for_each(|(tiles, sums)| {
            sums.clear();
            sums.resize(batch.len(), HalfRow::ZERO);
            for tile in tiles {
                tile.forward(batch, sums);
            }
        });

        self.sums.resize(batch.len(), HalfRow::ZERO);
        outputs.resize(batch.len(), 0.0);
        let (group_sums, later) = (&self.group_sums, &self.later);
        let chunks = batch.par_chunks(CHUNK).zip(self.sums.par_chunks_mut(CHUNK));
        chunks.zip(outputs.par_chunks_mut(CHUNK)).enumerate().for_each(
            |(chunk, ((batch, sums), outputs))| {
                for (i, example) in batch.iter().enumerate() {
                    let parts = group_sums.iter().map(|sums| sums[CHUNK * chunk + i]);
                    sums[i] = parts.fold(HalfRow::ZERO, |sum, part| sum + part);
                    outputs[i] = later.forward(usize::from(example.output_bucket), sums[i]);
                }
            },
        );
    }

    /// Adds the gradients of the batch of the last forward pass. `output_gradients` holds the
    /// derivative of the loss with respect to each output.
    pub fn backward(&mut self, batch: &[Example], output_gradients: &[f32]) {
        self.sum_gradients.resize(batch.len(), HalfRow::ZERO);
        let (sums, later) = (&self.sums, &self.later);
        let chunks = batch.par_chunks(CHUNK).zip(self.sum_gradients.par_chunks_mut(CHUNK));
        let gradients: Vec<_> = chunks
            .enumerate()
            .map(|(chunk, (batch, sum_gradients))| {
                let mut gradients = later.gradients();
                for (i, example) in batch.iter().enumerate() {
                    let place = CHUNK * chunk + i;
                    sum_gradients[i] = later.backward(
                        usize::from(example.output_bucket),
                        sums[place],
                        output_gradients[place],
                        &mut gradients,
                    );
                }
                gradients
            })
            .collect();
        for gradients in &gradients {
            self.later.add_gradients(gradients);
        }
        let (chunks, sum_gradients) =
            (FeatureIndex::of_batch(batch, self.inputs), &self.sum_gradients);
        self.tiles.par_iter_mut().for_each(|tile| tile.backward(batch, &chunks, sum_gradients));
    }

    /// Takes one optimiser step and resets the gradients to zero.
    pub fn update(&mut self, step: &Step) {
        self.tiles.par_iter_mut().for_each(|tile| tile.update(step));
        self.later.update(step);
    }
}

/// Draws the first `rows` rows from ± `range`, and repeats them in all others.
fn draw(values: &mut [Row], rows: usize, range: f32, random: &mut ChaCha8Rng) {
    let (first, others) = values.split_at_mut(rows);
    for weight in first.iter_mut().flat_map(Row::iter_mut) {
        *weight = random.random_range(-range..range);
    }
    others.chunks_exact_mut(rows).for_each(|bucket| bucket.copy_from_slice(first));
}
