//! The resident memory of the analysis service stays within the bound that it states. One test, so
//! that nothing else runs in its process.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashSet;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use kibitzer::analysis::{
    AnalysisRequest, Client, PriorityClass, Searcher, Service, ServiceOptions, bytes_per_entry,
    memory_bound, store_bound,
};
use kibitzer::chess::encodings::PackedPosition;
use kibitzer::chess::{Game, Move, Position};
use kibitzer::engine::{Engine, Limits, Report, Score, SearchScope, StopFlag, StopReason, Wdl};
use kibitzer::store::{DictionaryFile, Record, Store, StoreError, StoreOptions, StoreSize};

const ENTRIES: usize = 40_000;
const HASH_MB: usize = 16;

/// Resident memory of this process, in bytes.
fn resident_bytes() -> usize {
    let pages = fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4_096
}

/// Distinct positions out of random games.
fn positions(count: usize) -> Vec<Position> {
    let mut position = Position::startpos();
    let mut random = 1_u64;
    let mut seen = HashSet::new();
    let mut found = Vec::with_capacity(count);
    while found.len() < count {
        let moves = position.legal_moves();
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let over =
            moves.is_empty() || position.halfmove_clock() > 20 || position.occupied().count() < 5;
        position = match over {
            true => Position::startpos(),
            false => position.after(moves[(random >> 33) as usize % moves.len()]),
        };
        if position.has_moves() && seen.insert(position.key()) {
            found.push(position.clone());
        }
    }
    found
}

/// Finds at once a line as long as there are.
struct LongestPvSearcher;

/// A store on a disk that is full.
#[derive(Debug)]
struct FullDiskStore;

impl Store for FullDiskStore {
    fn engine_id(&self) -> &str {
        "longest"
    }

    fn read(&self, _: u64, _: &PackedPosition) -> Result<Vec<Record>, StoreError> {
        Err(StoreError::Closed)
    }

    fn write(&self, _: &[Arc<Record>], _: &dyn Fn(&Record) -> f32) -> Result<(), StoreError> {
        Err(StoreError::Closed)
    }

    fn size(&self) -> StoreSize {
        StoreSize::default()
    }
}

impl Searcher for LongestPvSearcher {
    fn analyse(
        &self,
        _: &Game,
        _: &Limits,
        _: &SearchScope,
        _: &StopFlag,
        _: &mut dyn FnMut(&Report),
    ) -> Report {
        Report {
            score: Score::Cp(0),
            wdl: Wdl::DRAWN,
            raw_score: None,
            pv: vec![Move::NULL; 240],
            depth: 9,
            seldepth: 9,
            nodes: 1_000,
            elapsed: Duration::from_millis(1),
            reason: StopReason::Depth,
            history_independent: true,
            alternatives: Vec::new(),
        }
    }

    fn engine_id(&self) -> String {
        "longest".to_owned()
    }
}

async fn analyse(service: &Service, position: Position, limits: Limits) {
    analyse_with_threads(service, position, limits, 1).await;
}

async fn analyse_with_threads(
    service: &Service,
    position: Position,
    limits: Limits,
    threads: usize,
) {
    let scope = SearchScope { threads, ..SearchScope::default() };
    let request = AnalysisRequest {
        game: Game::new(position),
        limits,
        scope,
        fresh: false,
        client: Client::new("ann"),
        class: PriorityClass::Interactive,
        session: None,
    };
    service.best_move(request).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn resident_memory_stays_within_the_stated_bound() {
    let mut positions = positions(2 * ENTRIES + 20_200).into_iter();
    let mut next = || positions.next().unwrap();
    let options = ServiceOptions {
        workers: 2,
        queue_capacity: 16,
        dictionary_max_entries: ENTRIES,
        ..ServiceOptions::default()
    };
    let depth = |depth| Limits { depth: Some(depth), ..Limits::default() };

    let before = resident_bytes();
    let few = ServiceOptions { dictionary_max_entries: 1_000, ..options };
    let engine = Service::start(Arc::new(Engine::new(HASH_MB)), few).unwrap();
    let mate = Limits { mate: Some(3), nodes: Some(200_000), ..Limits::default() };
    for _ in 0..40 {
        tokio::join!(analyse(&engine, next(), depth(8)), analyse(&engine, next(), mate));
        analyse_with_threads(&engine, next(), depth(8), 2).await;
    }
    // Bare kings and pawns go deep.
    let ending = Position::from_fen("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1").unwrap();
    let second = Limits { movetime: Some(Duration::from_secs(1)), ..Limits::default() };
    analyse_with_threads(&engine, ending, second, 2).await;
    let bound = memory_bound(&few, HASH_MB);
    let grown = resident_bytes().saturating_sub(before);
    println!("two workers with the engine: {grown} bytes of {} stated ({bound:?})", bound.total());
    assert!(grown <= bound.total());
    assert!(grown >= bound.hash, "the table is there from the start");

    // The engine stays, so that what it gives back is not taken for the dictionary's.
    let before = resident_bytes();
    let service = Service::start(Arc::new(LongestPvSearcher), options).unwrap();
    while service.status().cache_entries < ENTRIES {
        analyse(&service, next(), depth(9)).await;
    }
    let full = resident_bytes().saturating_sub(before);
    for _ in 0..ENTRIES {
        analyse(&service, next(), depth(9)).await;
    }
    let overflowed = resident_bytes().saturating_sub(before);
    println!(
        "a full dictionary: {} bytes an entry of {} stated",
        full / ENTRIES,
        bytes_per_entry()
    );
    println!("after as many newcomers again: {}", overflowed / ENTRIES);
    assert!(full.max(overflowed) <= ENTRIES * bytes_per_entry());
    assert!(full >= ENTRIES * bytes_per_entry() / 4, "the stated figure is far too high");

    // Ten times as many as memory has room for, on a disk and on one that is full.
    let folder = tempfile::tempdir().unwrap();
    let on_disk = StoreOptions {
        folder: folder.path().to_owned(),
        max_entries: 5_000,
        engine_id: "longest".to_owned(),
    };
    let stores: [(&str, Arc<dyn Store>); 2] = [
        ("a store", Arc::new(DictionaryFile::open(on_disk).unwrap())),
        ("a full disk", Arc::new(FullDiskStore)),
    ];
    for (name, store) in stores {
        let few = ServiceOptions { dictionary_max_entries: 1_000, ..options };
        let before = resident_bytes();
        let service = Service::start_with_store(
            Arc::new(LongestPvSearcher),
            few,
            store,
            Duration::from_millis(50),
        )
        .unwrap();
        for _ in 0..10_000 {
            analyse(&service, next(), depth(9)).await;
        }
        let grown = resident_bytes().saturating_sub(before);
        println!("{name}: {grown} bytes of {} stated", store_bound());
        assert!(grown <= store_bound() + 1_000 * bytes_per_entry(), "{name}: {grown}");
        let status = service.status();
        assert!(
            status.cache_entries <= 5_000 && status.store.unwrap().waiting <= 9_000,
            "{status:?}"
        );
    }
    drop(engine);
}
