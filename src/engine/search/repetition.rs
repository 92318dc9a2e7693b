//! The line from the game's start to the node under search, and the draws that it makes.
//!
//! Chess Programming Wiki, "Repetitions", "Fifty-move Rule".

use super::cuckoo::CuckooTable;
use super::score::{Value, mated_in};
use crate::chess::attacks::between;
use crate::chess::{Position, is_dead_position};

/// From this clock on a node counts as near the 50-move limit: its value leans on the clock and is
/// not the position's own.
pub(super) const NEAR_FIFTY_MOVES: u16 = 90;

/// From a clock above this on, evaluations are drawn so far towards the draw that a value belongs
/// to the clock as well.
pub(super) const LOW_HALFMOVE_CLOCK: u16 = 20;

/// The clock at which the 50-move rule may be claimed.
const FIFTY_MOVES: u16 = 100;

/// A value, and how far back along the line it rests.
///
/// A draw by repetition holds only on the line that has the earlier occurrence. `reach` is the ply
/// of the earliest position that the value leans on: [`Found::OWN`] when it leans on none before
/// the node itself, −1 when on the game's history or the clock. Such values must not go into a
/// table as the position's own (Chess Programming Wiki, "Graph History Interaction").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeScore {
    pub(super) value: Value,
    pub(super) depends_on_ply: i32,
}

impl NodeScore {
    /// The reach of a value that is the position's own.
    pub(super) const INDEPENDENT: i32 = i32::MAX;

    /// A value that holds however the position came about.
    #[inline]
    pub(super) const fn independent(value: Value) -> NodeScore {
        NodeScore { value, depends_on_ply: NodeScore::INDEPENDENT }
    }

    /// The same for a side to move that has a value for sure. Who reaches `beta` without it does
    /// not lean on it.
    #[inline]
    pub(super) fn raised_to(self, floor: NodeScore, beta: Value) -> NodeScore {
        if self.value >= beta {
            return self;
        }
        NodeScore {
            value: self.value.max(floor.value),
            depends_on_ply: self.depends_on_ply.min(floor.depends_on_ply),
        }
    }

    /// The same from the other side's view.
    #[inline]
    pub(super) const fn flip(self) -> NodeScore {
        NodeScore { value: -self.value, depends_on_ply: self.depends_on_ply }
    }
}

/// The keys of the line, oldest first: the game's reversible past, the root, and the moves of the
/// search.
pub(super) struct PositionHistory {
    keys: Vec<u64>,
    /// For each key, how many steps back a repetition is possible.
    reversible_plies: Vec<u16>,
    root_index: usize,
    cuckoo: &'static CuckooTable,
    met_game_history: bool,
    near_fifty_moves: bool,
}

impl PositionHistory {
    /// The path of a search's root; `earlier` are the keys of the game's earlier positions, oldest
    /// first.
    pub(super) fn new(root: &Position, earlier_keys: &[u64]) -> PositionHistory {
        let past = earlier_keys.len().min(usize::from(root.halfmove_clock()));
        let mut keys = Vec::with_capacity(past + super::score::MAX_PLY + 2);
        keys.extend_from_slice(&earlier_keys[earlier_keys.len() - past..]);
        let mut reversible_plies: Vec<u16> = (0..past as u16).collect();
        reversible_plies.reserve(super::score::MAX_PLY + 2);
        keys.push(root.key());
        reversible_plies.push(past as u16);
        PositionHistory {
            keys,
            reversible_plies,
            root_index: past,
            cuckoo: CuckooTable::shared(),
            met_game_history: false,
            near_fifty_moves: root.halfmove_clock() > LOW_HALFMOVE_CLOCK,
        }
    }

    /// `true` when the game has earlier positions that may come back.
    pub(super) const fn has_game_history(&self) -> bool {
        self.root_index > 0
    }

    /// Steps to a position that a move has led to.
    #[inline]
    pub(super) fn push(&mut self, position: &Position) {
        let back = self.reversible_plies.last().map_or(0, |&back| back + 1);
        self.keys.push(position.key());
        self.reversible_plies.push(back.min(position.halfmove_clock()));
    }

    /// Steps over a null move: no position before it counts as repeated after it.
    #[inline]
    pub(super) fn push_null(&mut self, position: &Position) {
        self.keys.push(position.key());
        self.reversible_plies.push(0);
    }

