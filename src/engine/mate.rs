//! Proves the shortest mate, or that there is none within so many moves.
//!
//! Chess Programming Wiki, "Mate Search". A depth-first search of attacker's choices and defender's
//! replies over rising distances, with nothing left out: no null move, no reductions, no pruning by
//! hope. Checks come first, those with the fewest replies before the others; a small table of its
//! own remembers what was proved and refuted. Draws by repetition with the game's history and by
//! the 50-move rule count; a repetition inside the tree needs no test, since a shortest mate has
//! none.

use super::checks::Checks;
use super::clock::Budget;
use super::path::Path;
use crate::chess::{Move, Position, is_dead_position};

/// Entries of the proof table, a power of two.
const TABLE_SIZE: usize = 1 << 16;

/// No mate is looked for beyond so many moves.
pub(super) const MAX_MATE: u8 = 99;

/// What is known of a position with the attacker to move.
#[derive(Clone, Copy)]
struct Known {
    key: u64,
    /// There is a mate in so many moves; [`NEVER`] when none is known.
    proved: u8,
    /// There is no mate in so many moves.
    refuted: u8,
    /// The move that mates.
    mv: Move,
}

const NEVER: u8 = u8::MAX;

impl Known {
    const fn nothing(key: u64) -> Known {
        Known { key, proved: NEVER, refuted: 0, mv: Move::NULL }
    }

    /// How much work the entry saves: the distance that it decides.
    const fn worth(self) -> u8 {
        if self.proved != NEVER && self.proved > self.refuted { self.proved } else { self.refuted }
    }
}

/// The proof search of one root.
pub(super) struct Prover<'p, 'b> {
    budget: &'p mut Budget<'b>,
    path: &'p mut Path,
    /// Positions that are drawn when they occur once more.
    drawn_on_return: Vec<u64>,
    table: Vec<Known>,
    /// The 50-move rule may end a line: positions with different clocks are told apart.
    clock_counts: bool,
    /// The proof is given up at this count of nodes.
    node_cap: u64,
    /// At each distance the reply that refuted last.
    refutations: [Move; MAX_MATE as usize + 1],
}

impl<'p, 'b> Prover<'p, 'b> {
    pub(super) fn new(budget: &'p mut Budget<'b>, path: &'p mut Path) -> Prover<'p, 'b> {
        let drawn_on_return = path.twice_before();
        let nothing = Known::nothing(0);
        let refutations = [Move::NULL; MAX_MATE as usize + 1];
        let table = vec![nothing; TABLE_SIZE];
        Prover {
            budget,
            path,
            drawn_on_return,
            table,
            clock_counts: false,
            node_cap: u64::MAX,
            refutations,
        }
    }

    /// The same, but given up after so many nodes.
    pub(super) fn capped(mut self, nodes: u64) -> Prover<'p, 'b> {
        self.node_cap = self.budget.nodes().saturating_add(nodes);
        self
    }

    /// The line of a mate in exactly `moves` moves that begins with one of these, where none is
    /// shorter; `None` when there is none, or the budget ended.
    pub(super) fn prove_among(
        &mut self,
        root: &Position,
        moves: u8,
        allowed: &[Move],
    ) -> Option<Vec<Move>> {
        self.mind_the_clock(root, moves);
        for &mv in allowed {
            if self.is_over() {
                return None;
            }
            let child = self.make(root, mv);
            if !child.has_moves() {
                if child.in_check() && moves == 1 {
                    return Some(vec![mv]);
                }
            } else if moves > 1 && self.defence_fails(&child, moves - 1) && !self.is_over() {
                let reply = self.longest_defence(&child, moves - 1)?;
                let rest = self.line(&child.after(reply), moves - 1)?;
                return Some([mv, reply].into_iter().chain(rest).collect());
            }
        }
        None
    }

    /// `true` once the proof has to be given up.
    #[inline]
    fn is_over(&self) -> bool {
        self.budget.is_over() || self.budget.nodes() >= self.node_cap
    }

    /// The line of a mate in exactly `moves` moves, which must be the shortest; `None` when there
    /// is none, or the budget ended.
    pub(super) fn prove(&mut self, root: &Position, moves: u8) -> Option<Vec<Move>> {
        self.mind_the_clock(root, moves);
        let proved = self.attack(root, moves) && !self.is_over();
        if proved { self.line(root, moves) } else { None }
    }

    /// Tells positions with different clocks apart where the 50-move rule may end a line.
    fn mind_the_clock(&mut self, root: &Position, moves: u8) {
        let counts = usize::from(root.halfmove_clock()) + 2 * usize::from(moves) > 100;
        if counts != self.clock_counts {
            self.clock_counts = counts;
            self.table.fill(Known::nothing(0));
        }
    }

    /// `true` when the side to move mates in at most `left` moves. Means nothing once the budget is
    /// over.
    fn attack(&mut self, position: &Position, left: u8) -> bool {
        if left == 0 || self.is_over() {
            return false;
        }
        let key = self.key_of(position);
        let known = self.look_up(key);
        if known.proved <= left || known.refuted >= left {
            return known.proved <= left;
        }
        let mating = if left == 1 {
            self.mate_at_once(position)
        } else {
            self.mate_later(position, left, known.mv)
        };
        if !self.is_over() {
            self.note(match mating {
                Some((mv, moves)) => Known { proved: moves.min(known.proved), mv, ..known },
                None => Known { refuted: left, ..known },
            });
        }
        mating.is_some()
    }

