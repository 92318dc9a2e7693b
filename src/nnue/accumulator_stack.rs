//! One thread's sums of the hidden layer along its line of moves.

use std::sync::Arc;

use super::architecture::output_bucket;
use super::delta::{FeatureDelta, PlacedPiece, king_move};
use super::network::Network;
use super::piece_bitboards::PieceBitboards;
use super::refresh_cache::RefreshCache;
use super::row::Row;
use super::simd::{Kernels, SimdLevel};
use crate::chess::{Color, Move, Position};

/// The hidden layer's sums for each position of a line, and what evaluates its last one.
///
/// A move only notes what it changes. The sums follow when an evaluation asks for them, for each
/// player's view on its own, from the nearest ply whose sums are known; when that player's king has
/// changed the view since, from the refresh cache. All memory is taken at the start, but for lines
/// longer than announced. Chess Programming Wiki, "NNUE" (accumulator; lazy updates and the refresh
/// cache, "Finny tables", after Koivisto and Stockfish).
pub struct AccumulatorStack {
    network: Arc<Network>,
    kernels: &'static Kernels,
    entries: Vec<AccumulatorEntry>,
    /// The sums of White's view and of Black's, for each step.
    accumulators: Vec<[Row; 2]>,
    /// The place of the line's last position in `steps` and `rows`.
    top: usize,
    refresh_cache: RefreshCache,
}

/// A position of the line, by the move that led to it.
#[derive(Clone, Copy)]
struct AccumulatorEntry {
    delta: FeatureDelta,
    /// Whose sums are known.
    computed: [bool; 2],
    /// Whose view the move has changed, so that the sums before it are of no use.
    needs_refresh: [bool; 2],
}

impl AccumulatorEntry {
    const ROOT: AccumulatorEntry = AccumulatorEntry {
        delta: FeatureDelta::NONE,
        computed: [false; 2],
        needs_refresh: [true; 2],
    };
}

impl AccumulatorStack {
    /// Sums for lines of up to so many moves, by the best instructions that this processor has. To
    /// be [`reset`] before use.
    ///
    /// [`reset`]: Accumulators::reset
    pub fn new(network: Arc<Network>, max_moves: usize) -> AccumulatorStack {
        AccumulatorStack::with_kernels(network, max_moves, Kernels::best())
    }

    /// The same by the instructions of a level; `None` where the processor lacks them.
    pub fn with_level(
        network: Arc<Network>,
        max_moves: usize,
        simd_level: SimdLevel,
    ) -> Option<AccumulatorStack> {
        Some(AccumulatorStack::with_kernels(network, max_moves, Kernels::for_level(simd_level)?))
    }

    fn with_kernels(
        network: Arc<Network>,
        max_moves: usize,
        kernels: &'static Kernels,
    ) -> AccumulatorStack {
        AccumulatorStack {
            kernels,
            entries: vec![AccumulatorEntry::ROOT; max_moves + 1],
            accumulators: vec![[Row::ZERO; 2]; max_moves + 1],
            top: 0,
            refresh_cache: RefreshCache::new(&network),
            network,
        }
    }

    /// Starts a line at this position.
    pub fn reset(&mut self, root: &Position) {
        self.top = 0;
        self.entries[0] = AccumulatorEntry::ROOT;
        for color in Color::ALL {
            self.ensure_computed(color, root);
        }
    }

    /// A legal move is about to be made in `before`, the line's last position.
    #[inline]
    pub fn push(&mut self, before: &Position, mv: Move) {
        let mut entry = AccumulatorEntry {
            delta: FeatureDelta::from_move(before, mv),
            computed: [false; 2],
            needs_refresh: [false; 2],
        };
        if let Some((color, from, to)) = king_move(before, mv) {
            entry.needs_refresh[color as usize] =
                self.network.perspective(color, from) != self.network.perspective(color, to);
        }
        self.push_entry(entry);
    }

    /// The side to move passes.
    #[inline]
    pub fn push_null(&mut self) {
        self.push_entry(AccumulatorEntry {
            delta: FeatureDelta::NONE,
            computed: [false; 2],
            needs_refresh: [false; 2],
        });
    }

    #[inline]
    fn push_entry(&mut self, entry: AccumulatorEntry) {
        self.top += 1;
        if let Some(slot) = self.entries.get_mut(self.top) {
            *slot = entry;
        } else {
            self.entries.push(entry);
            self.accumulators.push([Row::ZERO; 2]);
        }
    }

    /// The line's last move or pass is taken back. At its start nothing happens.
    #[inline]
    pub fn pop(&mut self) {
        self.top = self.top.saturating_sub(1);
    }

    /// Centipawns from the view of the side to move in the line's last position, which is given.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        self.evaluate_scaled(position, 100)
    }

    /// The same in a unit of which so many make 100 centipawns.
    #[inline]
    pub fn evaluate_scaled(&mut self, position: &Position, units_per_pawn: i32) -> i32 {
        self.ensure_computed(Color::White, position);
        self.ensure_computed(Color::Black, position);
        let [white, black] = &self.accumulators[self.top];
        let (own, other) = if position.turn().is_white() { (white, black) } else { (black, white) };
        let bucket = output_bucket(position.occupied().count());
        self.network.scale_output(
            self.kernels.output(own, other, self.network.output_weights(bucket)),
            bucket,
            units_per_pawn,
        )
    }

    /// Sees to it that the last position's sums in a player's view are known.
    #[inline]
    fn ensure_computed(&mut self, color: Color, position: &Position) {
        let side = color as usize;
        let mut computed = self.top;
        while !self.entries[computed].computed[side] {
            if self.entries[computed].needs_refresh[side] {
                return self.refresh(color, position);
            }
            computed -= 1;
        }
        for index in computed + 1..=self.top {
            self.apply_delta(color, position, index);
        }
    }

    /// Sums the last position by way of the refresh cache.
    fn refresh(&mut self, color: Color, position: &Position) {
        let accumulator = &mut self.accumulators[self.top][color as usize];
        let boards = PieceBitboards::from_position(position);
        self.refresh_cache.refresh(
            &self.network,
            self.kernels,
            color,
            position.king(color),
            &boards,
            accumulator,
        );
        self.entries[self.top].computed[color as usize] = true;
    }

    /// Sums the position of a step from the one before it. The view is the same as in the last
    /// position.
    #[inline]
    fn apply_delta(&mut self, color: Color, position: &Position, index: usize) {
        let side = color as usize;
        let perspective = self.network.perspective(color, position.king(color));
        let weights = |(piece, square): PlacedPiece| {
            self.network.feature_weights(perspective.feature_index(color, piece, square))
        };
        let (before, after) = self.accumulators.split_at_mut(index);
        let (before, accumulator) = (&before[index - 1][side], &mut after[0][side]);
        match self.entries[index].delta {
            FeatureDelta::Move { removed, added } => {
                self.kernels.step(before, accumulator, weights(added), weights(removed))
            }
            FeatureDelta::Capture { removed, added } => {
                self.kernels.capture(before, accumulator, weights(added), removed.map(weights))
            }
            FeatureDelta::Castle { removed, added } => {
                self.kernels.castle(before, accumulator, added.map(weights), removed.map(weights))
            }
        }
        self.entries[index].computed[side] = true;
    }
}
