//! What the search remembers of moves that worked: one number for a move in each of several lights.
//!
//! Chess Programming Wiki, "History Heuristic" (butterfly boards by threatened squares, capture,
//! continuation and pawn history, as Stockfish and Reckless have them; that of the first plies is
//! Stockfish's low-ply history). Every table has gravity: an entry moves towards its bounds the
//! slower the nearer it is.

use super::correction::Correction;
use super::frame::Frame;
use super::params;
use super::rows::Rows;
use crate::chess::{Bitboard, Color, Move, Position};

/// No entry goes beyond this.
pub(super) const HISTORY_MAX: i32 = 16_384;

/// Continuation tables: for each (in check, noisy) and each piece on the square where a move has
/// brought it. One more stands before the root and after a null move; nothing is written to it.
const ROWS: usize = 4 * 768 + 1;

/// The continuation table of a move that was none.
pub(super) const NO_ROW: u16 = (ROWS - 1) as u16;

/// Tables of the pawn history: the pawns' keys are folded into so many.
const PAWN_ROWS: usize = 1024;

/// So many plies from the root on, what works is remembered by ply.
const NEAR_ROOT: usize = 5;

/// How many plies back a move is remembered as having prepared another.
pub(super) const CONTINUATIONS: [usize; 4] = [1, 2, 4, 6];

/// Everything that a search learns about moves and about its evaluation.
#[cfg_attr(test, derive(Debug, PartialEq, Eq))]
pub(super) struct History {
    /// By player, whether the move's start and its end are attacked, and both squares.
    quiet: Box<[[[[i16; 4096]; 2]; 2]; 2]>,
    /// By piece and target, the victim's kind (6: none), and whether the target is attacked.
    noisy: Box<[[[i16; 2]; 7]; 768]>,
    /// By the ply, near the root, and both squares; of the running search alone.
    near_root: Box<[[i16; 4096]; NEAR_ROOT]>,
    continuation: Rows,
    pawn: Rows,
    pub(super) correction: Correction,
    /// Belongs to a search that has ended, and is to be forgotten before the next.
    stale: bool,
}

/// What a node's moves are looked up by.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    pub(super) turn: Color,
    /// What the opponent attacks.
    pub(super) threats: Bitboard,
    /// The continuation tables of the moves of [`CONTINUATIONS`] plies ago.
    pub(super) rows: [u16; 4],
    pub(super) pawn_row: u16,
    /// How far from the root.
    pub(super) ply: usize,
}

impl Setting {
    pub(super) fn new(
        position: &Position,
        threats: Bitboard,
        rows: [u16; 4],
        ply: usize,
    ) -> Setting {
        let pawn_row = (position.pawn_key() % PAWN_ROWS as u64) as u16;
        Setting { turn: position.turn(), threats, rows, pawn_row, ply }
    }
}

/// The place of a move's piece on its target square.
#[inline]
pub(super) fn cell(position: &Position, mv: Move) -> usize {
    position.piece_at(mv.from()).map_or(0, |piece| piece as usize) * 64 + mv.to().index()
}

/// The place of a move's two squares.
#[inline]
fn squares(mv: Move) -> usize {
    mv.from().index() * 64 + mv.to().index()
}

/// The continuation table that a move opens for those after it.
#[inline]
pub(super) fn row(position: &Position, mv: Move) -> u16 {
    let kind = 2 * usize::from(position.in_check()) + usize::from(mv.is_noisy());
    (kind * 768 + cell(position, mv)) as u16
}

/// One step of gravity towards ±`LIMIT`.
#[inline]
pub(super) fn pull<const LIMIT: i32>(entry: &mut i16, bonus: i32) {
    let old = i32::from(*entry);
    let bonus = bonus.clamp(-LIMIT, LIMIT);
    *entry = (old + bonus - old * bonus.abs() / LIMIT) as i16;
}

/// How much a move that was right at this depth gains.
#[inline]
pub(super) fn bonus(depth: i32) -> i32 {
    (params::bonus_slope() * depth - params::bonus_offset()).clamp(0, params::bonus_max())
}

