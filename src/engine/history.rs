//! What the search remembers of quiet moves that worked.
//!
//! Chess Programming Wiki, "Killer Heuristic", "History Heuristic" (with gravity, after Stockfish).

use super::score::MAX_PLY;
use crate::chess::{Color, Move, Position};

/// No entry goes beyond this.
pub(super) const HISTORY_MAX: i32 = 8192;

/// Histories and killers of one search.
pub(super) struct History {
    quiet: Box<[[[i16; 64]; 64]; 2]>,
    killers: Box<[[Move; 2]; MAX_PLY + 2]>,
}

impl History {
    pub(super) fn new() -> History {
        History { quiet: Box::new([[[0; 64]; 64]; 2]), killers: Box::new([[Move::NULL; 2]; MAX_PLY + 2]) }
    }

    /// How well the quiet move did, within ±[`HISTORY_MAX`].
    #[inline]
    pub(super) fn quiet(&self, turn: Color, mv: Move) -> i32 {
        i32::from(self.quiet[turn as usize][mv.from().index()][mv.to().index()])
    }

    /// Two quiet moves that cut off at this ply lately.
    #[inline]
    pub(super) fn killers(&self, ply: usize) -> [Move; 2] {
        self.killers[ply.min(MAX_PLY + 1)]
    }

    /// Forgets the killers of the grandchildren's ply, which belong to another subtree.
    #[inline]
    pub(super) fn clear_killers(&mut self, ply: usize) {
        self.killers[ply.min(MAX_PLY + 1)] = [Move::NULL; 2];
    }

    /// A quiet move cut off; the quiet moves before it did not.
    pub(super) fn reward(&mut self, position: &Position, ply: usize, depth: i32, best: Move, failed: &[Move]) {
        let bonus = (16 * depth * depth + 32 * depth).min(1600);
        let table = &mut self.quiet[position.turn() as usize];
        let mut update = |mv: Move, bonus: i32| {
            let entry = &mut table[mv.from().index()][mv.to().index()];
            let old = i32::from(*entry);
            *entry = (old + bonus - old * bonus.abs() / HISTORY_MAX) as i16;
        };
        update(best, bonus);
        for &mv in failed {
            update(mv, -bonus);
        }
        let killers = &mut self.killers[ply.min(MAX_PLY + 1)];
        if killers[0] != best {
            *killers = [best, killers[0]];
        }
    }
}
