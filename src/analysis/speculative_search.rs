//! The search of positions that nobody has asked for yet.

use std::sync::{Arc, Weak};
use std::time::Duration;

use super::Searcher;
use super::cache_key::AnalysisKey;
use super::counters::SearchCounters;
use super::evaluation_cache::EvaluationCache;
use super::speculation::Candidate;
use crate::engine::{Limits, SearchScope, StopFlag};

/// No wish takes longer, whatever its question may.
const MAX_TIME: Duration = Duration::from_secs(10);

/// Follows wishes on worker threads.
pub(super) struct SpeculativeSearch {
    pub(super) searcher: Arc<dyn Searcher>,
    /// Whoever is at idle work does not keep the dictionary, and the file that it is in, from being
    /// closed.
    pub(super) cache: Weak<EvaluationCache>,
    pub(super) engine_id: Arc<str>,
    pub(super) counters: SearchCounters,
}

impl SpeculativeSearch {
    /// Searches the position of a wish as its question was searched, and remembers what it finds.
    /// What is known well enough, and where the game is over, takes no time.
    pub(super) fn run(&self, candidate: &Candidate, stop: &StopFlag) {
        let game = candidate.game();
        if game.outcome().is_over() {
            return;
        }
        let limits = Limits {
            movetime: candidate.limits.movetime.map(|time| time.min(MAX_TIME)),
            ..candidate.limits
        };
        let lines = candidate.lines.min(game.position().legal_moves().len());
        let key = AnalysisKey::of(&game);
        let lookup = self
            .cache
            .upgrade()
            .map(|cache| cache.lookup_uncounted(&key, &limits, lines, &self.engine_id));
        if lookup.is_none_or(|known| known.sufficient.is_some()) {
            return;
        }
        let bounded_limits =
            Limits { movetime: Some(limits.movetime.unwrap_or(MAX_TIME)), ..limits };
        let scope = SearchScope { multipv: lines, ..SearchScope::default() };
        let report = self.searcher.analyse(&game, &bounded_limits, &scope, stop, &mut |_| ());
        self.counters.record_speculative(report.nodes);
        tracing::debug!(depth = report.depth, nodes = report.nodes, reason = ?report.reason, "idle search ended");
        if let Some(cache) = self.cache.upgrade() {
            cache.store_speculative(&key, &limits, &Arc::new(report), &self.engine_id);
        }
    }
}
