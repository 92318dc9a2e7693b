//! Streams of positions from files of several units.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use kibitzer_trainer::data_file::{self, DataFile};
use kibitzer_trainer::dataset::{Dataset, Sources};
use kibitzer_trainer::stream::{Order, Stream, UnitId};
use kibitzer_trainer::weighted_file::WeightedFile;

use crate::fixtures::{bytes, empty_folder, games, selection, sorted};

/// Games of a unit of a game file.
const UNIT: usize = 1024;

/// A file of this many units, all but the last of them whole.
fn file(folder: &Path, name: &str, units: usize) -> WeightedFile {
    let path = folder.join(name);
    // Short games, and several of each, to be fast.
    let mut few = games(5, units as u64);
    for game in &mut few {
        game.moves.truncate(7);
    }
    let mut content = Vec::new();
    for number in 0..(UNIT * units - 100) {
        content.extend(bytes(&few[number % few.len()..=number % few.len()]));
    }
    fs::write(&path, content).expect("a data file");
    WeightedFile::new(path)
}

fn stream(files: &[WeightedFile], order: Order) -> Stream {
    Stream::open(files, order).expect("a stream")
}

fn order(shuffle_units: usize) -> Order {
    Order { seed: 5, number: 0, shuffle_units }
}

#[test]
fn a_pass_has_each_unit_as_often_as_its_weight_says() {
    let folder = empty_folder("stream-weights");
    let files = [
        file(&folder, "once.vf", 3),
        WeightedFile { weight: 2.0, ..file(&folder, "twice.vf", 2) },
        WeightedFile { weight: 0.5, ..file(&folder, "half.vf", 10) },
        WeightedFile { weight: 1.25, ..file(&folder, "more.vf", 4) },
    ];
    let stream = stream(&files, order(1000));
    let mut totals: HashMap<UnitId, usize> = HashMap::new();
    let passes = 100;
    for pass in 0..passes {
        let mut counts: HashMap<UnitId, usize> = HashMap::new();
        for unit in stream.units(pass) {
            *counts.entry(unit).or_default() += 1;
            *totals.entry(unit).or_default() += 1;
        }
        for (number, file) in files.iter().enumerate() {
            for unit in 0..stream.files()[number].0.units() {
                let count = counts.remove(&UnitId { file: number, unit }).unwrap_or(0) as f64;
                assert!([file.weight.floor(), file.weight.ceil()].contains(&count), "{file}");
            }
        }
        assert!(counts.is_empty());
    }
    for (unit, count) in totals {
        let expected = passes as f64 * files[unit.file].weight;
        assert!((count as f64 - expected).abs() < 20.0, "{unit:?}: {count}");
    }
}

#[test]
fn superbatches_divide_the_passes() {
    let folder = empty_folder("stream-superbatches");
    let files =
        [file(&folder, "a.vf", 7), WeightedFile { weight: 0.5, ..file(&folder, "b.vf", 5) }];
    let whole = stream(&files, order(1000));
    let parts = stream(&files, order(4));
    let mut superbatch = 0;
    for pass in 0..5 {
        let mut units = Vec::new();
        while units.len() < whole.units(pass).len() {
            let part = parts.units(superbatch);
            assert!((2..=4).contains(&part.len()), "{part:?}");
            units.extend(part);
            superbatch += 1;
        }
        assert_eq!(units, whole.units(pass));
    }
    assert_ne!(whole.units(0)[..7], whole.units(1)[..7]);
    let other = stream(&files, Order { seed: 6, ..order(1000) });
    assert_ne!(whole.units(0), other.units(0));
    let late = stream(&files, Order { number: 1, ..order(1000) });
    assert_ne!(whole.units(0), late.units(0));
}

#[test]
fn a_stream_has_the_positions_of_a_dataset() {
    let folder = empty_folder("stream-positions");
    let files = [file(&folder, "a.vf", 3), file(&folder, "b.vf", 2)];
    let data = files.iter().map(|file| file.path.clone()).collect();
    let dataset = Dataset::load(&Sources { data, selection: selection() }).expect("data");
    assert_eq!(dataset.files[0].games, 3 * UNIT - 100);
    let stream = stream(&files, order(3));
    let read = |superbatch| stream.read(superbatch, &selection()).expect("a superbatch");
    let superbatches = [read(0), read(1)];
    let samples: Vec<_> =
        superbatches.iter().flat_map(|superbatch| superbatch.samples.clone()).collect();
    assert_eq!(sorted(&samples), sorted(&dataset.training));
    let opened = stream.files().iter().map(|(file, _)| file);
    let held_out = data_file::held_out(opened, &selection()).expect("held-out positions");
    assert_eq!(held_out, dataset.validation);
    assert!((samples.len() / 15..samples.len() / 6).contains(&held_out.len()));

    // The batches have each position at most once.
    let [first, _] = superbatches;
    let mut indices: Vec<u32> = first.batches(100).flatten().copied().collect();
    assert_eq!(indices.len(), first.samples.len() / 100 * 100);
    assert_ne!(indices[..5], [0, 1, 2, 3, 4]);
    indices.sort_unstable();
    indices.dedup();
    assert_eq!(indices.len(), first.samples.len() / 100 * 100);
}

#[test]
fn a_file_that_cannot_be_read_is_refused() {
    let folder = empty_folder("stream-errors");
    let error = |path: &Path| format!("{:#}", DataFile::open(path).expect_err("refused"));
    let missing = folder.join("missing.vf");
    assert!(error(&missing).contains("missing.vf: cannot open the file"), "{}", error(&missing));
    let whole = bytes(&games(3, 1));
    let cut = folder.join("cut.vf");
    fs::write(&cut, &whole[..whole.len() - 2]).expect("written");
    assert!(error(&cut).contains("cut.vf: game 2 has no end marker"), "{}", error(&cut));
    fs::write(&cut, [&whole[..], &[1, 2, 3]].concat()).expect("written");
    let expected = "cut.vf: game 3 ends within its start position";
    assert!(error(&cut).contains(expected), "{}", error(&cut));
    fs::write(&cut, []).expect("written");
    let empty = Stream::open(&[WeightedFile::new(cut)], order(1)).expect_err("refused");
    assert!(format!("{empty:#}").contains("the data has no game"), "{empty:#}");
}
