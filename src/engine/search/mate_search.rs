//! Proves the shortest mate, or that there is none within so many moves.
//!
//! Chess Programming Wiki, "Mate Search". A depth-first search of attacker's choices and defender's
//! replies over rising distances, with nothing left out: no null move, no reductions, no pruning by
//! hope. Checks come first, those with the fewest replies before the others; a small table of its
//! own remembers what was proved and refuted. Draws by repetition with the game's history and by
//! the 50-move rule count; a repetition inside the tree needs no test, since a shortest mate has
//! none.

use super::check_info::CheckInfo;
use super::repetition::PositionHistory;
use super::search_budget::SearchBudget;
use crate::chess::{Move, Position, is_dead_position};

/// Entries of the proof table, a power of two.
const TABLE_SIZE: usize = 1 << 16;

/// No mate is looked for beyond so many moves.
pub(super) const MAX_MATE: u8 = 99;

/// What is known of a position with the attacker to move.
#[derive(Clone, Copy)]
struct ProofEntry {
    key: u64,
    /// There is a mate in so many moves; [`NEVER`] when none is known.
    mate_in: u8,
    /// There is no mate in so many moves.
    no_mate_in: u8,
    /// The move that mates.
    mv: Move,
}

const NO_MATE_KNOWN: u8 = u8::MAX;

impl ProofEntry {
    const fn empty(key: u64) -> ProofEntry {
        ProofEntry { key, mate_in: NO_MATE_KNOWN, no_mate_in: 0, mv: Move::NULL }
    }

    /// How much work the entry saves: the distance that it decides.
    const fn decided_distance(self) -> u8 {
        if self.mate_in != NO_MATE_KNOWN && self.mate_in > self.no_mate_in {
            self.mate_in
        } else {
            self.no_mate_in
        }
    }
}

/// The proof search of one root.
pub(super) struct MateSolver<'p, 'b> {
    budget: &'p mut SearchBudget<'b>,
    position_history: &'p mut PositionHistory,
    /// Positions that are drawn when they occur once more.
    drawn_if_repeated: Vec<u64>,
    table: Vec<ProofEntry>,
    /// The 50-move rule may end a line: positions with different clocks are told apart.
    keys_include_clock: bool,
    /// The proof is given up at this count of nodes.
    node_limit: u64,
    /// At each distance the reply that refuted last.
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

    /// The same, but given up after so many nodes.
    pub(super) fn with_node_limit(mut self, nodes: u64) -> MateSolver<'p, 'b> {
        self.node_limit = self.budget.nodes().saturating_add(nodes);
        self
    }

    /// The line of a mate in exactly `moves` moves that begins with one of these, where none is
    /// shorter; `None` when there is none, or the budget ended.
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

    /// `true` once the proof has to be given up.
    #[inline]
    fn should_abort(&self) -> bool {
        self.budget.is_stopped() || self.budget.nodes() >= self.node_limit
    }

    /// The line of a mate in exactly `moves` moves, which must be the shortest; `None` when there
    /// is none, or the budget ended.
    pub(super) fn prove(&mut self, root: &Position, moves: u8) -> Option<Vec<Move>> {
        self.include_clock_if_needed(root, moves);
        let proved = self.mates_within(root, moves) && !self.should_abort();
        if proved { self.mate_line(root, moves) } else { None }
    }

    /// Tells positions with different clocks apart where the 50-move rule may end a line.
    fn include_clock_if_needed(&mut self, root: &Position, moves: u8) {
        let keys_include_clock = usize::from(root.halfmove_clock()) + 2 * usize::from(moves) > 100;
        if keys_include_clock != self.keys_include_clock {
            self.keys_include_clock = keys_include_clock;
            self.table.fill(ProofEntry::empty(0));
        }
    }

    /// `true` when the side to move mates in at most `left` moves. Means nothing once the budget is
    /// over.
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

    /// A move that mates on the spot.
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

    /// A move that mates in at most `left` moves, of two or more; with the number of moves that was
    /// proved.
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

    /// `true` when every reply of the side to move, which has some, is answered by a mate in at
    /// most `left` moves.
    fn every_defence_fails(&mut self, position: &Position, moves_left: u8) -> bool {
        if self.should_abort() || self.is_drawn(position) {
            return false;
        }
        let killer = self.refutations[usize::from(moves_left)];
        let mut replies = position.legal_moves();
        // What refuted another attack, and captures, refute most often.
        replies.as_mut_slice().sort_by_key(|&mv| (mv != killer, !mv.is_noisy()));
        for reply in &replies {
            let child = self.make_move(position, reply);
            let holds = self.is_drawn(&child) || !self.mates_within(&child, moves_left);
            if self.should_abort() {
                return false;
            }
            if holds {
                self.refutations[usize::from(moves_left)] = reply;
                return false;
            }
        }
        true
    }

    /// The line in which the attacker mates in `moves` moves, the shortest, and the defender holds
    /// out that long.
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

    /// The move of a shortest mate in `left` moves.
    fn shortest_mating_move(&mut self, position: &Position, moves_left: u8) -> Option<Move> {
        let entry = self.probe(self.proof_key(position));
        let found = if moves_left == 1 {
            self.find_mate_in_one(position)
        } else {
            self.find_longer_mate(position, moves_left, entry.mv)
        };
        found.filter(|_| !self.should_abort()).map(|(mv, _)| mv)
    }

    /// A reply after which the mate takes `left` more moves and no fewer.
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

    /// `true` when the rules of repetition, the 50-move rule or want of material make this position
    /// a draw. Checkmate comes before them: a position that may be one must not be asked.
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

    /// Notes a result: over the same position's, else over the one of two that saves less work.
    fn store(&mut self, entry: ProofEntry) {
        let index = (entry.key as usize % TABLE_SIZE) & !1;
        let pair = &mut self.table[index..index + 2];
        let same = pair.iter().position(|held| held.key == entry.key);
        let slot =
            same.unwrap_or(usize::from(pair[0].decided_distance() > entry.decided_distance()));
        pair[slot] = entry;
    }
}
