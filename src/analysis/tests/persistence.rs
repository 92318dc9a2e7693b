//! The two tiers of the evaluation cache: memory and disk answer alike, also after a restart.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;

use super::*;
use crate::analysis::cache_key::AnalysisKey;
use crate::analysis::evaluation_cache::{EvaluationCache, Origin};
use crate::analysis::{CacheLookupCounts, CacheVerdict, CachedAnalysis, Source};
use crate::chess::encodings::PackedPosition;
use crate::engine::Variation;
use crate::store::{EvaluationCacheFile, Record, Store, StoreError, StoreOptions, StoreSize};

/// A flush interval longer than any test, so that only explicit flushes write.
const LONG: Duration = Duration::from_secs(3_600);

fn open_store(folder: &Path) -> Arc<EvaluationCacheFile> {
    let options = StoreOptions {
        folder: folder.to_owned(),
        max_entries: 10_000,
        engine_id: ENGINE_ID.to_owned(),
    };
    Arc::new(EvaluationCacheFile::open(options).expect("a store"))
}

fn open_cache(in_memory: usize, folder: &Path) -> EvaluationCache {
    EvaluationCache::with_store(in_memory, open_store(folder), LONG).expect("a thread")
}

fn flush(cache: &EvaluationCache) {
    cache.disk().expect("a disk").flush();
}

fn store(cache: &EvaluationCache, key: &AnalysisKey, limits: Limits, report: Report) {
    cache.store(key, &limits, &Arc::new(report), Origin::Request);
}

/// The key of a different position for each number below 400.
fn numbered_key(number: usize) -> AnalysisKey {
    let mut position = Position::startpos();
    for part in [number % 20, number / 20 % 20] {
        position = position.after(position.legal_moves()[part]);
    }
    AnalysisKey::of(&Game::new(position))
}

#[test]
fn stored_analyses_answer_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    {
        let cache = open_cache(100, folder.path());
        (0..50).for_each(|number| {
            store(&cache, &numbered_key(number), depth(10), report(10, 5_000 + number as u64))
        });
    }
    let cache = open_cache(100, folder.path());
    assert_eq!((cache.entries(), cache.recount_entries()), (50, 0));
    for number in 0..50 {
        let (cached, _) =
            cache.lookup(&numbered_key(number), &depth(10), 1, &[]).sufficient.unwrap();
        assert_eq!(cached.report.nodes, 5_000 + number as u64);
    }
    assert_eq!(
        cache.lookup_counts(),
        CacheLookupCounts { disk: 50, ..CacheLookupCounts::default() }
    );
    assert_eq!(cache.recount_entries(), 50, "a requested analysis is copied to memory");
    (0..50).for_each(|number| {
        cache.lookup(&numbered_key(number), &depth(9), 1, &[]);
    });
    cache.lookup(&numbered_key(60), &depth(9), 1, &[]);
    assert_eq!(
        cache.lookup_counts(),
        CacheLookupCounts { memory: 50, disk: 50, misses: 1, ..CacheLookupCounts::default() }
    );
}

#[test]
fn lookups_are_counted_and_promoted_and_peeks_leave_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    store(&open_cache(100, folder.path()), &numbered_key(0), depth(10), report(10, 5_000));
    let cache = open_cache(100, folder.path());
    let hits = |memory, disk, misses| {
        assert_eq!(
            cache.lookup_counts(),
            CacheLookupCounts { memory, disk, misses, ..CacheLookupCounts::default() }
        )
    };
    let depth_of = |cached: Option<CachedAnalysis>| cached.map(|cached| cached.report.depth);
    assert_eq!(depth_of(cache.peek_deepest(&numbered_key(0), 1)), Some(10));
    assert_eq!(depth_of(cache.peek_deepest(&numbered_key(1), 1)), None);
    assert_eq!(cache.recount_entries(), 0);
    hits(0, 0, 0);
    assert_eq!(depth_of(cache.lookup_deepest(&numbered_key(0), 1)), Some(10));
    hits(0, 1, 0);
    assert_eq!(
        (depth_of(cache.lookup_deepest(&numbered_key(0), 1)), cache.recount_entries()),
        (Some(10), 1)
    );
    hits(1, 1, 0);
    assert_eq!(
        depth_of(cache.lookup_deepest(&numbered_key(0), 2)),
        None,
        "only one line is cached"
    );
    assert_eq!(depth_of(cache.lookup_deepest(&numbered_key(1), 1)), None);
    hits(1, 1, 2);
}

