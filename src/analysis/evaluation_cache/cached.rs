//! The cached analyses of a position, and what they answer to a request.

use std::sync::Arc;
use std::time::Duration;

use super::entry::{CacheEntry, Origin};
use crate::analysis::answer::{CacheVerdict, CompletionReason};
use crate::analysis::cache_key::{AnalysisKey, HistoryContext};
use crate::chess::encodings::PackedPosition;
use crate::engine::{Limits, Report};

/// How many contexts of a position are cached at most. So a lookup stays short however many
/// histories lead to the position.
const MAX_CONTEXTS: usize = 64;

/// The cached analyses of a position, sorted by context and number of lines.
#[derive(Clone, Debug)]
pub(super) struct CachedPosition {
    pub(super) packed: PackedPosition,
    pub(super) entries: Vec<CacheEntry>,
}

impl CachedPosition {
    /// A position without entries.
    pub(super) fn empty(packed: PackedPosition) -> CachedPosition {
        CachedPosition { packed, entries: Vec::new() }
    }

    /// The index of the entry with this context and number of lines, or the index to insert it at.
    pub(super) fn find(&self, context: HistoryContext, lines: u8) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&(context, lines), |entry| (entry.context, entry.lines))
    }

    /// Merges a new entry. A deeper entry with at least as many lines stays. Returns the index of
    /// the new or changed entry.
    pub(super) fn merge(&mut self, mut entry: CacheEntry) -> Option<usize> {
        let (context, lines) = (entry.context, entry.lines);
        let is_better = |other: &CacheEntry| {
            other.context == context && other.lines > lines && other.depth() > entry.depth()
        };
        if let Some(better) = self.entries.iter().position(is_better) {
            self.entries[better].extend_time_to(&entry);
            return Some(better);
        }
        match self.find(context, lines) {
            Ok(index) => {
                let old = &mut self.entries[index];
                entry.nodes_saved = entry.nodes_saved.max(old.nodes_saved);
                if entry.depth() >= old.depth() {
                    *old = entry;
                } else {
                    old.extend_time_to(&entry);
                }
                Some(index)
            }
            Err(_) if self.entries.len() >= MAX_CONTEXTS && context != HistoryContext::EMPTY => {
                None
            }
            Err(index) => {
                self.insert(index, entry);
                Some(index)
            }
        }
    }

    /// Inserts an entry at the index that [`CachedPosition::find`] returned.
    pub(super) fn insert(&mut self, index: usize, entry: CacheEntry) {
        self.entries.reserve_exact(1);
        self.entries.insert(index, entry);
    }

    /// Looks up the entries for a request with at least this many lines.
    pub(super) fn lookup(&self, key: &AnalysisKey, limits: &Limits, lines: usize) -> Lookup<'_> {
        let applicable = || {
            let entries = self.entries.iter();
            entries.filter(|entry| key.accepts(entry.context, entry.report.seldepth))
        };
        let with_enough_lines = || applicable().filter(|entry| usize::from(entry.lines) >= lines);
        // If any entry suffices, the deepest one answers.
        let sufficient = with_enough_lines()
            .filter_map(|entry| Some((entry.depth(), entry.satisfied_limit(limits)?)));
        let satisfied_limit =
            sufficient.max_by_key(|&(reached, _)| reached).map(|(_, reason)| reason);
        let verdict = if satisfied_limit.is_some() {
            CacheVerdict::Hit
        } else if applicable().next().is_some() {
            CacheVerdict::Shallow
        } else if self.entries.is_empty() {
            CacheVerdict::Unknown
        } else if self.entries.iter().any(|entry| entry.context.history == key.history) {
            CacheVerdict::FiftyMoves
        } else {
            CacheVerdict::History
        };
        // Of equally deep entries one that suffices.
        let deepest = with_enough_lines()
            .max_by_key(|entry| (entry.depth(), entry.satisfied_limit(limits).is_some()));
        Lookup { deepest, satisfied_limit, verdict }
    }
}

/// The entries that a lookup found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lookup<'a> {
    pub(super) deepest: Option<&'a CacheEntry>,
    /// The requested limit that an entry satisfies; then the deepest entry answers.
    satisfied_limit: Option<CompletionReason>,
    verdict: CacheVerdict,
}

impl<'a> Lookup<'a> {
    /// The entry that answers, if any.
    pub(super) fn answer(&self) -> Option<&'a CacheEntry> {
        self.deepest.filter(|_| self.satisfied_limit.is_some())
    }

    /// The result with the requested number of lines.
    pub(super) fn into_result(self, lines: usize) -> LookupResult {
        let deepest = self.deepest.map(|entry| CachedAnalysis::of(entry, lines));
        LookupResult {
            sufficient: deepest.clone().zip(self.satisfied_limit),
            deepest,
            verdict: self.verdict,
            is_speculative_hit: self
                .answer()
                .is_some_and(|entry| entry.origin == Origin::Speculation),
        }
    }
}

/// The answer of the cache to a request.
#[derive(Clone, Debug)]
pub(in crate::analysis) struct LookupResult {
    /// The deepest analysis with the requested lines.
    pub(in crate::analysis) deepest: Option<CachedAnalysis>,
    /// The deepest analysis if it suffices, and the requested limit that it satisfies.
    pub(in crate::analysis) sufficient: Option<(CachedAnalysis, CompletionReason)>,
    /// Why the cache answers or does not.
    pub(in crate::analysis) verdict: CacheVerdict,
    /// A speculative search found the sufficient entry.
    pub(in crate::analysis) is_speculative_hit: bool,
}

impl LookupResult {
    /// A result without an entry.
    pub(in crate::analysis) const fn without_entry(verdict: CacheVerdict) -> LookupResult {
        LookupResult { deepest: None, sufficient: None, verdict, is_speculative_hit: false }
    }
}

/// A cached analysis with the requested lines.
#[derive(Clone, Debug)]
pub struct CachedAnalysis {
    /// The result of the search.
    pub report: Arc<Report>,
    /// Time since the analysis was stored.
    pub age: Duration,
}

impl CachedAnalysis {
    /// The analysis of an entry with at most this many lines.
    pub(super) fn of(entry: &CacheEntry, lines: usize) -> CachedAnalysis {
        let report = if entry.report.alternatives.len() < lines {
            entry.report.clone()
        } else {
            let alternatives = entry.report.alternatives[..lines.saturating_sub(1)].to_vec();
            Arc::new(Report { alternatives, ..(*entry.report).clone() })
        };
        CachedAnalysis { report, age: entry.stored_at.age() }
    }
}
