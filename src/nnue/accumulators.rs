//! The accumulators of a line's positions, for a first layer with so many neurons.

use super::architecture::Row;
use super::delta::{FeatureDelta, PlacedPiece};
use super::feature_layer::FeatureLayer;
use super::line::Line;
use super::perspective::{Perspective, PerspectiveTable};
use super::refresh_cache::{PieceBitboards, RefreshCache};
use super::simd::RowKernels;
use crate::chess::{Color, Position};

/// The sums of the first layer for each position of a [`Line`], with the refresh cache.
pub(super) struct Accumulators<const NEURONS: usize> {
    kernels: &'static RowKernels<NEURONS>,
    /// The accumulators of White's and of Black's perspective, for each position.
    rows: Vec<[Row<NEURONS>; 2]>,
    refresh_cache: RefreshCache<NEURONS>,
}

impl<const NEURONS: usize> Accumulators<NEURONS> {
    /// Accumulators with memory for `max_moves` moves.
    pub(super) fn new(
        features: &FeatureLayer<NEURONS>,
        kernels: &'static RowKernels<NEURONS>,
        max_moves: usize,
    ) -> Accumulators<NEURONS> {
        Accumulators {
            kernels,
            rows: vec![[Row::ZERO; 2]; max_moves + 1],
            refresh_cache: RefreshCache::new(features),
        }
    }

    /// The accumulators of `position`, the line's last one: that of the side to move, then that of
    /// the other side. Missing ones are computed.
    #[inline]
    pub(super) fn last(
        &mut self,
        features: &FeatureLayer<NEURONS>,
        perspectives: &PerspectiveTable,
        line: &mut Line,
        position: &Position,
    ) -> [&Row<NEURONS>; 2] {
        if self.rows.len() <= line.top() {
            self.grow(line.top() + 1);
        }
        for color in Color::ALL {
            let perspective = perspectives.get(color, position.king(color));
            self.ensure_computed(features, (color, perspective), line, position);
        }
        let [white, black] = &self.rows[line.top()];
        if position.turn().is_white() { [white, black] } else { [black, white] }
    }

    /// Makes room for a line that is longer than announced.
    #[cold]
    fn grow(&mut self, positions: usize) {
        self.rows.resize(positions, [Row::ZERO; 2]);
    }

    /// Computes the last position's accumulator of a player's perspective, if it is missing.
    #[inline]
    fn ensure_computed(
        &mut self,
        features: &FeatureLayer<NEURONS>,
        (color, perspective): (Color, Perspective),
        line: &mut Line,
        position: &Position,
    ) {
        let side = color as usize;
        let mut computed = line.top();
        while !line.entry(computed).computed[side] {
            if line.entry(computed).needs_refresh[side] {
                self.refresh(features, (color, perspective), line.top(), position);
                return line.mark_computed(line.top(), side);
            }
            computed -= 1;
        }
        for index in computed + 1..=line.top() {
            self.apply_delta(features, (color, perspective), &line.entry(index).delta, index);
            line.mark_computed(index, side);
        }
    }

    /// Computes the accumulator of a position from the refresh cache.
    fn refresh(
        &mut self,
        features: &FeatureLayer<NEURONS>,
        (color, perspective): (Color, Perspective),
        index: usize,
        position: &Position,
    ) {
        self.refresh_cache.refresh(
            features,
            self.kernels,
            (color, perspective),
            &PieceBitboards::from_position(position),
            &mut self.rows[index][color as usize],
        );
    }

    /// Computes the accumulator of the position at an index from the one before it. Both have this
    /// perspective.
    #[inline]
    fn apply_delta(
        &mut self,
        features: &FeatureLayer<NEURONS>,
        (color, perspective): (Color, Perspective),
        delta: &FeatureDelta,
        index: usize,
    ) {
        let side = color as usize;
        let weights = |(piece, square): PlacedPiece| {
            features.weights(perspective.feature_index(color, piece, square))
        };
        let (before, after) = self.rows.split_at_mut(index);
        let (before, accumulator) = (&before[index - 1][side], &mut after[0][side]);
        match *delta {
            FeatureDelta::Move { removed, added } => {
                self.kernels.apply_move(before, accumulator, weights(added), weights(removed))
            }
            FeatureDelta::Capture { removed, added } => self.kernels.apply_capture(
                before,
                accumulator,
                weights(added),
                removed.map(weights),
            ),
            FeatureDelta::Castle { removed, added } => self.kernels.apply_castling(
                before,
                accumulator,
                added.map(weights),
                removed.map(weights),
            ),
        }
    }
}
