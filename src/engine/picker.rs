//! The order in which a node tries its moves: generated and sorted only as far as they are asked for.
//!
//! Chess Programming Wiki, "Move Ordering", "MVV-LVA", "Bad Captures".

use super::history::History;
use super::see::{gain, see_at_least, worth};
use crate::chess::{MAX_MOVES, Move, MoveList, Position, Wanted};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Table,
    GenerateNoisy,
    GoodNoisy,
    FirstKiller,
    SecondKiller,
    GenerateQuiets,
    Quiets,
    BadNoisy,
    GenerateEvasions,
    Evasions,
    Done,
}

/// Gives the legal moves of one position, the most promising first.
pub(super) struct Picker {
    stage: Stage,
    table_move: Move,
    killers: [Move; 2],
    list: MoveList,
    scores: [i32; MAX_MOVES],
    /// The next move of the list.
    next: usize,
    /// Losing captures, moved to the front of the list for later.
    bad: usize,
    /// Only moves that change the material, and no losing ones.
    noisy_only: bool,
}

impl Picker {
    /// All legal moves. The table's move may be any code: it is tried only if it is legal.
    pub(super) fn all(position: &Position, table_move: Move, killers: [Move; 2]) -> Picker {
        Picker::new(position, table_move, killers, false)
    }

    /// Captures and promotions that lose no material; in check all legal moves.
    pub(super) fn noisy(position: &Position, table_move: Move) -> Picker {
        Picker::new(position, table_move, [Move::NULL; 2], !position.in_check())
    }

    fn new(position: &Position, table_move: Move, killers: [Move; 2], noisy_only: bool) -> Picker {
        let usable = !table_move.is_null() && (!noisy_only || table_move.is_noisy()) && position.is_legal(table_move);
        Picker {
            stage: if usable { Stage::Table } else { Stage::after_table(position) },
            table_move: if usable { table_move } else { Move::NULL },
            killers,
            list: MoveList::new(),
            scores: [0; MAX_MOVES],
            next: 0,
            bad: 0,
            noisy_only,
        }
    }

    /// The next move, or `None` after the last. With `skip_quiets` quiet moves are left out from now on, but for evasions.
    pub(super) fn next(&mut self, position: &Position, history: &History, skip_quiets: bool) -> Option<Move> {
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = Stage::after_table(position);
                    return Some(self.table_move);
                }
                Stage::GenerateNoisy => {
                    position.add_moves(Wanted::Noisy, &mut self.list);
                    self.score(0, |mv| noisy_score(position, mv));
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => match self.pick() {
                    Some(mv) if see_at_least(position, mv, 0) => return Some(mv),
                    Some(_) => {
                        self.list.as_mut_slice().swap(self.bad, self.next - 1);
                        self.bad += 1;
                    }
                    None => self.stage = if self.noisy_only { Stage::Done } else { Stage::FirstKiller },
                },
                Stage::FirstKiller => {
                    self.stage = Stage::SecondKiller;
                    if !skip_quiets && self.is_fresh_killer(position, self.killers[0]) {
                        return Some(self.killers[0]);
                    }
                }
                Stage::SecondKiller => {
                    self.stage = Stage::GenerateQuiets;
                    if !skip_quiets && self.is_fresh_killer(position, self.killers[1]) {
                        return Some(self.killers[1]);
                    }
                }
                Stage::GenerateQuiets => {
                    let first = self.list.len();
                    if !skip_quiets {
                        position.add_moves(Wanted::Quiet, &mut self.list);
                        self.score(first, |mv| history.quiet(position.turn(), mv));
                    }
                    self.next = first;
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => match if skip_quiets { None } else { self.pick() } {
                    Some(mv) if self.killers.contains(&mv) => {}
                    Some(mv) => return Some(mv),
                    None => {
                        self.next = 0;
                        self.stage = Stage::BadNoisy;
                    }
                },
                Stage::BadNoisy => {
                    if self.next >= self.bad {
                        self.stage = Stage::Done;
                    } else {
                        self.next += 1;
                        return Some(self.list[self.next - 1]);
                    }
                }
                Stage::GenerateEvasions => {
                    position.add_moves(Wanted::All, &mut self.list);
                    self.score(0, |mv| {
                        if mv.is_noisy() {
                            EVASION_CAPTURE + noisy_score(position, mv)
                        } else {
                            history.quiet(position.turn(), mv)
                        }
                    });
                    self.stage = Stage::Evasions;
                }
                Stage::Evasions => match self.pick() {
                    Some(mv) => return Some(mv),
                    None => self.stage = Stage::Done,
                },
                Stage::Done => return None,
            }
        }
    }

    fn score(&mut self, first: usize, score: impl Fn(Move) -> i32) {
        for (place, &mv) in self.scores[first..].iter_mut().zip(&self.list.as_slice()[first..]) {
            *place = score(mv);
        }
    }

    /// The best of the moves not yet given, without the table's move.
    #[inline]
    fn pick(&mut self) -> Option<Move> {
        while self.next < self.list.len() {
            let mut best = self.next;
            for place in self.next + 1..self.list.len() {
                if self.scores[place] > self.scores[best] {
                    best = place;
                }
            }
            self.list.as_mut_slice().swap(self.next, best);
            self.scores.swap(self.next, best);
            let mv = self.list[self.next];
            self.next += 1;
            if mv != self.table_move {
                return Some(mv);
            }
        }
        None
    }

    fn is_fresh_killer(&self, position: &Position, mv: Move) -> bool {
        !mv.is_null() && mv != self.table_move && !mv.is_noisy() && position.is_legal(mv)
    }
}

/// Captures come before all quiet evasions.
const EVASION_CAPTURE: i32 = 1 << 20;

/// The dearest victim first, among equals the cheapest taker.
#[inline]
fn noisy_score(position: &Position, mv: Move) -> i32 {
    let taker = position.role_at(mv.from()).map_or(0, worth);
    16 * gain(position, mv) - taker.min(1000)
}

impl Stage {
    #[inline]
    fn after_table(position: &Position) -> Stage {
        if position.in_check() { Stage::GenerateEvasions } else { Stage::GenerateNoisy }
    }
}
