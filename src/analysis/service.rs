//! The analysis service: the use cases that the front ends call.

mod bounds;
mod nodes;

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::analysis_stream::{AnalysisStream, PendingSearch};
use super::answer::{AnalysisError, Answer, CacheVerdict, CompletionReason, PerftResult};
use super::cache_key::AnalysisKey;
use super::counters::{ServiceStatus, StoreStatus};
#[cfg(test)]
use super::evaluation_cache::Origin;
use super::evaluation_cache::{
    CachedAnalysis, EvaluationCache, LookupResult, SharedEntry, WriteBehind,
};
use super::graph::{self, GraphNode};
use super::in_flight::{JoinOutcome, SearchKey, SharedSearches, Subscription, VacantSearch};
use super::leased_search::{LeaseKeeper, LeasedSearch, LeasedSearches};
use super::lending;
use super::perft::{PerftHandle, PerftRequest, PerftTask, Progress};
use super::queue::{Queue, SpeculativeQueue, Submitter, Task, TaskControl};
use super::request::{AnalysisRequest, PriorityClass, reversible_tail};
use super::search_task::{EarlierRuns, SearchTask};
use super::searcher::Searcher;
use super::service_options::{Backends, ServiceOptions};
use super::session::{SessionGuard, Sessions};
use super::workers::{SpeculativeSearch, start_workers};
use crate::chess::{Game, Outcome, Position};
use crate::engine::{Limits, Report, Score, StopFlag, StopReason, TablebaseOptions, Wdl};
use crate::store::Store;

/// The longest that a batch request waits for a worker: practically as long as its client reads.
const MAX_BATCH_WAIT: Duration = Duration::from_secs(86_400);

/// The analysis service. Clones are cheap and share one service, which shuts down when the last
/// clone is dropped.
#[derive(Clone)]
pub struct Service(Arc<Inner>);

struct Inner {
    searcher: Arc<dyn Searcher>,
    cache: Arc<EvaluationCache>,
    searches: SharedSearches,
    leased_searches: LeasedSearches,
    queue: Arc<Queue>,
    shutdown: Arc<StopFlag>,
    sessions: Sessions,
    /// How many requests had a search of their own.
    unshared_searches: AtomicU64,
    options: ServiceOptions,
}

/// The origin of a search.
#[derive(Debug)]
enum SearchOrigin {
    /// A request on this node, whose search may run for all nodes.
    Client { leased: Option<Arc<LeasedSearch>> },
    /// Another node, which may take it back. So it is not lent any further.
    OtherNode,
}

/// What the other nodes say about a request.
#[derive(Default)]
struct ClusterAnswer {
    /// Their analyses of its position.
    shared: Vec<SharedEntry>,
    /// The long search of equal requests on all nodes.
    leased: Option<Arc<LeasedSearch>>,
}

/// The result of [`Inner::join_or_start`].
enum PendingAnswer {
    /// The cache has an answer by now.
    Cached(CachedAnalysis, CompletionReason),
    /// The search runs or waits.
    Searching(Subscription),
}

impl Service {
    /// Starts the workers.
    ///
    /// # Errors
    /// The system grants no more threads.
    pub fn start(searcher: Arc<dyn Searcher>, options: ServiceOptions) -> io::Result<Service> {
        Service::start_with_backends(searcher, options, Backends::default())
    }

    /// Starts the workers with a durable cache.
    ///
    /// # Errors
    /// As [`Service::start_with_backends`].
    pub fn start_with_store(
        searcher: Arc<dyn Searcher>,
        options: ServiceOptions,
        store: Arc<dyn Store>,
        flush_interval: Duration,
    ) -> io::Result<Service> {
        let backends = Backends { store: Some((store, flush_interval)), cluster: None };
        Service::start_with_backends(searcher, options, backends)
    }

    /// Starts the workers.
    ///
    /// # Errors
    /// The store holds the analyses of another engine, or the system grants no more threads.
    pub fn start_with_backends(
        searcher: Arc<dyn Searcher>,
        options: ServiceOptions,
        backends: Backends,
    ) -> io::Result<Service> {
        let Backends { store, cluster } = backends;
        let cache = match store {
            Some((store, flush_interval)) => {
                check_engine(&*store, &*searcher)?;
                EvaluationCache::with_store(options.cache_max_entries, store, flush_interval)?
            }
            None => EvaluationCache::new(options.cache_max_entries),
        };
        Service::start_with_cache(searcher, options, cache.with_cluster(cluster))
    }