    /// Steps back.
    #[inline]
    pub(super) fn pop(&mut self) {
        self.keys.pop();
        self.reversible_plies.pop();
    }

    /// The value of a node that is drawn by rule, or checkmate where the clock has run out. Not to
    /// be asked at the root.
    #[inline]
    pub(super) fn draw_score(&mut self, position: &Position, ply: usize) -> Option<NodeScore> {
        if is_dead_position(position) {
            return Some(NodeScore::independent(0));
        }
        let clock = position.halfmove_clock();
        if clock >= NEAR_FIFTY_MOVES {
            self.near_fifty_moves = true;
            if clock >= FIFTY_MOVES {
                let checkmate = position.in_check() && !position.has_moves();
                return Some(if checkmate {
                    NodeScore::independent(mated_in(ply))
                } else {
                    NodeScore { value: 0, depends_on_ply: -1 }
                });
            }
        }
        self.repetition_ply().map(|depends_on_ply| NodeScore { value: 0, depends_on_ply })
    }

    /// Whether the newest position is a draw by repetition: its second occurrence inside the tree,
    /// or its third with the game's history. Tells the ply that it leans on.
    #[inline]
    fn repetition_ply(&mut self) -> Option<i32> {
        let current = self.keys.len() - 1;
        let key = self.keys[current];
        let back = usize::from(self.reversible_plies[current]);
        let mut game_occurrences = 0;
        for index in (current - back.min(current)..(current + 1).saturating_sub(4)).rev().step_by(2)
        {
            if self.keys[index] != key {
                continue;
            }
            if index >= self.root_index {
                return Some((index - self.root_index) as i32);
            }
            self.met_game_history = true;
            game_occurrences += 1;
            if game_occurrences == 2 {
                return Some(-1);
            }
        }
        None
    }

    /// Whether a single move leads back to a position that would then be drawn: one inside the
    /// tree, or one that has occurred twice in the game. Tells the ply that it leans on.
    #[inline]
    pub(super) fn upcoming_repetition(&mut self, position: &Position) -> Option<i32> {
        let current = self.keys.len() - 1;
        let back = usize::from(self.reversible_plies[current]).min(current);
        if back < 3 {
            return None;
        }
        let key = self.keys[current];
        for index in (current - back..current - 2).rev().step_by(2) {
            let Some((a, b)) = self.cuckoo.find(key ^ self.keys[index]) else { continue };
            if between(a, b).intersects(position.occupied()) {
                continue;
            }
            // The one of both squares that is occupied has the piece that would move.
            let mover = position.piece_at(a).or_else(|| position.piece_at(b));
            if mover.is_none_or(|piece| piece.color() != position.turn()) {
                continue;
            }
            if index >= self.root_index {
                return Some((index - self.root_index) as i32);
            }
            let earlier = self.keys[index];
            if self.keys[..index].contains(&earlier) {
                self.met_game_history = true;
                return Some(-1);
            }
        }
        None
    }

    /// `true` when the game has been in the position with this key.
    pub(super) fn is_game_position(&self, key: u64) -> bool {
        self.keys[..=self.root_index].contains(&key)
    }

    /// The positions of the game, the root among them, that have occurred twice: once more, and
    /// they are drawn.
    pub(super) fn repeated_game_keys(&self) -> Vec<u64> {
        let game = &self.keys[..=self.root_index];
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
    pub(super) fn note_visited(&mut self, position: &Position) {
        let clock = position.halfmove_clock();
        self.near_fifty_moves |= clock >= NEAR_FIFTY_MOVES;
        self.met_game_history |= self.root_index > 0
            && clock >= 4
            && self.keys[..self.root_index].contains(&position.key());
    }

    /// Notes whether another thread's search of the same root leaned on its history or clock.
    pub(super) const fn note_game_history_dependence(&mut self, depends: bool) {
        self.met_game_history |= depends;
    }

    /// Notes that the clock changed what the search did.
    pub(super) const fn note_fifty_moves(&mut self) {
        self.near_fifty_moves = true;
    }

    /// `true` while no earlier position of the game was met and no node near the 50-move limit,
    /// from a root with a low clock.
    pub(super) const fn is_history_independent(&self) -> bool {
        !self.met_game_history && !self.near_fifty_moves
    }
}
