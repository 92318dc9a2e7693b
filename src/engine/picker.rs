//! The order in which a node tries its moves: generated and sorted only as far as they are asked
//! for.
//!
//! Chess Programming Wiki, "Move Ordering", "MVV-LVA", "Bad Captures", "History Heuristic".

use arrayvec::ArrayVec;

use super::checks::Checks;
use super::history::{History, Setting, cell};
use super::params;
use super::see::{gain, see_at_least};
use super::threats::Threats;
use crate::chess::{MAX_MOVES, Move, Position, Wanted};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Table,
    GenerateNoisy,
    GoodNoisy,
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
    list: ArrayVec<Scored, MAX_MOVES>,
    /// The next move of the list.
    next: usize,
    /// Losing captures, moved to the front of the list for later.
    bad: usize,
    /// Only moves that change the material.
    noisy_only: bool,
    /// A noisy move is good when its exchange wins at least this, in the units of the search;
    /// `None`: that depends on its history.
    threshold: Option<i32>,
}

/// A move with its score: compared, the higher score is the greater; the lowest bits tell where in
/// the list it stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Scored(i64);

impl Scored {
    const LEAST: Scored = Scored(i64::MIN);

    #[inline]
    fn new(mv: Move, score: i32, place: usize) -> Scored {
        Scored(i64::from(score) << 32 | i64::from(mv.code()) << 16 | place as i64)
    }

    #[inline]
    fn at(self, place: usize) -> Scored {
        Scored(self.0 & !0xffff | place as i64)
    }

    #[inline]
    fn mv(self) -> Move {
        Move::from_code((self.0 >> 16) as u16)
    }

    #[inline]
    fn score(self) -> i32 {
        (self.0 >> 32) as i32
    }

    #[inline]
    fn place(self) -> usize {
        (self.0 & 0xffff) as usize
    }
}

/// What a node lends its picker for every move.
#[derive(Clone, Copy)]
pub(super) struct Guide<'a> {
    pub(super) position: &'a Position,
    pub(super) history: &'a History,
    pub(super) setting: &'a Setting,
    pub(super) threats: &'a Threats,
    pub(super) checks: &'a Checks,
}

impl Picker {
    /// All legal moves. The table's move may be any code: it is tried only if it is legal.
    pub(super) fn all(position: &Position, table_move: Move) -> Picker {
        Picker::new(position, table_move, false, None)
    }

    /// Captures and promotions; in check all legal moves.
    pub(super) fn noisy(position: &Position, table_move: Move) -> Picker {
        Picker::new(position, table_move, !position.in_check(), None)
    }

    /// Captures and promotions that win at least this in exchange, in the units of the search. Not
    /// for positions in check.
    pub(super) fn winning(position: &Position, table_move: Move, threshold: i32) -> Picker {
        let usable = see_at_least(position, table_move, threshold) && table_move.is_noisy();
        Picker::new(position, if usable { table_move } else { Move::NULL }, true, Some(threshold))
    }

    fn new(
        position: &Position,
        table_move: Move,
        noisy_only: bool,
        threshold: Option<i32>,
    ) -> Picker {
        let usable = !table_move.is_null()
            && (!noisy_only || table_move.is_noisy())
            && position.is_legal(table_move);
        Picker {
            stage: if usable { Stage::Table } else { Stage::after_table(position) },
            table_move: if usable { table_move } else { Move::NULL },
            list: ArrayVec::new(),
            next: 0,
            bad: 0,
            noisy_only,
            threshold,
        }
    }

