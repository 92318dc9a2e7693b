//! What the search keeps of each ply of its line, for the plies after it.

use super::history::NO_ROW;
use super::score::{MAX_PLY, Value};
use crate::chess::{Bitboard, Color, Move};

/// One node of the line under search, and the move that was made in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The corrected static evaluation; in check that of this side's last position, `None` where
    /// there is none.
    pub(super) evaluation: Option<Value>,
    /// The side to move is in check.
    pub(super) in_check: bool,
    /// What the opponent attacks here.
    pub(super) threats: Bitboard,
    /// Who is to move.
    pub(super) turn: Color,
    /// The pawn history's table.
    pub(super) pawn_row: u16,
    /// The move under search; the null move when the side passes, and before the root.
    pub(super) mv: Move,
    /// Its piece on its target square.
    pub(super) cell: u16,
    /// The continuation table that it opens.
    pub(super) row: u16,
    /// The move that a singular search leaves out here.
    pub(super) excluded: Move,
    /// By how much the move is being searched less deep, in 1/1024 ply; 0 once it is searched in
    /// full.
    pub(super) reduction: i32,
    /// How many of the node's children have failed high.
    pub(super) cutoffs: i32,
    /// How many moves the node has tried.
    pub(super) tried: i32,
    /// The node is, or once was, on a principal variation.
    pub(super) on_pv: bool,
}

const EMPTY: Frame = Frame {
    evaluation: None,
    in_check: false,
    threats: Bitboard::EMPTY,
    turn: Color::White,
    pawn_row: 0,
    mv: Move::NULL,
    cell: 0,
    row: NO_ROW,
    excluded: Move::NULL,
    reduction: 0,
    cutoffs: 0,
    tried: 0,
    on_pv: false,
};

/// So many frames stand before the root.
const BEFORE: usize = 8;

/// The frames of a line, and a few before and after it, so that nobody need ask whether there is
/// one.
pub(super) struct Frames(Box<[Frame; MAX_PLY + BEFORE + 4]>);

impl Frames {
    pub(super) fn new() -> Frames {
        Frames(Box::new([EMPTY; MAX_PLY + BEFORE + 4]))
    }

    /// The frame of a ply.
    #[inline]
    pub(super) fn at(&self, ply: usize) -> &Frame {
        &self.0[BEFORE + ply]
    }

    /// The frame of a ply.
    #[inline]
    pub(super) fn at_mut(&mut self, ply: usize) -> &mut Frame {
        &mut self.0[BEFORE + ply]
    }

    /// The frame `back` plies before; at most eight.
    #[inline]
    pub(super) fn before(&self, ply: usize, back: usize) -> &Frame {
        &self.0[BEFORE + ply - back]
    }

    /// The continuation tables of the moves that led to a ply.
    #[inline]
    pub(super) fn rows(&self, ply: usize) -> [u16; 4] {
        super::history::CONTINUATIONS.map(|back| self.before(ply, back).row)
    }

    /// The same of the ply before, for the move that led here.
    #[inline]
    pub(super) fn parent_rows(&self, ply: usize) -> [u16; 4] {
        super::history::CONTINUATIONS.map(|back| self.0[BEFORE + ply - 1 - back].row)
    }
}
