//! What the search remembers of moves that worked: one number for a move in each of several lights.
//!
//! Chess Programming Wiki, "History Heuristic" (butterfly boards by threatened squares, capture,
//! continuation and pawn history, as Stockfish and Reckless have them; that of the first plies is
//! Stockfish's low-ply history). Every table has gravity: an entry moves towards its bounds the
//! slower the nearer it is.

use super::correction_history::CorrectionHistory;
use super::params;
use super::sparse_tables::SparseTables;
use super::stack::StackEntry;
use crate::chess::{Bitboard, Color, Move, Position};

/// No entry goes beyond this.
pub(super) const HISTORY_MAX: i32 = 16_384;

/// Continuation tables: for each (in check, noisy) and each piece on the square where a move has
/// brought it. One more stands before the root and after a null move; nothing is written to it.
const CONTINUATION_TABLES: usize = 4 * 768 + 1;

/// The continuation table of a move that was none.
pub(super) const NO_CONTINUATION: u16 = (CONTINUATION_TABLES - 1) as u16;

/// Tables of the pawn history: the pawns' keys are folded into so many.
const PAWN_TABLES: usize = 1024;

/// So many plies from the root on, what works is remembered by ply.
const LOW_PLIES: usize = 5;

/// How many plies back a move is remembered as having prepared another.
pub(super) const CONTINUATION_PLIES: [usize; 4] = [1, 2, 4, 6];

/// Everything that a search learns about moves and about its evaluation.
#[cfg_attr(test, derive(Debug, PartialEq, Eq))]
pub(super) struct HistoryTables {
    /// By player, whether the move's start and its end are attacked, and both squares.
    butterfly: Box<[[[[i16; 4096]; 2]; 2]; 2]>,
    /// By piece and target, the victim's kind (6: none), and whether the target is attacked.
    noisy: Box<[[[i16; 2]; 7]; 768]>,
    /// By the ply, near the root, and both squares; of the running search alone.
    low_ply: Box<[[i16; 4096]; LOW_PLIES]>,
    continuation: SparseTables,
    pawn: SparseTables,
    pub(super) correction: CorrectionHistory,
    /// Belongs to a search that has ended, and is to be forgotten before the next.
    stale: bool,
}

/// What a node's moves are looked up by.
#[derive(Clone, Copy)]
pub(super) struct HistoryKey {
    pub(super) turn: Color,
    /// What the opponent attacks.
    pub(super) threats: Bitboard,
    /// The continuation tables of the moves of [`CONTINUATIONS`] plies ago.
    pub(super) continuation_indices: [u16; 4],
    pub(super) pawn_index: u16,
    /// How far from the root.
    pub(super) ply: usize,
}

impl HistoryKey {
    pub(super) fn new(
        position: &Position,
        threats: Bitboard,
        continuation_indices: [u16; 4],
        ply: usize,
    ) -> HistoryKey {
        let pawn_index = (position.pawn_key() % PAWN_TABLES as u64) as u16;
        HistoryKey { turn: position.turn(), threats, continuation_indices, pawn_index, ply }
    }
}

/// The place of a move's piece on its target square.
#[inline]
pub(super) fn piece_to_index(position: &Position, mv: Move) -> usize {
    position.piece_at(mv.from()).map_or(0, |piece| piece as usize) * 64 + mv.to().index()
}

/// The place of a move's two squares.
#[inline]
fn from_to_index(mv: Move) -> usize {
    mv.from().index() * 64 + mv.to().index()
}

/// The continuation table that a move opens for those after it.
#[inline]
pub(super) fn continuation_index(position: &Position, mv: Move) -> u16 {
    let kind = 2 * usize::from(position.in_check()) + usize::from(mv.is_noisy());
    (kind * 768 + piece_to_index(position, mv)) as u16
}

/// One step of gravity towards ±`LIMIT`.
#[inline]
pub(super) fn apply_gravity<const LIMIT: i32>(entry: &mut i16, bonus: i32) {
    let old = i32::from(*entry);
    let bonus = bonus.clamp(-LIMIT, LIMIT);
    *entry = (old + bonus - old * bonus.abs() / LIMIT) as i16;
}

/// How much a move that was right at this depth gains.
#[inline]
pub(super) fn history_bonus(depth: i32) -> i32 {
    (params::bonus_slope() * depth - params::bonus_offset()).clamp(0, params::bonus_max())
}

/// How much a move that was tried before the right one loses.
#[inline]
pub(super) fn history_malus(depth: i32) -> i32 {
    (params::malus_slope() * depth - params::malus_offset()).clamp(0, params::malus_max())
}