    /// A move that mates on the spot.
    fn mate_at_once(&mut self, position: &Position) -> Option<(Move, u8)> {
        let checks = Checks::of(position);
        for mv in &position.legal_moves() {
            if checks.may_give(position, mv) {
                let child = self.make(position, mv);
                if child.in_check() && !child.has_moves() {
                    return Some((mv, 1));
                }
            }
            if self.is_over() {
                break;
            }
        }
        None
    }

    /// A move that mates in at most `left` moves, of two or more; with the number of moves that was
    /// proved.
    fn mate_later(
        &mut self,
        position: &Position,
        left: u8,
        table_move: Move,
    ) -> Option<(Move, u8)> {
        let mut candidates = Vec::with_capacity(48);
        for mv in &position.legal_moves() {
            if self.is_over() {
                return None;
            }
            let child = self.make(position, mv);
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
            if self.defence_fails(child, left - 1) {
                return Some((*mv, left));
            }
            if self.is_over() {
                break;
            }
        }
        None
    }

    /// `true` when every reply of the side to move, which has some, is answered by a mate in at
    /// most `left` moves.
    fn defence_fails(&mut self, position: &Position, left: u8) -> bool {
        if self.is_over() || self.is_drawn(position) {
            return false;
        }
        let killer = self.refutations[usize::from(left)];
        let mut replies = position.legal_moves();
        // What refuted another attack, and captures, refute most often.
        replies.as_mut_slice().sort_by_key(|&mv| (mv != killer, !mv.is_noisy()));
        for reply in &replies {
            let child = self.make(position, reply);
            let holds = self.is_drawn(&child) || !self.attack(&child, left);
            if self.is_over() {
                return false;
            }
            if holds {
                self.refutations[usize::from(left)] = reply;
                return false;
            }
        }
        true
    }

    /// The line in which the attacker mates in `moves` moves, the shortest, and the defender holds
    /// out that long.
    fn line(&mut self, root: &Position, moves: u8) -> Option<Vec<Move>> {
        let mut line = Vec::with_capacity(2 * usize::from(moves));
        let mut position = root.clone();
        for left in (1..=moves).rev() {
            let mv = self.mating_move(&position, left)?;
            line.push(mv);
            position.play(mv);
            if left > 1 {
                let reply = self.longest_defence(&position, left - 1)?;
                line.push(reply);
                position.play(reply);
            }
        }
        (position.in_check() && !position.has_moves()).then_some(line)
    }

    /// The move of a shortest mate in `left` moves.
    fn mating_move(&mut self, position: &Position, left: u8) -> Option<Move> {
        let known = self.look_up(self.key_of(position));
        let found = if left == 1 {
            self.mate_at_once(position)
        } else {
            self.mate_later(position, left, known.mv)
        };
        found.filter(|_| !self.is_over()).map(|(mv, _)| mv)
    }

    /// A reply after which the mate takes `left` more moves and no fewer.
    fn longest_defence(&mut self, position: &Position, left: u8) -> Option<Move> {
        for reply in &position.legal_moves() {
            let child = self.make(position, reply);
            let takes_longest = !self.attack(&child, left - 1) && self.attack(&child, left);
            if self.is_over() {
                return None;
            }
            if takes_longest {
                return Some(reply);
            }
        }
        None
    }

    #[inline]
    fn make(&mut self, position: &Position, mv: Move) -> Position {
        self.budget.count_node();
        position.after(mv)
    }

    /// `true` when the rules of repetition, the 50-move rule or want of material make this position
    /// a draw. Checkmate comes before them: a position that may be one must not be asked.
    #[inline]
    fn is_drawn(&mut self, position: &Position) -> bool {
        self.path.note_outside(position);
        position.halfmove_clock() >= 100
            || (!self.drawn_on_return.is_empty() && self.drawn_on_return.contains(&position.key()))
            || is_dead_position(position)
    }

    #[inline]
    fn key_of(&self, position: &Position) -> u64 {
        let clock = if self.clock_counts { u64::from(position.halfmove_clock()) + 1 } else { 0 };
        position.key() ^ clock.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    #[inline]
    fn look_up(&self, key: u64) -> Known {
        let place = (key as usize % TABLE_SIZE) & !1;
        let pair = &self.table[place..place + 2];
        pair.iter().copied().find(|known| known.key == key).unwrap_or(Known::nothing(key))
    }

    /// Notes a result: over the same position's, else over the one of two that saves less work.
    fn note(&mut self, known: Known) {
        let place = (known.key as usize % TABLE_SIZE) & !1;
        let pair = &mut self.table[place..place + 2];
        let same = pair.iter().position(|held| held.key == known.key);
        let slot = same.unwrap_or(usize::from(pair[0].worth() > known.worth()));
        pair[slot] = known;
    }
}