    fn start_with_cache(
        searcher: Arc<dyn Searcher>,
        options: ServiceOptions,
        cache: EvaluationCache,
    ) -> io::Result<Service> {
        let options = ServiceOptions { workers: options.workers.max(1), ..options };
        let queue = Arc::new(Queue::new(
            options.workers,
            options.queue_capacity,
            options.speculative_queue_capacity,
            options.slice,
        ));
        let sessions = Sessions::new(cache.cluster().is_some());
        let cache = Arc::new(cache);
        let searches = SharedSearches::default();
        let speculative_search = SpeculativeSearch {
            searcher: searcher.clone(),
            cache: Arc::downgrade(&cache),
            counters: searches.counters(),
        };
        let service = Service(Arc::new(Inner {
            searcher,
            cache,
            searches,
            leased_searches: LeasedSearches::default(),
            queue: queue.clone(),
            shutdown: Arc::default(),
            sessions,
            unshared_searches: AtomicU64::new(0),
            options,
        }));
        start_workers(&queue, &Arc::new(speculative_search), options.workers)?;
        if let Some(cluster) = service.0.cache.cluster() {
            tokio::spawn(lending::lend_searches(queue, cluster.clone()));
        }
        Ok(service)
    }

    /// Finds the best move: in the cache, in an equal search in flight, or in a new search.
    /// Dropping the future unsubscribes; the search ends when its last subscriber has left.
    ///
    /// # Errors
    /// A full queue, a wait for a worker that took too long, a shutdown before the search started,
    /// or an internal error.
    pub async fn best_move(&self, request: AnalysisRequest) -> Result<Answer, AnalysisError> {
        let strength = request.strength;
        let answer = self.follow(request).await?.final_answer().await?;
        Ok(answer.weakened(strength))
    }

    /// Finds the best move as [`Service::best_move`] does, in the batch class, and waits for a
    /// place in a full queue. A free place goes to the client with the fewest waiting requests.
    ///
    /// # Errors
    /// As [`Service::best_move`], except for a full queue.
    pub async fn best_move_when_free(
        &self,
        request: AnalysisRequest,
    ) -> Result<Answer, AnalysisError> {
        let request = AnalysisRequest { class: PriorityClass::Batch, ..request };
        loop {
            match self.start_when_free(&request).await?.final_answer().await {
                // A task of another client has evicted the search.
                Err(AnalysisError::QueueFull { .. }) => {}
                answer => return answer.map(|answer| answer.weakened(request.strength)),
            }
        }
    }

    /// Starts an analysis of the batch class as soon as it has a place in the queue.
    async fn start_when_free(
        &self,
        request: &AnalysisRequest,
    ) -> Result<AnalysisStream, AnalysisError> {
        let requested_at = Instant::now();
        let ClusterAnswer { shared, .. } = self.0.ask_cluster(request).await;
        let waiter = self.0.queue.batch_waiter(&request.client);
        loop {
            let mut woken = pin!(waiter.woken());
            woken.as_mut().enable();
            let session_guard = self.0.enter_session(request);
            let origin = SearchOrigin::Client { leased: None };
            let request = request.clone();
            match self.0.start_search(request, session_guard, &shared, origin, requested_at) {
                Err(AnalysisError::QueueFull { .. }) => woken.await,
                started => return started,
            }
        }
    }

    /// Starts an analysis and returns its updates: the cached analysis, sufficient or not, then
    /// deeper iterations, then the answer. Waits only for what other nodes of the cluster know: at
    /// most some milliseconds, and some tens of them before a long search.
    ///
    /// # Errors
    /// A full queue or a shutdown.
    pub async fn follow(&self, request: AnalysisRequest) -> Result<AnalysisStream, AnalysisError> {
        let requested_at = Instant::now();
        let session_guard = self.0.enter_session(&request);
        let ClusterAnswer { shared, leased } = self.0.ask_cluster(&request).await;
        let origin = SearchOrigin::Client { leased };
        self.0.start_search(request, session_guard, &shared, origin, requested_at)
    }

