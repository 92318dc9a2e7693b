//! The search task: one queued search, from its start on a worker to its published result.

use std::sync::Arc;
use std::time::Instant;

use tracing::Span;
use tracing::field::Empty;

use super::evaluation_cache::{EvaluationCache, Origin};
use super::in_flight::{SearchPublisher, SearchResult};
use super::queue::{Admission, Queue, TaskBody};
use super::searcher::Searcher;
use crate::chess::Game;
use crate::engine::{GameSearch, Limits, Report};

/// A search for the subscribers of its publisher.
pub(super) struct SearchTask {
    pub(super) publisher: SearchPublisher,
    pub(super) game: Game,
    /// The requested limits with a time limit, so that no search holds a worker forever.
    pub(super) bounded_limits: Limits,
    pub(super) searcher: Arc<dyn Searcher>,
    pub(super) cache: Arc<EvaluationCache>,
    /// The queue for speculative searches of the children; `None` without such searches.
    pub(super) speculation: Option<Arc<Queue>>,
}

impl TaskBody for SearchTask {
    /// Searches and publishes every iteration and the result. A search without subscribers does
    /// not start.
    fn run(mut self: Box<Self>, admission: Admission) {
        if let Admission::Rejected(error) = admission {
            return self.publisher.publish_result(Err(error));
        }
        if self.publisher.is_abandoned() {
            return;
        }
        let started = Instant::now();
        self.publisher.publish_start(started);
        let span = self.span();
        let _entered = span.enter();
        let SearchTask { publisher, game, bounded_limits, searcher, .. } = &*self;
        let search = GameSearch {
            game,
            limits: bounded_limits,
            options: &publisher.key().options,
            stop: publisher.stop_flag(),
        };
        let mut report = searcher.analyse(search, &mut |report| publisher.publish_update(report));
        report.pv.shrink_to_fit();
        report.alternatives.iter_mut().for_each(|line| line.pv.shrink_to_fit());
        self.publish(&span, started, Arc::new(report));
    }
}

impl SearchTask {
    /// Stores the report, publishes it, and queues the children for speculative search.
    fn publish(self, span: &Span, started: Instant, report: Arc<Report>) {
        let SearchTask { publisher, game, cache, speculation, .. } = self;
        let key = publisher.key();
        let (limits, lines, is_cacheable) = (key.limits, key.options.multipv, key.is_cacheable());
        let reason = publisher.completion_reason(&report);
        span.record("depth", i64::from(report.depth))
            .record("nodes", span_number(report.nodes))
            .record("reason", reason.name());
        tracing::debug!(elapsed = ?report.elapsed, "search ended");
        // A request that finds no search to join looks into the cache once more. So the report is
        // stored before the search leaves the map of in-flight searches.
        if is_cacheable {
            cache.store(&key.analysis_key, &limits, &report, Origin::Request);
        }
        publisher.publish_result(Ok(SearchResult {
            report: report.clone(),
            reason,
            started,
            ended: Instant::now(),
        }));
        if let Some(queue) = speculation.filter(|_| is_cacheable && limits.mate.is_none())
            && let Some(speculative_queue) = queue.speculative_queue()
        {
            speculative_queue.enqueue_children(game, &limits, lines, &report);
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

/// A number as a span field: OpenTelemetry has only signed integers.
fn span_number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
