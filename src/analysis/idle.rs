//! What workers do when nobody waits for them: deepen the positions that are likely to be asked for
//! next.
//!
//! Whoever asks about a position will soon ask about one that a move leads to, most of all by the
//! best lines. Such wishes wait in a bounded list; any real request goes before them, and takes a
//! worker back that follows one.

mod recent;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use self::recent::Recent;
use super::request::{AnalysisRequest, living_part};
use crate::chess::{Game, Move};
use crate::engine::{Limits, Report};

/// A wish is known by the key of the position that was asked about and the move from there.
type Name = (u64, Move);

/// Less is sooner: first by the rank of the move, of equals the newest.
type Turn = (u16, Reverse<u64>);

/// A position that is likely to be asked for, with what it will be asked.
#[derive(Clone, Debug)]
pub(super) struct Wish {
    /// The position that was asked about, and how it came about.
    parent: Arc<Game>,
    mv: Move,
    pub(super) limits: Limits,
    pub(super) lines: usize,
    /// When it was wished for, or put back.
    pub(super) came: Instant,
}

impl Wish {
    fn name(&self) -> Name {
        (self.parent.position().key(), self.mv)
    }

    /// The position after the move, with its history.
    pub(super) fn game(&self) -> Game {
        let mut game = (*self.parent).clone();
        game.play(self.mv);
        game
    }
}

/// The wishes that wait.
#[derive(Debug)]
pub(super) struct IdleList {
    state: Mutex<State>,
    length: AtomicUsize,
    capacity: usize,
    recent: Recent,
}

#[derive(Debug, Default)]
struct State {
    wishes: BTreeMap<Turn, Wish>,
    turns: HashMap<Name, Turn>,
    added: u64,
}

impl IdleList {
    /// The most memory of a wish. Those of one question share its game; at worst each is of
    /// another.
    pub(super) const MOST_BYTES: usize =
        AnalysisRequest::MOST_BYTES + 2 * size_of::<(Turn, Wish, Name)>();

    /// One for so many wishes; for none, nothing is ever wished for.
    pub(super) fn new(capacity: usize) -> IdleList {
        IdleList {
            state: Mutex::default(),
            length: AtomicUsize::new(0),
            capacity,
            recent: Recent::default(),
        }
    }