/// A boxed array of zeros. Fresh zero pages come from the allocator: what a short search does not
/// touch costs nothing.
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
    pub(super) fn new() -> HistoryTables {
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

    /// Forgets everything: as good as new.
    pub(super) fn clear(&mut self) {
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

    /// How the quiet move did whatever came before, within ±[`HISTORY_MAX`].
    #[inline]
    pub(super) fn butterfly(&self, key: &HistoryKey, mv: Move) -> i32 {
        let [a, b, c, d] = HistoryTables::butterfly_indices(key.turn, key.threats, mv);
        i32::from(self.butterfly[a][b][c][d])
    }

    /// Marks what was learned as nobody's any more: [`History::freshen`] forgets it.
    pub(super) fn mark_stale(&mut self) {
        self.stale = true;
    }

    /// Makes it ready for a search: forgets what belongs to nobody any more, and what worked near
    /// another root.
    pub(super) fn prepare_for_search(&mut self) {
        if self.stale {
            self.clear();
        } else {
            self.low_ply.as_flattened_mut().fill(0);
        }
    }

    /// How the quiet move did in this search at its ply, within ±[`HISTORY_MAX`], and less far from
    /// the root; 0 from some plies on.
    #[inline]
    pub(super) fn low_ply(&self, key: &HistoryKey, mv: Move) -> i32 {
        self.low_ply
            .get(key.ply)
            .map_or(0, |table| i32::from(table[from_to_index(mv)]) / (1 + key.ply as i32))
    }

    /// How the piece's move to the square did after the move of a continuation table.
    #[inline]
    pub(super) fn continuation(&self, table_index: u16, piece_to: usize) -> i32 {
        self.continuation.get(usize::from(table_index), piece_to)
    }

    /// How the piece's move to the square did with these pawns.
    #[inline]
    pub(super) fn pawn(&self, key: &HistoryKey, piece_to: usize) -> i32 {
        self.pawn.get(usize::from(key.pawn_index), piece_to)
    }

    #[inline]
    fn noisy_indices(position: &Position, threats: Bitboard, mv: Move) -> [usize; 3] {
        let victim = position.victim(mv).map_or(6, |role| role as usize);
        [piece_to_index(position, mv), victim, usize::from(threats.contains(mv.to()))]
    }

    /// How the capture or promotion did.
    #[inline]
    pub(super) fn noisy(&self, position: &Position, threats: Bitboard, mv: Move) -> i32 {
        let [a, b, c] = HistoryTables::noisy_indices(position, threats, mv);
        i32::from(self.noisy[a][b][c])
    }

    /// Moves the entry of a capture or promotion.
    #[inline]
    pub(super) fn update_noisy(
        &mut self,
        position: &Position,
        threats: Bitboard,
        mv: Move,
        bonus: i32,
    ) {
        let [a, b, c] = HistoryTables::noisy_indices(position, threats, mv);
        apply_gravity::<HISTORY_MAX>(&mut self.noisy[a][b][c], bonus);
    }

    /// Moves a quiet move's entry among those that know nothing of the moves before.
    #[inline]
    pub(super) fn update_butterfly(
        &mut self,
        turn: Color,
        threats: Bitboard,
        mv: Move,
        bonus: i32,
    ) {
        let [a, b, c, d] = HistoryTables::butterfly_indices(turn, threats, mv);
        apply_gravity::<HISTORY_MAX>(&mut self.butterfly[a][b][c][d], bonus);
    }

    /// Moves every entry of a quiet move.
    pub(super) fn update_quiet_histories(
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

    /// Moves the entries of a piece's move to a square after each of these earlier moves.
    #[inline]
    pub(super) fn update_continuations(
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

    /// The quiet move that led here turned out well for the one who made it: it could not be
    /// answered.
    pub(super) fn reward_parent_move(
        &mut self,
        parent: &StackEntry,
        continuation_indices: [u16; 4],
        bonus: i32,
    ) {
        if parent.mv.is_null() || parent.mv.is_noisy() {
            return;
        }
        self.update_butterfly(parent.turn, parent.threats, parent.mv, bonus / 2);
        let piece_to = usize::from(parent.piece_to);
        apply_gravity::<HISTORY_MAX>(
            self.pawn.get_mut(usize::from(parent.pawn_index), piece_to),
            bonus,
        );
        self.update_continuations(continuation_indices, piece_to, bonus);
    }
}