    /// Starts an analysis as [`Service::follow`] does, from what this node knows alone.
    ///
    /// # Errors
    /// A full queue or a shutdown.
    #[cfg(test)]
    pub(super) fn start_analysis(
        &self,
        request: AnalysisRequest,
    ) -> Result<AnalysisStream, AnalysisError> {
        let session_guard = self.0.enter_session(&request);
        let origin = SearchOrigin::Client { leased: None };
        self.0.start_search(request, session_guard, &[], origin, Instant::now())
    }

    /// The endgame tablebases that the searches use.
    pub(super) fn tablebase(&self) -> Option<Arc<TablebaseOptions>> {
        self.0.searcher.tablebase()
    }

    /// The cached analysis of a position without history, with at least `lines` lines or as many as
    /// there are legal moves.
    pub fn cached_analysis(&self, position: &Position, lines: usize) -> Option<CachedAnalysis> {
        let lines = lines.clamp(1, position.legal_moves().len().max(1));
        let key = AnalysisKey::of(&Game::new(position.clone()));
        self.0.cache.lookup_deepest(&key, lines)
    }

    /// The graph of cached positions from a position, `depth` moves deep.
    pub fn explore(&self, position: &Position, depth: u32) -> GraphNode {
        graph::walk(position, depth, |position| {
            let key = AnalysisKey::of(&Game::new(position.clone()));
            self.0.cache.peek_deepest(&key, 1)
        })
    }

    /// Counts legal move sequences.
    ///
    /// # Errors
    /// As [`Service::best_move`], and if the count takes longer than `max_time`.
    pub async fn perft(&self, request: PerftRequest) -> Result<PerftResult, AnalysisError> {
        let service = &*self.0;
        let (result_sender, result_receiver) = oneshot::channel();
        let control = Arc::new(TaskControl::new(request.client.clone()));
        let submitter = Submitter {
            client: request.client.clone(),
            class: PriorityClass::Interactive,
            workers: 1,
            is_unlimited: false,
        };
        let task = Task::new(PerftTask {
            request,
            control: control.clone(),
            shutdown: service.shutdown.clone(),
            result_sender,
            progress: Progress::default(),
        });
        let evicted =
            service.queue.push(submitter, &control, task).map_err(|refused| refused.error)?;
        evicted.reject();
        let handle = PerftHandle::new(control, service.queue.clone());
        handle.wait(service.options.max_wait, result_receiver).await
    }

    /// The state of the service.
    pub fn status(&self) -> ServiceStatus {
        let Inner { cache, searches, queue, shutdown, options, .. } = &*self.0;
        ServiceStatus {
            queue_length: queue.length_of(PriorityClass::Interactive),
            batch_length: queue.length_of(PriorityClass::Batch),
            queue_capacity: queue.capacity(),
            workers: options.workers,
            busy_workers: queue.busy_workers(),
            demand: queue.demand(),
            speculative_length: queue.speculative_queue().map_or(0, SpeculativeQueue::len),
            cache_entries: cache.entries(),
            cache_max_entries: cache.max_entries(),
            cache_lookups: cache.lookup_counts(),
            searches: searches.counts(),
            queue_counts: queue.counts(),
            store: cache.disk().map(|disk| StoreStatus {
                bytes: disk.store().size().bytes,
                waiting: disk.waiting(),
                failing: disk.is_failing(),
            }),
            cluster: self.cluster_status(),
            shutting_down: shutdown.is_stopped(),
        }
    }

    /// Accepts no new work, rejects waiting requests, and stops running searches, which answer with
    /// their best result so far. Does not wait.
    pub fn shut_down(&self) {
        self.0.shut_down();
    }

    /// Resolves when the disk has written or refused all analyses so far; at once without a store.
    ///
    /// # Errors
    /// The runtime shuts down.
    pub async fn flush(&self) -> io::Result<()> {
        let cache = self.0.cache.clone();
        let flush = move || cache.disk().into_iter().for_each(WriteBehind::flush);
        tokio::task::spawn_blocking(flush).await.map_err(io::Error::other)
    }

