//! The move histories: how well each move did so far, indexed by several keys.
//!
//! Chess Programming Wiki, "History Heuristic". Butterfly boards by threatened squares, capture,
//! continuation and pawn history follow Stockfish and Reckless; the history of the first plies is
//! Stockfish's low-ply history. Every table has gravity: an entry moves towards its limit, more
//! slowly the nearer it is.

use super::correction_history::CorrectionHistory;
use super::sparse_tables::{SparseTables, apply_gravity};
use crate::chess::{Bitboard, Color, Move, Position};
use crate::engine::params;

/// The largest magnitude of an entry.
const HISTORY_MAX: i32 = 16_384;

/// The number of continuation tables: one for each (in check, noisy) and each piece on the target
/// square of the earlier move. One more belongs to the plies before the root and to null moves; it
/// is never written.
const CONTINUATION_TABLES: usize = 4 * 768 + 1;

/// The continuation table of a null move.
pub(in crate::engine) const NO_CONTINUATION: u16 = (CONTINUATION_TABLES - 1) as u16;

/// The number of pawn history tables, to which the pawn keys are reduced.
const PAWN_TABLES: usize = 1024;

/// The number of plies from the root that have a low-ply history.
const LOW_PLIES: usize = 5;

/// The distances, in plies, of the earlier moves that have a continuation table.
pub(in crate::engine) const CONTINUATION_PLIES: [usize; 4] = [1, 2, 4, 6];

/// The statistics of one search thread about moves and evaluations.
#[cfg_attr(test, derive(Debug, PartialEq, Eq))]
pub(in crate::engine) struct HistoryTables {
    /// Quiet moves, by side to move, threat on the start square, threat on the target square, and
    /// both squares.
    butterfly: Box<[[[[i16; 4096]; 2]; 2]; 2]>,
    /// Captures and promotions, by piece and target square, role of the victim (6: none), and
    /// threat on the target square.
    noisy: Box<[[[i16; 2]; 7]; 768]>,
    /// Quiet moves of the running search near the root, by ply and both squares.
    low_ply: Box<[[i16; 4096]; LOW_PLIES]>,
    continuation: SparseTables,
    pawn: SparseTables,
    pub(in crate::engine) correction: CorrectionHistory,
    /// The statistics belong to a search that has ended; the next search must clear them.
    stale: bool,
}

/// The properties of a node that select the history entries of its moves.
#[derive(Clone, Copy)]
pub(in crate::engine) struct HistoryKey {
    pub(in crate::engine) turn: Color,
    /// The squares that the opponent attacks.
    pub(in crate::engine) threats: Bitboard,
    /// The continuation tables of the moves [`CONTINUATION_PLIES`] plies before.
    pub(in crate::engine) continuation_indices: [u16; 4],
    pub(in crate::engine) pawn_index: u16,
    /// The distance from the root.
    pub(in crate::engine) ply: usize,
}

impl HistoryKey {
    pub(in crate::engine) fn new(
        position: &Position,
        threats: Bitboard,
        continuation_indices: [u16; 4],
        ply: usize,
    ) -> HistoryKey {
        let pawn_index = (position.pawn_key() % PAWN_TABLES as u64) as u16;
        HistoryKey { turn: position.turn(), threats, continuation_indices, pawn_index, ply }
    }
}

/// The move that led to a node, with the keys of its history entries.
#[derive(Clone, Copy)]
pub(in crate::engine) struct ParentMove {
    /// The move; the null move before the root.
    pub(in crate::engine) mv: Move,
    /// The side that made it.
    pub(in crate::engine) turn: Color,
    /// The squares that its opponent attacked.
    pub(in crate::engine) threats: Bitboard,
    pub(in crate::engine) pawn_index: u16,
    /// The index of its piece on its target square.
    pub(in crate::engine) piece_to: u16,
    /// The continuation tables of the moves before it.
    pub(in crate::engine) continuation_indices: [u16; 4],
}

impl ParentMove {
    /// `true` for a quiet move, `false` for a noisy or null move.
    #[inline]
    pub(in crate::engine) const fn is_quiet(&self) -> bool {
        !self.mv.is_null() && !self.mv.is_noisy()
    }
}

/// The index of a move's piece on its target square.
#[inline]
pub(in crate::engine) fn piece_to_index(position: &Position, mv: Move) -> usize {
    position.piece_at(mv.from()).map_or(0, |piece| piece as usize) * 64 + mv.to().index()
}

