//! An analysis as the store keeps it, and back.

use std::sync::Arc;

use super::cache_key::{AnalysisKey, HistoryContext, HistoryHash};
use super::cached::{CacheEntry, Origin, StoredAt};
use super::effort::SearchEffort;
use crate::store::{EntryKey, Record};

/// What is kept of an analysis of this position.
pub(super) fn to_record(key: &AnalysisKey, analysis: &CacheEntry) -> Record {
    let HistoryContext { history, halfmove_clock: clock } = analysis.context;
    let place = EntryKey {
        zobrist_key: key.zobrist_key,
        position: key.packed,
        history_hash: history.to_parts(),
        halfmove_clock: clock,
        multipv: analysis.lines,
    };
    Record {
        key: place,
        report: analysis.report.clone(),
        effort: analysis.effort.stored_form(),
        nodes_saved: analysis.nodes_saved,
        stored_ms: analysis.stored_at.unix_ms,
    }
}

/// The context that a record belongs to.
pub(super) fn record_context(place: &EntryKey) -> HistoryContext {
    HistoryContext {
        history: HistoryHash::from_parts(place.history_hash),
        halfmove_clock: place.halfmove_clock,
    }
}

/// The analysis that a record keeps.
pub(super) fn from_record(record: &Record, engine_id: &Arc<str>) -> CacheEntry {
    CacheEntry {
        context: record_context(&record.key),
        report: record.report.clone(),
        effort: SearchEffort::from_stored(record.effort, record.report.depth),
        nodes_saved: record.nodes_saved,
        lines: record.key.multipv,
        stored_at: StoredAt { unix_ms: record.stored_ms },
        // Nobody counts for longer than the process lasts.
        origin: Origin::Request,
        engine_id: engine_id.clone(),
    }
}
