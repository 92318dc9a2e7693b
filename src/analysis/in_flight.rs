//! In-flight searches: equal requests share one search, which ends when its last subscriber leaves.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use dashmap::{DashMap, Entry};
use tokio::sync::watch;
use tracing::{Id, Span};

use super::answer::{AnalysisError, CompletionReason};
use super::cache_key::AnalysisKey;
use super::counters::{CountedNodes, RunningGuard, SearchCounters, SearchCounts};
use super::queue::{Location, Queue, Submitter, TaskControl};
use super::session::Client;
use crate::engine::{Limits, Report, SearchOptions, StopFlag, StopReason};

/// The identity of a search: requests with equal keys share one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SearchKey {
    pub(super) analysis_key: AnalysisKey,
    /// The requested limits, before the service's own time limit.
    pub(super) limits: Limits,
    pub(super) options: SearchOptions,
    /// A `fresh` request joins only `fresh` ones.
    pub(super) fresh: bool,
    /// A number of its own for a search of limited strength, which is equal to no other.
    pub(super) unshared: Option<u64>,
}

impl SearchKey {
    /// `true` if the cache may answer.
    pub(super) fn uses_cache(&self) -> bool {
        self.limits.mate.is_none() && self.is_cacheable() && !self.fresh
    }

    /// `true` if the cache can hold the result: the best lines among all moves, at full strength.
    /// The number of threads does not matter.
    pub(super) fn is_cacheable(&self) -> bool {
        self.options.search_moves.is_empty() && self.unshared.is_none()
    }
}

/// The result of a finished search.
#[derive(Clone, Debug)]
pub(super) struct SearchResult {
    pub(super) report: Arc<Report>,
    pub(super) reason: CompletionReason,
    pub(super) started: Instant,
    pub(super) ended: Instant,
    /// The time between the slices of the search.
    pub(super) paused: Duration,
}

type SearchOutcome = Result<SearchResult, AnalysisError>;

/// The progress of a search.
#[derive(Clone, Debug, Default)]
pub(super) struct SearchProgress {
    /// Where it waits, runs, or has ended.
    pub(super) location: Location,
    /// When the search started; `None` while it waits for a worker.
    pub(super) started_at: Option<Instant>,
    /// The report of the last finished iteration.
    pub(super) latest_report: Option<Arc<Report>>,
}

/// One search, from its place in the queue to its end.
#[derive(Debug)]
struct SharedSearch {
    control: Arc<TaskControl>,
    stopped_by_shutdown: AtomicBool,
    /// Never rises from zero: no request joins a search that is being stopped.
    subscribers: AtomicUsize,
    progress: watch::Sender<SearchProgress>,
    outcome: watch::Sender<Option<SearchOutcome>>,
    counted_nodes: CountedNodes,
    /// The span of the request that started the search. It is open as long as requests can join,
    /// because the task holds it.
    initiator_span: Option<Id>,
}

impl SharedSearch {
    fn with_one_subscriber(submitter: &Submitter) -> SharedSearch {
        SharedSearch {
            control: Arc::new(TaskControl::new(submitter.client.clone())),
            stopped_by_shutdown: AtomicBool::new(false),
            subscribers: AtomicUsize::new(1),
            progress: watch::Sender::default(),
            outcome: watch::Sender::new(None),
            counted_nodes: CountedNodes::default(),
            initiator_span: Span::current().id(),
        }
    }

    fn is_finished(&self) -> bool {
        self.outcome.borrow().is_some()
    }

    /// Adds a subscriber, unless the last one has left.
    fn join(&self) -> bool {
        let one_more = |subscribers: usize| (subscribers > 0).then_some(subscribers + 1);
        self.subscribers.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more).is_ok()
    }

    /// Removes a subscriber. Returns `true` for the last one.
    fn leave(&self) -> bool {
        self.subscribers.fetch_sub(1, Ordering::AcqRel) == 1
    }
}

/// All searches that run or wait in the queue.
#[derive(Clone, Default)]
pub(super) struct SharedSearches {
    active: Arc<DashMap<Arc<SearchKey>, Arc<SharedSearch>>>,
    counters: SearchCounters,
}

/// The result of [`SharedSearches::join`].
pub(super) enum JoinOutcome<'a> {
    /// The request joined an equal search.
    Joined(Subscription),
    /// There is no equal search to join.
    Vacant(VacantSearch<'a>),
}

/// The right to start the search of a key. While it exists, no other request can join or start an
/// equal search, because it locks the key's shard of the map. So the holder drops it before it
/// drops the publisher of a search that did not start.
pub(super) struct VacantSearch<'a> {
    entry: Entry<'a, Arc<SearchKey>, Arc<SharedSearch>>,
    key: Arc<SearchKey>,
    search: Arc<SharedSearch>,
    searches: SharedSearches,
    client: Client,
}