/// The index of a move's start and target squares.
#[inline]
fn from_to_index(mv: Move) -> usize {
    mv.from().index() * 64 + mv.to().index()
}

/// The continuation table for the moves that follow this one.
#[inline]
pub(in crate::engine) fn continuation_index(position: &Position, mv: Move) -> u16 {
    let kind = 2 * usize::from(position.in_check()) + usize::from(mv.is_noisy());
    (kind * 768 + piece_to_index(position, mv)) as u16
}

/// The bonus of a node's best move at this depth.
#[inline]
pub(in crate::engine) fn history_bonus(depth: i32) -> i32 {
    (params::bonus_slope() * depth - params::bonus_offset()).clamp(0, params::bonus_max())
}

/// The malus at this depth of a move that was searched before the best one.
#[inline]
pub(in crate::engine) fn history_malus(depth: i32) -> i32 {
    (params::malus_slope() * depth - params::malus_offset()).clamp(0, params::malus_max())
}

/// Allocates a boxed array of zeros. The allocator returns fresh zero pages, so entries that a
/// short search does not touch cost nothing.
fn zeroed<const N: usize, T: Copy>(zero: T) -> Box<[T; N]>
where
    Vec<T>: TryInto<Box<[T; N]>>,
{
    match vec![zero; N].try_into() {
        Ok(array) => array,
        Err(_) => Box::new([zero; N]),
    }
}

impl HistoryTables {
    pub(in crate::engine) fn new() -> HistoryTables {
        HistoryTables {
            butterfly: zeroed([[[0; 4096]; 2]; 2]),
            noisy: zeroed([[0; 2]; 7]),
            low_ply: zeroed([0; 4096]),
            continuation: SparseTables::new(CONTINUATION_TABLES),
            pawn: SparseTables::new(PAWN_TABLES),
            correction: CorrectionHistory::new(),
            stale: false,
        }
    }

    /// Clears every table.
    pub(in crate::engine) fn clear(&mut self) {
        let HistoryTables { butterfly, noisy, low_ply, continuation, pawn, correction, stale } =
            self;
        *stale = false;
        butterfly.as_flattened_mut().as_flattened_mut().as_flattened_mut().fill(0);
        noisy.as_flattened_mut().as_flattened_mut().fill(0);
        low_ply.as_flattened_mut().fill(0);
        continuation.clear();
        pawn.clear();
        correction.clear();
    }

    #[inline]
    fn butterfly_indices(turn: Color, threats: Bitboard, mv: Move) -> [usize; 4] {
        let from_threatened = usize::from(threats.contains(mv.from()));
        let to_threatened = usize::from(threats.contains(mv.to()));
        [turn as usize, from_threatened, to_threatened, from_to_index(mv)]
    }

    /// The butterfly history of a quiet move, within ±[`HISTORY_MAX`].
    #[inline]
    pub(in crate::engine) fn butterfly(&self, key: &HistoryKey, mv: Move) -> i32 {
        let [a, b, c, d] = HistoryTables::butterfly_indices(key.turn, key.threats, mv);
        i32::from(self.butterfly[a][b][c][d])
    }

    /// Marks the statistics as stale: [`HistoryTables::prepare_for_search`] clears them.
    pub(in crate::engine) fn mark_stale(&mut self) {
        self.stale = true;
    }

    /// Prepares the tables for a search. Stale statistics are cleared. Those of the last move of
    /// the same game stay, except near the root, and the butterfly history shrinks by a quarter. So
    /// the new search soon outweighs the last. (After Stockfish.)
    pub(in crate::engine) fn prepare_for_search(&mut self) {
        if self.stale {
            self.clear();
            return;
        }
        self.low_ply.as_flattened_mut().fill(0);
        for entry in self.butterfly.as_flattened_mut().as_flattened_mut().as_flattened_mut() {
            // Untouched pages stay unwritten.
            if *entry != 0 {
                *entry -= *entry / 4;
            }
        }
    }

    /// The low-ply history of a quiet move, within ±[`HISTORY_MAX`]. It shrinks with the ply, and
    /// is 0 beyond [`LOW_PLIES`].
    #[inline]
    pub(in crate::engine) fn low_ply(&self, key: &HistoryKey, mv: Move) -> i32 {
        self.low_ply
            .get(key.ply)
            .map_or(0, |table| i32::from(table[from_to_index(mv)]) / (1 + key.ply as i32))
    }

    /// The continuation history of a piece's move to a square, after an earlier move.
    #[inline]
    pub(in crate::engine) fn continuation(&self, table_index: u16, piece_to: usize) -> i32 {
        self.continuation.get(usize::from(table_index), piece_to)
    }

