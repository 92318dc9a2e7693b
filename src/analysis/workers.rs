//! The worker threads: they run the tasks of the queue and, when idle, speculative searches.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use super::cache_key::AnalysisKey;
use super::counters::SearchCounters;
use super::evaluation_cache::{EvaluationCache, Origin};
use super::queue::{Admission, Candidate, Queue, StartedTask, Work};
use super::searcher::Searcher;
use crate::engine::{GameSearch, Limits, STACK_BYTES, SearchOptions, StopFlag};

/// Starts the threads of the queue, which run until it is closed and empty: two for each worker, so
/// that the workers' slots stay in use while as many runs are paused on their threads, and one that
/// ends time slices.
///
/// # Errors
/// The system grants no more threads. The threads already started end with the queue.
pub(super) fn start_workers(
    queue: &Arc<Queue>,
    speculative_search: &Arc<SpeculativeSearch>,
    workers: usize,
) -> io::Result<()> {
    let slicer_queue = queue.clone();
    thread::Builder::new().name("slicer".to_owned()).spawn(move || slicer_queue.run_slicer())?;
    for number in 0..2 * workers {
        let (queue, speculative_search) = (queue.clone(), speculative_search.clone());
        let name = format!("worker-{number}");
        thread::Builder::new()
            .name(name)
            .stack_size(STACK_BYTES)
            .spawn(move || run_worker(&queue, &speculative_search))?;
    }
    Ok(())
}

fn run_worker(queue: &Queue, speculative_search: &SpeculativeSearch) {
    while let Some(work) = queue.next_work() {
        // The panic hook has logged a panic, in the span of the request, by the time it is caught
        // here. Unwinding drops the task's publisher, which sends the error to the subscribers.
        match work {
            Work::Task(StartedTask { control, task }) => {
                let (started, earlier_pauses) = (Instant::now(), control.paused_time());
                let rest = catch_unwind(AssertUnwindSafe(|| task.run(Admission::Admitted)));
                match rest {
                    Ok(Some(rest)) => queue.requeue(&control, rest),
                    _ => {
                        let pauses = control.paused_time().saturating_sub(earlier_pauses);
                        queue.finish_task(&control, started.elapsed().saturating_sub(pauses));
                    }
                }
            }
            Work::Speculative(candidate, run) => {
                let _panic = catch_unwind(AssertUnwindSafe(|| {
                    speculative_search.run(&candidate, &run.stop)
                }));
                queue.finish_speculation(candidate, &run);
            }
        }
    }
}

/// The longest speculative search, whatever the limits of its request.
const MAX_SPECULATIVE_TIME: Duration = Duration::from_secs(10);

/// Searches candidates and caches the results.
pub(super) struct SpeculativeSearch {
    pub(super) searcher: Arc<dyn Searcher>,
    /// Weak, so that a speculative search does not keep the cache and its file open.
    pub(super) cache: Weak<EvaluationCache>,
    pub(super) counters: SearchCounters,
}

impl SpeculativeSearch {
    /// Searches a candidate with the limits of its request and caches the result. A finished game
    /// and a candidate that the cache already answers take no time.
    fn run(&self, candidate: &Candidate, stop: &StopFlag) {
        let game = candidate.game();
        if game.outcome().is_over() {
            return;
        }
        let limits = Limits {
            movetime: candidate.limits.movetime.map(|time| time.min(MAX_SPECULATIVE_TIME)),
            ..candidate.limits
        };
        let lines = candidate.lines.min(game.position().legal_moves().len());
        let key = AnalysisKey::of(&game);
        let lookup = self.cache.upgrade().map(|cache| cache.lookup_uncounted(&key, &limits, lines));
        if lookup.is_none_or(|result| result.sufficient.is_some()) {
            return;
        }
        let bounded_limits =
            Limits { movetime: Some(limits.movetime.unwrap_or(MAX_SPECULATIVE_TIME)), ..limits };
        let options = SearchOptions { multipv: lines, ..SearchOptions::default() };
        let search = GameSearch { game: &game, limits: &bounded_limits, options: &options, stop };
        let report = self.searcher.analyse(search, &mut |_| ());
        self.counters.record_speculative(report.nodes);
        tracing::debug!(
            depth = report.depth,
            nodes = report.nodes,
            reason = ?report.reason,
            "speculative search ended"
        );
        if let Some(cache) = self.cache.upgrade() {
            cache.store(&key, &limits, &Arc::new(report), Origin::Speculation);
        }
    }
}
