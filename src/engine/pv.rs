//! The principal variation of every ply of the path under search.
//!
//! Chess Programming Wiki, "Triangular PV-Table".

use super::score::MAX_PLY;
use crate::chess::Move;

/// The best line from each ply of the path under search.
pub(super) struct PvTable {
    lines: Vec<Vec<Move>>,
}

impl PvTable {
    pub(super) fn new() -> PvTable {
        PvTable { lines: vec![Vec::new(); MAX_PLY + 2] }
    }

    /// Begins a node with no line.
    #[inline]
    pub(super) fn clear(&mut self, ply: usize) {
        self.lines[ply].clear();
    }

    /// The line of `ply` is now this move and the line of the next ply.
    pub(super) fn extend(&mut self, ply: usize, mv: Move) {
        let (upper, lower) = self.lines.split_at_mut(ply + 1);
        upper[ply].clear();
        upper[ply].push(mv);
        upper[ply].extend_from_slice(&lower[0]);
    }

    /// The best line from a ply.
    pub(super) fn line(&self, ply: usize) -> &[Move] {
        &self.lines[ply]
    }
}
