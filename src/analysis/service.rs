//! The use cases themselves.

use std::io;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tracing::field::Empty;

use super::analysis_stream::{AnalysisStream, PendingSearch};
use super::answer::{Answer, CacheVerdict, CompletionReason, PerftResult, Source};
use super::cache_key::AnalysisKey;
use super::cached::{CachedAnalysis, LookupResult};
use super::evaluation_cache::EvaluationCache;
use super::graph::{self, GraphNode};
use super::in_flight::{JoinOutcome, SearchKey, SearchPublisher, SearchResult, SharedSearches};
use super::perft;
use super::pool::start_workers;
use super::queue::{Admission, PriorityClass, Queue, Submitter, Task};
use super::session::{Client, Sessions};
use super::speculation::SpeculativeQueue;
use super::speculative_search::SpeculativeSearch;
use super::write_behind::WriteBehind;
use super::{AnalysisError, AnalysisRequest, Searcher, ServiceStatus, StoreStatus};
use crate::chess::{Game, Outcome, Position};
use crate::engine::{Limits, Report, Score, SearchScope, StopFlag, StopReason, Wdl};
use crate::store::Store;

/// How much the service takes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceOptions {
    /// Worker threads; at least one.
    pub workers: usize,
    /// How many requests of each class may wait while all workers are busy.
    pub queue_capacity: usize,
    /// How many positions may wait to be deepened when workers are idle; 0 for none at all.
    pub idle_positions: usize,
    /// How many analyses are remembered.
    pub dictionary_max_entries: usize,
    /// The longest that a search holds a worker when it was not given a time of its own.
    pub max_movetime: Duration,
    /// The longest that a search without any limit holds a worker.
    pub max_infinite: Duration,
    /// The longest that a question waits for a worker.
    pub max_wait: Duration,
}

impl Default for ServiceOptions {
    fn default() -> ServiceOptions {
        let workers = available_parallelism().map_or(1, usize::from);
        ServiceOptions {
            workers,
            queue_capacity: 128,
            idle_positions: 0,
            dictionary_max_entries: 100_000,
            max_movetime: Duration::from_secs(60),
            max_infinite: Duration::from_secs(3_600),
            max_wait: Duration::from_secs(30),
        }
    }
}

/// Answers questions about positions. Cheap to clone; all clones are one service, which shuts down
/// with the last of them.
#[derive(Clone)]
pub struct Service(Arc<Inner>);

struct Inner {
    searcher: Arc<dyn Searcher>,
    /// Version and evaluation of the searcher.
    engine_id: Arc<str>,
    cache: Arc<EvaluationCache>,
    searches: SharedSearches,
    queue: Arc<Queue>,
    shutdown: Arc<StopFlag>,
    sessions: Sessions,
    workers: usize,
    max_movetime: Duration,
    max_infinite: Duration,
    max_wait: Duration,
}

impl Service {
    /// Starts the workers.
    ///
    /// # Errors
    /// When the system grants no more threads.
    pub fn start(searcher: Arc<dyn Searcher>, options: ServiceOptions) -> io::Result<Service> {
        Service::start_with_cache(
            searcher,
            options,
            EvaluationCache::new(options.dictionary_max_entries),
        )
    }

    /// Starts the workers, with a dictionary that lasts: what is found is in `store` within the
    /// time `flush`, as long as the disk takes a batch in a quarter of it.
    ///
    /// # Errors
    /// When the store keeps the analyses of another searcher, and when the system grants no more
    /// threads.
    pub fn start_with_store(
        searcher: Arc<dyn Searcher>,
        options: ServiceOptions,
        store: Arc<dyn Store>,
        flush_interval: Duration,
    ) -> io::Result<Service> {
        if store.engine_id() != searcher.engine_id() {
            return Err(io::Error::other(format!(
                "the store is of {}, not of {}",
                store.engine_id(),
                searcher.engine_id()
            )));
        }
        let cache =
            EvaluationCache::with_store(options.dictionary_max_entries, store, flush_interval)?;
        Service::start_with_cache(searcher, options, cache)
    }

    fn start_with_cache(
        searcher: Arc<dyn Searcher>,
        options: ServiceOptions,
        cache: EvaluationCache,
    ) -> io::Result<Service> {
        let workers = options.workers.max(1);
        let queue = Arc::new(Queue::new(workers, options.queue_capacity, options.idle_positions));
        let (engine_id, cache): (Arc<str>, _) = (searcher.engine_id().into(), Arc::new(cache));
        let searches = SharedSearches::default();
        let speculative_search = SpeculativeSearch {
            searcher: searcher.clone(),
            cache: Arc::downgrade(&cache),
            engine_id: engine_id.clone(),
            counters: searches.counters(),
        };
        let service = Service(Arc::new(Inner {
            engine_id,
            searcher,
            cache,
            searches,
            queue: queue.clone(),
            shutdown: Arc::default(),
            sessions: Sessions::default(),
            workers,
            max_movetime: options.max_movetime,
            max_infinite: options.max_infinite,
            max_wait: options.max_wait,
        }));
        start_workers(&queue, &Arc::new(speculative_search), workers)?;
        Ok(service)
    }

