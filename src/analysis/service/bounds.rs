//! The search of a request, within the bounds of the service.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::{Inner, MAX_BATCH_WAIT};
use crate::analysis::cache_key::AnalysisKey;
use crate::analysis::in_flight::SearchKey;
use crate::analysis::request::{AnalysisRequest, PriorityClass};
use crate::analysis::service_options::ServiceOptions;
use crate::engine::{Limits, SearchOptions};

impl Inner {
    /// How long a request of this class waits for a worker.
    pub(super) fn max_wait(&self, class: PriorityClass) -> Duration {
        match class {
            PriorityClass::Interactive => self.options.max_wait,
            PriorityClass::Batch => MAX_BATCH_WAIT,
        }
    }

    /// The identity of the search of a request.
    pub(super) fn search_key(&self, request: &AnalysisRequest) -> SearchKey {
        SearchKey {
            analysis_key: AnalysisKey::of(&request.game),
            limits: request.limits,
            options: self.effective_options(request),
            fresh: request.fresh,
            unshared: request
                .strength
                .map(|_| self.unshared_searches.fetch_add(1, Ordering::Relaxed)),
        }
    }

    /// The options with at most as many threads as workers, and as many lines as moves. A mate
    /// search uses one thread and one line.
    fn effective_options(&self, request: &AnalysisRequest) -> SearchOptions {
        let is_mate_search = request.limits.mate.is_some();
        let max_threads = if is_mate_search { 1 } else { self.options.workers };
        let SearchOptions { threads, multipv, ref search_moves, .. } = request.options;
        let mut moves = search_moves.clone();
        moves.sort_unstable_by_key(|mv| mv.code());
        moves.dedup();
        let max_lines = match multipv {
            _ if is_mate_search => 1,
            0 | 1 => 1,
            _ if moves.is_empty() => request.game.position().legal_moves().len().max(1),
            _ => moves.len(),
        };
        SearchOptions {
            threads: threads.clamp(1, max_threads),
            multipv: multipv.clamp(1, max_lines),
            search_moves: moves,
            ..request.options
        }
    }

    /// The limits with a time limit: no search holds a worker forever, even for a depth that is out
    /// of reach.
    pub(super) fn bounded_limits(&self, limits: &Limits) -> Limits {
        let ServiceOptions { max_movetime, max_infinite, .. } = self.options;
        let max_time = if *limits == Limits::default() { max_infinite } else { max_movetime };
        Limits { movetime: Some(limits.movetime.unwrap_or(max_time)), ..*limits }
    }
}
