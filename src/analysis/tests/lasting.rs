//! The dictionary in two tiers: what is in memory and what is on disk are one to whoever asks, also
//! after a restart.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;

use super::*;
use crate::analysis::address::Address;
use crate::analysis::dictionary::{Dictionary, DictionaryHits};
use crate::analysis::{MemoryVerdict, Remembered, Source};
use crate::chess::forms::Packed;
use crate::engine::Variation;
use crate::store::{DictionaryFile, Record, Store, StoreError, StoreOptions, StoreSize};

const MAKER: &str = "scripted 1";
/// Longer than any test: what is on disk was flushed by name.
const LONG: Duration = Duration::from_secs(3_600);

fn file(folder: &Path) -> Arc<DictionaryFile> {
    let options =
        StoreOptions { folder: folder.to_owned(), max_entries: 10_000, maker: MAKER.to_owned() };
    Arc::new(DictionaryFile::open(options).expect("a store"))
}

fn dictionary(in_memory: usize, folder: &Path) -> Dictionary {
    Dictionary::with_store(in_memory, file(folder), LONG).expect("a thread")
}

fn bare(clock: u16) -> Address {
    Address { clock, ..Address::of(&start_game()) }
}

fn flush(dictionary: &Dictionary) {
    dictionary.disk().expect("a disk").flush();
}

fn store(dictionary: &Dictionary, address: &Address, limits: Limits, report: Report) {
    dictionary.store(address, &limits, &Arc::new(report), &MAKER.into());
}

fn verdict(dictionary: &Dictionary, address: &Address, limits: Limits) -> MemoryVerdict {
    dictionary.look_up(address, &limits, 1, MAKER).verdict
}

/// The address of a position of its own for each number below 400.
fn address(number: usize) -> Address {
    let mut position = Position::startpos();
    for part in [number % 20, number / 20 % 20] {
        position = position.after(position.legal_moves()[part]);
    }
    Address::of(&Game::new(position))
}

#[test]
fn what_was_stored_answers_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    {
        let dictionary = dictionary(100, folder.path());
        (0..50).for_each(|number| {
            store(&dictionary, &address(number), depth(10), report(10, 5_000 + number as u64))
        });
    }
    let dictionary = dictionary(100, folder.path());
    assert_eq!((dictionary.entries(), dictionary.count_anew()), (50, 0));
    for number in 0..50 {
        let (remembered, _) =
            dictionary.ask(&address(number), &depth(10), 1, MAKER).enough.unwrap();
        assert_eq!(remembered.report.nodes, 5_000 + number as u64);
    }
    assert_eq!(dictionary.hits(), DictionaryHits { memory: 0, disk: 50, misses: 0, idle: 0 });
    assert_eq!(dictionary.count_anew(), 50, "what was asked for is in memory from now on");
    (0..50).for_each(|number| {
        dictionary.ask(&address(number), &depth(9), 1, MAKER);
    });
    dictionary.ask(&address(60), &depth(9), 1, MAKER);
    assert_eq!(dictionary.hits(), DictionaryHits { memory: 50, disk: 50, misses: 1, idle: 0 });
}

#[test]
fn what_is_recalled_counts_and_stays_in_memory_and_who_glances_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    store(&dictionary(100, folder.path()), &address(0), depth(10), report(10, 5_000));
    let dictionary = dictionary(100, folder.path());
    let hits = |memory, disk, misses| {
        assert_eq!(dictionary.hits(), DictionaryHits { memory, disk, misses, idle: 0 })
    };
    let depth_of = |known: Option<Remembered>| known.map(|known| known.report.depth);
    assert_eq!(depth_of(dictionary.glance(&address(0), 1, MAKER)), Some(10));
    assert_eq!(depth_of(dictionary.glance(&address(1), 1, MAKER)), None);
    assert_eq!(dictionary.count_anew(), 0);
    hits(0, 0, 0);
    assert_eq!(depth_of(dictionary.recall(&address(0), 1, MAKER)), Some(10));
    hits(0, 1, 0);
    assert_eq!(
        (depth_of(dictionary.recall(&address(0), 1, MAKER)), dictionary.count_anew()),
        (Some(10), 1)
    );
    hits(1, 1, 0);
    assert_eq!(depth_of(dictionary.recall(&address(0), 2, MAKER)), None, "one line is known");
    assert_eq!(depth_of(dictionary.recall(&address(1), 1, MAKER)), None);
    hits(1, 1, 2);
}

#[test]
fn what_had_to_leave_memory_is_found_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let dictionary = dictionary(10, folder.path());
    (0..400).for_each(|number| store(&dictionary, &address(number), depth(10), report(10, 5_000)));
    let all_answer = || {
        (0..400)
            .all(|number| verdict(&dictionary, &address(number), depth(10)) == MemoryVerdict::Hit)
    };
    assert!(all_answer(), "also while it waits for the disk");
    flush(&dictionary);
    assert!(all_answer());
    assert_eq!(
        (dictionary.count_anew(), dictionary.entries(), dictionary.max_entries()),
        (10, 400, 10_000)
    );
}