/// A request's subscription to a search. Dropping it unsubscribes.
pub(super) struct Subscription {
    key: Arc<SearchKey>,
    search: Arc<SharedSearch>,
    searches: SharedSearches,
    queue: Arc<Queue>,
    client: Client,
    /// Another request had started the search.
    pub(super) shared: bool,
    has_left: bool,
}

/// The search's side of its subscriptions. Dropped without a result, it publishes an internal
/// error.
pub(super) struct SearchPublisher {
    key: Arc<SearchKey>,
    search: Arc<SharedSearch>,
    searches: SharedSearches,
    running_guard: Option<RunningGuard>,
}

impl SharedSearches {
    /// Joins the search with this key, if there is one. A waiting search moves to the class of a
    /// more urgent request that joins it.
    pub(super) fn join(
        &self,
        key: &Arc<SearchKey>,
        submitter: &Submitter,
        queue: &Arc<Queue>,
    ) -> JoinOutcome<'_> {
        let (entry, searches) = (self.active.entry(key.clone()), self.clone());
        if let Entry::Occupied(existing) = &entry
            && existing.get().join()
        {
            let search = existing.get().clone();
            return JoinOutcome::Joined(self.subscribe(key, search, submitter, queue));
        }
        let search = Arc::new(SharedSearch::with_one_subscriber(submitter));
        let client = submitter.client.clone();
        JoinOutcome::Vacant(VacantSearch { entry, key: key.clone(), search, searches, client })
    }

    /// Joins the search with this key for another node, if there is one.
    pub(super) fn join_existing(
        &self,
        key: &Arc<SearchKey>,
        submitter: &Submitter,
        queue: &Arc<Queue>,
    ) -> Option<Subscription> {
        let search = self.active.get(key).filter(|search| search.join())?.clone();
        Some(self.subscribe(key, search, submitter, queue))
    }

    /// `true` if a search with this key waits or runs.
    pub(super) fn contains(&self, key: &SearchKey) -> bool {
        self.active.contains_key(key)
    }

    /// The subscription of a request that has joined a search.
    fn subscribe(
        &self,
        key: &Arc<SearchKey>,
        search: Arc<SharedSearch>,
        submitter: &Submitter,
        queue: &Arc<Queue>,
    ) -> Subscription {
        search.control.add_client(&submitter.client);
        queue.promote(&search.control, submitter.class, &submitter.client);
        self.counters.record_shared();
        Span::current().follows_from(search.initiator_span.clone());
        tracing::debug!("joined a search in flight");
        Subscription {
            key: key.clone(),
            search,
            searches: self.clone(),
            queue: queue.clone(),
            client: submitter.client.clone(),
            shared: true,
            has_left: false,
        }
    }

    /// Stops all searches. They return their best result so far.
    pub(super) fn stop_all(&self) {
        for search in self.active.iter() {
            search.stopped_by_shutdown.store(true, Ordering::Release);
            search.control.stop();
        }
    }

    /// The counters of searches.
    pub(super) fn counters(&self) -> SearchCounters {
        self.counters.clone()
    }

    /// The searches since the start, the nodes of running ones included.
    pub(super) fn counts(&self) -> SearchCounts {
        self.active.iter().for_each(|search| {
            self.counters.record_nodes(&search.counted_nodes, search.control.nodes_here(0))
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

impl VacantSearch<'_> {
    /// The publisher for the task of the search.
    pub(super) fn publisher(&self) -> SearchPublisher {
        SearchPublisher {
            key: self.key.clone(),
            search: self.search.clone(),
            searches: self.searches.clone(),
            running_guard: None,
        }
    }

    /// The control of the search's task.
    pub(super) fn control(&self) -> &Arc<TaskControl> {
        &self.search.control
    }

    /// Lets requests join the search, whose task waits in the queue.
    pub(super) fn start(self, queue: &Arc<Queue>) -> Subscription {
        let VacantSearch { entry, key, search, searches, client } = self;
        // The entry may hold a search whose last subscriber has just left. That subscriber compares
        // the searches before it removes its own.
        drop(entry.insert(search.clone()));
        let queue = queue.clone();
        Subscription { key, search, searches, queue, client, shared: false, has_left: false }
    }
}

impl Subscription {
    /// Waits for the end of the search.
    pub(super) async fn wait_for_result(&self) -> SearchOutcome {
        let mut outcome = self.search.outcome.subscribe();
        match outcome.wait_for(Option::is_some).await {
            Ok(outcome) => outcome
                .clone()
                .unwrap_or(Err(AnalysisError::Internal("a finished search has no outcome"))),
            Err(_) => Err(AnalysisError::Internal("the search ended without an outcome")),
        }
    }

    /// The progress of the search.
    pub(super) fn progress(&self) -> watch::Receiver<SearchProgress> {
        self.search.progress.subscribe()
    }

    /// How many tasks are ahead of the search in the queue; `None` while it runs.
    pub(super) fn tasks_ahead(&self) -> Option<usize> {
        self.queue.tasks_ahead(&self.search.control)
    }

    /// Changes when the search pauses or continues.
    pub(super) fn watch_paused(&self) -> watch::Receiver<bool> {
        self.search.control.watch_paused()
    }

    /// The time that the search has spent between slices.
    pub(super) fn paused_time(&self) -> Duration {
        self.search.control.paused_time()
    }

    /// The nodes of the search so far.
    pub(super) fn nodes(&self) -> u64 {
        self.search.control.nodes()
    }

    /// Changes when a task comes to the queue, starts, ends or is removed.
    pub(super) fn watch_load(&self) -> watch::Receiver<usize> {
        self.queue.watch_load()
    }

    /// Counts a wait that took too long, and returns its error.
    pub(super) fn time_out(&self, waited: Duration) -> AnalysisError {
        self.queue.time_out(&self.search.control, waited)
    }

    /// Unsubscribes before the end. The last subscriber stops the search; then this returns `true`.
    pub(super) fn leave(&mut self) -> bool {
        if std::mem::replace(&mut self.has_left, true) {
            return false;
        }
        self.queue.leave(&self.search.control, &self.client);
        if !self.search.leave() {
            return false;
        }
        // A search counts where it runs.
        if !self.search.is_finished() && self.search.progress.borrow().location == Location::Here {
            self.searches.counters.record_cancelled();
        }
        self.search.control.stop();
        self.searches.remove(&self.key, &self.search);
        self.queue.remove(&self.search.control);
        true
    }

    /// `true` after the end of the search.
    pub(super) fn is_finished(&self) -> bool {
        self.search.is_finished()
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.leave();
    }
}

impl SearchPublisher {
    /// The key of the search.
    pub(super) fn key(&self) -> &SearchKey {
        &self.key
    }

    /// The flag that stops and pauses the current run of the search.
    pub(super) fn flag(&self) -> Arc<StopFlag> {
        self.search.control.flag()
    }

    /// Ends a run. Returns `true` if it was stopped for a restart.
    pub(super) fn end_run(&self, reason: StopReason) -> bool {
        self.search.control.end_run(reason == StopReason::Stopped)
    }

    /// Notes the nodes of the run on another node so far.
    pub(super) fn note_nodes_elsewhere(&self, nodes: u64) {
        self.search.control.note_nodes_elsewhere(nodes);
    }

    /// The time that the search has spent between slices.
    pub(super) fn paused_time(&self) -> Duration {
        self.search.control.paused_time()
    }

    /// `true` after the last subscriber has left.
    pub(super) fn is_abandoned(&self) -> bool {
        self.search.subscribers.load(Ordering::Acquire) == 0
    }

    /// Publishes that a worker has started the search.
    pub(super) fn publish_start(&mut self, now: Instant) {
        self.running_guard.get_or_insert_with(|| self.searches.counters.start());
        self.set_start(Location::Here, now);
    }

    /// Publishes that another node has started the search, where it counts.
    pub(super) fn publish_start_elsewhere(&self, location: Location, now: Instant) {
        self.set_start(location, now);
    }

    fn set_start(&self, location: Location, now: Instant) {
        self.search.progress.send_modify(|progress| {
            progress.location = location;
            progress.started_at.get_or_insert(now);
        });
    }

    /// Notes where the search waits.
    pub(super) fn set_location(&self, location: Location) {
        self.search.progress.send_modify(|progress| progress.location = location);
    }

    /// Publishes a finished iteration.
    pub(super) fn publish_update(&self, report: Report) {
        self.search
            .progress
            .send_modify(|progress| progress.latest_report = Some(Arc::new(report)));
    }

    /// The end of the service ends the search.
    pub(super) fn mark_as_shut_down(&self) {
        self.search.stopped_by_shutdown.store(true, Ordering::Release);
    }

    /// Why the search ended, as its subscribers see it.
    pub(super) fn completion_reason(&self, report: &Report) -> CompletionReason {
        match report.reason {
            StopReason::Stopped if self.search.stopped_by_shutdown.load(Ordering::Acquire) => {
                CompletionReason::Shutdown
            }
            reason => reason.into(),
        }
    }

    /// Publishes the outcome to all subscribers and removes the search from the map, so that no
    /// request joins it any more.
    pub(super) fn publish_result(mut self, outcome: SearchOutcome) {
        let nodes = outcome.as_ref().map_or(0, |result| result.report.nodes);
        self.record_end(nodes);
        self.search.outcome.send_replace(Some(outcome));
    }

    /// Counts the end of the search, before a subscriber can see it.
    fn record_end(&mut self, nodes: u64) {
        let SharedSearches { counters, .. } = &self.searches;
        counters.record_nodes(&self.search.counted_nodes, self.search.control.nodes_here(nodes));
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
                .get_or_insert(Err(AnalysisError::Internal("the search ended without a result")));
            was_unset
        });
    }
}