    /// Caches a report as the result of a search with these limits.
    #[cfg(test)]
    pub(super) fn insert_cached(&self, key: &AnalysisKey, limits: &Limits, report: Report) {
        self.0.cache.store(key, limits, &Arc::new(report), Origin::Request);
    }

    #[cfg(test)]
    pub(super) fn subscribers(&self) -> usize {
        self.0.searches.subscribers()
    }

    #[cfg(test)]
    pub(super) fn leased_searches(&self) -> usize {
        self.0.leased_searches.len()
    }

    #[cfg(test)]
    pub(super) fn searches_in_flight(&self) -> usize {
        self.0.searches.len()
    }

    /// Resolves when no work waits or runs. After [`Service::shut_down`] no work comes any more.
    pub async fn drained(&self) {
        self.0.queue.wait_until_idle().await;
    }
}

impl Inner {
    /// Enters the session of a request, whose older request it replaces. The other nodes hear of it
    /// in a task of its own, so that the request need not wait.
    fn enter_session(&self, request: &AnalysisRequest) -> Option<SessionGuard> {
        let guard = self.sessions.enter(request.session.clone()?);
        if let Some(cluster) = self.cache.cluster().cloned() {
            let entry = guard.entry();
            tokio::spawn(async move {
                let place = cluster.enter_session(entry.session_id()).await;
                entry.complete(place);
            });
        }
        Some(guard)
    }

    /// Starts an analysis, given what other nodes have found.
    fn start_search(
        &self,
        request: AnalysisRequest,
        session_guard: Option<SessionGuard>,
        shared: &[SharedEntry],
        origin: SearchOrigin,
        requested_at: Instant,
    ) -> Result<AnalysisStream, AnalysisError> {
        if self.shutdown.is_stopped() {
            return Err(AnalysisError::shutting_down());
        }
        if let Some(report) = terminal_report(&request.game) {
            return Ok(AnalysisStream::from_answer(None, Answer::terminal(report)));
        }
        let max_wait = self.max_wait(request.class);
        let key = self.search_key(&request);
        let LookupResult { deepest, sufficient, verdict, .. } = self.lookup(&key, shared);
        if let Some((CachedAnalysis { report, age }, reason)) = sufficient {
            self.enqueue_best_child(&request, &key, &report);
            return Ok(AnalysisStream::from_answer(
                deepest,
                Answer::from_cache(report, age, reason),
            ));
        }
        Ok(match self.join_or_start(request, key, verdict, origin)? {
            PendingAnswer::Cached(CachedAnalysis { report, age }, reason) => {
                AnalysisStream::from_answer(deepest, Answer::from_cache(report, age, reason))
            }
            PendingAnswer::Searching(subscription) => AnalysisStream::from_search(
                deepest,
                PendingSearch::new(requested_at, max_wait, verdict, subscription, session_guard),
            ),
        })
    }

    /// Looks the request up in the cache, unless the request does not use the cache.
    fn lookup(&self, key: &SearchKey, shared: &[SharedEntry]) -> LookupResult {
        let SearchKey { analysis_key, limits, options, fresh, .. } = key;
        if limits.mate.is_some() || !key.is_cacheable() {
            return LookupResult::without_entry(CacheVerdict::NotAsked);
        }
        if *fresh {
            self.cache.record_request(analysis_key);
            return LookupResult::without_entry(CacheVerdict::NotAsked);
        }
        self.cache.lookup(analysis_key, limits, options.multipv, shared)
    }

