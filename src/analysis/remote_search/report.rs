//! Reports on their way from the node that searches to another one.

use std::sync::Arc;
use std::time::Duration;

use crate::analysis::answer::{Answer, CompletionReason};
use crate::analysis::cache_key::AnalysisKey;
use crate::engine::{Report, StopReason};
use crate::store::{EntryKey, Record, StoredEffort};

/// The encoding of the reports of a search: a record whose `nodes_saved` are the tablebase hits,
/// and whose `stored_ms` is 1 if tablebases ranked the moves. Its checksum covers the position, the
/// history and the number of lines, so that no other search accepts the report.
#[derive(Clone, Debug)]
pub struct ReportEncoding(EntryKey);

impl ReportEncoding {
    /// The encoding for searches of this position with so many lines.
    pub(in crate::analysis) fn new(key: &AnalysisKey, lines: usize) -> ReportEncoding {
        ReportEncoding(EntryKey {
            zobrist_key: key.zobrist_key,
            position: key.packed,
            history_hash: key.history.to_parts(),
            halfmove_clock: Some(key.halfmove_clock),
            multipv: u8::try_from(lines).unwrap_or(u8::MAX),
        })
    }

    /// The encoding of the last report; `None` for a search that did not come to its end.
    pub fn encode_answer(&self, answer: &Answer) -> Option<Vec<u8>> {
        Some(self.encode(&with_reason(&answer.report, answer.reason)?))
    }

    /// The encoding of a report.
    pub fn encode(&self, report: &Report) -> Vec<u8> {
        let record = Record {
            key: self.0.clone(),
            report: Arc::new(report.clone()),
            effort: StoredEffort { nodes: 0, time: Duration::ZERO, depth: 0 },
            nodes_saved: report.tb_hits,
            stored_ms: u64::from(report.is_ranked_by_tablebase),
        };
        record.to_bytes()
    }

    /// Decodes a report; `None` if it is damaged or of another search. Its lines may be illegal.
    pub(super) fn decode(&self, bytes: &[u8]) -> Option<Report> {
        let EntryKey { zobrist_key, position, .. } = &self.0;
        let position = EntryKey::position_bytes(*zobrist_key, position);
        let record = Record::from_bytes(&position, &self.0.context_bytes(), bytes).ok()?;
        Some(Report {
            tb_hits: record.nodes_saved,
            is_ranked_by_tablebase: record.stored_ms == 1,
            ..(*record.report).clone()
        })
    }
}

/// A report as the result of a search that has ended for this reason: it may be that of an
/// iteration or of an analysis that was known, and then says something else. `None` for a search
/// that did not come to its end.
pub(in crate::analysis) fn with_reason(
    report: &Report,
    reason: CompletionReason,
) -> Option<Report> {
    let reason = match reason {
        CompletionReason::Shutdown | CompletionReason::Replaced => return None,
        reason if reason == report.reason.into() => report.reason,
        CompletionReason::Depth => StopReason::Depth,
        CompletionReason::Nodes => StopReason::Nodes,
        CompletionReason::Time => StopReason::Time,
        CompletionReason::Mate => StopReason::Mate,
        CompletionReason::Terminal => StopReason::Terminal,
        CompletionReason::Stopped => StopReason::Stopped,
    };
    Some(Report { reason, ..report.clone() })
}
