//! A full evaluation cache on disk, which makes server starts as slow as possible.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use kibitzer::analysis::Searcher;
use kibitzer::chess::encodings::PackedPosition;
use kibitzer::chess::{Position, splitmix};
use kibitzer::engine::{Engine, Report, Score, StopReason, Wdl};
use kibitzer::store::{EntryKey, EvaluationCacheFile, Record, Store, StoreOptions, StoredEffort};

/// Analyses per commit.
const BATCH_SIZE: u64 = 20_000;

/// Writes `entries` analyses of the current engine into the folder.
pub(crate) fn fill(folder: &Path, entries: u64) {
    let engine_id = Engine::new(1).engine_id();
    let options =
        StoreOptions { folder: folder.to_owned(), max_entries: entries as usize, engine_id };
    let file = EvaluationCacheFile::open(options).expect("a store");
    let report = Arc::new(report());
    for first in (0..entries).step_by(BATCH_SIZE as usize) {
        let records: Vec<_> = (first..(first + BATCH_SIZE).min(entries))
            .map(|number| record(number, &report))
            .collect();
        file.write(&records, &|record| record.nodes_saved as f32).expect("a write");
    }
}

fn record(number: u64, report: &Arc<Report>) -> Arc<Record> {
    let position = PackedPosition::from_position(&Position::startpos());
    let key = EntryKey {
        zobrist_key: splitmix::nth(3, number),
        position,
        history_hash: [0; 2],
        halfmove_clock: None,
        multipv: 1,
    };
    let effort = StoredEffort { nodes: 30_000, time: Duration::from_millis(50), depth: 12 };
    Arc::new(Record {
        key,
        report: report.clone(),
        effort,
        nodes_saved: 30_000,
        stored_ms: 1_790_000_000_000,
    })
}

/// A report typical of a search of a tenth of a second.
fn report() -> Report {
    let position = Position::startpos();
    Report {
        score: Score::Cp(30),
        wdl: Wdl::DRAWN,
        raw_score: None,
        pv: position.legal_moves().iter().take(16).copied().collect(),
        depth: 12,
        seldepth: 18,
        nodes: 30_000,
        elapsed: Duration::from_millis(50),
        reason: StopReason::Depth,
        history_independent: true,
        tb_hits: 0,
        is_ranked_by_tablebase: false,
        alternatives: Vec::new(),
    }
}
