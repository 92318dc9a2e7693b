//! What is known about a position, and what that says to a question.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::answer::{CacheVerdict, CompletionReason};
use super::cache_key::{AnalysisKey, HistoryContext};
use super::effort::SearchEffort;
use crate::chess::encodings::PackedPosition;
use crate::engine::{Limits, Report};

/// A position is remembered in so many contexts, so that a look-up stays short however many
/// histories lead to it.
const MAX_CONTEXTS: usize = 64;

/// What was found out about a position, in one context.
#[derive(Clone, Debug)]
pub(super) struct CacheEntry {
    pub(super) context: HistoryContext,
    pub(super) report: Arc<Report>,
    pub(super) effort: SearchEffort,
    /// The most nodes that were ever spent on it: what it saves. The shared table makes later
    /// searches look cheaper.
    pub(super) nodes_saved: u64,
    /// How many of the best moves have a line.
    pub(super) lines: u8,
    pub(super) stored_at: StoredAt,
    pub(super) origin: Origin,
    /// Version and evaluation of the engine that found it.
    pub(super) engine_id: Arc<str>,
}

/// For whom something was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// For somebody who had asked.
    Request,
    /// For nobody yet: in idle time.
    Speculation,
}

/// When something was stored, by the clock on the wall: it outlasts the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StoredAt {
    /// Since 1970.
    pub(super) unix_ms: u64,
}

impl StoredAt {
    pub(super) fn now() -> StoredAt {
        // A clock before 1970 tells no ages.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        StoredAt { unix_ms: u64::try_from(since.as_millis()).unwrap_or(u64::MAX) }
    }

    /// None at all when the clock was set back.
    fn age(self) -> Duration {
        Duration::from_millis(StoredAt::now().unix_ms.saturating_sub(self.unix_ms))
    }
}

/// All that is known about a position, by rising context and number of lines.
#[derive(Clone, Debug)]
pub(super) struct CachedPosition {
    pub(super) packed: PackedPosition,
    pub(super) entries: Vec<CacheEntry>,
}

impl CachedPosition {
    /// Nothing yet.
    pub(super) fn empty(packed: PackedPosition) -> CachedPosition {
        CachedPosition { packed, entries: Vec::new() }
    }

    /// Where the analysis of this context with so many lines is, or would be.
    pub(super) fn find(&self, context: HistoryContext, lines: u8) -> Result<usize, usize> {
        self.entries
            .binary_search_by_key(&(context, lines), |analysis| (analysis.context, analysis.lines))
    }

    /// Takes in what was found. What is deeper already, with as many lines, stays. Tells where
    /// something is new or has changed.
    pub(super) fn merge(&mut self, mut analysis: CacheEntry) -> Option<usize> {
        let (context, lines) = (analysis.context, analysis.lines);
        let is_better = |other: &CacheEntry| {
            let same = other.context == context && other.engine_id == analysis.engine_id;
            same && other.lines > lines
                && other.effort.reached_depth() > analysis.effort.reached_depth()
        };
        if let Some(better) = self.entries.iter().position(is_better) {
            self.entries[better].effort.extend_time_to(&analysis.effort);
            return Some(better);
        }
        match self.find(context, lines) {
            Ok(index) => {
                let old = &mut self.entries[index];
                analysis.nodes_saved = analysis.nodes_saved.max(old.nodes_saved);
                if old.engine_id != analysis.engine_id
                    || analysis.effort.reached_depth() >= old.effort.reached_depth()
                {
                    *old = analysis;
                } else {
                    old.effort.extend_time_to(&analysis.effort);
                }
                Some(index)
            }
            Err(_) if self.entries.len() >= MAX_CONTEXTS && context != HistoryContext::EMPTY => {
                None
            }
            Err(index) => {
                self.insert(index, analysis);
                Some(index)
            }
        }
    }

    /// Puts in an analysis where [`Known::place`] says that it would be.
    pub(super) fn insert(&mut self, index: usize, analysis: CacheEntry) {
        self.entries.reserve_exact(1);
        self.entries.insert(index, analysis);
    }