#[test]
fn a_shallower_analysis_replaces_no_deeper_one_that_only_the_disk_knows() {
    let folder = tempfile::tempdir().unwrap();
    store(&dictionary(100, folder.path()), &bare(0), depth(20), report(20, 90_000));
    {
        let dictionary = dictionary(100, folder.path());
        store(&dictionary, &bare(0), depth(8), report(8, 100));
    }
    let dictionary = dictionary(100, folder.path());
    assert_eq!(
        dictionary.look_up(&bare(0), &depth(5), 1, MAKER).enough.unwrap().0.report.depth,
        20
    );
    assert_eq!(dictionary.entries(), 1);
}

#[test]
fn contexts_hold_across_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let shuffled = Address::of(&game_of("g1f3 g8f6 f3g1 f6g8"));
    let near_the_limit = Address { clock: 90, ..address(7) };
    {
        let dictionary = dictionary(100, folder.path());
        store(&dictionary, &shuffled, depth(10), report(10, 5_000));
        store(&dictionary, &near_the_limit, depth(10), report(10, 5_000));
        store(&dictionary, &address(8), depth(10), Report { seldepth: 85, ..report(10, 5_000) });
    }
    let ask = |address: &Address| verdict(&dictionary(100, folder.path()), address, depth(10));
    assert_eq!(ask(&shuffled), MemoryVerdict::Hit);
    assert_eq!(ask(&bare(4)), MemoryVerdict::History);
    assert_eq!(ask(&Address::of(&game_of("b1c3 b8c6 c3b1 c6b8"))), MemoryVerdict::History);
    assert_eq!(ask(&near_the_limit), MemoryVerdict::Hit);
    for clock in [0, 20, 89, 91] {
        assert_eq!(
            ask(&Address { clock, ..address(7) }),
            MemoryVerdict::FiftyMoves,
            "clock {clock}"
        );
    }
    assert_eq!(ask(&Address { clock: 14, ..address(8) }), MemoryVerdict::Hit);
    assert_eq!(
        ask(&Address { clock: 15, ..address(8) }),
        MemoryVerdict::FiftyMoves,
        "it has looked 85 plies ahead"
    );
}

#[test]
fn another_maker_neither_reads_the_disk_nor_writes_it() {
    let folder = tempfile::tempdir().unwrap();
    let dictionary = dictionary(100, folder.path());
    store(&dictionary, &bare(0), depth(10), report(10, 5_000));
    flush(&dictionary);
    let other = |limits| dictionary.look_up(&bare(0), &limits, 1, "scripted 2").verdict;
    assert_eq!(other(depth(5)), MemoryVerdict::Unknown);
    dictionary.store(&bare(0), &depth(12), &Arc::new(report(12, 9_000)), &"scripted 2".into());
    assert_eq!(other(depth(12)), MemoryVerdict::Hit);
    assert_eq!(dictionary.look_up(&bare(0), &depth(12), 1, MAKER).verdict, MemoryVerdict::Shallow);
}

