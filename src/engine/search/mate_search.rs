//! The mate solver: it proves the shortest mate, or that there is none within a number of moves.
//!
//! Chess Programming Wiki, "Mate Search". The solver searches attacker's moves and defender's
//! replies depth-first, at increasing distances, without null moves, reductions or unproved
//! pruning. Checks come first, ordered by the number of replies. A small proof table stores proved
//! and refuted positions. Draws by repetition with the game history and by the 50-move rule count.
//! A repetition inside the tree needs no test, since a shortest mate has none.

use super::check_info::CheckInfo;
use super::repetition::PositionHistory;
use crate::chess::{Move, Position, is_dead_position};
use crate::engine::time::SearchBudget;

/// The number of entries of the proof table, a power of two.
const TABLE_SIZE: usize = 1 << 16;

/// The largest distance of a mate, in moves.
pub(super) const MAX_MATE: u8 = 99;

/// The proofs about a position with the attacker to move.
#[derive(Clone, Copy)]
struct ProofEntry {
    key: u64,
    /// There is a mate in this many moves; [`NO_MATE_KNOWN`] when none is known.
    mate_in: u8,
    /// There is no mate in this many moves.
    no_mate_in: u8,
    /// The mating move.
    mv: Move,
}

const NO_MATE_KNOWN: u8 = u8::MAX;

impl ProofEntry {
    const fn empty(key: u64) -> ProofEntry {
        ProofEntry { key, mate_in: NO_MATE_KNOWN, no_mate_in: 0, mv: Move::NULL }
    }

    /// The distance that the entry decides, a measure of the work that it saves.
    const fn decided_distance(self) -> u8 {
        if self.mate_in != NO_MATE_KNOWN && self.mate_in > self.no_mate_in {
            self.mate_in
        } else {
            self.no_mate_in
        }
    }
}

/// The mate solver of one root.
pub(super) struct MateSolver<'p, 'b> {
    budget: &'p mut SearchBudget<'b>,
    position_history: &'p mut PositionHistory,
    /// The keys of positions whose next occurrence is a draw.
    drawn_if_repeated: Vec<u64>,
    table: Vec<ProofEntry>,
    /// The proof table distinguishes half-move clocks, because the 50-move rule may end a line.
    keys_include_clock: bool,
    /// The node count at which the solver gives up.
    node_limit: u64,
    /// For each distance the last reply that refuted an attack.
    refutations: [Move; MAX_MATE as usize + 1],
}

impl<'p, 'b> MateSolver<'p, 'b> {
    pub(super) fn new(
        budget: &'p mut SearchBudget<'b>,
        position_history: &'p mut PositionHistory,
    ) -> MateSolver<'p, 'b> {
        let drawn_if_repeated = position_history.repeated_game_keys();
        let empty = ProofEntry::empty(0);
        let refutations = [Move::NULL; MAX_MATE as usize + 1];
        let table = vec![empty; TABLE_SIZE];
        MateSolver {
            budget,
            position_history,
            drawn_if_repeated,
            table,
            keys_include_clock: false,
            node_limit: u64::MAX,
            refutations,
        }
    }

    /// The same solver with a limit of `nodes` more nodes.
    pub(super) fn with_node_limit(mut self, nodes: u64) -> MateSolver<'p, 'b> {
        self.node_limit = self.budget.nodes().saturating_add(nodes);
        self
    }

    /// The line of a mate in exactly `moves` moves that begins with one of the allowed moves, where
    /// none is shorter. `None` when there is none, or the budget is spent.
    pub(super) fn prove_with_root_moves(
        &mut self,
        root: &Position,
        moves: u8,
        allowed: &[Move],
    ) -> Option<Vec<Move>> {
        self.include_clock_if_needed(root, moves);
        for &mv in allowed {
            if self.should_abort() {
                return None;
            }
            let child = self.make_move(root, mv);
            if !child.has_moves() {
                if child.in_check() && moves == 1 {
                    return Some(vec![mv]);
                }
            } else if moves > 1
                && self.every_defence_fails(&child, moves - 1)
                && !self.should_abort()
            {
                let reply = self.longest_defence(&child, moves - 1)?;
                let rest = self.mate_line(&child.after(reply), moves - 1)?;
                return Some([mv, reply].into_iter().chain(rest).collect());
            }
        }
        None
    }

