//! The search task: one queued search, from its start on a worker to its published result.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tracing::Span;
use tracing::field::Empty;

use super::answer::AnalysisError;
use super::evaluation_cache::{EvaluationCache, Origin};
use super::in_flight::{SearchPublisher, SearchResult};
use super::leased_search::LeaseKeeper;
use super::queue::{Admission, LendableBody, Location, Queue, TaskBody};
use super::remote_search::RemoteSearch;
use super::searcher::Searcher;
use crate::chess::Game;
use crate::engine::{GameSearch, Limits, Report, StopReason};

/// A search for the subscribers of its publisher.
pub(super) struct SearchTask {
    pub(super) publisher: SearchPublisher,
    pub(super) game: Arc<Game>,
    /// The requested limits with a time limit, so that no search holds a worker forever.
    pub(super) bounded_limits: Limits,
    pub(super) searcher: Arc<dyn Searcher>,
    pub(super) cache: Arc<EvaluationCache>,
    /// The queue for speculative searches of the children; `None` without such searches.
    pub(super) speculation: Option<Arc<Queue>>,
    pub(super) earlier_runs: EarlierRuns,
    /// The search as another node may run it.
    pub(super) remote_search: Option<Arc<RemoteSearch>>,
    /// Its lease, if it runs for all nodes or may have to.
    pub(super) lease: Option<LeaseKeeper>,
}

/// The iterations that a search ends after this time are shared as they end. So a lost node costs
/// no more than this time and the iteration in progress.
const FIRST_CHECKPOINT: Duration = Duration::from_millis(200);

/// The runs of a search so far, of which the last one may not have ended.
#[derive(Debug, Default)]
pub(super) struct EarlierRuns {
    /// When the first run started.
    started: Option<Instant>,
    /// The deepest report so far, with the nodes and the time of all runs.
    report: Option<Report>,
    /// The nodes and the time of the runs that have ended.
    nodes: u64,
    elapsed: Duration,
    /// The run on another node.
    elsewhere: Option<RunElsewhere>,
}

/// A run on another node, as far as this one knows.
#[derive(Debug)]
struct RunElsewhere {
    since: Instant,
    nodes: u64,
}

impl TaskBody for SearchTask {
    /// Searches and publishes every iteration and the result. A search without subscribers does
    /// not start.
    fn run(mut self: Box<Self>, admission: Admission) -> Option<Box<dyn TaskBody>> {
        if let Admission::Rejected(error) = admission {
            self.reject(error);
            return None;
        }
        if self.publisher.is_abandoned() {
            return None;
        }
        let started = *self.earlier_runs.started.get_or_insert_with(Instant::now);
        self.publisher.publish_start(started);
        let span = self.span();
        let _entered = span.enter();
        let mut report = self.search();
        report.pv.shrink_to_fit();
        report.alternatives.iter_mut().for_each(|line| line.pv.shrink_to_fit());
        if self.publisher.end_run(report.reason) {
            self.earlier_runs.add(report);
            return Some(self);
        }
        let report = self.earlier_runs.total(report);
        let report = Arc::new(self.earlier_runs.deepest(report));
        self.publish(&span, started, report, Origin::Request);
        None
    }
}

impl LendableBody for SearchTask {
    fn remote_search(&self) -> Option<&Arc<RemoteSearch>> {
        self.remote_search.as_ref()
    }

    fn start_remote(&mut self, location: Location) {
        let started = *self.earlier_runs.started.get_or_insert_with(Instant::now);
        // The node before this one may be lost.
        self.earlier_runs.end_elsewhere();
        self.earlier_runs.elsewhere = Some(RunElsewhere { since: Instant::now(), nodes: 0 });
        self.publisher.publish_start_elsewhere(location, started);
    }

    fn set_location(&self, location: Location) {
        self.publisher.set_location(location);
    }

    fn return_here(&mut self) {
        self.earlier_runs.end_elsewhere();
        if let Some(search) = &self.remote_search {
            // Whoever runs it next has the rest of its limits.
            let limits = self.earlier_runs.rest_of(&self.bounded_limits);
            self.remote_search = search.with_limits(limits).map(Arc::new);
        }
        self.publisher.set_location(Location::Here);
    }

    fn total_of_remote(&mut self, report: Report) -> Report {
        self.publisher.note_nodes_elsewhere(report.nodes);
        if let Some(run) = &mut self.earlier_runs.elsewhere {
            run.nodes = run.nodes.max(report.nodes);
        }
        self.earlier_runs.total(report)
    }

    fn update_remote(&mut self, report: Report) {
        let report = self.total_of_remote(report);
        if report.depth > self.earlier_runs.depth() {
            self.publisher.publish_update(report.clone());
            // Unless the search ends, this is no complete result.
            let report = Report { reason: StopReason::Stopped, ..report };
            self.earlier_runs.report = Some(report);
        }
    }

    fn latest_report(&self) -> Option<Report> {
        self.earlier_runs.report.clone()
    }

    fn finish_remote(mut self: Box<Self>, report: Report) {
        let started = *self.earlier_runs.started.get_or_insert_with(Instant::now);
        // A node that has taken the search over may have found less than the one before.
        let report = self.earlier_runs.deepest(report);
        let span = self.span();
        let _entered = span.enter();
        // The node that has searched has shared the result.
        self.publish(&span, started, Arc::new(report), Origin::OtherNode);
    }
}

