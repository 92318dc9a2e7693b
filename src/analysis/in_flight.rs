//! Searches in flight: equal questions share one search, and who leaves last ends it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dashmap::{DashMap, Entry};
use tokio::sync::watch;
use tracing::{Id, Span};

use super::AnalysisError;
use super::SearchCounts;
use super::answer::CompletionReason;
use super::cache_key::AnalysisKey;
use super::counters::{CountedNodes, RunningGuard, SearchCounters};
use super::queue::{PriorityClass, Queue, QueuePlace, Submitter, Task};
use crate::engine::{Limits, Report, SearchScope, StopFlag, StopReason};

/// What makes two questions equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SearchKey {
    pub(super) analysis_key: AnalysisKey,
    pub(super) limits: Limits,
    pub(super) scope: SearchScope,
    /// `fresh` joins only `fresh`.
    pub(super) fresh: bool,
}

/// What a search brought home.
#[derive(Clone, Debug)]
pub(super) struct SearchResult {
    pub(super) report: Arc<Report>,
    pub(super) reason: CompletionReason,
    pub(super) started: Instant,
    pub(super) ended: Instant,
}

type SearchOutcome = Result<SearchResult, AnalysisError>;

/// How far a search is.
#[derive(Clone, Debug, Default)]
pub(super) struct SearchProgress {
    /// When it began; `None` while it waits for a worker.
    pub(super) started_at: Option<Instant>,
    /// The last iteration that it has finished.
    pub(super) latest_report: Option<Arc<Report>>,
}

/// One search, from its place in the queue to its end.
#[derive(Debug)]
pub(super) struct SharedSearch {
    stop: StopFlag,
    stopped_by_shutdown: AtomicBool,
    /// Once it fell to zero it never rises again: nobody joins a search that was told to stop.
    subscribers: AtomicUsize,
    queue_place: Mutex<Option<QueuePlace>>,
    progress: watch::Sender<SearchProgress>,
    outcome: watch::Sender<Option<SearchOutcome>>,
    counted_nodes: CountedNodes,
    /// The request that launched it. Whoever can join it finds that span open: the job holds it.
    initiator: Option<Id>,
}

impl SharedSearch {
    fn with_one_subscriber() -> SharedSearch {
        SharedSearch {
            stop: StopFlag::default(),
            stopped_by_shutdown: AtomicBool::new(false),
            subscribers: AtomicUsize::new(1),
            queue_place: Mutex::new(None),
            progress: watch::Sender::default(),
            outcome: watch::Sender::new(None),
            counted_nodes: CountedNodes::default(),
            initiator: Span::current().id(),
        }
    }

    /// The flag for the search.
    pub(super) fn stop_flag(&self) -> &StopFlag {
        &self.stop
    }

    /// `true` once the last listener has left.
    pub(super) fn is_abandoned(&self) -> bool {
        self.subscribers.load(Ordering::Acquire) == 0
    }

    /// Says that the search has finished an iteration.
    pub(super) fn publish_update(&self, report: &Report) {
        self.progress
            .send_modify(|progress| progress.latest_report = Some(Arc::new(report.clone())));
    }

    /// Why the search ended, as its listeners are told.
    pub(super) fn completion_reason(&self, report: &Report) -> CompletionReason {
        match report.reason {
            StopReason::Stopped if self.stopped_by_shutdown.load(Ordering::Acquire) => {
                CompletionReason::Shutdown
            }
            reason => reason.into(),
        }
    }

    /// `true` once it has come to its end.
    fn is_finished(&self) -> bool {
        self.outcome.borrow().is_some()
    }

    async fn wait_for_result(&self) -> SearchOutcome {
        let mut outcome = self.outcome.subscribe();
        match outcome.wait_for(Option::is_some).await {
            Ok(outcome) => outcome
                .clone()
                .unwrap_or(Err(AnalysisError::Internal("a search without an outcome"))),
            Err(_) => Err(AnalysisError::Internal("a search without an end")),
        }
    }