    /// The next move, or `None` after the last. With `skip_quiets` quiet moves are left out from
    /// now on, but for evasions.
    pub(super) fn next(&mut self, guide: Guide<'_>, skip_quiets: bool) -> Option<Move> {
        let position = guide.position;
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = Stage::after_table(position);
                    return Some(self.table_move);
                }
                Stage::GenerateNoisy => {
                    self.generate(position, Wanted::Noisy, |mv| noisy_score(guide, mv));
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => match self.pick() {
                    Some((mv, score)) => {
                        let threshold =
                            self.threshold.unwrap_or(-score / params::order_good_noisy());
                        if see_at_least(position, mv, threshold) {
                            return Some(mv);
                        }
                        self.list[self.bad] = Scored::new(mv, score, self.bad);
                        self.bad += 1;
                    }
                    None => self.stage = self.after_good(),
                },
                Stage::GenerateQuiets => {
                    self.next = self.list.len();
                    if !skip_quiets {
                        self.generate(position, Wanted::Quiet, |mv| quiet_score(guide, mv));
                    }
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => match if skip_quiets { None } else { self.pick() } {
                    Some((mv, _)) => return Some(mv),
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
                        return Some(self.list[self.next - 1].mv());
                    }
                }
                Stage::GenerateEvasions => {
                    self.generate(position, Wanted::All, |mv| evasion_score(guide, mv));
                    self.stage = Stage::Evasions;
                }
                Stage::Evasions => match self.pick() {
                    Some((mv, _)) => return Some(mv),
                    None => self.stage = Stage::Done,
                },
                Stage::Done => return None,
            }
        }
    }

    fn after_good(&mut self) -> Stage {
        if !self.noisy_only {
            Stage::GenerateQuiets
        } else if self.threshold.is_none() {
            self.next = 0;
            Stage::BadNoisy
        } else {
            Stage::Done
        }
    }

    /// Adds the moves of one class, each with its score.
    #[inline]
    fn generate(&mut self, position: &Position, wanted: Wanted, score: impl Fn(Move) -> i32) {
        let first = self.list.len();
        position.each_move(wanted, |mv| self.list.push(Scored::new(mv, 0, 0)));
        for (place, scored) in self.list.iter_mut().enumerate().skip(first) {
            let mv = scored.mv();
            *scored = Scored::new(mv, score(mv), place);
        }
    }

    /// The best of the moves not yet given, without the table's move, and its score.
    #[inline]
    fn pick(&mut self) -> Option<(Move, i32)> {
        while let Some(&first) = self.list.get(self.next) {
            let best = self.list[self.next..].iter().copied().fold(Scored::LEAST, Scored::max);
            self.list[best.place()] = first.at(best.place());
            self.next += 1;
            if best.mv() != self.table_move {
                return Some((best.mv(), best.score()));
            }
        }
        None
    }
}

/// Captures come before all quiet evasions.
const EVASION_CAPTURE: i32 = 1 << 24;

/// The dearest victim first, and what did well before.
#[inline]
fn noisy_score(guide: Guide<'_>, mv: Move) -> i32 {
    16 * gain(guide.position, mv) + guide.history.noisy(guide.position, guide.setting.threats, mv)
}

fn evasion_score(guide: Guide<'_>, mv: Move) -> i32 {
    if mv.is_noisy() {
        return EVASION_CAPTURE + noisy_score(guide, mv);
    }
    let cell = cell(guide.position, mv);
    guide.history.quiet(guide.setting, mv) + guide.history.continuation(guide.setting.rows[0], cell)
}

/// What the histories say of a quiet move, and whether it gives check, flees or runs into an
/// attack.
#[inline]
fn quiet_score(guide: Guide<'_>, mv: Move) -> i32 {
    let Guide { position, history, setting, threats, checks } = guide;
    let Some(piece) = position.piece_at(mv.from()) else { return 0 };
    let (role, cell) = (piece.role(), cell(position, mv));
    let [first, second, fourth, sixth] = setting.rows;
    let continuation = history.continuation(first, cell)
        + history.continuation(second, cell)
        + (history.continuation(fourth, cell) + history.continuation(sixth, cell)) / 2;
    let mut score = (params::order_main() * history.quiet(setting, mv)
        + params::order_pawn() * history.pawn(setting, cell)
        + params::order_continuation() * continuation)
        / 64;
    score += params::order_near_root() * history.near_root(setting, mv) / 64;
    if checks.from(role).contains(mv.to()) && see_at_least(position, mv, -75) {
        score += params::order_check();
    }
    if params::order_escape() != 0 {
        let attacked = threats.to(role);
        let weight = ESCAPE[role as usize];
        score += weight
            * (i32::from(attacked.contains(mv.from())) - i32::from(attacked.contains(mv.to())));
    }
    score
}

/// What it is worth to move a piece of each kind away from what attacks it cheaply.
const ESCAPE: [i32; 6] = [0, 8_000, 8_000, 13_000, 20_000, 0];

impl Stage {
    #[inline]
    fn after_table(position: &Position) -> Stage {
        if position.in_check() { Stage::GenerateEvasions } else { Stage::GenerateNoisy }
    }
}
