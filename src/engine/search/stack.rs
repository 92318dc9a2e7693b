//! The search stack: per-ply data that later plies read.

use crate::chess::{Bitboard, Color, Move};
use crate::engine::history::{CONTINUATION_PLIES, NO_CONTINUATION, ParentMove};
use crate::engine::score::{MAX_PLY, Value};

/// A node of the line under search, and the move made in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct StackEntry {
    /// The corrected static evaluation. In check: that of the last node with the same side to move;
    /// `None` where there is none.
    pub(super) static_eval: Option<Value>,
    /// The side to move is in check.
    pub(super) in_check: bool,
    /// The squares that the opponent attacks.
    pub(super) threats: Bitboard,
    /// The side to move.
    pub(super) turn: Color,
    /// The pawn history table.
    pub(super) pawn_index: u16,
    /// The move under search; the null move for a null move, and before the root.
    pub(super) mv: Move,
    /// The index of its piece on its target square.
    pub(super) piece_to: u16,
    /// The continuation table for the moves after it.
    pub(super) continuation_index: u16,
    /// The move that a singular search excludes here.
    pub(super) excluded_move: Move,
    /// The reduction of the move's search, in 1/1024 ply; 0 in a search at full depth.
    pub(super) reduction: i32,
    /// The number of cut-offs at this ply since the last node two plies above began. In a non-PV
    /// node a cut-off by a doubly extended move does not count.
    pub(super) cutoff_count: i32,
    /// The number of moves tried.
    pub(super) move_count: i32,
    /// The node is, or was in an earlier search, on a principal variation.
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

/// The number of entries before the root.
const ENTRIES_BEFORE_ROOT: usize = 8;

/// The entries of a line, with a few more before and after it, so that no access needs a test for
/// the end of the line.
pub(super) struct Stack(Box<[StackEntry; MAX_PLY + ENTRIES_BEFORE_ROOT + 4]>);

impl Stack {
    pub(super) fn new() -> Stack {
        Stack(Box::new([EMPTY; MAX_PLY + ENTRIES_BEFORE_ROOT + 4]))
    }

    /// The entry of a ply.
    #[inline]
    pub(super) fn at(&self, ply: usize) -> &StackEntry {
        &self.0[ENTRIES_BEFORE_ROOT + ply]
    }

    /// The entry of a ply, for writing.
    #[inline]
    pub(super) fn at_mut(&mut self, ply: usize) -> &mut StackEntry {
        &mut self.0[ENTRIES_BEFORE_ROOT + ply]
    }

    /// The entry `back` plies before; `back` is at most eight.
    #[inline]
    pub(super) fn before(&self, ply: usize, back: usize) -> &StackEntry {
        &self.0[ENTRIES_BEFORE_ROOT + ply - back]
    }

    /// The continuation tables of the moves that led to a ply.
    #[inline]
    pub(super) fn continuation_indices(&self, ply: usize) -> [u16; 4] {
        CONTINUATION_PLIES.map(|back| self.before(ply, back).continuation_index)
    }

    /// Piece and target square of the moves one, two and four plies before; `None` for null moves
    /// and before the root.
    #[inline]
    pub(super) fn previous_piece_to(&self, ply: usize) -> [Option<usize>; 3] {
        [1, 2, 4].map(|back| {
            let entry = self.before(ply, back);
            (!entry.mv.is_null()).then_some(usize::from(entry.piece_to))
        })
    }

    /// The move that led to a ply, with the keys of its history entries.
    #[inline]
    pub(super) fn parent_move(&self, ply: usize) -> ParentMove {
        let parent = self.before(ply, 1);
        ParentMove {
            mv: parent.mv,
            turn: parent.turn,
            threats: parent.threats,
            pawn_index: parent.pawn_index,
            piece_to: parent.piece_to,
            continuation_indices: CONTINUATION_PLIES
                .map(|back| self.0[ENTRIES_BEFORE_ROOT + ply - 1 - back].continuation_index),
        }
    }
}