    /// `true` when wishes are taken at all.
    pub(super) fn is_on(&self) -> bool {
        self.capacity > 0
    }

    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.length.load(Ordering::Acquire)
    }

    /// Wishes for the positions that all moves from one lead to, those of the lines first.
    pub(super) fn wish_for_children(
        &self,
        game: Game,
        limits: &Limits,
        lines: usize,
        report: &Report,
    ) {
        if !self.is_on() {
            return;
        }
        let best = report
            .pv
            .first()
            .into_iter()
            .chain(report.alternatives.iter().filter_map(|line| line.pv.first()));
        let mut moves: Vec<Move> = best.copied().collect();
        let others: Vec<Move> =
            game.position().legal_moves().into_iter().filter(|mv| !moves.contains(mv)).collect();
        moves.extend(others);
        self.wish(Arc::new(game), limits, lines, &moves);
    }

    /// Wishes for the position that the best line leads to. `false` when there is none, or the same
    /// was wished for lately.
    pub(super) fn wish_for_best(
        &self,
        game: &Game,
        limits: &Limits,
        lines: usize,
        report: &Report,
    ) -> bool {
        let Some(&best) = report.pv.first().filter(|_| self.is_on()) else { return false };
        let is_new = self.recent.is_new(&((game.position().key(), best), *limits, lines));
        if is_new {
            self.wish(Arc::new(living_part(game)), limits, lines, &[best]);
        }
        is_new
    }

    fn wish(&self, parent: Arc<Game>, limits: &Limits, lines: usize, moves: &[Move]) {
        let key = parent.position().key();
        let came = Instant::now();
        let mut state = self.lock();
        for (rank, &mv) in moves.iter().enumerate() {
            let turn = (u16::try_from(rank).unwrap_or(u16::MAX), Reverse(state.added));
            state.added += 1;
            if let Some(older) = state.turns.insert((key, mv), turn) {
                state.wishes.remove(&older);
            }
            state
                .wishes
                .insert(turn, Wish { parent: parent.clone(), mv, limits: *limits, lines, came });
            if state.wishes.len() > self.capacity
                && let Some((_, least)) = state.wishes.pop_last()
            {
                state.turns.remove(&least.name());
                self.recent.forget(&(least.name(), least.limits, least.lines));
            }
        }
        self.length.store(state.wishes.len(), Ordering::Release);
    }

    /// The wish whose turn is next.
    pub(super) fn take(&self) -> Option<Wish> {
        if self.len() == 0 {
            return None;
        }
        let mut state = self.lock();
        let (_, wish) = state.wishes.pop_first()?;
        state.turns.remove(&wish.name());
        self.length.store(state.wishes.len(), Ordering::Release);
        Some(wish)
    }

    /// Puts back what could not be followed to its end, before all others.
    pub(super) fn put_back(&self, wish: Wish) {
        let Wish { parent, mv, limits, lines, .. } = wish;
        self.wish(parent, &limits, lines, &[mv]);
    }

    /// Forgets all wishes.
    pub(super) fn clear(&self) {
        *self.lock() = State::default();
        self.recent.clear();
        self.length.store(0, Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tests::{depth, game_of, report, start_game};
    use crate::chess::read_move;

    fn found(texts: [&str; 2]) -> Report {
        let mv = |text| read_move(start_game().position(), text).unwrap();
        let [best, second] = texts.map(mv);
        let mut report = Report { pv: vec![best], ..report(5, 500) };
        report.alternatives = vec![crate::engine::Variation {
            pv: vec![second],
            score: report.score,
            wdl: report.wdl,
        }];
        report
    }

    /// What was found behind these moves: that the first legal one is the best.
    fn found_behind(moves: &str) -> Report {
        Report { pv: game_of(moves).position().legal_moves()[..1].to_vec(), ..report(5, 1) }
    }

    fn next(list: &IdleList) -> String {
        list.take().map_or_else(String::new, |wish| format!("{}{}", wish.mv.from(), wish.mv.to()))
    }

    #[test]
    fn the_best_lines_come_first_and_then_all_other_moves() {
        let list = IdleList::new(100);
        list.wish_for_children(start_game(), &depth(5), 2, &found(["e2e4", "d2d4"]));
        assert_eq!(list.len(), 20);
        assert_eq!([next(&list), next(&list)], ["e2e4", "d2d4"]);
        let mut others: Vec<String> = (0..18).map(|_| next(&list)).collect();
        others.sort();
        others.dedup();
        assert_eq!((others.len(), list.len(), next(&list)), (18, 0, String::new()));
    }

    #[test]
    fn the_best_move_of_the_newest_question_goes_before_the_others_of_an_older_one() {
        let list = IdleList::new(100);
        list.wish_for_children(start_game(), &depth(5), 2, &found(["e2e4", "d2d4"]));
        list.wish_for_best(&game_of("g1f3"), &depth(5), 1, &found_behind("g1f3"));
        let first = list.take().unwrap();
        assert_eq!(first.game().moves().len(), 2, "the way to it is kept");
        assert_eq!(next(&list), "e2e4");
    }

    #[test]
    fn who_asks_the_same_again_wishes_for_nothing_new() {
        let list = IdleList::new(100);
        let wish = |limit, lines| {
            list.wish_for_best(&start_game(), &depth(limit), lines, &found(["e2e4", "d2d4"]))
        };
        assert!(wish(5, 1));
        assert_eq!(next(&list), "e2e4");
        assert!(!wish(5, 1), "it is being followed, or was");
        assert_eq!(list.len(), 0);
        assert!(wish(6, 1), "deeper");
        assert!(wish(6, 2), "with more lines");
    }

    #[test]
    fn what_found_no_room_may_be_wished_for_again() {
        let list = IdleList::new(1);
        let wish = |moves| list.wish_for_best(&game_of(moves), &depth(5), 1, &found_behind(moves));
        assert!(wish("e2e4"));
        assert!(wish("d2d4"), "it takes the other's place");
        assert_eq!(list.take().map(|wish| wish.mv), found_behind("d2d4").pv.first().copied());
        assert!(wish("e2e4"));
    }

    #[test]
    fn the_list_is_bounded_and_the_least_likely_go() {
        let list = IdleList::new(3);
        list.wish_for_children(start_game(), &depth(5), 2, &found(["e2e4", "d2d4"]));
        assert_eq!(list.len(), 3);
        assert_eq!([next(&list), next(&list)], ["e2e4", "d2d4"]);
        let off = IdleList::new(0);
        off.wish_for_children(start_game(), &depth(5), 2, &found(["e2e4", "d2d4"]));
        assert!(off.take().is_none());
    }

    #[test]
    fn what_is_wished_for_twice_waits_once() {
        let list = IdleList::new(100);
        for _ in 0..3 {
            list.wish_for_children(start_game(), &depth(5), 2, &found(["e2e4", "d2d4"]));
        }
        assert_eq!((list.len(), list.lock().turns.len()), (20, 20));
        let wish = list.take().unwrap();
        list.put_back(wish);
        assert_eq!((list.len(), next(&list)), (20, "e2e4".to_owned()));
        list.clear();
        assert_eq!((list.len(), next(&list)), (0, String::new()));
    }
}
