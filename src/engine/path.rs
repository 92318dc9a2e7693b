//! The line from the game's start to the node under search, and the draws that it makes.
//!
//! Chess Programming Wiki, "Repetitions", "Fifty-move Rule".

use super::cuckoo::Cuckoo;
use super::score::{Value, mated_at};
use crate::chess::attacks::between;
use crate::chess::{Position, is_dead_position};

/// From this clock on a node counts as near the 50-move limit: its value leans on the clock and is
/// not the position's own.
pub(super) const NEAR_FIFTY: u16 = 90;

/// From a clock above this on, evaluations are drawn so far towards the draw that a value belongs
/// to the clock as well.
pub(super) const LOW_CLOCK: u16 = 20;

/// The clock at which the 50-move rule may be claimed.
const FIFTY_MOVES: u16 = 100;

/// A value, and how far back along the line it rests.
///
/// A draw by repetition holds only on the line that has the earlier occurrence. `reach` is the ply
/// of the earliest position that the value leans on: [`Found::OWN`] when it leans on none before
/// the node itself, −1 when on the game's history or the clock. Such values must not go into a
/// table as the position's own (Chess Programming Wiki, "Graph History Interaction").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) value: Value,
    pub(super) reach: i32,
}

impl Found {
    /// The reach of a value that is the position's own.
    pub(super) const OWN: i32 = i32::MAX;

    /// A value that holds however the position came about.
    #[inline]
    pub(super) const fn own(value: Value) -> Found {
        Found { value, reach: Found::OWN }
    }

    /// The same for a side to move that has a value for sure. Who reaches `beta` without it does
    /// not lean on it.
    #[inline]
    pub(super) fn or_at_least(self, floor: Found, beta: Value) -> Found {
        if self.value >= beta {
            return self;
        }
        Found { value: self.value.max(floor.value), reach: self.reach.min(floor.reach) }
    }

    /// The same from the other side's view.
    #[inline]
    pub(super) const fn flip(self) -> Found {
        Found { value: -self.value, reach: self.reach }
    }
}

/// The keys of the line, oldest first: the game's reversible past, the root, and the moves of the
/// search.
pub(super) struct Path {
    keys: Vec<u64>,
    /// For each key, how many steps back a repetition is possible.
    reversible: Vec<u16>,
    root: usize,
    cuckoo: &'static Cuckoo,
    met_history: bool,
    near_fifty: bool,
}

impl Path {
    /// The path of a search's root; `earlier` are the keys of the game's earlier positions, oldest
    /// first.
    pub(super) fn new(root: &Position, earlier: &[u64]) -> Path {
        let past = earlier.len().min(usize::from(root.halfmove_clock()));
        let mut keys = Vec::with_capacity(past + super::score::MAX_PLY + 2);
        keys.extend_from_slice(&earlier[earlier.len() - past..]);
        let mut reversible: Vec<u16> = (0..past as u16).collect();
        reversible.reserve(super::score::MAX_PLY + 2);
        keys.push(root.key());
        reversible.push(past as u16);
        Path {
            keys,
            reversible,
            root: past,
            cuckoo: Cuckoo::get(),
            met_history: false,
            near_fifty: root.halfmove_clock() > LOW_CLOCK,
        }
    }

    /// `true` when the game has earlier positions that may come back.
    pub(super) const fn has_history(&self) -> bool {
        self.root > 0
    }

    /// Steps to a position that a move has led to.
    #[inline]
    pub(super) fn push(&mut self, position: &Position) {
        let back = self.reversible.last().map_or(0, |&back| back + 1);
        self.keys.push(position.key());
        self.reversible.push(back.min(position.halfmove_clock()));
    }

    /// Steps over a null move: no position before it counts as repeated after it.
    #[inline]
    pub(super) fn push_null(&mut self, position: &Position) {
        self.keys.push(position.key());
        self.reversible.push(0);
    }

    /// Steps back.
    #[inline]
    pub(super) fn pop(&mut self) {
        self.keys.pop();
        self.reversible.pop();
    }

