//! Candidates for speculative search: the positions that clients are likely to request next.
//!
//! After a request for a position, a request for one of its children is likely, most of all along
//! the best lines. The candidates wait in a bounded queue. Every request takes priority over them
//! and preempts a speculative search if it needs the worker.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::clock;
use crate::analysis::request::{AnalysisRequest, reversible_tail};
use crate::chess::{Game, Move};
use crate::engine::{Limits, Report};

/// The identity of a candidate: the key of the parent position and the move from there.
type CandidateId = (u64, Move);

/// The order of candidates, least first: by rank of the move, then newest first.
type CandidatePriority = (u16, Reverse<u64>);

/// A position that a client is likely to request, with the likely limits.
#[derive(Clone, Debug)]
pub(in crate::analysis) struct Candidate {
    /// The requested position with its history.
    parent: Arc<Game>,
    mv: Move,
    pub(in crate::analysis) limits: Limits,
    pub(in crate::analysis) lines: usize,
    /// When the candidate was queued, or put back.
    pub(super) queued_at: Instant,
}

impl Candidate {
    fn id(&self) -> CandidateId {
        (self.parent.position().key(), self.mv)
    }

    /// The position after the move, with its history.
    pub(in crate::analysis) fn game(&self) -> Game {
        let mut game = (*self.parent).clone();
        game.play(self.mv);
        game
    }
}

/// The waiting candidates.
#[derive(Debug)]
pub(in crate::analysis) struct SpeculativeQueue {
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
    /// The most memory of a candidate, in bytes. Candidates of one request share its game; in the
    /// worst case each comes from another request.
    pub(in crate::analysis) const MAX_BYTES: usize =
        AnalysisRequest::MAX_BYTES + 2 * size_of::<(CandidatePriority, Candidate, CandidateId)>();

    /// A queue for this many candidates; with capacity 0 it stays empty.
    pub(in crate::analysis) fn new(capacity: usize) -> SpeculativeQueue {
        SpeculativeQueue {
            state: Mutex::default(),
            length: AtomicUsize::new(0),
            capacity,
            recent: RecentCandidates::default(),
        }
    }

    /// `true` when the queue accepts candidates.
    pub(in crate::analysis) fn is_enabled(&self) -> bool {
        self.capacity > 0
    }

    /// How many candidates wait.
    pub(in crate::analysis) fn len(&self) -> usize {
        self.length.load(Ordering::Acquire)
    }

    /// Queues all children of a position, those along the report's lines first.
    pub(in crate::analysis) fn enqueue_children(
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

    /// Queues the child along the best line. Returns `false` when there is none, or when the same
    /// candidate was queued recently.
    pub(in crate::analysis) fn enqueue_best_child(
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
        let queued_at = clock::now();
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

    /// Takes the next candidate out.
    pub(in crate::analysis) fn pop(&self) -> Option<Candidate> {
        if self.len() == 0 {
            return None;
        }
        let mut state = self.lock();
        let (_, candidate) = state.candidates.pop_first()?;
        state.priorities.remove(&candidate.id());
        self.length.store(state.candidates.len(), Ordering::Release);
        Some(candidate)
    }

    /// Puts a candidate whose search was preempted back, before all others.
    pub(in crate::analysis) fn put_back(&self, candidate: Candidate) {
        // A newer request for the same position may have other limits.
        if self.lock().priorities.contains_key(&candidate.id()) {
            return;
        }
        let Candidate { parent, mv, limits, lines, .. } = candidate;
        self.enqueue(parent, &limits, lines, &[mv]);
    }

    /// Removes all candidates.
    pub(in crate::analysis) fn clear(&self) {
        *self.lock() = State::default();
        self.recent.clear();
        self.length.store(0, Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many recent candidates are remembered at most; each overwrites an older one.
const RECENT_SLOTS: usize = 16_384;

/// How long a candidate counts as recent at most. By then its result may be evicted.
const RECENT_WINDOW: Duration = Duration::from_secs(300);

/// The candidates queued recently, so that a repeated request queues its child only once.
///
/// A lossy set without locks. A lost candidate is queued once more, which only costs a little time.
#[derive(Debug)]
struct RecentCandidates {
    /// For each slot the hash of its newest candidate; 0 if empty.
    slots: Box<[AtomicU64]>,
    hasher: RandomState,
    created_at: Instant,
}

impl Default for RecentCandidates {
    fn default() -> RecentCandidates {
        let slots = (0..RECENT_SLOTS).map(|_| AtomicU64::new(0)).collect();
        RecentCandidates { slots, hasher: RandomState::new(), created_at: clock::now() }
    }
}

impl RecentCandidates {
    /// Adds a candidate. Returns `false` if it is the newest of its slot already.
    fn insert(&self, candidate: &impl Hash) -> bool {
        let (hash, slot) = self.slot(candidate);
        // The load comes first because nearly all candidates of a busy server are present.
        slot.load(Ordering::Relaxed) != hash && slot.swap(hash, Ordering::Relaxed) != hash
    }

    /// Removes a candidate.
    fn remove(&self, candidate: &impl Hash) {
        let (hash, slot) = self.slot(candidate);
        // The slot may hold a newer candidate by now, which stays.
        let _ = slot.compare_exchange(hash, 0, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Removes all candidates.
    fn clear(&self) {
        self.slots.iter().for_each(|slot| slot.store(0, Ordering::Relaxed));
    }

    fn slot(&self, candidate: &impl Hash) -> (u64, &AtomicU64) {
        let window = clock::elapsed_since(self.created_at).as_secs() / RECENT_WINDOW.as_secs();
        let hash = self.hasher.hash_one((window, candidate));
        (hash, &self.slots[hash as usize % RECENT_SLOTS])
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

    /// A report for the position after these moves whose best move is the first legal one.
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
        assert_eq!(first.game().moves().len(), 2, "the candidate keeps its history");
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
        assert!(!enqueue(5, 1), "the same candidate was queued before");
        assert_eq!(list.len(), 0);
        assert!(enqueue(6, 1), "a deeper limit is new");
        assert!(enqueue(6, 2), "more lines are new");
    }

    #[test]
    fn a_dropped_candidate_can_be_enqueued_again() {
        let list = SpeculativeQueue::new(1);
        let enqueue =
            |moves| list.enqueue_best_child(&game_of(moves), &depth(5), 1, &report_after(moves));
        assert!(enqueue("e2e4"));
        assert!(enqueue("d2d4"), "the new candidate displaces the older one");
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

    #[test]
    fn a_repeated_candidate_is_not_new_until_removed() {
        let recent = RecentCandidates::default();
        assert_eq!([recent.insert(&7), recent.insert(&7), recent.insert(&8)], [true, false, true]);
        recent.remove(&7);
        assert_eq!([recent.insert(&7), recent.insert(&8)], [true, false]);
        recent.clear();
        assert!(recent.insert(&7));
    }

    #[test]
    fn any_number_of_candidates_is_accepted() {
        let recent = RecentCandidates::default();
        let new = (0..10 * RECENT_SLOTS).filter(|candidate| recent.insert(candidate)).count();
        assert_eq!(new, 10 * RECENT_SLOTS);
    }
}
