//! A line of moves as changes of the network's features.

use super::delta::{FeatureDelta, king_move};
use super::perspective::PerspectiveTable;
use crate::chess::{Move, Position};

/// The positions of a line, each described by the move that led to it. It does not depend on the
/// number of neurons.
pub(super) struct Line {
    entries: Vec<LineEntry>,
    /// The index of the last position.
    top: usize,
}

/// A position of the line.
#[derive(Clone, Copy)]
pub(super) struct LineEntry {
    pub(super) delta: FeatureDelta,
    /// For each player, the accumulator is computed.
    pub(super) computed: [bool; 2],
    /// For each player, the move changed the perspective, so earlier accumulators cannot be
    /// updated.
    pub(super) needs_refresh: [bool; 2],
}

impl LineEntry {
    const ROOT: LineEntry =
        LineEntry { delta: FeatureDelta::NONE, computed: [false; 2], needs_refresh: [true; 2] };
}

impl Line {
    /// A line with memory for `max_moves` moves.
    pub(super) fn new(max_moves: usize) -> Line {
        Line { entries: vec![LineEntry::ROOT; max_moves + 1], top: 0 }
    }

    /// Starts the line.
    pub(super) fn reset(&mut self) {
        self.top = 0;
        self.entries[0] = LineEntry::ROOT;
    }

    /// Adds a legal move, which is about to be made in `before`, the last position.
    #[inline]
    pub(super) fn push(&mut self, perspectives: &PerspectiveTable, before: &Position, mv: Move) {
        let mut entry = LineEntry {
            delta: FeatureDelta::from_move(before, mv),
            computed: [false; 2],
            needs_refresh: [false; 2],
        };
        if let Some((color, from, to)) = king_move(before, mv) {
            entry.needs_refresh[color as usize] =
                perspectives.get(color, from) != perspectives.get(color, to);
        }
        self.push_entry(entry);
    }

    /// Adds a null move.
    #[inline]
    pub(super) fn push_null(&mut self) {
        self.push_entry(LineEntry {
            delta: FeatureDelta::NONE,
            computed: [false; 2],
            needs_refresh: [false; 2],
        });
    }

    #[inline]
    fn push_entry(&mut self, entry: LineEntry) {
        self.top += 1;
        if let Some(slot) = self.entries.get_mut(self.top) {
            *slot = entry;
        } else {
            self.entries.push(entry);
        }
    }

    /// Takes back the last move or null move. At the start of the line it does nothing.
    #[inline]
    pub(super) fn pop(&mut self) {
        self.top = self.top.saturating_sub(1);
    }

    /// The index of the last position.
    #[inline]
    pub(super) const fn top(&self) -> usize {
        self.top
    }

    #[inline]
    pub(super) fn entry(&self, index: usize) -> &LineEntry {
        &self.entries[index]
    }

    /// Notes that a player's accumulator of a position is computed.
    #[inline]
    pub(super) fn mark_computed(&mut self, index: usize, side: usize) {
        self.entries[index].computed[side] = true;
    }
}