    /// Finds the best move: in memory, in an equal search that is under way, or in a search of its
    /// own. Dropping the future is leaving; the search ends when its last listener has left.
    ///
    /// # Errors
    /// A full queue, a shutdown before the search began, or a fault of ours.
    pub async fn best_move(&self, request: AnalysisRequest) -> Result<Answer, AnalysisError> {
        self.start_analysis(request)?.final_answer().await
    }

    /// The same question, followed on its way: what memory knows comes first, enough or not, then
    /// what is deeper. Returns at once.
    ///
    /// # Errors
    /// A full queue or a shutdown.
    pub fn start_analysis(
        &self,
        request: AnalysisRequest,
    ) -> Result<AnalysisStream, AnalysisError> {
        let service = &*self.0;
        if service.shutdown.is_stopped() {
            return Err(AnalysisError::shutting_down());
        }
        let session_guard = request.session.clone().map(|session| service.sessions.enter(session));
        if let Some(report) = terminal_report(&request.game) {
            return Ok(AnalysisStream::from_answer(None, Answer::terminal(report)));
        }
        let requested_at = Instant::now();
        let analysis_key = AnalysisKey::of(&request.game);
        let (limits, fresh) = (request.limits, request.fresh);
        let scope = service.effective_scope(&request);
        let LookupResult { deepest, sufficient, verdict, .. } =
            service.lookup(&analysis_key, &limits, &scope, fresh);
        if let Some(answer) = sufficient {
            if request.class == PriorityClass::Interactive
                && let Some(speculative_queue) = service.queue.speculative_queue()
            {
                let was_empty = speculative_queue.len() == 0;
                let is_new = speculative_queue.enqueue_best_child(
                    &request.game,
                    &limits,
                    scope.multipv,
                    &answer.0.report,
                );
                if was_empty && is_new {
                    service.queue.wake_for_candidates();
                }
            }
            return Ok(AnalysisStream::from_answer(deepest, answer.into()));
        }
        let search_key = Arc::new(SearchKey { analysis_key, limits, scope, fresh });
        // What an equal search has found since we looked is in memory by the time that search is
        // out of the map.
        let cached_answer = || service.lookup_again(&search_key, verdict);
        let submitter = Submitter {
            client: request.client.clone(),
            class: request.class,
            workers: search_key.scope.threads,
        };
        let max_wait = service.max_wait(request.class);
        let class = request.class;
        let game = request.trim_history().game;
        let make_task = |publisher| service.search_task(publisher, game, class, &search_key);
        Ok(
            match service.searches.join_or_start(
                search_key.clone(),
                &service.queue,
                submitter,
                cached_answer,
                make_task,
            )? {
                JoinOutcome::Answered(answer) => {
                    AnalysisStream::from_answer(deepest, answer.into())
                }
                JoinOutcome::Subscribed(subscription) => AnalysisStream::from_search(
                    deepest,
                    PendingSearch::new(
                        requested_at,
                        max_wait,
                        verdict,
                        subscription,
                        session_guard,
                    ),
                ),
            },
        )
    }

    /// What memory knows of a bare position, with at least so many lines (or as many as there are
    /// moves).
    pub fn cached_analysis(&self, position: &Position, lines: usize) -> Option<CachedAnalysis> {
        let lines = lines.clamp(1, position.legal_moves().len().max(1));
        let key = AnalysisKey::of(&Game::new(position.clone()));
        let service = &*self.0;
        service.cache.lookup_deepest(&key, lines, &service.engine_id)
    }

    /// The moves from a position with what memory knows behind them, so many moves deep.
    pub fn explore(&self, position: &Position, depth: u32) -> GraphNode {
        let service = &*self.0;
        graph::walk(position, depth, |position| {
            let key = AnalysisKey::of(&Game::new(position.clone()));
            service.cache.peek_deepest(&key, 1, &service.engine_id)
        })
    }

