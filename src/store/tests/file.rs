//! The file: what is written, read, forgotten, and shared between makers.

use super::*;

#[test]
fn what_was_written_is_there_when_the_file_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let records: Vec<Record> = (0..300).map(|number| record(number, 1_000 + number)).collect();
    {
        let store = opened(options(folder.path()));
        write(&store, records.clone());
        assert_eq!(entries(&store), 300);
    }
    let store = opened(options(folder.path()));
    assert_eq!(entries(&store), 300);
    for record in &records {
        assert_eq!(read(&store, record), std::slice::from_ref(record));
    }
    assert_eq!(read(&store, &record(300, 1)), []);
    assert!(store.size().bytes > 0);
}

#[test]
fn a_position_is_kept_once_for_each_context_and_number_of_lines() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(options(folder.path()));
    let bare = record(5, 1_000);
    let with = |change: fn(&mut Place)| {
        let mut other = bare.clone();
        change(&mut other.place);
        other
    };
    let others = [
        with(|place| place.clock = Some(0)),
        with(|place| place.clock = Some(40)),
        with(|place| place.history = [1, 0]),
        with(|place| place.lines = 3),
    ];
    write(&store, [bare.clone()].into_iter().chain(others));
    assert_eq!((read(&store, &bare).len(), entries(&store)), (5, 5));

    let deeper = Record { saves: 9, ..bare.clone() };
    write(&store, [deeper.clone()]);
    assert_eq!(entries(&store), 5);
    assert!(read(&store, &bare).contains(&deeper) && !read(&store, &bare).contains(&bare));
}

#[test]
fn two_positions_with_one_key_are_kept_apart() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(options(folder.path()));
    let (one, mut other) = (record(1, 10), record(2, 20));
    other.place.key = one.place.key;
    write(&store, [one.clone(), other.clone()]);
    assert_eq!((read(&store, &one), read(&store, &other)), (vec![one], vec![other]));
}

#[test]
fn the_bound_is_kept_and_what_is_worth_most_stays() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(StoreOptions { max_entries: 200, ..options(folder.path()) });
    let precious: Vec<Record> = (0..50).map(|number| record(number, 1_000_000)).collect();
    write(&store, precious.clone());
    for batch in 1..=20 {
        write(&store, (0..100).map(|number| record(batch * 1_000 + number, 1 + number)));
        assert!(entries(&store) <= 200);
    }
    assert_eq!(entries(&store), 200);
    assert_eq!(precious.iter().filter(|record| !read(&store, record).is_empty()).count(), 50);
}

#[test]
fn one_batch_beyond_the_bound_is_cut_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(StoreOptions { max_entries: 10, ..options(folder.path()) });
    write(&store, (0..500).map(|number| record(number, 1 + number)));
    assert_eq!(entries(&store), 10);
}

#[test]
fn what_another_maker_has_found_is_never_read() {
    let folder = tempfile::tempdir().unwrap();
    let as_maker =
        |maker: &str| opened(StoreOptions { maker: maker.to_owned(), ..options(folder.path()) });
    let found = record(1, 10);
    write(&as_maker("one"), [found.clone()]);
    {
        let store = as_maker("two");
        assert_eq!((read(&store, &found), entries(&store)), (vec![], 1));
        write(&store, [record(2, 20)]);
    }
    {
        let store = as_maker("one");
        assert_eq!(
            read(&store, &found),
            std::slice::from_ref(&found),
            "who goes back finds what was there"
        );
        assert_eq!(read(&store, &record(2, 20)), []);
    }
    assert_eq!(read(&as_maker("two"), &record(2, 20)), [record(2, 20)]);
    assert_eq!(entries(&as_maker("three")), 1, "there is one maker before, no more");
}

#[test]
fn what_another_maker_has_found_goes_first() {
    let folder = tempfile::tempdir().unwrap();
    let as_maker = |maker: &str| {
        opened(StoreOptions { maker: maker.to_owned(), max_entries: 100, ..options(folder.path()) })
    };
    write(&as_maker("one"), (0..100).map(|number| record(number, 1_000_000)));
    let store = as_maker("two");
    let cheap: Vec<Record> = (200..300).map(|number| record(number, 1)).collect();
    for batch in cheap.chunks(10) {
        write(&store, batch.to_vec());
        assert_eq!(entries(&store), 100);
    }
    assert!(cheap.iter().all(|record| !read(&store, record).is_empty()));
}

#[test]
fn a_smaller_bound_than_before_is_kept_from_the_first_write_on() {
    let folder = tempfile::tempdir().unwrap();
    write(&opened(options(folder.path())), (0..100).map(|number| record(number, 5)));
    let store = opened(StoreOptions { max_entries: 30, ..options(folder.path()) });
    write(&store, [record(1_000, 5_000)]);
    assert_eq!(entries(&store), 30);
}

#[test]
fn a_file_that_is_in_use_is_refused_by_the_name_of_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let _first = opened(options(folder.path()));
    let refused = DictionaryFile::open(options(folder.path())).unwrap_err();
    assert!(matches!(refused, OpenError::InUse { .. }), "{refused}");
    let told = refused.to_string();
    assert!(told.starts_with("store.path: ") && told.contains("dictionary.redb"), "{told}");
}

#[test]
fn a_folder_that_cannot_be_made_is_refused_by_the_name_of_the_key() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "no folder").unwrap();
    let refused = DictionaryFile::open(options(&folder.path().join("file"))).unwrap_err();
    assert!(refused.to_string().starts_with("store.path: "), "{refused}");
}
