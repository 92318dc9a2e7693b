//! How far the static evaluation has been off lately in positions that share a part: its
//! correction.
//!
//! Chess Programming Wiki, "Static Evaluation Correction History" (pawn structure: Caissa; non-pawn
//! pieces of each side, minor pieces, and the last moves: Stockfish, Reckless).

use super::history::apply_gravity;
use super::keys::CorrectionKeys;
use super::params;
use super::prefetch::prefetch;
use super::score::{MAX_STATIC_EVAL, Value};
use super::sparse_tables::SparseTables;
use super::stack::Stack;
use crate::chess::Position;

/// Entries of each table by key, a power of two.
const SIZE: usize = 1 << 14;

/// No entry goes beyond this.
const CORRECTION_MAX: i32 = 1024;

/// The weights of the tables are in parts of this.
const WEIGHT_SCALE: i32 = 1024;

type KeyTable = Box<[[i16; 2]]>;

/// The correction histories of one search.
#[cfg_attr(test, derive(Debug, PartialEq, Eq))]
pub(super) struct CorrectionHistory {
    pawn: KeyTable,
    minor: KeyTable,
    non_pawn: [KeyTable; 2],
    /// By the piece and target of an earlier move, then of the last one.
    continuation: SparseTables,
}

/// Where a node's corrections stand.
#[derive(Clone, Copy)]
pub(super) struct CorrectionIndices {
    turn: usize,
    pawn: usize,
    minor: usize,
    non_pawn: [usize; 2],
    last_piece_to: usize,
    /// The cells of the moves two and four plies before; `None` where there was none.
    earlier_piece_to: [Option<usize>; 2],
}

fn table_index(key: u64) -> usize {
    (key % SIZE as u64) as usize
}

impl CorrectionIndices {
    pub(super) fn new(
        position: &Position,
        keys: &CorrectionKeys,
        stack: &Stack,
        ply: usize,
    ) -> CorrectionIndices {
        let piece_to = |back: usize| {
            let entry = stack.before(ply, back);
            (!entry.mv.is_null()).then_some(usize::from(entry.piece_to))
        };
        let last_piece_to = piece_to(1);
        CorrectionIndices {
            turn: position.turn() as usize,
            pawn: table_index(position.pawn_key()),
            minor: table_index(keys.minor),
            non_pawn: keys.non_pawn.map(table_index),
            last_piece_to: last_piece_to.unwrap_or(0),
            earlier_piece_to: if last_piece_to.is_some() {
                [piece_to(2), piece_to(4)]
            } else {
                [None; 2]
            },
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

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        let CorrectionHistory { pawn, minor, non_pawn: [white, black], continuation } = self;
        for table in [pawn, minor, white, black] {
            table.fill([0; 2]);
        }
        continuation.clear();
    }

    /// What to add to the static evaluation.
    pub(super) fn value(&self, indices: &CorrectionIndices) -> Value {
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

    /// Says that the correction of a node will be asked for soon.
    #[inline]
    pub(super) fn prefetch(&self, indices: &CorrectionIndices) {
        prefetch(&self.pawn[indices.pawn]);
        prefetch(&self.minor[indices.minor]);
        for (table, index) in self.non_pawn.iter().zip(indices.non_pawn) {
            prefetch(&table[index]);
        }
        for earlier in indices.earlier_piece_to.into_iter().flatten() {
            self.continuation.prefetch(earlier, indices.last_piece_to);
        }
    }

    /// A search to `depth` plies found this much more than the static evaluation.
    pub(super) fn update(&mut self, indices: &CorrectionIndices, depth: i32, error: Value) {
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

/// The static evaluation with a correction, and the pull of the 50-move rule: the longer nothing
/// has happened, the nearer a draw (Stockfish's and Reckless's damping of the evaluation by the
/// half-move clock).
#[inline]
pub(super) fn corrected_static_eval(raw: Value, correction: Value, halfmove_clock: u16) -> Value {
    let clock = if params::damping_on() != 0 { i32::from(halfmove_clock.min(100)) } else { 0 };
    (raw * (200 - clock) / 200 + correction).clamp(-MAX_STATIC_EVAL, MAX_STATIC_EVAL)
}