    /// What this says to a question for at least so many lines.
    pub(super) fn lookup(
        &self,
        key: &AnalysisKey,
        limits: &Limits,
        lines: usize,
        engine_id: &str,
    ) -> Lookup<'_> {
        let same_engine =
            || self.entries.iter().filter(|analysis| *analysis.engine_id == *engine_id);
        let applicable = || {
            same_engine().filter(|analysis| key.accepts(analysis.context, analysis.report.seldepth))
        };
        let with_enough_lines =
            || applicable().filter(|analysis| usize::from(analysis.lines) >= lines);
        // Where something is enough, what is deeper is all the better.
        let sufficient = with_enough_lines().filter_map(|analysis| {
            Some((analysis.effort.reached_depth(), analysis.effort.satisfied_limit(limits)?))
        });
        let satisfied_limit =
            sufficient.max_by_key(|&(reached, _)| reached).map(|(_, reason)| reason);
        let verdict = if satisfied_limit.is_some() {
            CacheVerdict::Hit
        } else if applicable().next().is_some() {
            CacheVerdict::Shallow
        } else if same_engine().any(|analysis| analysis.context.history == key.history) {
            CacheVerdict::FiftyMoves
        } else if same_engine().next().is_some() {
            CacheVerdict::History
        } else {
            CacheVerdict::Unknown
        };
        // Of equals that which is enough.
        let deepest = with_enough_lines().max_by_key(|analysis| {
            (analysis.effort.reached_depth(), analysis.effort.satisfied_limit(limits).is_some())
        });
        Lookup { deepest, satisfied_limit, verdict }
    }
}

/// What is known to a question.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lookup<'a> {
    pub(super) deepest: Option<&'a CacheEntry>,
    /// The asked limit that something known satisfies: then the deepest answers.
    satisfied_limit: Option<CompletionReason>,
    verdict: CacheVerdict,
}

impl<'a> Lookup<'a> {
    /// The analysis that answers, if one does.
    pub(super) fn answer(&self) -> Option<&'a CacheEntry> {
        self.deepest.filter(|_| self.satisfied_limit.is_some())
    }

    /// The same, with the lines asked.
    pub(super) fn into_result(self, lines: usize) -> LookupResult {
        let deepest = self.deepest.map(|analysis| CachedAnalysis::of(analysis, lines));
        LookupResult {
            sufficient: deepest.clone().zip(self.satisfied_limit),
            deepest,
            verdict: self.verdict,
            is_speculative_hit: self
                .answer()
                .is_some_and(|analysis| analysis.origin == Origin::Speculation),
        }
    }
}

/// What memory says to a question.
#[derive(Clone, Debug)]
pub(super) struct LookupResult {
    /// The deepest analysis with the lines asked.
    pub(super) deepest: Option<CachedAnalysis>,
    /// The deepest one that is enough, and the asked limit that it satisfies.
    pub(super) sufficient: Option<(CachedAnalysis, CompletionReason)>,
    /// Why there is one or none that is enough.
    pub(super) verdict: CacheVerdict,
    /// What is enough was found in idle time.
    pub(super) is_speculative_hit: bool,
}

impl LookupResult {
    /// Nothing, for this reason.
    pub(super) const fn without_entry(verdict: CacheVerdict) -> LookupResult {
        LookupResult { deepest: None, sufficient: None, verdict, is_speculative_hit: false }
    }
}

/// An analysis from memory, with the lines asked.
#[derive(Clone, Debug)]
pub struct CachedAnalysis {
    /// What was found.
    pub report: Arc<Report>,
    /// Time since it was stored.
    pub age: Duration,
}

impl CachedAnalysis {
    /// An analysis with so many of its lines, or all of them when it has fewer.
    pub(super) fn of(analysis: &CacheEntry, lines: usize) -> CachedAnalysis {
        let report = if analysis.report.alternatives.len() < lines {
            analysis.report.clone()
        } else {
            let alternatives = analysis.report.alternatives[..lines.saturating_sub(1)].to_vec();
            Arc::new(Report { alternatives, ..(*analysis.report).clone() })
        };
        CachedAnalysis { report, age: analysis.stored_at.age() }
    }
}
