//! The staged move picker: it generates and sorts the moves of a node only as far as they are
//! needed.
//!
//! Chess Programming Wiki, "Move Ordering", "MVV-LVA", "Bad Captures", "History Heuristic".

use arrayvec::ArrayVec;

use super::check_info::CheckInfo;
use super::see::{material_gain, see_at_least};
use super::threats::Threats;
use crate::chess::{MAX_MOVES, Move, MoveGenType, Position};
use crate::engine::history::{HistoryKey, HistoryTables, piece_to_index};
use crate::engine::params;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    TtMove,
    GenerateNoisy,
    GoodNoisy,
    GenerateQuiets,
    Quiets,
    BadNoisy,
    GenerateEvasions,
    Evasions,
    Done,
}

/// An iterator over the legal moves of one position, the most promising first.
pub(super) struct MovePicker {
    stage: Stage,
    tt_move: Move,
    moves: ArrayVec<ScoredMove, MAX_MOVES>,
    /// The index of the next move in the list.
    cursor: usize,
    /// The number of losing captures, which are moved to the front of the list for later.
    bad_noisy_count: usize,
    /// Only captures and promotions.
    noisy_only: bool,
    /// The least gain of a good noisy move's exchange, in the units of the search. `None`: it
    /// depends on the move's whole score (16 × material gain + history).
    threshold: Option<i32>,
}

/// A move with its score and, in the lowest bits, its index in the list. The comparison orders by
/// score first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ScoredMove(i64);

impl ScoredMove {
    const MIN: ScoredMove = ScoredMove(i64::MIN);

    #[inline]
    fn new(mv: Move, score: i32, index: usize) -> ScoredMove {
        ScoredMove(i64::from(score) << 32 | i64::from(mv.code()) << 16 | index as i64)
    }

    #[inline]
    fn with_index(self, index: usize) -> ScoredMove {
        ScoredMove(self.0 & !0xffff | index as i64)
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
    fn index(self) -> usize {
        (self.0 & 0xffff) as usize
    }
}

/// The data of a node that its moves are ordered by.
#[derive(Clone, Copy)]
pub(super) struct OrderingContext<'a> {
    pub(super) position: &'a Position,
    pub(super) history: &'a HistoryTables,
    pub(super) history_key: &'a HistoryKey,
    pub(super) threats: &'a Threats,
    pub(super) check_info: &'a CheckInfo,
}

impl MovePicker {
    /// A picker of all legal moves. The transposition table's move is tried only if it is legal.
    pub(super) fn all(position: &Position, tt_move: Move) -> MovePicker {
        MovePicker::new(position, tt_move, false, None)
    }

    /// A picker of captures and promotions; in check, of all legal moves.
    pub(super) fn noisy(position: &Position, tt_move: Move) -> MovePicker {
        MovePicker::new(position, tt_move, !position.in_check(), None)
    }

    /// A picker of captures and promotions whose exchange wins at least `threshold`, in the units
    /// of the search. The position must not be in check.
    pub(super) fn probcut(position: &Position, tt_move: Move, threshold: i32) -> MovePicker {
        let usable = see_at_least(position, tt_move, threshold) && tt_move.is_noisy();
        MovePicker::new(position, if usable { tt_move } else { Move::NULL }, true, Some(threshold))
    }

    fn new(
        position: &Position,
        tt_move: Move,
        noisy_only: bool,
        threshold: Option<i32>,
    ) -> MovePicker {
        let usable =
            !tt_move.is_null() && (!noisy_only || tt_move.is_noisy()) && position.is_legal(tt_move);
        MovePicker {
            stage: if usable { Stage::TtMove } else { Stage::after_tt_move(position) },
            tt_move: if usable { tt_move } else { Move::NULL },
            moves: ArrayVec::new(),
            cursor: 0,
            bad_noisy_count: 0,
            noisy_only,
            threshold,
        }
    }

