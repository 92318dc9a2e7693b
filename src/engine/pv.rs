//! Principal variations.
//!
//! Chess Programming Wiki, "Triangular PV-Table".

use super::score::{MAX_PLY, Value, plies_to_mate};
use crate::chess::{Move, Position};

/// A line from the root with its exact value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PvLine {
    pub(super) value: Value,
    pub(super) moves: Vec<Move>,
}

impl PvLine {
    /// `true` when the line has at least one move and every move is legal. The line of a mate must
    /// end in checkmate after exactly as many plies as its value says.
    pub(super) fn is_valid(&self, root: &Position) -> bool {
        let mut position = root.clone();
        for &mv in &self.moves {
            if !position.is_legal(mv) {
                return false;
            }
            position.play(mv);
        }
        match plies_to_mate(self.value) {
            Some(plies) => {
                self.moves.len() == plies as usize && position.in_check() && !position.has_moves()
            }
            None => !self.moves.is_empty(),
        }
    }

    /// `true` when a mate has been confirmed by so much depth that a deeper search is pointless.
    pub(super) fn is_settled_mate(&self, depth: u8) -> bool {
        plies_to_mate(self.value).is_some_and(|plies| 2 * plies + 8 <= i32::from(depth))
    }
}

/// The best line from each ply of the path under search.
pub(super) struct PvTable {
    lines: Vec<Vec<Move>>,
}

impl PvTable {
    pub(super) fn new() -> PvTable {
        PvTable { lines: vec![Vec::new(); MAX_PLY + 2] }
    }

    /// Removes the line of a ply.
    #[inline]
    pub(super) fn clear(&mut self, ply: usize) {
        self.lines[ply].clear();
    }

    /// Sets the line of `ply` to this move followed by the line of the next ply.
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