/// How much a move that was tried before the right one loses.
#[inline]
pub(super) fn malus(depth: i32) -> i32 {
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

impl History {
    pub(super) fn new() -> History {
        History {
            quiet: zeroed([[[0; 4096]; 2]; 2]),
            noisy: zeroed([[0; 2]; 7]),
            near_root: zeroed([0; 4096]),
            continuation: Rows::new(ROWS),
            pawn: Rows::new(PAWN_ROWS),
            correction: Correction::new(),
            stale: false,
        }
    }

    /// Forgets everything: as good as new.
    pub(super) fn clear(&mut self) {
        let History { quiet, noisy, near_root, continuation, pawn, correction, stale } = self;
        *stale = false;
        quiet.as_flattened_mut().as_flattened_mut().as_flattened_mut().fill(0);
        noisy.as_flattened_mut().as_flattened_mut().fill(0);
        near_root.as_flattened_mut().fill(0);
        continuation.clear();
        pawn.clear();
        correction.clear();
    }

    #[inline]
    fn quiet_place(turn: Color, threats: Bitboard, mv: Move) -> [usize; 4] {
        let fled = usize::from(threats.contains(mv.from()));
        let entered = usize::from(threats.contains(mv.to()));
        [turn as usize, fled, entered, squares(mv)]
    }

    /// How the quiet move did whatever came before, within ±[`HISTORY_MAX`].
    #[inline]
    pub(super) fn quiet(&self, setting: &Setting, mv: Move) -> i32 {
        let [a, b, c, d] = History::quiet_place(setting.turn, setting.threats, mv);
        i32::from(self.quiet[a][b][c][d])
    }

    /// Marks what was learned as nobody's any more: [`History::freshen`] forgets it.
    pub(super) fn retire(&mut self) {
        self.stale = true;
    }

    /// Makes it ready for a search: forgets what belongs to nobody any more, and what worked near
    /// another root.
    pub(super) fn freshen(&mut self) {
        if self.stale {
            self.clear();
        } else {
            self.near_root.as_flattened_mut().fill(0);
        }
    }

    /// How the quiet move did in this search at its ply, within ±[`HISTORY_MAX`], and less far from
    /// the root; 0 from some plies on.
    #[inline]
    pub(super) fn near_root(&self, setting: &Setting, mv: Move) -> i32 {
        self.near_root
            .get(setting.ply)
            .map_or(0, |table| i32::from(table[squares(mv)]) / (1 + setting.ply as i32))
    }

    /// How the piece's move to the square did after the move of a continuation table.
    #[inline]
    pub(super) fn continuation(&self, row: u16, cell: usize) -> i32 {
        self.continuation.get(usize::from(row), cell)
    }

    /// How the piece's move to the square did with these pawns.
    #[inline]
    pub(super) fn pawn(&self, setting: &Setting, cell: usize) -> i32 {
        self.pawn.get(usize::from(setting.pawn_row), cell)
    }

    #[inline]
    fn noisy_place(position: &Position, threats: Bitboard, mv: Move) -> [usize; 3] {
        let victim = position.victim(mv).map_or(6, |role| role as usize);
        [cell(position, mv), victim, usize::from(threats.contains(mv.to()))]
    }

    /// How the capture or promotion did.
    #[inline]
    pub(super) fn noisy(&self, position: &Position, threats: Bitboard, mv: Move) -> i32 {
        let [a, b, c] = History::noisy_place(position, threats, mv);
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
        let [a, b, c] = History::noisy_place(position, threats, mv);
        pull::<HISTORY_MAX>(&mut self.noisy[a][b][c], bonus);
    }

    /// Moves a quiet move's entry among those that know nothing of the moves before.
    #[inline]
    pub(super) fn update_main(&mut self, turn: Color, threats: Bitboard, mv: Move, bonus: i32) {
        let [a, b, c, d] = History::quiet_place(turn, threats, mv);
        pull::<HISTORY_MAX>(&mut self.quiet[a][b][c][d], bonus);
    }

    /// Moves every entry of a quiet move.
    pub(super) fn update_quiet(
        &mut self,
        position: &Position,
        setting: &Setting,
        mv: Move,
        bonus: i32,
    ) {
        self.update_main(setting.turn, setting.threats, mv, bonus);
        if let Some(table) = self.near_root.get_mut(setting.ply) {
            pull::<HISTORY_MAX>(&mut table[squares(mv)], bonus);
        }
        let cell = cell(position, mv);
        pull::<HISTORY_MAX>(self.pawn.get_mut(usize::from(setting.pawn_row), cell), bonus);
        self.update_continuations(setting.rows, cell, bonus);
    }

    /// Moves the entries of a piece's move to a square after each of these earlier moves.
    #[inline]
    pub(super) fn update_continuations(&mut self, rows: [u16; 4], cell: usize, bonus: i32) {
        for row in rows {
            if row != NO_ROW {
                pull::<HISTORY_MAX>(self.continuation.get_mut(usize::from(row), cell), bonus);
            }
        }
    }

    /// The quiet move that led here turned out well for the one who made it: it could not be
    /// answered.
    pub(super) fn reward_parent(&mut self, before: &Frame, rows: [u16; 4], bonus: i32) {
        if before.mv.is_null() || before.mv.is_noisy() {
            return;
        }
        self.update_main(before.turn, before.threats, before.mv, bonus / 2);
        let cell = usize::from(before.cell);
        pull::<HISTORY_MAX>(self.pawn.get_mut(usize::from(before.pawn_row), cell), bonus);
        self.update_continuations(rows, cell, bonus);
    }
}