    fn queue_place(&self) -> MutexGuard<'_, Option<QueuePlace>> {
        self.queue_place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn join(&self) -> bool {
        let one_more = |subscribers: usize| (subscribers > 0).then_some(subscribers + 1);
        self.subscribers.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more).is_ok()
    }

    /// `true` for the last one.
    fn leave(&self) -> bool {
        self.subscribers.fetch_sub(1, Ordering::AcqRel) == 1
    }
}

/// All searches that run or wait for their turn.
#[derive(Clone, Default)]
pub(super) struct SharedSearches {
    active: Arc<DashMap<Arc<SearchKey>, Arc<SharedSearch>>>,
    counters: SearchCounters,
}

/// A listener's hold on a flight. Dropping it is leaving.
pub(super) struct Subscription {
    key: Arc<SearchKey>,
    search: Arc<SharedSearch>,
    searches: SharedSearches,
    queue: Arc<Queue>,
    /// Another request had started the search.
    pub(super) shared: bool,
    has_left: bool,
}

/// The search's side of a flight. If it is dropped before it has landed, the listeners hear of an
/// internal error.
pub(super) struct SearchPublisher {
    key: Arc<SearchKey>,
    pub(super) search: Arc<SharedSearch>,
    searches: SharedSearches,
    running_guard: Option<RunningGuard>,
}

impl SharedSearches {
    /// Joins the flight with this key, or launches one by a job that the queue takes; nobody can
    /// join before it has taken it. Who joins one that waits in a slower lane than his own takes it
    /// along into his. `answered` has the last word before a launch: an answer that came in the
    /// meantime.
    pub(super) fn join_or_start<A>(
        &self,
        key: Arc<SearchKey>,
        queue: &Arc<Queue>,
        submitter: Submitter,
        cached_answer: impl FnOnce() -> Option<A>,
        make_task: impl FnOnce(SearchPublisher) -> Task,
    ) -> Result<JoinOutcome<A>, AnalysisError> {
        let subscription = |key, search, shared| Subscription {
            key,
            search,
            searches: self.clone(),
            queue: queue.clone(),
            shared,
            has_left: false,
        };
        let entry = self.active.entry(key.clone());
        if let Entry::Occupied(existing) = &entry
            && existing.get().join()
        {
            let search = existing.get().clone();
            let mut place = search.queue_place();
            *place = place.map(|place| queue.promote(place, submitter.class, &submitter.client));
            drop(place);
            self.counters.record_shared();
            Span::current().follows_from(search.initiator.clone());
            tracing::debug!("joined a search that is under way");
            return Ok(JoinOutcome::Subscribed(subscription(key, search, true)));
        }
        if let Some(answer) = cached_answer() {
            return Ok(JoinOutcome::Answered(answer));
        }
        let search = Arc::new(SharedSearch::with_one_subscriber());
        let new_publisher = || SearchPublisher {
            key: key.clone(),
            search: search.clone(),
            searches: self.clone(),
            running_guard: None,
        };
        let (place, evicted) = queue.push(submitter, || make_task(new_publisher()))?;
        *search.queue_place() = Some(place);
        // A flight that was abandoned a moment ago may still stand here; its leaver looks whose it
        // is before it removes it.
        drop(entry.insert(search.clone()));
        // Only now: what ends takes its flight out of the map.
        evicted.reject();
        Ok(JoinOutcome::Subscribed(subscription(key, search, false)))
    }

    /// Tells all searches to stop and to answer with what they have.
    pub(super) fn stop_all(&self) {
        for search in self.active.iter() {
            search.stopped_by_shutdown.store(true, Ordering::Release);
            search.stop.stop();
        }
    }

    /// Where searches are counted.
    pub(super) fn counters(&self) -> SearchCounters {
        self.counters.clone()
    }

