//! Entries of the evaluation cache, in memory and as records of the store.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::effort;
use crate::analysis::answer::CompletionReason;
use crate::analysis::cache_key::{AnalysisKey, HistoryContext, HistoryHash};
use crate::engine::{Limits, Report};
use crate::store::{EntryKey, Record, StoredEffort};

/// Plies in the longest line of a report.
pub(super) const MAX_PV_PLIES: usize = 256;

/// How many lines of an analysis are cached at most. A request for more lines is searched.
pub(super) const MAX_LINES: usize = 5;

/// Plies in the longest alternative line that is cached. A longer line and all lines after it are
/// left out, so that a cached answer is as complete as a searched one.
pub(super) const MAX_ALTERNATIVE_PLIES: usize = 32;

/// The analysis of a position in one history context.
#[derive(Clone, Debug)]
pub(in crate::analysis) struct CacheEntry {
    pub(super) context: HistoryContext,
    pub(super) report: Arc<Report>,
    pub(super) effort: StoredEffort,
    /// The most nodes that any search of the position has taken: the work that the entry saves.
    /// Later searches take fewer because of the transposition table.
    pub(super) nodes_saved: u64,
    /// How many of the best moves have a line.
    pub(super) lines: u8,
    pub(super) stored_at: StoredAt,
    pub(super) origin: Origin,
}

/// The kind of search behind an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analysis) enum Origin {
    Request,
    Speculation,
    /// A search of another node, which has shared it.
    OtherNode,
}

/// When an entry was stored, by the wall clock, because the entry outlasts the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analysis) struct StoredAt {
    /// Milliseconds since 1970.
    pub(in crate::analysis) unix_ms: u64,
}

impl StoredAt {
    pub(in crate::analysis) fn now() -> StoredAt {
        // With a clock before 1970 all ages are zero.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        StoredAt { unix_ms: u64::try_from(since.as_millis()).unwrap_or(u64::MAX) }
    }

    /// The time since; zero if the clock was set back.
    pub(super) fn age(self) -> Duration {
        Duration::from_millis(StoredAt::now().unix_ms.saturating_sub(self.unix_ms))
    }
}

impl CacheEntry {
    /// The depth that the search reached, in plies.
    pub(super) fn depth(&self) -> u8 {
        self.report.depth
    }

    /// The first requested limit that the entry satisfies.
    pub(super) fn satisfied_limit(&self, limits: &Limits) -> Option<CompletionReason> {
        effort::satisfied_limit(&self.effort, limits)
    }

    /// Extends the time that the entry covers to that of another search that found nothing deeper.
    /// A request for that time then gets this entry.
    pub(super) fn extend_time_to(&mut self, shallower: &CacheEntry) {
        self.effort.time = self.effort.time.max(shallower.effort.time);
    }

    /// The record of an entry of this position.
    pub(super) fn to_record(&self, key: &AnalysisKey) -> Record {
        let HistoryContext { history, halfmove_clock } = self.context;
        Record {
            key: EntryKey {
                zobrist_key: key.zobrist_key,
                position: key.packed,
                history_hash: history.to_parts(),
                halfmove_clock,
                multipv: self.lines,
            },
            report: self.report.clone(),
            effort: self.effort,
            nodes_saved: self.nodes_saved,
            stored_ms: self.stored_at.unix_ms,
        }
    }

    /// The entry of a record.
    pub(super) fn from_record(record: &Record) -> CacheEntry {
        CacheEntry {
            context: record_context(&record.key),
            report: record.report.clone(),
            effort: record.effort,
            nodes_saved: record.nodes_saved,
            lines: record.key.multipv,
            stored_at: StoredAt { unix_ms: record.stored_ms },
            // The store does not keep the origin, which only counts within a process.
            origin: Origin::Request,
        }
    }
}

/// The history context of a record.
pub(super) fn record_context(key: &EntryKey) -> HistoryContext {
    HistoryContext {
        history: HistoryHash::from_parts(key.history_hash),
        halfmove_clock: key.halfmove_clock,
    }
}