    /// `true` once the solver must give up.
    #[inline]
    fn should_abort(&self) -> bool {
        self.budget.is_stopped() || self.budget.nodes() >= self.node_limit
    }

    /// The line of a mate in exactly `moves` moves, where none is shorter. `None` when there is
    /// none, or the budget is spent.
    pub(super) fn prove(&mut self, root: &Position, moves: u8) -> Option<Vec<Move>> {
        self.include_clock_if_needed(root, moves);
        let proved = self.mates_within(root, moves) && !self.should_abort();
        if proved { self.mate_line(root, moves) } else { None }
    }

    /// Includes the half-move clock in the proof keys where the 50-move rule may end a line.
    fn include_clock_if_needed(&mut self, root: &Position, moves: u8) {
        let keys_include_clock = usize::from(root.halfmove_clock()) + 2 * usize::from(moves) > 100;
        if keys_include_clock != self.keys_include_clock {
            self.keys_include_clock = keys_include_clock;
            self.table.fill(ProofEntry::empty(0));
        }
    }

    /// `true` when the side to move mates in at most `moves_left` moves. Meaningless once the
    /// budget is spent.
    fn mates_within(&mut self, position: &Position, moves_left: u8) -> bool {
        if moves_left == 0 || self.should_abort() {
            return false;
        }
        let key = self.proof_key(position);
        let entry = self.probe(key);
        if entry.mate_in <= moves_left || entry.no_mate_in >= moves_left {
            return entry.mate_in <= moves_left;
        }
        let mating_move = if moves_left == 1 {
            self.find_mate_in_one(position)
        } else {
            self.find_longer_mate(position, moves_left, entry.mv)
        };
        if !self.should_abort() {
            self.store(match mating_move {
                Some((mv, moves)) => ProofEntry { mate_in: moves.min(entry.mate_in), mv, ..entry },
                None => ProofEntry { no_mate_in: moves_left, ..entry },
            });
        }
        mating_move.is_some()
    }

    /// A move that gives checkmate.
    fn find_mate_in_one(&mut self, position: &Position) -> Option<(Move, u8)> {
        let check_info = CheckInfo::new(position);
        for mv in &position.legal_moves() {
            if check_info.may_give_check(position, mv) {
                let child = self.make_move(position, mv);
                if child.in_check() && !child.has_moves() {
                    return Some((mv, 1));
                }
            }
            if self.should_abort() {
                break;
            }
        }
        None
    }

    /// A move that mates in at most `moves_left` moves, two or more, with the proved number of
    /// moves.
    fn find_longer_mate(
        &mut self,
        position: &Position,
        moves_left: u8,
        table_move: Move,
    ) -> Option<(Move, u8)> {
        let mut candidates = Vec::with_capacity(48);
        for mv in &position.legal_moves() {
            if self.should_abort() {
                return None;
            }
            let child = self.make_move(position, mv);
            let replies = child.count_moves();
            if replies == 0 {
                if child.in_check() {
                    return Some((mv, 1));
                }
                continue;
            }
            let order = if mv == table_move {
                0
            } else {
                replies + if child.in_check() { 1 } else { 1000 }
            };
            candidates.push((order, mv, child));
        }
        candidates.sort_by_key(|&(order, ..)| order);
        for (_, mv, child) in &candidates {
            if self.every_defence_fails(child, moves_left - 1) {
                return Some((*mv, moves_left));
            }
            if self.should_abort() {
                break;
            }
        }
        None
    }

