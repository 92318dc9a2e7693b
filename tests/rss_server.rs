//! Resident memory of the analysis service: it stays within the bound that the service states. The
//! file has one test, so that nothing else runs in its process.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "a test prints its figures")]

#[path = "support/rss.rs"]
mod rss;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use kibitzer::analysis::{
    AnalysisRequest, Client, PriorityClass, Searcher, Service, ServiceOptions, bytes_per_entry,
    memory_bound, store_bound,
};
use kibitzer::chess::encodings::PackedPosition;
use kibitzer::chess::{Game, Move, Position};
use kibitzer::engine::{Engine, GameSearch, Limits, Report, Score, SearchOptions, StopReason, Wdl};
use kibitzer::store::{EvaluationCacheFile, Record, Store, StoreError, StoreOptions, StoreSize};

const ENTRIES: usize = 40_000;
const HASH_MB: usize = 16;

/// The resident memory of this process in bytes.
fn resident_bytes() -> usize {
    rss::status_kib(std::process::id(), "VmRSS").unwrap() as usize * 1_024
}

/// Distinct positions of random games.
fn positions(count: usize) -> Vec<Position> {
    let mut position = Position::startpos();
    let mut random = 1_u64;
    let mut seen = HashSet::new();
    let mut found = Vec::with_capacity(count);
    while found.len() < count {
        let moves = position.legal_moves();
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let restarts =
            moves.is_empty() || position.halfmove_clock() > 20 || position.occupied().count() < 5;
        position = match restarts {
            true => Position::startpos(),
            false => position.after(moves[(random >> 33) as usize % moves.len()]),
        };
        if position.has_moves() && seen.insert(position.key()) {
            found.push(position.clone());
        }
    }
    found
}

/// Returns a line of the greatest length at once.
struct LongestPvSearcher;

/// A store on a full disk.
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
    fn analyse(&self, _: GameSearch<'_>, _: &mut dyn FnMut(&Report)) -> Report {
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
            tb_hits: 0,
            is_ranked_by_tablebase: false,
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
    let options = SearchOptions { threads, ..SearchOptions::default() };
    let request = AnalysisRequest {
        game: Game::new(position),
        limits,
        options,
        fresh: false,
        client: Client::new("ann"),
        class: PriorityClass::Interactive,
        session: None,
        strength: None,
    };
    service.best_move(request).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn resident_memory_stays_within_the_stated_bound() {
    let mut positions = positions(2 * ENTRIES + 20_200).into_iter();
    // The engine stays alive, so that memory it frees does not reduce the later measurements.
    let _engine = check_engine(&mut positions).await;
    let _service = check_full_cache(&mut positions).await;
    check_stores(&mut positions).await;
}

/// Options of a service whose evaluation cache holds `entries` analyses.
fn options(entries: usize) -> ServiceOptions {
    ServiceOptions {
        workers: 2,
        queue_capacity: 16,
        cache_max_entries: entries,
        ..ServiceOptions::default()
    }
}

fn depth(depth: u8) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

/// The memory of two workers with the engine.
async fn check_engine(positions: &mut impl Iterator<Item = Position>) -> Service {
    let before = resident_bytes();
    let options = options(1_000);
    let service = Service::start(Arc::new(Engine::new(HASH_MB)), options).unwrap();
    let mut next = || positions.next().unwrap();
    let mate = Limits { mate: Some(3), nodes: Some(200_000), ..Limits::default() };
    for _ in 0..40 {
        tokio::join!(analyse(&service, next(), depth(8)), analyse(&service, next(), mate));
        analyse_with_threads(&service, next(), depth(8), 2).await;
    }
    // A blocked pawn ending reaches great depths.
    let ending = Position::from_fen("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1").unwrap();
    let second = Limits { movetime: Some(Duration::from_secs(1)), ..Limits::default() };
    analyse_with_threads(&service, ending, second, 2).await;
    let bound = memory_bound(&options, HASH_MB);
    let growth = resident_bytes().saturating_sub(before);
    println!("two workers with the engine: {growth} of {} bytes stated ({bound:?})", bound.total());
    assert!(growth <= bound.total());
    assert!(growth >= bound.hash, "the table is not resident from the start");
    service
}

/// The memory of an evaluation cache that is full, and after its entries were replaced.
async fn check_full_cache(positions: &mut impl Iterator<Item = Position>) -> Service {
    let before = resident_bytes();
    let service = Service::start(Arc::new(LongestPvSearcher), options(ENTRIES)).unwrap();
    while service.status().cache_entries < ENTRIES {
        analyse(&service, positions.next().unwrap(), depth(9)).await;
    }
    let full = resident_bytes().saturating_sub(before);
    for _ in 0..ENTRIES {
        analyse(&service, positions.next().unwrap(), depth(9)).await;
    }
    let replaced = resident_bytes().saturating_sub(before);
    println!("full cache: {} of {} bytes per entry stated", full / ENTRIES, bytes_per_entry());
    println!("after as many new entries: {} bytes per entry", replaced / ENTRIES);
    assert!(full.max(replaced) <= ENTRIES * bytes_per_entry());
    assert!(full >= ENTRIES * bytes_per_entry() / 4, "the stated size is far too high");
    service
}

/// The memory of stores with ten times as many entries as the cache holds: one on disk, and one on
/// a full disk.
async fn check_stores(positions: &mut impl Iterator<Item = Position>) {
    let folder = tempfile::tempdir().unwrap();
    let on_disk = StoreOptions {
        folder: folder.path().to_owned(),
        max_entries: 5_000,
        engine_id: "longest".to_owned(),
    };
    let stores: [(&str, Arc<dyn Store>); 2] = [
        ("a store", Arc::new(EvaluationCacheFile::open(on_disk).unwrap())),
        ("a full disk", Arc::new(FullDiskStore)),
    ];
    for (name, store) in stores {
        let before = resident_bytes();
        let service = Service::start_with_store(
            Arc::new(LongestPvSearcher),
            options(1_000),
            store,
            Duration::from_millis(50),
        )
        .unwrap();
        for _ in 0..10_000 {
            analyse(&service, positions.next().unwrap(), depth(9)).await;
        }
        let growth = resident_bytes().saturating_sub(before);
        println!("{name}: {growth} of {} bytes stated", store_bound());
        assert!(growth <= store_bound() + 1_000 * bytes_per_entry(), "{name}: {growth}");
        let status = service.status();
        assert!(
            status.cache_entries <= 5_000 && status.store.unwrap().waiting <= 9_000,
            "{status:?}"
        );
    }
}
