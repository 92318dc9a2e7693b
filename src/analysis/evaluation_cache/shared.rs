//! Analyses that other nodes have found: their keys, and their validation. They come over the
//! network, so nothing about them is taken on trust.

use super::entry::{CacheEntry, MAX_ALTERNATIVE_PLIES, MAX_LINES, MAX_PV_PLIES};
use crate::analysis::cache_key::AnalysisKey;
use crate::analysis::foreign_report::{MaxPlies, is_possible};
use crate::chess::Position;
use crate::engine::{Report, StopReason};
use crate::store::{EntryKey, Record};

/// The longest lines of an entry.
const MAX_PLIES: MaxPlies = MaxPlies { best: MAX_PV_PLIES, others: MAX_ALTERNATIVE_PLIES };

/// The keys under which an analysis for this position with at least this many lines may stand.
pub(super) fn keys(key: &AnalysisKey, lines: usize) -> Vec<EntryKey> {
    let clocks = [None, Some(key.halfmove_clock)];
    let with_lines = |lines: usize| {
        clocks.map(|halfmove_clock| EntryKey {
            zobrist_key: key.zobrist_key,
            position: key.packed,
            history_hash: key.history.to_parts(),
            halfmove_clock,
            multipv: u8::try_from(lines).unwrap_or(u8::MAX),
        })
    };
    (lines..=MAX_LINES).flat_map(with_lines).collect()
}

/// `true` for what a finished search reports. What tablebases know is not shared.
fn is_result(report: &Report) -> bool {
    report.depth > 0 && report.reason != StopReason::Tablebase
}

/// The entry of a record, if the record is one of this position and its lines are legal there.
pub(super) fn validated(
    record: &Record,
    key: &AnalysisKey,
    position: &Position,
) -> Option<CacheEntry> {
    let is_of_position =
        record.key.zobrist_key == key.zobrist_key && record.key.position == key.packed;
    let lines = record.report.alternatives.len() + 1;
    let is_valid = is_of_position
        && lines <= MAX_LINES
        && usize::from(record.key.multipv) == lines
        && is_result(&record.report)
        && is_possible(&record.report, position, MAX_PLIES);
    is_valid.then(|| CacheEntry::from_record(record))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::analysis::evaluation_cache::entry::{Origin, StoredAt};
    use crate::analysis::tests::{game_of, report, start_game};
    use crate::chess::Move;
    use crate::engine::{Score, Variation, Wdl};
    use crate::store::StoredEffort;

    /// A record of the start position with two lines.
    fn record() -> Record {
        let key = AnalysisKey::of(&start_game());
        let pv = game_of("e2e4 e7e5 g1f3").moves().to_vec();
        let alternative = Variation {
            score: Score::Cp(5),
            wdl: Wdl::DRAWN,
            pv: game_of("d2d4").moves().to_vec(),
        };
        let report = Report { pv, alternatives: vec![alternative], ..report(9, 50_000) };
        let entry = CacheEntry {
            context: key.context(report.seldepth, false),
            report: Arc::new(report),
            effort: StoredEffort { nodes: 50_000, time: Duration::ZERO, depth: 9 },
            nodes_saved: 50_000,
            lines: 2,
            stored_at: StoredAt { unix_ms: 1 },
            origin: Origin::Request,
        };
        entry.to_record(&key)
    }

    fn is_valid(change: impl FnOnce(&mut Record)) -> bool {
        let mut record = record();
        change(&mut record);
        validated(&record, &AnalysisKey::of(&start_game()), start_game().position()).is_some()
    }

    fn is_valid_report(change: impl FnOnce(&mut Report)) -> bool {
        is_valid(|record| change(Arc::make_mut(&mut record.report)))
    }

    #[test]
    fn a_record_of_the_position_with_legal_lines_is_valid() {
        assert!(is_valid(|_| ()));
        assert!(is_valid_report(|report| report.score = Score::Mate(-3)));
    }

    #[test]
    fn a_record_of_another_position_is_not_valid() {
        assert!(!is_valid(|record| record.key.zobrist_key ^= 1));
        let other = AnalysisKey::of(&game_of("e2e4"));
        assert!(!is_valid(|record| record.key.position = other.packed));
    }

    #[test]
    fn lines_that_are_not_legal_are_not_valid() {
        let black = game_of("e2e4 e7e5").moves()[1];
        assert!(!is_valid_report(|report| report.pv.clear()));
        assert!(!is_valid_report(|report| report.pv[0] = black));
        assert!(!is_valid_report(|report| report.pv[2] = black));
        assert!(!is_valid_report(|report| report.pv[0] = Move::from_code(0)));
        assert!(!is_valid_report(|report| report.alternatives[0].pv.clear()));
        assert!(!is_valid_report(|report| report.alternatives[0].pv[0] = black));
        assert!(!is_valid_report(|report| report.alternatives[0].pv[0] = report.pv[0]));
        let shuffle = game_of("g1f3 g8f6 f3g1 f6g8").moves().repeat(70);
        assert!(!is_valid_report(|report| report.pv = shuffle));
    }

    #[test]
    fn what_no_finished_search_reports_is_not_valid() {
        assert!(!is_valid_report(|report| report.depth = 0));
        assert!(!is_valid_report(|report| report.reason = StopReason::Terminal));
        assert!(!is_valid_report(|report| report.score = Score::Mate(0)));
        assert!(!is_valid_report(|report| report.alternatives.clear()));
        assert!(!is_valid(|record| record.key.multipv = 1));
    }
}
