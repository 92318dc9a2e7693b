//! Tests of the file of the evaluation cache: reads, writes, eviction and engine changes.

use super::*;

#[test]
fn records_survive_reopening_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let records: Vec<Record> = (0..300).map(|number| record(number, 1_000 + number)).collect();
    {
        let store = open(options(folder.path()));
        write(&store, records.clone());
        assert_eq!(entries(&store), 300);
    }
    let store = open(options(folder.path()));
    assert_eq!(entries(&store), 300);
    for record in &records {
        assert_eq!(read(&store, record), std::slice::from_ref(record));
    }
    assert_eq!(read(&store, &record(300, 1)), []);
    assert!(store.size().bytes > 0);
}

#[test]
fn a_position_is_stored_once_per_history_clock_and_multipv() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(options(folder.path()));
    let bare = record(5, 1_000);
    let with = |change: fn(&mut EntryKey)| {
        let mut other = bare.clone();
        change(&mut other.key);
        other
    };
    let others = [
        with(|key| key.halfmove_clock = Some(0)),
        with(|key| key.halfmove_clock = Some(40)),
        with(|key| key.history_hash = [1, 0]),
        with(|key| key.multipv = 3),
    ];
    write(&store, [bare.clone()].into_iter().chain(others));
    assert_eq!((read(&store, &bare).len(), entries(&store)), (5, 5));

    let deeper = Record { nodes_saved: 9, ..bare.clone() };
    write(&store, [deeper.clone()]);
    assert_eq!(entries(&store), 5);
    assert!(read(&store, &bare).contains(&deeper) && !read(&store, &bare).contains(&bare));
}

#[test]
fn positions_with_the_same_zobrist_key_stay_separate() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(options(folder.path()));
    let (one, mut other) = (record(1, 10), record(2, 20));
    other.key.zobrist_key = one.key.zobrist_key;
    write(&store, [one.clone(), other.clone()]);
    assert_eq!((read(&store, &one), read(&store, &other)), (vec![one], vec![other]));
}

#[test]
fn eviction_keeps_the_bound_and_the_most_valuable_records() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(StoreOptions { max_entries: 200, ..options(folder.path()) });
    let valuable: Vec<Record> = (0..50).map(|number| record(number, 1_000_000)).collect();
    write(&store, valuable.clone());
    for batch in 1..=20 {
        write(&store, (0..100).map(|number| record(batch * 1_000 + number, 1 + number)));
        assert!(entries(&store) <= 200);
    }
    assert_eq!(entries(&store), 200);
    assert_eq!(valuable.iter().filter(|record| !read(&store, record).is_empty()).count(), 50);
}

#[test]
fn a_single_batch_over_the_bound_is_evicted_too() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(StoreOptions { max_entries: 10, ..options(folder.path()) });
    write(&store, (0..500).map(|number| record(number, 1 + number)));
    assert_eq!(entries(&store), 10);
}

#[test]
fn records_of_another_engine_are_never_read() {
    let folder = tempfile::tempdir().unwrap();
    let open_as_engine = |engine_id: &str| {
        open(StoreOptions { engine_id: engine_id.to_owned(), ..options(folder.path()) })
    };
    let first = record(1, 10);
    write(&open_as_engine("one"), [first.clone()]);
    {
        let store = open_as_engine("two");
        assert_eq!((read(&store, &first), entries(&store)), (vec![], 1));
        write(&store, [record(2, 20)]);
    }
    {
        let store = open_as_engine("one");
        assert_eq!(
            read(&store, &first),
            std::slice::from_ref(&first),
            "the records of an engine are there when it returns"
        );
        assert_eq!(read(&store, &record(2, 20)), []);
    }
    assert_eq!(read(&open_as_engine("two"), &record(2, 20)), [record(2, 20)]);
    assert_eq!(entries(&open_as_engine("three")), 1, "the file keeps one previous engine");
}

#[test]
fn records_of_another_engine_are_evicted_first() {
    let folder = tempfile::tempdir().unwrap();
    let open_as_engine = |engine_id: &str| {
        open(StoreOptions {
            engine_id: engine_id.to_owned(),
            max_entries: 100,
            ..options(folder.path())
        })
    };
    write(&open_as_engine("one"), (0..100).map(|number| record(number, 1_000_000)));
    let store = open_as_engine("two");
    let cheap: Vec<Record> = (200..300).map(|number| record(number, 1)).collect();
    for batch in cheap.chunks(10) {
        write(&store, batch.to_vec());
        assert_eq!(entries(&store), 100);
    }
    assert!(cheap.iter().all(|record| !read(&store, record).is_empty()));
}

#[test]
fn a_smaller_bound_applies_from_the_first_write() {
    let folder = tempfile::tempdir().unwrap();
    write(&open(options(folder.path())), (0..100).map(|number| record(number, 5)));
    let store = open(StoreOptions { max_entries: 30, ..options(folder.path()) });
    write(&store, [record(1_000, 5_000)]);
    assert_eq!(entries(&store), 30);
}

#[test]
fn the_error_for_a_file_in_use_names_the_setting() {
    let folder = tempfile::tempdir().unwrap();
    let _first = open(options(folder.path()));
    let error = EvaluationCacheFile::open(options(folder.path())).unwrap_err();
    assert!(matches!(error, OpenError::InUse { .. }), "{error}");
    let message = error.to_string();
    assert!(
        message.starts_with("store.path: ") && message.contains("dictionary.redb"),
        "{message}"
    );
}

#[test]
fn the_error_for_an_unusable_folder_names_the_setting() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "not a folder").unwrap();
    let error = EvaluationCacheFile::open(options(&folder.path().join("file"))).unwrap_err();
    assert!(error.to_string().starts_with("store.path: "), "{error}");
}