    /// Counts legal move sequences. Time in the queue is not counted against `max`.
    ///
    /// # Errors
    /// As [`Service::best_move`], and when the count takes longer than `max`.
    pub async fn perft(
        &self,
        client: Client,
        position: Position,
        depth: u8,
        divide: bool,
        max: Duration,
    ) -> Result<PerftResult, AnalysisError> {
        let service = &*self.0;
        let (result_sender, result_receiver) = oneshot::channel();
        let stop = Arc::new(StopFlag::default());
        let (task_stop, shutdown) = (stop.clone(), service.shutdown.clone());
        let submitter = Submitter { client, class: PriorityClass::Interactive, workers: 1 };
        let (place, evicted) = service.queue.push(submitter, || {
            Task::new(move |admission| {
                let result = match admission {
                    Admission::Admitted => {
                        perft::run(&position, depth, divide, max, &task_stop, &shutdown)
                    }
                    Admission::Rejected(error) => Err(error),
                };
                // An asker who has left does not hear it.
                let _ = result_sender.send(result);
            })
        })?;
        evicted.reject();
        let handle = perft::PerftHandle::new(stop, place, service.queue.clone());
        handle.wait(service.max_wait, result_receiver).await
    }

    /// How busy the service is.
    pub fn status(&self) -> ServiceStatus {
        let Inner { cache, searches, queue, shutdown, workers, .. } = &*self.0;
        ServiceStatus {
            queue_length: queue.length_of(PriorityClass::Interactive),
            batch_length: queue.length_of(PriorityClass::Batch),
            queue_capacity: queue.capacity(),
            workers: *workers,
            busy_workers: queue.busy_workers(),
            speculative_length: queue.speculative_queue().map_or(0, SpeculativeQueue::len),
            cache_entries: cache.entries(),
            cache_max_entries: cache.max_entries(),
            cache_hits: cache.hits(),
            searches: searches.counts(),
            queue_counts: queue.counts(),
            store: cache.disk().map(|disk| StoreStatus {
                bytes: disk.store().size().bytes,
                waiting: disk.waiting(),
                failing: disk.is_failing(),
            }),
            shutting_down: shutdown.is_stopped(),
        }
    }

    /// Takes no new work, answers those who wait with an error, and tells running searches to stop
    /// and to answer with what they have. Returns at once.
    pub fn shut_down(&self) {
        self.0.shut_down();
    }

    /// Resolves when all that was found so far is on disk, or the disk has refused it. Without a
    /// store at once.
    ///
    /// # Errors
    /// When the waiting itself breaks.
    pub async fn flush(&self) -> io::Result<()> {
        let cache = self.0.cache.clone();
        let flush = move || cache.disk().into_iter().for_each(WriteBehind::flush);
        tokio::task::spawn_blocking(flush).await.map_err(io::Error::other)
    }

    /// Has the dictionary remember a report as one of a search with these limits.
    #[cfg(test)]
    pub(super) fn insert_cached(&self, key: &AnalysisKey, limits: &Limits, report: Report) {
        self.0.cache.store(key, limits, &Arc::new(report), &self.0.engine_id);
    }

    #[cfg(test)]
    pub(super) fn subscribers(&self) -> usize {
        self.0.searches.subscribers()
    }

    #[cfg(test)]
    pub(super) fn searches_in_flight(&self) -> usize {
        self.0.searches.len()
    }

    /// Resolves when no work waits or runs. After [`Service::shut_down`] that stays so.
    pub async fn drained(&self) {
        self.0.queue.wait_until_idle().await;
    }
}

impl Inner {
    /// How long a question waits for a worker. Those of batches wait for as long as somebody reads
    /// the answers.
    fn max_wait(&self, class: PriorityClass) -> Duration {
        match class {
            PriorityClass::Interactive => self.max_wait,
            PriorityClass::Batch => Duration::from_secs(86_400),
        }
    }

    /// What a request is searched with: as many threads as can be had and used, and no more lines
    /// than there are moves. The proof of a mate has use for one.
    fn effective_scope(&self, request: &AnalysisRequest) -> SearchScope {
        let is_mate_search = request.limits.mate.is_some();
        let max_threads = if is_mate_search { 1 } else { self.workers };
        let SearchScope { threads, multipv, search_moves: mut moves } = request.scope.clone();
        moves.sort_unstable_by_key(|mv| mv.code());
        moves.dedup();
        let max_lines = match multipv {
            _ if is_mate_search => 1,
            0 | 1 => 1,
            _ if moves.is_empty() => request.game.position().legal_moves().len().max(1),
            _ => moves.len(),
        };
        SearchScope {
            threads: threads.clamp(1, max_threads),
            multipv: multipv.clamp(1, max_lines),
            search_moves: moves,
        }
    }

    /// Asks memory, if it may be asked.
    fn lookup(
        &self,
        key: &AnalysisKey,
        limits: &Limits,
        scope: &SearchScope,
        fresh: bool,
    ) -> LookupResult {
        if limits.mate.is_some() || !is_cacheable(scope) {
            return LookupResult::without_entry(CacheVerdict::NotAsked);
        }
        if fresh {
            self.cache.record_request(key);
            return LookupResult::without_entry(CacheVerdict::NotAsked);
        }
        self.cache.lookup(key, limits, scope.multipv, &self.engine_id)
    }

