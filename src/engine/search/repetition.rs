//! The positions from the start of the game to the node under search, and the draws by repetition
//! and by the 50-move rule.
//!
//! Chess Programming Wiki, "Repetitions", "Fifty-move Rule".

use super::cuckoo::CuckooTable;
use crate::chess::attacks::between;
use crate::chess::{Position, is_dead_position};
use crate::engine::score::{MAX_PLY, Value, mated_in};
use crate::engine::tt::LOW_HALFMOVE_CLOCK;

/// The half-move clock from which a node is near the 50-move limit: its value depends on the clock.
pub(super) const NEAR_FIFTY_MOVES: u16 = 90;

/// The half-move clock at which the 50-move rule may be claimed.
pub(super) const FIFTY_MOVES: u16 = 100;

/// A value, and the earliest position of the line that it depends on.
///
/// A draw by repetition holds only on a line with the earlier occurrence. Such a value must not be
/// stored as the value of the position (Chess Programming Wiki, "Graph History Interaction").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeScore {
    pub(super) value: Value,
    /// The ply of the earliest position that the value depends on: [`NodeScore::INDEPENDENT`] for
    /// none before the node itself, −1 for the game history or the half-move clock.
    pub(super) depends_on_ply: i32,
}

impl NodeScore {
    /// The dependence of a value that holds for the position on any line.
    pub(super) const INDEPENDENT: i32 = i32::MAX;

    /// A value that holds for the position on any line.
    #[inline]
    pub(super) const fn independent(value: Value) -> NodeScore {
        NodeScore { value, depends_on_ply: NodeScore::INDEPENDENT }
    }

    /// The score raised to `repetition_bound`, a lower bound: 0 if the side to move can repeat,
    /// else −`INFINITE`. A score that reaches `beta` without the bound does not depend on it.
    #[inline]
    pub(super) fn raised_to(self, repetition_bound: NodeScore, beta: Value) -> NodeScore {
        if self.value >= beta {
            return self;
        }
        NodeScore {
            value: self.value.max(repetition_bound.value),
            depends_on_ply: self.depends_on_ply.min(repetition_bound.depends_on_ply),
        }
    }

    /// The same value, which also depends on the positions that `other` depends on.
    #[inline]
    pub(super) fn with_dependence_of(self, other: NodeScore) -> NodeScore {
        NodeScore { depends_on_ply: self.depends_on_ply.min(other.depends_on_ply), ..self }
    }

    /// The same score from the other side's view.
    #[inline]
    pub(super) const fn flip(self) -> NodeScore {
        NodeScore { value: -self.value, depends_on_ply: self.depends_on_ply }
    }
}

/// The keys of the line, oldest first: the reversible positions of the game, the root, and the
/// positions of the search.
pub(in crate::engine) struct PositionHistory {
    keys: Vec<u64>,
    /// For each key, the number of plies back to which a repetition is possible.
    reversible_plies: Vec<u16>,
    root_index: usize,
    cuckoo: &'static CuckooTable,
    /// The search met an earlier position of the game.
    met_game_history: bool,
    /// The search met a node near the 50-move limit.
    near_fifty_moves: bool,
}

impl PositionHistory {
    /// The history of a search's root. `earlier_keys` are the keys of the game's earlier positions,
    /// oldest first.
    pub(super) fn new(root: &Position, earlier_keys: &[u64]) -> PositionHistory {
        let root_index = earlier_keys.len().min(usize::from(root.halfmove_clock()));
        let mut keys = Vec::with_capacity(root_index + MAX_PLY + 2);
        keys.extend_from_slice(&earlier_keys[earlier_keys.len() - root_index..]);
        let mut reversible_plies: Vec<u16> = (0..root_index as u16).collect();
        reversible_plies.reserve(MAX_PLY + 2);
        keys.push(root.key());
        reversible_plies.push(root_index as u16);
        PositionHistory {
            keys,
            reversible_plies,
            root_index,
            cuckoo: CuckooTable::shared(),
            met_game_history: false,
            near_fifty_moves: root.halfmove_clock() > LOW_HALFMOVE_CLOCK,
        }
    }

    /// `true` when the game has earlier positions that may be repeated.
    pub(in crate::engine) const fn has_game_history(&self) -> bool {
        self.root_index > 0
    }

    /// Adds the position after a move.
    #[inline]
    pub(super) fn push(&mut self, position: &Position) {
        let back = self.reversible_plies.last().map_or(0, |&back| back + 1);
        self.keys.push(position.key());
        self.reversible_plies.push(back.min(position.halfmove_clock()));
    }

    /// Adds the position after a null move: no position before it counts as repeated after it.
    #[inline]
    pub(super) fn push_null(&mut self, position: &Position) {
        self.keys.push(position.key());
        self.reversible_plies.push(0);
    }

    /// Removes the last position.
    #[inline]
    pub(super) fn pop(&mut self) {
        self.keys.pop();
        self.reversible_plies.pop();
    }

    /// The score of a node that is drawn by rule, or checkmate at the end of the 50-move rule. It
    /// must not be called at the root.
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

    /// The ply that a draw by repetition depends on; `None` when the last position is no such draw.
    /// Inside the search tree the second occurrence is a draw; counting the game's positions, the
    /// third.
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

    /// The ply that an upcoming draw depends on; `None` when no move leads to one. A move leads to
    /// a draw when it repeats a position inside the tree, or one that has occurred twice in the
    /// game.
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
            // The piece that would move is on whichever of the two squares is occupied.
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

    /// `true` for the key of a position of the game, including the root.
    pub(super) fn is_game_position(&self, key: u64) -> bool {
        self.keys[..=self.root_index].contains(&key)
    }

    /// The keys of the game's positions, including the root, that have occurred twice: the next
    /// occurrence is a draw.
    pub(super) fn repeated_game_keys(&self) -> Vec<u64> {
        let game = &self.keys[..=self.root_index];
        let mut repeated: Vec<u64> = game
            .iter()
            .copied()
            .filter(|key| game.iter().filter(|&k| k == key).count() >= 2)
            .collect();
        repeated.sort_unstable();
        repeated.dedup();
        repeated
    }

    /// Notes a position visited by a search that does not push its moves here.
    pub(super) fn note_visited(&mut self, position: &Position) {
        let clock = position.halfmove_clock();
        self.near_fifty_moves |= clock >= NEAR_FIFTY_MOVES;
        self.met_game_history |= self.root_index > 0
            && clock >= 4
            && self.keys[..self.root_index].contains(&position.key());
    }

    /// Notes whether another thread's search of the same root depends on its history or clock.
    pub(super) const fn note_game_history_dependence(&mut self, depends: bool) {
        self.met_game_history |= depends;
    }

    /// Notes that the half-move clock influenced the search.
    pub(super) const fn note_fifty_moves(&mut self) {
        self.near_fifty_moves = true;
    }

    /// `true` while the search has met no earlier position of the game and no node near the 50-move
    /// limit, and its root has a low half-move clock.
    pub(super) const fn is_history_independent(&self) -> bool {
        !self.met_game_history && !self.near_fifty_moves
    }
}
