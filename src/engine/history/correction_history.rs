//! The correction histories: how far the static evaluation was off lately in similar positions.
//!
//! Chess Programming Wiki, "Static Evaluation Correction History". Pawn structure follows Caissa;
//! non-pawn pieces of each side, minor pieces, and the last moves follow Stockfish and Reckless.

use super::correction_keys::CorrectionKeys;
use super::sparse_tables::{SparseTables, apply_gravity};
use crate::chess::Position;
use crate::engine::params;
use crate::engine::prefetch::prefetch;
use crate::engine::score::{MAX_STATIC_EVAL, Value};

/// The entries of each table by key, a power of two.
const SIZE: usize = 1 << 16;

/// The largest magnitude of an entry.
const CORRECTION_MAX: i32 = 1024;

/// The denominator of the tables' weights.
const WEIGHT_SCALE: i32 = 1024;

/// A table by key and side to move.
type KeyTable = Box<[[i16; 2]]>;

/// The correction histories of one search thread.
#[cfg_attr(test, derive(Debug, PartialEq, Eq))]
pub(in crate::engine) struct CorrectionHistory {
    pawn: KeyTable,
    minor: KeyTable,
    non_pawn: [KeyTable; 2],
    /// By the piece and target square of an earlier move, then of the last move.
    continuation: SparseTables,
}

/// The indices of a node's correction entries.
#[derive(Clone, Copy)]
pub(in crate::engine) struct CorrectionIndices {
    turn: usize,
    pawn: usize,
    minor: usize,
    non_pawn: [usize; 2],
    last_piece_to: usize,
    /// The piece and target square of the moves two and four plies before; `None` where there is no
    /// move.
    earlier_piece_to: [Option<usize>; 2],
}

fn table_index(key: u64) -> usize {
    (key % SIZE as u64) as usize
}

impl CorrectionIndices {
    /// The indices of a position. `previous_piece_to` are piece and target square of the moves one,
    /// two and four plies before; `None` where there is no move.
    #[inline]
    pub(in crate::engine) fn new(
        position: &Position,
        keys: &CorrectionKeys,
        previous_piece_to: [Option<usize>; 3],
    ) -> CorrectionIndices {
        let [last, second, fourth] = previous_piece_to;
        CorrectionIndices {
            turn: position.turn() as usize,
            pawn: table_index(position.pawn_key()),
            minor: table_index(keys.minor),
            non_pawn: keys.non_pawn.map(table_index),
            last_piece_to: last.unwrap_or(0),
            earlier_piece_to: if last.is_some() { [second, fourth] } else { [None; 2] },
        }
    }
}

impl CorrectionHistory {
    pub(super) fn new() -> CorrectionHistory {
        let table = || vec![[0; 2]; SIZE].into_boxed_slice();
        CorrectionHistory {
            pawn: table(),
            minor: table(),
            non_pawn: [table(), table()],
            continuation: SparseTables::new(768),
        }
    }

    /// Clears every table.
    pub(super) fn clear(&mut self) {
        let CorrectionHistory { pawn, minor, non_pawn: [white, black], continuation } = self;
        for table in [pawn, minor, white, black] {
            table.fill([0; 2]);
        }
        continuation.clear();
    }

    /// The correction to add to the static evaluation.
    pub(in crate::engine) fn value(&self, indices: &CorrectionIndices) -> Value {
        let turn = indices.turn;
        let entry = |table: &KeyTable, index: usize| i32::from(table[index][turn]);
        let non_pawn: i32 = self
            .non_pawn
            .iter()
            .zip(indices.non_pawn)
            .map(|(table, index)| entry(table, index))
            .sum();
        let continuation: i32 = indices
            .earlier_piece_to
            .iter()
            .flatten()
            .map(|&earlier| self.continuation.get(earlier, indices.last_piece_to))
            .sum();
        let sum = params::correct_pawn() * entry(&self.pawn, indices.pawn)
            + params::correct_minor() * entry(&self.minor, indices.minor)
            + params::correct_non_pawn() * non_pawn
            + params::correct_continuation() * continuation;
        sum / WEIGHT_SCALE
    }

    /// Prefetches the entries of a node.
    #[inline]
    pub(in crate::engine) fn prefetch(&self, indices: &CorrectionIndices) {
        prefetch(&self.pawn[indices.pawn]);
        prefetch(&self.minor[indices.minor]);
        for (table, index) in self.non_pawn.iter().zip(indices.non_pawn) {
            prefetch(&table[index]);
        }
        for earlier in indices.earlier_piece_to.into_iter().flatten() {
            self.continuation.prefetch(earlier, indices.last_piece_to);
        }
    }

    /// Records that a search of `depth` plies found a value `error` above the static evaluation.
    pub(in crate::engine) fn update(
        &mut self,
        indices: &CorrectionIndices,
        depth: i32,
        error: Value,
    ) {
        let bonus = (error * depth / 8).clamp(-CORRECTION_MAX / 4, CORRECTION_MAX / 4);
        let turn = indices.turn;
        let apply_bonus = |entry: &mut i16| apply_gravity::<CORRECTION_MAX>(entry, bonus);
        apply_bonus(&mut self.pawn[indices.pawn][turn]);
        apply_bonus(&mut self.minor[indices.minor][turn]);
        for (table, index) in self.non_pawn.iter_mut().zip(indices.non_pawn) {
            apply_bonus(&mut table[index][turn]);
        }
        for earlier in indices.earlier_piece_to.into_iter().flatten() {
            apply_bonus(self.continuation.get_mut(earlier, indices.last_piece_to));
        }
    }
}

/// The corrected static evaluation, damped by the half-move clock: the nearer the 50-move rule, the
/// nearer to a draw (after Stockfish and Reckless).
#[inline]
pub(in crate::engine) fn corrected_static_eval(
    raw: Value,
    correction: Value,
    halfmove_clock: u16,
) -> Value {
    let clock = if params::damping_on() != 0 { i32::from(halfmove_clock.min(100)) } else { 0 };
    (raw * (200 - clock) / 200 + correction).clamp(-MAX_STATIC_EVAL, MAX_STATIC_EVAL)
}