    fn lookup_again(
        &self,
        key: &SearchKey,
        verdict: CacheVerdict,
    ) -> Option<(CachedAnalysis, CompletionReason)> {
        match verdict {
            CacheVerdict::NotAsked => None,
            _ => {
                self.cache
                    .lookup_uncounted(
                        &key.analysis_key,
                        &key.limits,
                        key.scope.multipv,
                        &self.engine_id,
                    )
                    .sufficient
            }
        }
    }

    /// The search of a flight, as work for the queue.
    fn search_task(
        &self,
        mut publisher: SearchPublisher,
        game: Game,
        class: PriorityClass,
        key: &SearchKey,
    ) -> Task {
        let (searcher, cache, engine_id) =
            (self.searcher.clone(), self.cache.clone(), self.engine_id.clone());
        // Who asks for many positions names them all himself.
        let queue = (class == PriorityClass::Interactive
            && self.queue.speculative_queue().is_some())
        .then(|| self.queue.clone());
        let (analysis_key, limits, scope) =
            (key.analysis_key.clone(), key.limits, key.scope.clone());
        // Nobody holds a worker for ever: not by a depth that is out of reach either.
        let max_time =
            if limits == Limits::default() { self.max_infinite } else { self.max_movetime };
        let bounded_limits =
            Limits { movetime: Some(limits.movetime.unwrap_or(max_time)), ..limits };
        Task::new(move |admission| {
            if let Admission::Rejected(error) = admission {
                return publisher.publish_result(Err(error));
            }
            if publisher.search.is_abandoned() {
                return;
            }
            let started = Instant::now();
            publisher.start(started);
            let span = tracing::error_span!(
                "search",
                threads = span_number(scope.threads as u64),
                lines = span_number(scope.multipv as u64),
                depth = Empty,
                nodes = Empty,
                reason = Empty
            );
            let _entered = span.enter();
            let on_update = &mut |report: &Report| publisher.search.publish_update(report);
            let mut report = searcher.analyse(
                &game,
                &bounded_limits,
                &scope,
                publisher.search.stop_flag(),
                on_update,
            );
            report.pv.shrink_to_fit();
            report.alternatives.iter_mut().for_each(|line| line.pv.shrink_to_fit());
            let report = Arc::new(report);
            let reason = publisher.search.completion_reason(&report);
            span.record("depth", i64::from(report.depth))
                .record("nodes", span_number(report.nodes))
                .record("reason", reason.name());
            tracing::debug!(elapsed = ?report.elapsed, "search ended");
            if is_cacheable(&scope) {
                cache.store(&analysis_key, &limits, &report, &engine_id);
            }
            let found = report.clone();
            publisher.publish_result(Ok(SearchResult {
                report,
                reason,
                started,
                ended: Instant::now(),
            }));
            if let Some(queue) = queue.filter(|_| is_cacheable(&scope) && limits.mate.is_none())
                && let Some(speculative_queue) = queue.speculative_queue()
            {
                speculative_queue.enqueue_children(game, &limits, scope.multipv, &found);
                queue.wake_for_candidates();
            }
        })
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

impl Answer {
    fn without_search(
        report: Arc<Report>,
        source: Source,
        cache_verdict: CacheVerdict,
        reason: CompletionReason,
    ) -> Answer {
        let (queued, searched) = (Duration::ZERO, Duration::ZERO);
        Answer { report, source, cache_verdict, reason, shared: false, queued, searched }
    }

    fn terminal(report: Report) -> Answer {
        Answer::without_search(
            report.into(),
            Source::Search,
            CacheVerdict::NotAsked,
            CompletionReason::Terminal,
        )
    }
}

impl From<(CachedAnalysis, CompletionReason)> for Answer {
    fn from(
        (CachedAnalysis { report, age }, reason): (CachedAnalysis, CompletionReason),
    ) -> Answer {
        Answer::without_search(report, Source::Cache { age }, CacheVerdict::Hit, reason)
    }
}

/// A number of a span: OpenTelemetry has signed ones alone.
fn span_number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Memory knows the best lines among all moves, and nothing of other questions. How many threads
/// have found them is all one.
fn is_cacheable(scope: &SearchScope) -> bool {
    scope.search_moves.is_empty()
}

/// The answer where the game is over: there is nothing to search.
pub(super) fn terminal_report(game: &Game) -> Option<Report> {
    let (score, wdl) = match game.outcome() {
        Outcome::Ongoing => return None,
        Outcome::Checkmate { .. } => (Score::Mate(0), Wdl::LOST),
        Outcome::Stalemate | Outcome::Draw(_) => (Score::Cp(0), Wdl::DRAWN),
    };
    Some(Report { score, wdl, reason: StopReason::Terminal, ..Report::empty() })
}