    /// The next move, or `None` after the last. With `skip_quiets` it skips quiet moves, except
    /// evasions.
    pub(super) fn next(
        &mut self,
        ordering: OrderingContext<'_>,
        skip_quiets: bool,
    ) -> Option<Move> {
        let position = ordering.position;
        loop {
            match self.stage {
                Stage::TtMove => {
                    self.stage = Stage::after_tt_move(position);
                    return Some(self.tt_move);
                }
                Stage::GenerateNoisy => {
                    self.generate(position, MoveGenType::Noisy, |mv| noisy_score(ordering, mv));
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => match self.next_good_noisy(position) {
                    Some(mv) => return Some(mv),
                    None => self.stage = self.stage_after_good_noisy(),
                },
                Stage::GenerateQuiets => {
                    self.cursor = self.moves.len();
                    if !skip_quiets {
                        self.generate(position, MoveGenType::Quiet, |mv| quiet_score(ordering, mv));
                    }
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => match if skip_quiets { None } else { self.select_best() } {
                    Some((mv, _)) => return Some(mv),
                    None => {
                        self.cursor = 0;
                        self.stage = Stage::BadNoisy;
                    }
                },
                Stage::BadNoisy => {
                    if self.cursor >= self.bad_noisy_count {
                        self.stage = Stage::Done;
                    } else {
                        self.cursor += 1;
                        return Some(self.moves[self.cursor - 1].mv());
                    }
                }
                Stage::GenerateEvasions => {
                    self.generate(position, MoveGenType::All, |mv| evasion_score(ordering, mv));
                    self.stage = Stage::Evasions;
                }
                Stage::Evasions => match self.select_best() {
                    Some((mv, _)) => return Some(mv),
                    None => self.stage = Stage::Done,
                },
                Stage::Done => return None,
            }
        }
    }

    /// The best remaining noisy move whose exchange wins enough. It keeps the losing captures for
    /// later.
    #[inline(always)]
    fn next_good_noisy(&mut self, position: &Position) -> Option<Move> {
        while let Some((mv, score)) = self.select_best() {
            let threshold = self.threshold.unwrap_or(-score / params::order_good_noisy());
            if see_at_least(position, mv, threshold) {
                return Some(mv);
            }
            self.moves[self.bad_noisy_count] = ScoredMove::new(mv, score, self.bad_noisy_count);
            self.bad_noisy_count += 1;
        }
        None
    }

    fn stage_after_good_noisy(&mut self) -> Stage {
        if !self.noisy_only {
            Stage::GenerateQuiets
        } else if self.threshold.is_none() {
            self.cursor = 0;
            Stage::BadNoisy
        } else {
            Stage::Done
        }
    }

    /// Appends the moves of one class with their scores.
    #[inline]
    fn generate(&mut self, position: &Position, class: MoveGenType, score: impl Fn(Move) -> i32) {
        let first = self.moves.len();
        position.for_each_move(class, |mv| self.moves.push(ScoredMove::new(mv, 0, 0)));
        for (index, scored) in self.moves.iter_mut().enumerate().skip(first) {
            let mv = scored.mv();
            *scored = ScoredMove::new(mv, score(mv), index);
        }
    }

    /// The best of the remaining moves, except the transposition table's move, with its score.
    #[inline]
    fn select_best(&mut self) -> Option<(Move, i32)> {
        while let Some(&first) = self.moves.get(self.cursor) {
            let best =
                self.moves[self.cursor..].iter().copied().fold(ScoredMove::MIN, ScoredMove::max);
            self.moves[best.index()] = first.with_index(best.index());
            self.cursor += 1;
            if best.mv() != self.tt_move {
                return Some((best.mv(), best.score()));
            }
        }
        None
    }
}

/// A score that orders captures before all quiet evasions.
const EVASION_CAPTURE_SCORE: i32 = 1 << 24;

/// The score of a capture or promotion: the value of the victim and the history.
#[inline]
fn noisy_score(ordering: OrderingContext<'_>, mv: Move) -> i32 {
    16 * material_gain(ordering.position, mv)
        + ordering.history.noisy(ordering.position, ordering.history_key.threats, mv)
}

/// The score of a move out of check.
fn evasion_score(ordering: OrderingContext<'_>, mv: Move) -> i32 {
    if mv.is_noisy() {
        return EVASION_CAPTURE_SCORE + noisy_score(ordering, mv);
    }
    let piece_to = piece_to_index(ordering.position, mv);
    ordering.history.butterfly(ordering.history_key, mv)
        + ordering.history.continuation(ordering.history_key.continuation_indices[0], piece_to)
}

/// The score of a quiet move: its histories, and whether it gives check, or leaves or enters an
/// attacked square.
#[inline]
fn quiet_score(ordering: OrderingContext<'_>, mv: Move) -> i32 {
    let OrderingContext { position, history, history_key, threats, check_info } = ordering;
    let Some(piece) = position.piece_at(mv.from()) else { return 0 };
    let (role, piece_to) = (piece.role(), piece_to_index(position, mv));
    let [first, second, fourth, sixth] = history_key.continuation_indices;
    let continuation = history.continuation(first, piece_to)
        + history.continuation(second, piece_to)
        + (history.continuation(fourth, piece_to) + history.continuation(sixth, piece_to)) / 2;
    let mut score = (params::order_main() * history.butterfly(history_key, mv)
        + params::order_pawn() * history.pawn(history_key, piece_to)
        + params::order_continuation() * continuation)
        / 64;
    score += params::order_near_root() * history.low_ply(history_key, mv) / 64;
    if check_info.check_squares(role).contains(mv.to()) && see_at_least(position, mv, -75) {
        score += params::order_check();
    }
    if params::order_escape() != 0 {
        let attacked = threats.by_lesser_than(role);
        let weight = ESCAPE_WEIGHTS[role as usize];
        score += weight
            * (i32::from(attacked.contains(mv.from())) - i32::from(attacked.contains(mv.to())));
    }
    score
}

/// The score, by role, of moving a piece away from the attack of a less valuable one.
const ESCAPE_WEIGHTS: [i32; 6] = [0, 8_000, 8_000, 13_000, 20_000, 0];

impl Stage {
    #[inline]
    fn after_tt_move(position: &Position) -> Stage {
        if position.in_check() { Stage::GenerateEvasions } else { Stage::GenerateNoisy }
    }
}
