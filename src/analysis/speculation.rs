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

use self::recent::RecentCandidates;
use super::request::{AnalysisRequest, reversible_tail};
use crate::chess::{Game, Move};
use crate::engine::{Limits, Report};

/// A wish is known by the key of the position that was asked about and the move from there.
type CandidateId = (u64, Move);

/// Less is sooner: first by the rank of the move, of equals the newest.
type CandidatePriority = (u16, Reverse<u64>);

/// A position that is likely to be asked for, with what it will be asked.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// The position that was asked about, and how it came about.
    parent: Arc<Game>,
    mv: Move,
    pub(super) limits: Limits,
    pub(super) lines: usize,
    /// When it was wished for, or put back.
    pub(super) queued_at: Instant,
}

impl Candidate {
    fn id(&self) -> CandidateId {
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
pub(super) struct SpeculativeQueue {
    state: Mutex<State>,
    length: AtomicUsize,
    capacity: usize,
    recent: RecentCandidates,
}

#[derive(Debug, Default)]
struct State {
    candidates: BTreeMap<CandidatePriority, Candidate>,
    priorities: HashMap<CandidateId, CandidatePriority>,
    insertions: u64,
}

impl SpeculativeQueue {
    /// The most memory of a wish. Those of one question share its game; at worst each is of
    /// another.
    pub(super) const MAX_BYTES: usize =
        AnalysisRequest::MAX_BYTES + 2 * size_of::<(CandidatePriority, Candidate, CandidateId)>();

    /// One for so many wishes; for none, nothing is ever wished for.
    pub(super) fn new(capacity: usize) -> SpeculativeQueue {
        SpeculativeQueue {
            state: Mutex::default(),
            length: AtomicUsize::new(0),
            capacity,
            recent: RecentCandidates::default(),
        }
    }

    /// `true` when wishes are taken at all.
    pub(super) fn is_enabled(&self) -> bool {
        self.capacity > 0
    }

    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.length.load(Ordering::Acquire)
    }

    /// Wishes for the positions that all moves from one lead to, those of the lines first.
    pub(super) fn enqueue_children(
        &self,
        game: Game,
        limits: &Limits,
        lines: usize,
        report: &Report,
    ) {
        if !self.is_enabled() {
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
        self.enqueue(Arc::new(game), limits, lines, &moves);
    }

    /// Wishes for the position that the best line leads to. `false` when there is none, or the same
    /// was wished for lately.
    pub(super) fn enqueue_best_child(
        &self,
        game: &Game,
        limits: &Limits,
        lines: usize,
        report: &Report,
    ) -> bool {
        let Some(&best) = report.pv.first().filter(|_| self.is_enabled()) else { return false };
        let is_new = self.recent.insert(&((game.position().key(), best), *limits, lines));
        if is_new {
            self.enqueue(Arc::new(reversible_tail(game)), limits, lines, &[best]);
        }
        is_new
    }

    fn enqueue(&self, parent: Arc<Game>, limits: &Limits, lines: usize, moves: &[Move]) {
        let key = parent.position().key();
        let queued_at = Instant::now();
        let mut state = self.lock();
        for (rank, &mv) in moves.iter().enumerate() {
            let priority = (u16::try_from(rank).unwrap_or(u16::MAX), Reverse(state.insertions));
            state.insertions += 1;
            if let Some(older) = state.priorities.insert((key, mv), priority) {
                state.candidates.remove(&older);
            }
            state.candidates.insert(
                priority,
                Candidate { parent: parent.clone(), mv, limits: *limits, lines, queued_at },
            );
            if state.candidates.len() > self.capacity
                && let Some((_, least)) = state.candidates.pop_last()
            {
                state.priorities.remove(&least.id());
                self.recent.remove(&(least.id(), least.limits, least.lines));
            }
        }
        self.length.store(state.candidates.len(), Ordering::Release);
    }

    /// The wish whose turn is next.
    pub(super) fn pop(&self) -> Option<Candidate> {
        if self.len() == 0 {
            return None;
        }
        let mut state = self.lock();
        let (_, candidate) = state.candidates.pop_first()?;
        state.priorities.remove(&candidate.id());
        self.length.store(state.candidates.len(), Ordering::Release);
        Some(candidate)
    }

    /// Puts back what could not be followed to its end, before all others.
    pub(super) fn put_back(&self, candidate: Candidate) {
        let Candidate { parent, mv, limits, lines, .. } = candidate;
        self.enqueue(parent, &limits, lines, &[mv]);
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
    use crate::chess::parse_move;

    fn report_with_best_moves(texts: [&str; 2]) -> Report {
        let mv = |text| parse_move(start_game().position(), text).unwrap();
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
    fn report_after(moves: &str) -> Report {
        Report { pv: game_of(moves).position().legal_moves()[..1].to_vec(), ..report(5, 1) }
    }

    fn pop_move(list: &SpeculativeQueue) -> String {
        list.pop().map_or_else(String::new, |candidate| {
            format!("{}{}", candidate.mv.from(), candidate.mv.to())
        })
    }

    #[test]
    fn the_best_lines_come_first_and_then_all_other_moves() {
        let list = SpeculativeQueue::new(100);
        list.enqueue_children(
            start_game(),
            &depth(5),
            2,
            &report_with_best_moves(["e2e4", "d2d4"]),
        );
        assert_eq!(list.len(), 20);
        assert_eq!([pop_move(&list), pop_move(&list)], ["e2e4", "d2d4"]);
        let mut others: Vec<String> = (0..18).map(|_| pop_move(&list)).collect();
        others.sort();
        others.dedup();
        assert_eq!((others.len(), list.len(), pop_move(&list)), (18, 0, String::new()));
    }

    #[test]
    fn the_best_move_of_the_newest_request_precedes_other_moves_of_an_older_one() {
        let list = SpeculativeQueue::new(100);
        list.enqueue_children(
            start_game(),
            &depth(5),
            2,
            &report_with_best_moves(["e2e4", "d2d4"]),
        );
        list.enqueue_best_child(&game_of("g1f3"), &depth(5), 1, &report_after("g1f3"));
        let first = list.pop().unwrap();
        assert_eq!(first.game().moves().len(), 2, "the way to it is kept");
        assert_eq!(pop_move(&list), "e2e4");
    }

    #[test]
    fn a_repeated_request_enqueues_nothing_new() {
        let list = SpeculativeQueue::new(100);
        let enqueue = |limit, lines| {
            list.enqueue_best_child(
                &start_game(),
                &depth(limit),
                lines,
                &report_with_best_moves(["e2e4", "d2d4"]),
            )
        };
        assert!(enqueue(5, 1));
        assert_eq!(pop_move(&list), "e2e4");
        assert!(!enqueue(5, 1), "it is being followed, or was");
        assert_eq!(list.len(), 0);
        assert!(enqueue(6, 1), "deeper");
        assert!(enqueue(6, 2), "with more lines");
    }

    #[test]
    fn a_dropped_candidate_can_be_enqueued_again() {
        let list = SpeculativeQueue::new(1);
        let enqueue =
            |moves| list.enqueue_best_child(&game_of(moves), &depth(5), 1, &report_after(moves));
        assert!(enqueue("e2e4"));
        assert!(enqueue("d2d4"), "it takes the other's place");
        assert_eq!(
            list.pop().map(|candidate| candidate.mv),
            report_after("d2d4").pv.first().copied()
        );
        assert!(enqueue("e2e4"));
    }

    #[test]
    fn the_queue_is_bounded_and_drops_the_least_likely() {
        let list = SpeculativeQueue::new(3);
        list.enqueue_children(
            start_game(),
            &depth(5),
            2,
            &report_with_best_moves(["e2e4", "d2d4"]),
        );
        assert_eq!(list.len(), 3);
        assert_eq!([pop_move(&list), pop_move(&list)], ["e2e4", "d2d4"]);
        let off = SpeculativeQueue::new(0);
        off.enqueue_children(start_game(), &depth(5), 2, &report_with_best_moves(["e2e4", "d2d4"]));
        assert!(off.pop().is_none());
    }

    #[test]
    fn a_candidate_enqueued_twice_waits_once() {
        let list = SpeculativeQueue::new(100);
        for _ in 0..3 {
            list.enqueue_children(
                start_game(),
                &depth(5),
                2,
                &report_with_best_moves(["e2e4", "d2d4"]),
            );
        }
        assert_eq!((list.len(), list.lock().priorities.len()), (20, 20));
        let candidate = list.pop().unwrap();
        list.put_back(candidate);
        assert_eq!((list.len(), pop_move(&list)), (20, "e2e4".to_owned()));
        list.clear();
        assert_eq!((list.len(), pop_move(&list)), (0, String::new()));
    }
}
