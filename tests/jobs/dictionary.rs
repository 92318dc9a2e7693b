//! A dictionary full of analyses, so that starts are as slow as they get.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use kibitzer::analysis::Searcher;
use kibitzer::chess::forms::Packed;
use kibitzer::chess::{Position, splitmix};
use kibitzer::engine::{Engine, Report, Score, StopReason, Wdl};
use kibitzer::store::{DictionaryFile, Place, Record, Spent, Store, StoreOptions};

/// Analyses of one commit.
const AT_ONCE: u64 = 20_000;

/// Writes so many analyses of the engine of today into the folder.
pub(crate) fn fill(folder: &Path, entries: u64) {
    let maker = Engine::new(1).identity();
    let options = StoreOptions { folder: folder.to_owned(), max_entries: entries as usize, maker };
    let file = DictionaryFile::open(options).expect("a store");
    let report = Arc::new(report());
    for first in (0..entries).step_by(AT_ONCE as usize) {
        let records: Vec<_> =
            (first..(first + AT_ONCE).min(entries)).map(|number| record(number, &report)).collect();
        file.write(&records, &|record| record.saves as f32).expect("a write");
    }
}

fn record(number: u64, report: &Arc<Report>) -> Arc<Record> {
    let position = Packed::of(&Position::startpos());
    let place =
        Place { key: splitmix::nth(3, number), position, history: [0; 2], clock: None, lines: 1 };
    let spent = Spent { nodes: 30_000, time: Duration::from_millis(50), depth: 12 };
    Arc::new(Record {
        place,
        report: report.clone(),
        spent,
        saves: 30_000,
        stored_ms: 1_790_000_000_000,
    })
}

/// As a search of a tenth of a second finds it, with a line of usual length.
fn report() -> Report {
    let position = Position::startpos();
    Report {
        score: Score::Cp(30),
        wdl: Wdl::DRAWN,
        linear: None,
        pv: position.legal_moves().iter().take(16).copied().collect(),
        depth: 12,
        seldepth: 18,
        nodes: 30_000,
        elapsed: Duration::from_millis(50),
        reason: StopReason::Depth,
        context_free: true,
        alternatives: Vec::new(),
    }
}
