//! What the search keeps of each ply of its line, for the plies after it.

use super::history::NO_CONTINUATION;
use super::score::{MAX_PLY, Value};
use crate::chess::{Bitboard, Color, Move};

/// One node of the line under search, and the move that was made in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct StackEntry {
    /// The corrected static evaluation; in check that of this side's last position, `None` where
    /// there is none.
    pub(super) static_eval: Option<Value>,
    /// The side to move is in check.
    pub(super) in_check: bool,
    /// What the opponent attacks here.
    pub(super) threats: Bitboard,
    /// Who is to move.
    pub(super) turn: Color,
    /// The pawn history's table.
    pub(super) pawn_index: u16,
    /// The move under search; the null move when the side passes, and before the root.
    pub(super) mv: Move,
    /// Its piece on its target square.
    pub(super) piece_to: u16,
    /// The continuation table that it opens.
    pub(super) continuation_index: u16,
    /// The move that a singular search leaves out here.
    pub(super) excluded_move: Move,
    /// By how much the move is being searched less deep, in 1/1024 ply; 0 once it is searched in
    /// full.
    pub(super) reduction: i32,
    /// How many of the node's children have failed high.
    pub(super) cutoff_count: i32,
    /// How many moves the node has tried.
    pub(super) move_count: i32,
    /// The node is, or once was, on a principal variation.
    pub(super) tt_pv: bool,
}

const EMPTY: StackEntry = StackEntry {
    static_eval: None,
    in_check: false,
    threats: Bitboard::EMPTY,
    turn: Color::White,
    pawn_index: 0,
    mv: Move::NULL,
    piece_to: 0,
    continuation_index: NO_CONTINUATION,
    excluded_move: Move::NULL,
    reduction: 0,
    cutoff_count: 0,
    move_count: 0,
    tt_pv: false,
};

/// So many frames stand before the root.
const ENTRIES_BEFORE_ROOT: usize = 8;

/// The frames of a line, and a few before and after it, so that nobody need ask whether there is
/// one.
pub(super) struct Stack(Box<[StackEntry; MAX_PLY + ENTRIES_BEFORE_ROOT + 4]>);

impl Stack {
    pub(super) fn new() -> Stack {
        Stack(Box::new([EMPTY; MAX_PLY + ENTRIES_BEFORE_ROOT + 4]))
    }

    /// The frame of a ply.
    #[inline]
    pub(super) fn at(&self, ply: usize) -> &StackEntry {
        &self.0[ENTRIES_BEFORE_ROOT + ply]
    }

    /// The frame of a ply.
    #[inline]
    pub(super) fn at_mut(&mut self, ply: usize) -> &mut StackEntry {
        &mut self.0[ENTRIES_BEFORE_ROOT + ply]
    }

    /// The frame `back` plies before; at most eight.
    #[inline]
    pub(super) fn before(&self, ply: usize, back: usize) -> &StackEntry {
        &self.0[ENTRIES_BEFORE_ROOT + ply - back]
    }

    /// The continuation tables of the moves that led to a ply.
    #[inline]
    pub(super) fn continuation_indices(&self, ply: usize) -> [u16; 4] {
        super::history::CONTINUATION_PLIES.map(|back| self.before(ply, back).continuation_index)
    }

    /// The same of the ply before, for the move that led here.
    #[inline]
    pub(super) fn parent_continuation_indices(&self, ply: usize) -> [u16; 4] {
        super::history::CONTINUATION_PLIES
            .map(|back| self.0[ENTRIES_BEFORE_ROOT + ply - 1 - back].continuation_index)
    }
}