#[test]
fn entries_evicted_from_memory_are_found_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let cache = open_cache(10, folder.path());
    (0..400).for_each(|number| store(&cache, &numbered_key(number), depth(10), report(10, 5_000)));
    let all_answer = || {
        (0..400)
            .all(|number| verdict(&cache, &numbered_key(number), depth(10)) == CacheVerdict::Hit)
    };
    assert!(all_answer(), "analyses that wait for the disk answer too");
    flush(&cache);
    assert!(all_answer());
    assert_eq!((cache.recount_entries(), cache.entries(), cache.max_entries()), (10, 400, 10_000));
}

#[test]
fn a_shallower_analysis_does_not_replace_a_deeper_one_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    store(&open_cache(100, folder.path()), &bare_key(0), depth(20), report(20, 90_000));
    {
        let cache = open_cache(100, folder.path());
        store(&cache, &bare_key(0), depth(8), report(8, 100));
    }
    let cache = open_cache(100, folder.path());
    assert_eq!(
        cache.lookup_uncounted(&bare_key(0), &depth(5), 1).sufficient.unwrap().0.report.depth,
        20
    );
    assert_eq!(cache.entries(), 1);
}

#[test]
fn contexts_hold_across_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let shuffled = AnalysisKey::of(&game_of("g1f3 g8f6 f3g1 f6g8"));
    let near_the_limit = AnalysisKey { halfmove_clock: 90, ..numbered_key(7) };
    {
        let cache = open_cache(100, folder.path());
        store(&cache, &shuffled, depth(10), report(10, 5_000));
        store(&cache, &near_the_limit, depth(10), report(10, 5_000));
        store(&cache, &numbered_key(8), depth(10), Report { seldepth: 85, ..report(10, 5_000) });
    }
    let ask = |key: &AnalysisKey| verdict(&open_cache(100, folder.path()), key, depth(10));
    assert_eq!(ask(&shuffled), CacheVerdict::Hit);
    assert_eq!(ask(&bare_key(4)), CacheVerdict::History);
    assert_eq!(ask(&AnalysisKey::of(&game_of("b1c3 b8c6 c3b1 c6b8"))), CacheVerdict::History);
    assert_eq!(ask(&near_the_limit), CacheVerdict::Hit);
    for halfmove_clock in [0, 20, 89, 91] {
        assert_eq!(
            ask(&AnalysisKey { halfmove_clock, ..numbered_key(7) }),
            CacheVerdict::FiftyMoves,
            "clock {halfmove_clock}"
        );
    }
    assert_eq!(ask(&AnalysisKey { halfmove_clock: 14, ..numbered_key(8) }), CacheVerdict::Hit);
    assert_eq!(
        ask(&AnalysisKey { halfmove_clock: 15, ..numbered_key(8) }),
        CacheVerdict::FiftyMoves,
        "the search has reached 85 plies"
    );
}

#[test]
fn the_age_is_measured_by_the_wall_clock() {
    let folder = tempfile::tempdir().unwrap();
    store(&open_cache(100, folder.path()), &bare_key(0), depth(10), report(10, 5_000));
    thread::sleep(Duration::from_millis(30));
    let cache = open_cache(100, folder.path());
    let age = || cache.lookup_uncounted(&bare_key(0), &depth(5), 1).sufficient.unwrap().0.age;
    let first = age();
    assert!(first >= Duration::from_millis(30) && first < LONG, "{first:?}");
    thread::sleep(Duration::from_millis(5));
    assert!(age() > first);
}

