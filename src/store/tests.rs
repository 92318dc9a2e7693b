//! Tests of the file of the evaluation cache: encoding, durability, eviction and damage.

mod codec;
mod damage;
mod evaluation_cache_file;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::{EntryKey, EvaluationCacheFile, OpenError, Record, Store, StoreOptions, StoredEffort};
use crate::chess::encodings::PackedPosition;
use crate::chess::{Position, splitmix};
use crate::engine::{Report, Score, StopReason, Wdl};

const ENGINE_ID: &str = "0.1.0 of the tests";

fn options(folder: &Path) -> StoreOptions {
    StoreOptions { folder: folder.to_owned(), max_entries: 1_000, engine_id: ENGINE_ID.to_owned() }
}

fn open(options: StoreOptions) -> EvaluationCacheFile {
    EvaluationCacheFile::open(options).expect("a store")
}

/// A position that the number determines, reached by 12 pseudo-random moves.
fn position(number: u64) -> Position {
    let mut position = Position::startpos();
    for step in 1..=12 {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        position = position.after(moves[splitmix::nth(number, step) as usize % moves.len()]);
    }
    position
}

/// An analysis of the position with this number.
fn record(number: u64, nodes: u64) -> Record {
    let position = position(number);
    let key = EntryKey {
        zobrist_key: position.key(),
        position: PackedPosition::from_position(&position),
        history_hash: [0; 2],
        halfmove_clock: None,
        multipv: 1,
    };
    let report = Report {
        score: Score::Cp(number as i32 % 500),
        wdl: Wdl::DRAWN,
        raw_score: None,
        pv: position.legal_moves().iter().take(1).copied().collect(),
        depth: 9,
        seldepth: 12,
        nodes,
        elapsed: Duration::from_nanos(nodes * 1_001),
        reason: StopReason::Depth,
        history_independent: true,
        tb_hits: 0,
        is_ranked_by_tablebase: false,
        alternatives: Vec::new(),
    };
    let effort = StoredEffort { nodes, time: report.elapsed, depth: 9 };
    Record {
        key,
        report: Arc::new(report),
        effort,
        nodes_saved: nodes,
        stored_ms: 1_790_000_000_000 + number,
    }
}

fn write(store: &EvaluationCacheFile, records: impl IntoIterator<Item = Record>) {
    let records: Vec<Arc<Record>> = records.into_iter().map(Arc::new).collect();
    store.write(&records, &|record| record.nodes_saved as f32).expect("a write");
}

fn read(store: &EvaluationCacheFile, record: &Record) -> Vec<Record> {
    store.read(record.key.zobrist_key, &record.key.position).expect("a read")
}

fn entries(store: &EvaluationCacheFile) -> usize {
    store.size().entries
}
