//! The accumulators of one search thread along its line of moves.

use std::sync::Arc;

use super::architecture::{Row, output_bucket};
use super::delta::{FeatureDelta, PlacedPiece, king_move};
use super::network::Network;
use super::refresh_cache::{PieceBitboards, RefreshCache};
use super::simd::{Kernels, SimdLevel};
use crate::chess::{Color, Move, Position};

/// The accumulators (sums of the hidden layer) of each position of a line. It evaluates the last
/// position.
///
/// A move only records its delta. An evaluation computes the missing accumulators, separately for
/// each perspective, from the nearest computed ply. When the king has changed the perspective since
/// then, it uses the refresh cache. All memory is allocated at the start, except for lines longer
/// than `max_moves`. Chess Programming Wiki, "NNUE" (accumulator; lazy updates and the refresh
/// cache, "Finny tables", after Koivisto and Stockfish).
pub struct AccumulatorStack {
    network: Arc<Network>,
    kernels: &'static Kernels,
    entries: Vec<AccumulatorEntry>,
    /// The accumulators of White's and of Black's perspective, for each entry.
    accumulators: Vec<[Row; 2]>,
    /// The index of the line's last position in `entries` and `accumulators`.
    top: usize,
    refresh_cache: RefreshCache,
}

/// A position of the line, described by the move that led to it.
#[derive(Clone, Copy)]
struct AccumulatorEntry {
    delta: FeatureDelta,
    /// For each player, the accumulator is computed.
    computed: [bool; 2],
    /// For each player, the move changed the perspective, so earlier accumulators cannot be
    /// updated.
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
    /// Accumulators for lines of up to `max_moves` moves, with the best instructions of this
    /// processor. [`AccumulatorStack::reset`] must be called before use.
    pub fn new(network: Arc<Network>, max_moves: usize) -> AccumulatorStack {
        AccumulatorStack::with_kernels(network, max_moves, Kernels::best())
    }

    /// Accumulators with the instructions of a level; `None` where the processor lacks them.
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

    /// Adds a legal move, which is about to be made in `before`, the line's last position.
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

    /// Adds a null move.
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

    /// Takes back the line's last move or null move. At the start of the line it does nothing.
    #[inline]
    pub fn pop(&mut self) {
        self.top = self.top.saturating_sub(1);
    }

    /// Evaluates `position`, the line's last one, in raw centipawns from the view of its side to
    /// move.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        self.evaluate_scaled(position, 100)
    }

    /// Evaluates `position`, the line's last one, in a unit that divides 100 raw centipawns into
    /// `units_per_pawn` parts.
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

    /// Computes the last position's accumulator of a player's perspective, if it is missing.
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

    /// Computes the last position's accumulator from the refresh cache.
    fn refresh(&mut self, color: Color, position: &Position) {
        let accumulator = &mut self.accumulators[self.top][color as usize];
        let boards = PieceBitboards::from_position(position);
        self.refresh_cache.refresh(
            &self.network,
            self.kernels,
            (color, position.king(color)),
            &boards,
            accumulator,
        );
        self.entries[self.top].computed[color as usize] = true;
    }

    /// Computes the accumulator of an entry from the one before it. The perspective is the same as
    /// in `position`, the last one.
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
        self.entries[index].computed[side] = true;
    }
}