    /// `true` when every reply of the side to move, which has at least one, allows a mate in at
    /// most `moves_left` moves.
    fn every_defence_fails(&mut self, position: &Position, moves_left: u8) -> bool {
        if self.should_abort() || self.is_drawn(position) {
            return false;
        }
        let killer = self.refutations[usize::from(moves_left)];
        let mut replies = position.legal_moves();
        // The reply that refuted another attack comes first, then captures.
        replies.as_mut_slice().sort_by_key(|&mv| (mv != killer, !mv.is_noisy()));
        for reply in &replies {
            let child = self.make_move(position, reply);
            let refutes = self.is_drawn(&child) || !self.mates_within(&child, moves_left);
            if self.should_abort() {
                return false;
            }
            if refutes {
                self.refutations[usize::from(moves_left)] = reply;
                return false;
            }
        }
        true
    }

    /// The line in which the attacker mates in `moves` moves, the shortest, against the longest
    /// defence.
    fn mate_line(&mut self, root: &Position, moves: u8) -> Option<Vec<Move>> {
        let mut line = Vec::with_capacity(2 * usize::from(moves));
        let mut position = root.clone();
        for moves_left in (1..=moves).rev() {
            let mv = self.shortest_mating_move(&position, moves_left)?;
            line.push(mv);
            position.play(mv);
            if moves_left > 1 {
                let reply = self.longest_defence(&position, moves_left - 1)?;
                line.push(reply);
                position.play(reply);
            }
        }
        (position.in_check() && !position.has_moves()).then_some(line)
    }

    /// The first move of a shortest mate in `moves_left` moves.
    fn shortest_mating_move(&mut self, position: &Position, moves_left: u8) -> Option<Move> {
        let entry = self.probe(self.proof_key(position));
        let found = if moves_left == 1 {
            self.find_mate_in_one(position)
        } else {
            self.find_longer_mate(position, moves_left, entry.mv)
        };
        found.filter(|_| !self.should_abort()).map(|(mv, _)| mv)
    }

    /// A reply after which the shortest mate takes exactly `moves_left` more moves.
    fn longest_defence(&mut self, position: &Position, moves_left: u8) -> Option<Move> {
        for reply in &position.legal_moves() {
            let child = self.make_move(position, reply);
            let takes_longest =
                !self.mates_within(&child, moves_left - 1) && self.mates_within(&child, moves_left);
            if self.should_abort() {
                return None;
            }
            if takes_longest {
                return Some(reply);
            }
        }
        None
    }

    #[inline]
    fn make_move(&mut self, position: &Position, mv: Move) -> Position {
        self.budget.count_node();
        position.after(mv)
    }

    /// `true` when repetition, the 50-move rule or insufficient material make this position a draw.
    /// Checkmate takes precedence, so the position must not be checkmate.
    #[inline]
    fn is_drawn(&mut self, position: &Position) -> bool {
        self.position_history.note_visited(position);
        position.halfmove_clock() >= 100
            || (!self.drawn_if_repeated.is_empty()
                && self.drawn_if_repeated.contains(&position.key()))
            || is_dead_position(position)
    }

    #[inline]
    fn proof_key(&self, position: &Position) -> u64 {
        let clock =
            if self.keys_include_clock { u64::from(position.halfmove_clock()) + 1 } else { 0 };
        position.key() ^ clock.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    #[inline]
    fn probe(&self, key: u64) -> ProofEntry {
        let index = (key as usize % TABLE_SIZE) & !1;
        let pair = &self.table[index..index + 2];
        pair.iter().copied().find(|entry| entry.key == key).unwrap_or(ProofEntry::empty(key))
    }

    /// Stores an entry. It replaces that of the same position. Otherwise it replaces slot 0, or
    /// slot 1 if the distance in slot 0 exceeds the new one.
    fn store(&mut self, entry: ProofEntry) {
        let index = (entry.key as usize % TABLE_SIZE) & !1;
        let pair = &mut self.table[index..index + 2];
        let same = pair.iter().position(|held| held.key == entry.key);
        let slot =
            same.unwrap_or(usize::from(pair[0].decided_distance() > entry.decided_distance()));
        pair[slot] = entry;
    }
}