    /// The pawn history of a piece's move to a square, with this pawn structure.
    #[inline]
    pub(in crate::engine) fn pawn(&self, key: &HistoryKey, piece_to: usize) -> i32 {
        self.pawn.get(usize::from(key.pawn_index), piece_to)
    }

    #[inline]
    fn noisy_indices(position: &Position, threats: Bitboard, mv: Move) -> [usize; 3] {
        let victim = position.victim(mv).map_or(6, |role| role as usize);
        [piece_to_index(position, mv), victim, usize::from(threats.contains(mv.to()))]
    }

    /// The history of a capture or promotion.
    #[inline]
    pub(in crate::engine) fn noisy(&self, position: &Position, threats: Bitboard, mv: Move) -> i32 {
        let [a, b, c] = HistoryTables::noisy_indices(position, threats, mv);
        i32::from(self.noisy[a][b][c])
    }

    /// Updates the history of a capture or promotion.
    #[inline]
    pub(in crate::engine) fn update_noisy(
        &mut self,
        position: &Position,
        threats: Bitboard,
        mv: Move,
        bonus: i32,
    ) {
        let [a, b, c] = HistoryTables::noisy_indices(position, threats, mv);
        apply_gravity::<HISTORY_MAX>(&mut self.noisy[a][b][c], bonus);
    }

    /// Updates the butterfly history of a quiet move.
    #[inline]
    pub(in crate::engine) fn update_butterfly(
        &mut self,
        turn: Color,
        threats: Bitboard,
        mv: Move,
        bonus: i32,
    ) {
        let [a, b, c, d] = HistoryTables::butterfly_indices(turn, threats, mv);
        apply_gravity::<HISTORY_MAX>(&mut self.butterfly[a][b][c][d], bonus);
    }

    /// Updates every history of a quiet move.
    pub(in crate::engine) fn update_quiet_histories(
        &mut self,
        position: &Position,
        key: &HistoryKey,
        mv: Move,
        bonus: i32,
    ) {
        self.update_butterfly(key.turn, key.threats, mv, bonus);
        if let Some(table) = self.low_ply.get_mut(key.ply) {
            apply_gravity::<HISTORY_MAX>(&mut table[from_to_index(mv)], bonus);
        }
        let piece_to = piece_to_index(position, mv);
        apply_gravity::<HISTORY_MAX>(
            self.pawn.get_mut(usize::from(key.pawn_index), piece_to),
            bonus,
        );
        self.update_continuations(key.continuation_indices, piece_to, bonus);
    }

    /// Updates the continuation histories of a piece's move to a square, after each of these
    /// earlier moves.
    #[inline]
    pub(in crate::engine) fn update_continuations(
        &mut self,
        continuation_indices: [u16; 4],
        piece_to: usize,
        bonus: i32,
    ) {
        for index in continuation_indices {
            if index != NO_CONTINUATION {
                apply_gravity::<HISTORY_MAX>(
                    self.continuation.get_mut(usize::from(index), piece_to),
                    bonus,
                );
            }
        }
    }

    /// Rewards the parent's quiet move after the child node failed low.
    pub(in crate::engine) fn reward_parent_move(&mut self, parent: &ParentMove, bonus: i32) {
        if !parent.is_quiet() {
            return;
        }
        self.update_butterfly(parent.turn, parent.threats, parent.mv, bonus / 2);
        let piece_to = usize::from(parent.piece_to);
        apply_gravity::<HISTORY_MAX>(
            self.pawn.get_mut(usize::from(parent.pawn_index), piece_to),
            bonus,
        );
        self.update_continuations(parent.continuation_indices, piece_to, bonus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::parse_move;

    #[test]
    fn a_new_search_begins_with_three_quarters_of_the_butterfly_history() {
        let position = Position::startpos();
        let mv = parse_move(&position, "g1f3").unwrap();
        let key = HistoryKey::new(&position, Bitboard::EMPTY, [NO_CONTINUATION; 4], 0);
        let mut history = HistoryTables::new();
        for (bonus, kept) in [(1200, 900), (-1200, -900)] {
            history.clear();
            history.update_quiet_histories(&position, &key, mv, bonus);
            assert_eq!((history.butterfly(&key, mv), history.low_ply(&key, mv)), (bonus, bonus));
            history.prepare_for_search();
            assert_eq!((history.butterfly(&key, mv), history.low_ply(&key, mv)), (kept, 0));
        }
    }
}