#[test]
fn the_age_is_told_by_the_clock_on_the_wall() {
    let folder = tempfile::tempdir().unwrap();
    store(&dictionary(100, folder.path()), &bare(0), depth(10), report(10, 5_000));
    thread::sleep(Duration::from_millis(30));
    let dictionary = dictionary(100, folder.path());
    let age = || dictionary.look_up(&bare(0), &depth(5), 1, MAKER).enough.unwrap().0.age;
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
    fn an_answer_from_disk_is_that_from_memory(
        searches in prop::collection::vec(
            ((0..3_usize, 0..120_u16, any::<bool>()), (1..30_u8, 1..120_u8, 1..100_000_u64), (1..4_usize, any::<bool>()), stop_reasons()),
            1..12,
        ),
        questions in prop::collection::vec(((0..3_usize, 0..120_u16, any::<bool>()), (1..30_u8, 1..4_usize)), 1..30),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let place = |(number, clock, shuffled): (usize, u16, bool)| {
            let history = if shuffled { Address::of(&game_of("g1f3 g8f6 f3g1 f6g8")).history } else { bare(0).history };
            Address { clock, history, ..address(number) }
        };
        let in_memory = Dictionary::new(1_000);
        {
            // With room for one analysis the disk has to do all the work.
            let on_disk = dictionary(1, folder.path());
            for (at, (reached, seldepth, nodes), (lines, context_free), reason) in searches {
                let line = Variation { score: Score::Cp(-9), wdl: Wdl::DRAWN, pv: report(1, 1).pv };
                let found = Report { seldepth, reason, context_free, alternatives: vec![line; lines - 1], ..report(reached, nodes) };
                let limits = Limits { nodes: Some(nodes), ..depth(reached) };
                store(&in_memory, &place(at), limits, found.clone());
                store(&on_disk, &place(at), limits, found);
            }
        }
        // What memory has taken over answers from there, where it is enough: with room for nothing
        // every answer is the disk's own.
        let on_disk = dictionary(0, folder.path());
        for (at, (asked, lines)) in questions {
            let ask = |dictionary: &Dictionary| {
                let memory = dictionary.look_up(&place(at), &depth(asked), lines, MAKER);
                let enough = memory.enough.map(|(remembered, reason)| (remembered.report, reason));
                (memory.verdict, memory.known.map(|known| known.report), enough)
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
        Service::start_with_store(searcher.clone(), options(1, 8), file(folder.path()), LONG)
            .unwrap()
    };
    {
        let service = start();
        service.best_move(question(start_game(), depth(9))).await.unwrap();
        service.flushed().await.unwrap();
        assert_eq!(service.status().store.unwrap().waiting, 0);
    }
    let service = start();
    let answer = service.best_move(question(start_game(), depth(9))).await.unwrap();
    assert!(matches!(answer.source, Source::Memory { .. }));
    assert_eq!((answer.memory, searcher.searches()), (MemoryVerdict::Hit, 1));
    let status = service.status();
    assert_eq!(status.dictionary_hits, DictionaryHits { memory: 0, disk: 1, misses: 0, idle: 0 });
    assert_eq!((status.dictionary_entries, status.dictionary_max_entries), (1, 10_000));
    assert!(status.store.unwrap().bytes > 0);
}

#[test]
fn a_store_of_another_maker_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = StoreOptions {
        folder: folder.path().to_owned(),
        max_entries: 9,
        maker: "another".to_owned(),
    };
    let store = Arc::new(DictionaryFile::open(store).unwrap());
    assert!(Service::start_with_store(Scripted::new(at_once), options(1, 8), store, LONG).is_err());
}

/// A store that refuses to be written while it is told so, and counts.
#[derive(Debug, Default)]
struct Moody {
    refuses: AtomicBool,
    slow: AtomicBool,
    batches: Mutex<Vec<usize>>,
}

impl Store for Moody {
    fn maker(&self) -> &str {
        MAKER
    }

    fn read(&self, _: u64, _: &Packed) -> Result<Vec<Record>, StoreError> {
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

fn written(store: &Moody) -> usize {
    store.batches.lock().unwrap().iter().sum()
}

#[tokio::test]
async fn a_disk_that_refuses_stops_no_answer_and_is_written_when_it_takes_again() {
    let store = Arc::new(Moody::default());
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
        service.best_move(question(game_of("e2e4"), limits)).await.unwrap()
    };
    ask(1_000).await;
    until("the store counts as failing", || service.status().store.unwrap().failing).await;
    let other = service.best_move(question(start_game(), depth(5))).await.unwrap();
    assert_eq!(other.memory, MemoryVerdict::Unknown);
    assert_eq!(ask(1_000).await.memory, MemoryVerdict::Hit, "memory goes on");
    store.refuses.store(false, Ordering::SeqCst);
    until("all is written", || service.status().store.unwrap().waiting == 0).await;
    assert!(!service.status().store.unwrap().failing);
    assert_eq!(written(&store), 2);
}

#[test]
fn a_disk_that_hangs_holds_up_nobody_for_good() {
    let moody = Arc::new(Moody::default());
    moody.slow.store(true, Ordering::SeqCst);
    let dictionary = Dictionary::with_store(10, moody.clone(), Duration::from_millis(1)).unwrap();
    for number in 0..9_000 {
        let at = Address { clock: 21 + number as u16 / 400, ..address(number % 400) };
        store(&dictionary, &at, depth(5), report(5, 500));
    }
    assert_eq!(dictionary.disk().unwrap().waiting(), 8_704, "the queue is bounded");
    moody.slow.store(false, Ordering::SeqCst);
    flush(&dictionary);
    assert_eq!((dictionary.disk().unwrap().waiting(), written(&moody) >= 8_704), (0, true));
}

#[test]
fn a_batch_comes_with_the_time_and_not_with_each_analysis() {
    let moody = Arc::new(Moody::default());
    let dictionary = Dictionary::with_store(100, moody.clone(), LONG).unwrap();
    (0..100).for_each(|number| store(&dictionary, &address(number), depth(10), report(10, 5_000)));
    store(&dictionary, &address(5), depth(12), report(12, 9_000));
    assert_eq!((dictionary.disk().unwrap().waiting(), written(&moody)), (100, 0));
    flush(&dictionary);
    assert_eq!(*moody.batches.lock().unwrap(), [100]);
    store(&dictionary, &address(5), depth(13), report(13, 9_000));
    drop(dictionary);
    assert_eq!(*moody.batches.lock().unwrap(), [100, 1], "the end writes what is left");
}