    /// The value of a node that is drawn by rule, or checkmate where the clock has run out. Not to
    /// be asked at the root.
    #[inline]
    pub(super) fn verdict(&mut self, position: &Position, ply: usize) -> Option<Found> {
        if is_dead_position(position) {
            return Some(Found::own(0));
        }
        let clock = position.halfmove_clock();
        if clock >= NEAR_FIFTY {
            self.near_fifty = true;
            if clock >= FIFTY_MOVES {
                let checkmate = position.in_check() && !position.has_moves();
                return Some(if checkmate {
                    Found::own(mated_at(ply))
                } else {
                    Found { value: 0, reach: -1 }
                });
            }
        }
        self.repetition().map(|reach| Found { value: 0, reach })
    }

    /// Whether the newest position is a draw by repetition: its second occurrence inside the tree,
    /// or its third with the game's history. Tells the ply that it leans on.
    #[inline]
    fn repetition(&mut self) -> Option<i32> {
        let here = self.keys.len() - 1;
        let key = self.keys[here];
        let back = usize::from(self.reversible[here]);
        let mut in_history = 0;
        for place in (here - back.min(here)..(here + 1).saturating_sub(4)).rev().step_by(2) {
            if self.keys[place] != key {
                continue;
            }
            if place >= self.root {
                return Some((place - self.root) as i32);
            }
            self.met_history = true;
            in_history += 1;
            if in_history == 2 {
                return Some(-1);
            }
        }
        None
    }

    /// Whether a single move leads back to a position that would then be drawn: one inside the
    /// tree, or one that has occurred twice in the game. Tells the ply that it leans on.
    #[inline]
    pub(super) fn upcoming_repetition(&mut self, position: &Position) -> Option<i32> {
        let here = self.keys.len() - 1;
        let back = usize::from(self.reversible[here]).min(here);
        if back < 3 {
            return None;
        }
        let key = self.keys[here];
        for place in (here - back..here - 2).rev().step_by(2) {
            let Some((a, b)) = self.cuckoo.find(key ^ self.keys[place]) else { continue };
            if between(a, b).intersects(position.occupied()) {
                continue;
            }
            // The one of both squares that is occupied has the piece that would move.
            let mover = position.piece_at(a).or_else(|| position.piece_at(b));
            if mover.is_none_or(|piece| piece.color() != position.turn()) {
                continue;
            }
            if place >= self.root {
                return Some((place - self.root) as i32);
            }
            let earlier = self.keys[place];
            if self.keys[..place].contains(&earlier) {
                self.met_history = true;
                return Some(-1);
            }
        }
        None
    }

    /// `true` when the game has been in the position with this key.
    pub(super) fn has_met(&self, key: u64) -> bool {
        self.keys[..=self.root].contains(&key)
    }

    /// The positions of the game, the root among them, that have occurred twice: once more, and
    /// they are drawn.
    pub(super) fn twice_before(&self) -> Vec<u64> {
        let game = &self.keys[..=self.root];
        let mut twice: Vec<u64> = game
            .iter()
            .copied()
            .filter(|key| game.iter().filter(|&k| k == key).count() >= 2)
            .collect();
        twice.sort_unstable();
        twice.dedup();
        twice
    }

    /// Notes what a search that does not walk this path has met.
    pub(super) fn note_outside(&mut self, position: &Position) {
        let clock = position.halfmove_clock();
        self.near_fifty |= clock >= NEAR_FIFTY;
        self.met_history |=
            self.root > 0 && clock >= 4 && self.keys[..self.root].contains(&position.key());
    }

    /// Notes whether another thread's search of the same root leaned on its history or clock.
    pub(super) const fn note(&mut self, leans: bool) {
        self.met_history |= leans;
    }

    /// Notes that the clock changed what the search did.
    pub(super) const fn note_fifty(&mut self) {
        self.near_fifty = true;
    }

    /// `true` while no earlier position of the game was met and no node near the 50-move limit,
    /// from a root with a low clock.
    pub(super) const fn is_context_free(&self) -> bool {
        !self.met_history && !self.near_fifty
    }
}