    /// Joins the equal search in flight or starts one.
    fn join_or_start(
        &self,
        request: AnalysisRequest,
        key: SearchKey,
        verdict: CacheVerdict,
        origin: SearchOrigin,
    ) -> Result<PendingAnswer, AnalysisError> {
        let key = Arc::new(key);
        let AnalysisRequest { game, client, class, .. } = request;
        let game = Arc::new(reversible_tail(&game));
        let is_unlimited = key.limits == Limits::default();
        let submitter = Submitter { client, class, workers: key.options.threads, is_unlimited };
        let vacant = match self.searches.join(&key, &submitter, &self.queue) {
            JoinOutcome::Joined(subscription) => return Ok(PendingAnswer::Searching(subscription)),
            JoinOutcome::Vacant(vacant) => vacant,
        };
        // An equal search may have ended since the lookup. Its report was stored before it left the
        // map.
        if verdict != CacheVerdict::NotAsked
            && let Some((cached, reason)) = self.lookup_again(&key)
        {
            return Ok(PendingAnswer::Cached(cached, reason));
        }
        let bounded_limits = self.bounded_limits(&key.limits);
        let (remote_search, leased) = match origin {
            SearchOrigin::Client { leased } => {
                (self.remote_search(&key, &game, &submitter, bounded_limits), leased)
            }
            SearchOrigin::OtherNode => (None, None),
        };
        let task = SearchTask {
            publisher: vacant.publisher(),
            game,
            bounded_limits,
            searcher: self.searcher.clone(),
            cache: self.cache.clone(),
            speculation: self.speculates(class).then(|| self.queue.clone()),
            earlier_runs: EarlierRuns::default(),
            remote_search,
            lease: leased.clone().map(LeaseKeeper::new),
        };
        match leased {
            Some(leased) if leased.elsewhere().is_some() => {
                self.watch_or_enqueue(submitter, vacant, task, leased)
            }
            leased => {
                let pending = self.enqueue(submitter, vacant, task);
                leased.iter().for_each(|leased| leased.note_start());
                pending
            }
        }
    }

    /// Queues a search for a worker.
    fn enqueue(
        &self,
        submitter: Submitter,
        vacant: VacantSearch<'_>,
        task: SearchTask,
    ) -> Result<PendingAnswer, AnalysisError> {
        match self.queue.push(submitter, vacant.control(), Task::lendable(task)) {
            Ok(evicted) => {
                let subscription = vacant.start(&self.queue);
                // Only now, because a rejected search locks the map to leave it.
                evicted.reject();
                Ok(PendingAnswer::Searching(subscription))
            }
            Err(refused) => {
                // In this order, because the task's publisher locks the map when it is dropped.
                drop(vacant);
                drop(refused.task);
                Err(refused.error)
            }
        }
    }

    fn lookup_again(&self, key: &SearchKey) -> Option<(CachedAnalysis, CompletionReason)> {
        let SearchKey { analysis_key, limits, options, .. } = key;
        self.cache.lookup_uncounted(analysis_key, limits, options.multipv).sufficient
    }

    /// `true` if requests of this class are followed by speculative searches. A batch names all its
    /// positions itself.
    fn speculates(&self, class: PriorityClass) -> bool {
        class == PriorityClass::Interactive && self.queue.speculative_queue().is_some()
    }

    /// Queues the best child of a cached position for speculative search.
    fn enqueue_best_child(&self, request: &AnalysisRequest, key: &SearchKey, report: &Report) {
        if self.speculates(request.class)
            && let Some(speculative_queue) = self.queue.speculative_queue()
        {
            let was_empty = speculative_queue.len() == 0;
            let (limits, lines) = (&key.limits, key.options.multipv);
            let is_new = speculative_queue.enqueue_best_child(&request.game, limits, lines, report);
            if was_empty && is_new {
                self.queue.wake_for_candidates();
            }
        }
    }

    fn shut_down(&self) {
        self.shutdown.stop();
        self.queue.close();
        self.searches.stop_all();
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.shut_down();
    }
}

/// # Errors
/// The store holds the analyses of another engine.
fn check_engine(store: &dyn Store, searcher: &dyn Searcher) -> io::Result<()> {
    if store.engine_id() == searcher.engine_id() {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "the store belongs to engine {}, but this engine is {}",
        store.engine_id(),
        searcher.engine_id()
    )))
}

/// The report for a finished game; `None` while the game goes on.
pub(super) fn terminal_report(game: &Game) -> Option<Report> {
    let (score, wdl) = match game.outcome() {
        Outcome::Ongoing => return None,
        Outcome::Checkmate { .. } => (Score::Mate(0), Wdl::LOST),
        Outcome::Stalemate | Outcome::Draw(_) => (Score::Cp(0), Wdl::DRAWN),
    };
    Some(Report { score, wdl, reason: StopReason::Terminal, ..Report::empty() })
}