fn stop_reasons() -> impl Strategy<Value = StopReason> {
    prop_oneof![
        Just(StopReason::Depth),
        Just(StopReason::Nodes),
        Just(StopReason::Time),
        Just(StopReason::Stopped)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn disk_and_memory_give_equal_answers(
        searches in prop::collection::vec(
            (
                (0..3_usize, 0..120_u16, any::<bool>()),
                (1..30_u8, 1..120_u8, 1..100_000_u64),
                (1..4_usize, any::<bool>()),
                stop_reasons(),
            ),
            1..12,
        ),
        requests in prop::collection::vec(
            ((0..3_usize, 0..120_u16, any::<bool>()), (1..30_u8, 1..4_usize)),
            1..30,
        ),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let key_of = |(number, halfmove_clock, shuffled): (usize, u16, bool)| {
            let game = if shuffled { game_of("g1f3 g8f6 f3g1 f6g8") } else { start_game() };
            let history = AnalysisKey::of(&game).history;
            AnalysisKey { halfmove_clock, history, ..numbered_key(number) }
        };
        let in_memory = EvaluationCache::new(1_000);
        {
            // With one analysis in memory nearly all answers come from disk.
            let on_disk = open_cache(1, folder.path());
            for (at, (reached, seldepth, nodes), (lines, history_independent), reason) in searches {
                let line = Variation { score: Score::Cp(-9), wdl: Wdl::DRAWN, pv: report(1, 1).pv };
                let found = Report {
                    seldepth,
                    reason,
                    history_independent,
                    alternatives: vec![line; lines - 1],
                    ..report(reached, nodes)
                };
                let limits = Limits { nodes: Some(nodes), ..depth(reached) };
                store(&in_memory, &key_of(at), limits, found.clone());
                store(&on_disk, &key_of(at), limits, found);
            }
        }
        // With no analysis in memory every answer comes from disk.
        let on_disk = open_cache(0, folder.path());
        for (at, (requested, lines)) in requests {
            let ask = |cache: &EvaluationCache| {
                let (key, limits) = (key_of(at), depth(requested));
                let result = cache.lookup_uncounted(&key, &limits, lines);
                let sufficient = result.sufficient.map(|(cached, reason)| (cached.report, reason));
                let deepest = result.deepest.map(|cached| cached.report);
                (result.verdict, deepest, sufficient)
            };
            prop_assert_eq!(ask(&on_disk), ask(&in_memory));
        }
    }
}

#[tokio::test]
async fn the_service_answers_after_a_restart_without_a_search() {
    let folder = tempfile::tempdir().unwrap();
    let searcher = Scripted::new(at_once);
    let start = || {
        Service::start_with_store(searcher.clone(), options(1, 8), open_store(folder.path()), LONG)
            .unwrap()
    };
    {
        let service = start();
        service.best_move(request(start_game(), depth(9))).await.unwrap();
        service.flush().await.unwrap();
        assert_eq!(service.status().store.unwrap().waiting, 0);
    }
    let service = start();
    let answer = service.best_move(request(start_game(), depth(9))).await.unwrap();
    assert!(matches!(answer.source, Source::Cache { .. }));
    assert_eq!((answer.cache_verdict, searcher.searches()), (CacheVerdict::Hit, 1));
    let status = service.status();
    assert_eq!(status.cache_lookups, CacheLookupCounts { disk: 1, ..CacheLookupCounts::default() });
    assert_eq!((status.cache_entries, status.cache_max_entries), (1, 10_000));
    assert!(status.store.unwrap().bytes > 0);
}

#[test]
fn a_store_of_another_engine_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = StoreOptions {
        folder: folder.path().to_owned(),
        max_entries: 9,
        engine_id: "another".to_owned(),
    };
    let store = Arc::new(EvaluationCacheFile::open(store).unwrap());
    assert!(Service::start_with_store(Scripted::new(at_once), options(1, 8), store, LONG).is_err());
}

