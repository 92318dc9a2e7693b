//! Tests with damaged files and files of another layout.

use std::fs;
use std::path::PathBuf;

use redb::{Database, ReadableDatabase, TableDefinition};
use tempfile::TempDir;

use super::*;
use crate::store::EVALUATION_CACHE_FILE;
use crate::store::jobs::{JOBS_FILE, JobFile};

const HEADER: TableDefinition<&str, &str> = TableDefinition::new("header");
const CURRENT: TableDefinition<&[u8], &[u8]> = TableDefinition::new("today");

/// A closed store with this number of analyses: its folder and the path of its file.
fn closed_store(entries: u64) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    write(&open(options(folder.path())), (0..entries).map(|number| record(number, 100)));
    let file = folder.path().join(EVALUATION_CACHE_FILE);
    (folder, file)
}

fn quarantined_path(folder: &TempDir, suffix: &str) -> PathBuf {
    folder.path().join(format!("{EVALUATION_CACHE_FILE}.{suffix}"))
}

#[test]
fn a_damaged_file_is_quarantined_and_replaced_by_an_empty_one() {
    let (folder, file) = closed_store(400);
    let intact = fs::read(&file).unwrap();
    let damages: [fn(&mut Vec<u8>); 5] = [
        |bytes| bytes.truncate(bytes.len() / 2),
        |bytes| bytes.truncate(100),
        |bytes| bytes.fill(0x55),
        |bytes| bytes[0] ^= 1,
        |bytes| {
            let half = bytes.len() / 2;
            bytes[4_096..half].iter_mut().for_each(|byte| *byte ^= 0x10);
        },
    ];
    for (number, damage) in damages.iter().enumerate() {
        let mut bytes = intact.clone();
        damage(&mut bytes);
        fs::write(&file, &bytes).unwrap();
        let store = open(options(folder.path()));
        assert_eq!(entries(&store), 0, "damage {number}");
        write(&store, [record(1, 5)]);
        assert_eq!(read(&store, &record(1, 5)).len(), 1);
        assert_eq!(
            fs::read(quarantined_path(&folder, "damaged")).unwrap().len(),
            bytes.len(),
            "damage {number}"
        );
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            2,
            "only the last damaged file is kept"
        );
    }
}

#[test]
fn a_flipped_bit_loses_all_records_or_none() {
    let (folder, file) = closed_store(200);
    let intact = fs::read(&file).unwrap();
    for n in 1..=60 {
        let bit = splitmix::nth(11, n) as usize % (8 * intact.len());
        let mut bytes = intact.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(&file, &bytes).unwrap();
        let store = open(options(folder.path()));
        let found: Vec<Record> =
            (0..200).flat_map(|number| read(&store, &record(number, 100))).collect();
        assert!(found.is_empty() || found.len() == 200, "bit {bit}: {} of 200", found.len());
        assert!(
            found.iter().zip(0..).all(|(found, number)| *found == record(number, 100)),
            "bit {bit}"
        );
    }
}

#[test]
fn a_file_with_another_layout_is_quarantined() {
    let (folder, file) = closed_store(10);
    let database = Database::open(&file).unwrap();
    let transaction = database.begin_write().unwrap();
    transaction.open_table(HEADER).unwrap().insert("layout", "2/../x").unwrap();
    transaction.commit().unwrap();
    drop(database);
    let store = open(options(folder.path()));
    assert_eq!(entries(&store), 0);
    assert!(
        quarantined_path(&folder, "layout-2x").exists(),
        "a newer server may need the file again"
    );
}

#[test]
fn a_damaged_entry_is_skipped_and_can_be_overwritten() {
    let (folder, file) = closed_store(10);
    let key = record(3, 100).key.to_bytes();
    let database = Database::open(&file).unwrap();
    let transaction = database.begin_write().unwrap();
    transaction
        .open_table(CURRENT)
        .unwrap()
        .insert(key.as_slice(), b"\x01\x02\x03".as_slice())
        .unwrap();
    transaction.commit().unwrap();
    drop(database);
    let store = open(options(folder.path()));
    assert_eq!((read(&store, &record(3, 100)), entries(&store)), (vec![], 10));
    write(&store, [record(3, 100)]);
    assert_eq!(read(&store, &record(3, 100)), [record(3, 100)]);
}

#[test]
fn an_empty_file_is_used_and_leaves_a_quarantined_one_alone() {
    let (folder, file) = closed_store(10);
    let damaged = [7; 10_000];
    fs::write(&file, damaged).unwrap();
    drop(open(options(folder.path())));
    fs::write(&file, "").unwrap();
    write(&open(options(folder.path())), [record(1, 5)]);
    assert_eq!(entries(&open(options(folder.path()))), 1);
    assert_eq!(fs::read(quarantined_path(&folder, "damaged")).unwrap(), damaged);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is quarantined");
}

#[test]
fn a_file_of_jobs_is_quarantined() {
    let folder = tempfile::tempdir().unwrap();
    drop(JobFile::open(folder.path()).unwrap());
    let file = folder.path().join(EVALUATION_CACHE_FILE);
    let jobs = folder.path().join(JOBS_FILE);
    fs::rename(&jobs, &file).unwrap();
    write(&open(options(folder.path())), [record(1, 5)]);
    assert_eq!(entries(&open(options(folder.path()))), 1);
    fs::rename(quarantined_path(&folder, "foreign"), &jobs).unwrap();
    drop(JobFile::open(folder.path()).unwrap());
    let quarantined = folder.path().join(format!("{JOBS_FILE}.foreign"));
    assert!(!quarantined.exists(), "the file is usable under its own name");
}

#[test]
fn a_file_of_another_program_is_quarantined() {
    const OTHER: TableDefinition<&str, &str> = TableDefinition::new("settings");
    let folder = tempfile::tempdir().unwrap();
    let database = Database::create(folder.path().join(EVALUATION_CACHE_FILE)).unwrap();
    let transaction = database.begin_write().unwrap();
    transaction.open_table(OTHER).unwrap().insert("colour", "green").unwrap();
    transaction.commit().unwrap();
    drop(database);
    assert_eq!(entries(&open(options(folder.path()))), 0);
    let database = Database::open(quarantined_path(&folder, "foreign")).unwrap();
    let table = database.begin_read().unwrap().open_table(OTHER).unwrap();
    assert_eq!(table.get("colour").unwrap().unwrap().value(), "green");
}

#[test]
fn a_file_whose_creation_was_interrupted_is_initialized() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(EVALUATION_CACHE_FILE);
    let database = Database::create(&file).unwrap();
    let transaction = database.begin_write().unwrap();
    drop(transaction.open_table(HEADER).unwrap());
    transaction.commit().unwrap();
    drop(database);
    write(&open(options(folder.path())), [record(1, 5)]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is quarantined");
}