    /// What was searched so far.
    pub(super) fn counts(&self) -> SearchCounts {
        self.active.iter().for_each(|search| {
            self.counters.record_nodes(&search.counted_nodes, search.stop.nodes())
        });
        self.counters.counts()
    }

    #[cfg(test)]
    pub(super) fn subscribers(&self) -> usize {
        self.active.iter().map(|search| search.subscribers.load(Ordering::Acquire)).sum()
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.active.len()
    }

    fn remove(&self, key: &SearchKey, search: &Arc<SharedSearch>) {
        self.active.remove_if(key, |_, existing| Arc::ptr_eq(existing, search));
    }
}

/// How boarding went.
pub(super) enum JoinOutcome<A> {
    Answered(A),
    Subscribed(Subscription),
}

impl Subscription {
    /// Waits for the search's end.
    pub(super) async fn wait_for_result(&self) -> SearchOutcome {
        self.search.wait_for_result().await
    }

    /// What is told of the search's progress.
    pub(super) fn progress(&self) -> watch::Receiver<SearchProgress> {
        self.search.progress.subscribe()
    }

    /// How many stand before the search in the queue; `None` once a worker has it.
    pub(super) fn tasks_ahead(&self) -> Option<usize> {
        let place = *self.search.queue_place();
        self.queue.tasks_ahead(place?)
    }

    /// Make-moves of the search so far.
    pub(super) fn nodes(&self) -> u64 {
        self.search.stop.nodes()
    }

    /// Changes whenever somebody comes to the queue, gets his turn or leaves.
    pub(super) fn watch_load(&self) -> watch::Receiver<usize> {
        self.queue.watch_load()
    }

    /// What it is told when it has waited so long and long enough.
    pub(super) fn time_out(&self, waited: Duration) -> AnalysisError {
        let place = *self.search.queue_place();
        self.queue.time_out(place.map_or(PriorityClass::Interactive, QueuePlace::class), waited)
    }

    /// Leaves before the end; `true` for the last one, who stops the search.
    pub(super) fn leave(&mut self) -> bool {
        if std::mem::replace(&mut self.has_left, true) || !self.search.leave() {
            return false;
        }
        if !self.search.is_finished() {
            self.searches.counters.record_cancelled();
        }
        self.search.stop.stop();
        self.searches.remove(&self.key, &self.search);
        let place = *self.search.queue_place();
        if let Some(place) = place {
            self.queue.remove(place);
        }
        true
    }

    /// `true` once the search has its end.
    pub(super) fn is_finished(&self) -> bool {
        self.search.outcome.borrow().is_some()
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.leave();
    }
}

impl SearchPublisher {
    /// Says that a worker has taken the search up.
    pub(super) fn start(&mut self, now: Instant) {
        self.running_guard = Some(self.searches.counters.start());
        self.search.progress.send_modify(|progress| progress.started_at = Some(now));
    }

    /// Ends the flight: from here on nobody joins it, and all who sit in it have their answer.
    pub(super) fn publish_result(mut self, outcome: SearchOutcome) {
        let nodes = outcome.as_ref().map_or(0, |result| result.report.nodes);
        self.record_end(nodes);
        self.search.outcome.send_replace(Some(outcome));
    }

    /// The search has ended: it counts before anybody hears of it.
    fn record_end(&mut self, nodes: u64) {
        let SharedSearches { counters, .. } = &self.searches;
        counters.record_nodes(&self.search.counted_nodes, nodes.max(self.search.stop.nodes()));
        drop(self.running_guard.take());
    }
}

impl Drop for SearchPublisher {
    fn drop(&mut self) {
        self.record_end(0);
        self.searches.remove(&self.key, &self.search);
        self.search.outcome.send_if_modified(|outcome| {
            let was_unset = outcome.is_none();
            outcome
                .get_or_insert(Err(AnalysisError::Internal("the search ended without an answer")));
            was_unset
        });
    }
}