/// A store that refuses or delays writes on demand, and counts the written records.
#[derive(Debug, Default)]
struct FlakyStore {
    refuses: AtomicBool,
    slow: AtomicBool,
    batches: Mutex<Vec<usize>>,
}

impl Store for FlakyStore {
    fn engine_id(&self) -> &str {
        ENGINE_ID
    }

    fn read(&self, _: u64, _: &PackedPosition) -> Result<Vec<Record>, StoreError> {
        if self.refuses.load(Ordering::SeqCst) { Err(StoreError::Closed) } else { Ok(Vec::new()) }
    }

    fn write(&self, records: &[Arc<Record>], _: &dyn Fn(&Record) -> f32) -> Result<(), StoreError> {
        while self.slow.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(1));
        }
        if self.refuses.load(Ordering::SeqCst) {
            return Err(StoreError::Failed("no space left on device".to_owned()));
        }
        self.batches.lock().unwrap().push(records.len());
        Ok(())
    }

    fn size(&self) -> StoreSize {
        StoreSize::default()
    }
}

fn records_written(store: &FlakyStore) -> usize {
    store.batches.lock().unwrap().iter().sum()
}

#[tokio::test]
async fn a_failing_disk_blocks_no_answer_and_is_written_after_it_recovers() {
    let store = Arc::new(FlakyStore::default());
    store.refuses.store(true, Ordering::SeqCst);
    let searcher = Scripted::new(at_once);
    let service = Service::start_with_store(
        searcher,
        options(1, 8),
        store.clone(),
        Duration::from_millis(20),
    )
    .unwrap();
    let ask = async |number: u64| {
        let limits = Limits { nodes: Some(number), ..Limits::default() };
        service.best_move(request(game_of("e2e4"), limits)).await.unwrap()
    };
    ask(1_000).await;
    wait_until("the store counts as failing", || service.status().store.unwrap().failing).await;
    let other = service.best_move(request(start_game(), depth(5))).await.unwrap();
    assert_eq!(other.cache_verdict, CacheVerdict::Unknown);
    assert_eq!(ask(1_000).await.cache_verdict, CacheVerdict::Hit, "memory still answers");
    store.refuses.store(false, Ordering::SeqCst);
    wait_until("all is written", || service.status().store.unwrap().waiting == 0).await;
    assert!(!service.status().store.unwrap().failing);
    assert_eq!(records_written(&store), 2);
}

#[test]
fn a_hanging_disk_does_not_block_forever() {
    let flaky = Arc::new(FlakyStore::default());
    flaky.slow.store(true, Ordering::SeqCst);
    let cache = EvaluationCache::with_store(10, flaky.clone(), Duration::from_millis(1)).unwrap();
    for number in 0..9_000 {
        let at =
            AnalysisKey { halfmove_clock: 21 + number as u16 / 400, ..numbered_key(number % 400) };
        store(&cache, &at, depth(5), report(5, 500));
    }
    assert_eq!(cache.disk().unwrap().waiting(), 8_704, "the queue is bounded");
    flaky.slow.store(false, Ordering::SeqCst);
    flush(&cache);
    assert_eq!((cache.disk().unwrap().waiting(), records_written(&flaky) >= 8_704), (0, true));
}

#[test]
fn records_are_written_in_timed_batches() {
    let flaky = Arc::new(FlakyStore::default());
    let cache = EvaluationCache::with_store(100, flaky.clone(), LONG).unwrap();
    (0..100).for_each(|number| store(&cache, &numbered_key(number), depth(10), report(10, 5_000)));
    store(&cache, &numbered_key(5), depth(12), report(12, 9_000));
    assert_eq!((cache.disk().unwrap().waiting(), records_written(&flaky)), (100, 0));
    flush(&cache);
    assert_eq!(*flaky.batches.lock().unwrap(), [100]);
    store(&cache, &numbered_key(5), depth(13), report(13, 9_000));
    drop(cache);
    assert_eq!(*flaky.batches.lock().unwrap(), [100, 1], "the end writes the remaining records");
}