impl EarlierRuns {
    /// The depth of the deepest report.
    fn depth(&self) -> u8 {
        self.report.as_ref().map_or(0, |report| report.depth)
    }

    /// The rest of the limits of a search.
    fn rest_of(&self, limits: &Limits) -> Limits {
        Limits {
            nodes: limits.nodes.map(|limit| limit.saturating_sub(self.nodes)),
            movetime: limits.movetime.map(|limit| limit.saturating_sub(self.elapsed)),
            ..*limits
        }
    }

    /// A report of the present run with the nodes and the time of all runs.
    fn total(&self, report: Report) -> Report {
        let nodes = report.nodes.saturating_add(self.nodes);
        Report { nodes, elapsed: report.elapsed.saturating_add(self.elapsed), ..report }
    }

    /// The deepest report of all runs, given the last one, with the nodes and the time of that.
    fn deepest(&mut self, last: Report) -> Report {
        match self.report.take() {
            Some(earlier) if earlier.depth > last.depth && last.reason != StopReason::Mate => {
                let (nodes, elapsed, reason) = (last.nodes, last.elapsed, last.reason);
                Report { nodes, elapsed, reason, ..earlier }
            }
            _ => last,
        }
    }

    /// Adds a run that has ended with this report.
    fn add(&mut self, report: Report) {
        let report = self.total(report);
        (self.nodes, self.elapsed) = (report.nodes, report.elapsed);
        self.report = Some(self.deepest(report));
    }

    /// Ends a run of another node, which has taken its time whatever it has reported.
    fn end_elsewhere(&mut self) {
        if let Some(RunElsewhere { since, nodes }) = self.elsewhere.take() {
            self.nodes = self.nodes.saturating_add(nodes);
            self.elapsed = self.elapsed.saturating_add(since.elapsed());
        }
    }
}

impl SearchTask {
    /// Searches until the end or a restart.
    fn search(&self) -> Report {
        let SearchTask { publisher, game, bounded_limits, searcher, cache, earlier_runs, .. } =
            self;
        let search = GameSearch {
            game,
            limits: &earlier_runs.rest_of(bounded_limits),
            options: &publisher.key().options,
            stop: &publisher.flag(),
        };
        let published_depth = earlier_runs.depth();
        searcher.analyse(search, &mut |report| {
            if report.depth > published_depth {
                let report = earlier_runs.total(report.clone());
                if report.elapsed >= FIRST_CHECKPOINT {
                    share_checkpoint(publisher, cache, &report);
                }
                publisher.publish_update(report);
            }
        })
    }

    /// Answers with an error, or with the result so far of a search that waits for its restart.
    fn reject(mut self, error: AnalysisError) {
        let (started, report) = (self.earlier_runs.started, self.earlier_runs.report.take());
        let is_shutdown = matches!(error, AnalysisError::ShuttingDown { .. });
        match started.zip(report).filter(|_| is_shutdown) {
            Some((started, report)) => {
                self.publisher.mark_as_shut_down();
                let span = self.span();
                self.publish(&span, started, Arc::new(report), Origin::Request);
            }
            None => self.publisher.publish_result(Err(error)),
        }
    }

    /// Stores the report, publishes it, and queues the children for speculative search.
    fn publish(self, span: &Span, started: Instant, report: Arc<Report>, origin: Origin) {
        let SearchTask { publisher, game, cache, speculation, lease, .. } = self;
        let key = publisher.key();
        let (limits, lines, is_cacheable) = (key.limits, key.options.multipv, key.is_cacheable());
        let reason = publisher.completion_reason(&report);
        let paused = publisher.paused_time();
        span.record("depth", i64::from(report.depth))
            .record("nodes", span_number(report.nodes))
            .record("reason", reason.name());
        tracing::debug!(elapsed = ?report.elapsed, "search ended");
        // A request that finds no search to join looks into the cache once more. So the report is
        // stored before the search leaves the map of in-flight searches.
        if is_cacheable {
            cache.store(&key.analysis_key, &limits, &report, origin);
        }
        publisher.publish_result(Ok(SearchResult {
            report: report.clone(),
            reason,
            started,
            ended: Instant::now(),
            paused,
        }));
        // A node that asks from now on finds the result in the cache.
        drop(lease);
        if let Some(queue) = speculation.filter(|_| is_cacheable && limits.mate.is_none())
            && let Some(speculative_queue) = queue.speculative_queue()
        {
            speculative_queue.enqueue_children(Arc::unwrap_or_clone(game), &limits, lines, &report);
            queue.wake_for_candidates();
        }
    }

    fn span(&self) -> Span {
        let options = &self.publisher.key().options;
        tracing::error_span!(
            "search",
            threads = span_number(options.threads as u64),
            lines = span_number(options.multipv as u64),
            depth = Empty,
            nodes = Empty,
            reason = Empty
        )
    }
}

/// Shares what a search has found so far.
fn share_checkpoint(publisher: &SearchPublisher, cache: &EvaluationCache, report: &Report) {
    let key = publisher.key();
    if key.is_cacheable() {
        cache.share_checkpoint(&key.analysis_key, &key.limits, report);
    }
}

/// A number as a span field: OpenTelemetry has only signed integers.
fn span_number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
