//! Labels by a program that answers with a hash of each position.

mod errors;
mod evaluator;
mod relatives;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use kibitzer_trainer::data_file;
use kibitzer_trainer::dataset::{Dataset, Sources};
use kibitzer_trainer::labels::{
    LabelFile, LabelSettings, Labeller, Progress, RelativeSettings, Thinning,
};
use kibitzer_trainer::sample::{GameResult, Sample};
use kibitzer_trainer::selection::Selection;
use kibitzer_trainer::stream::{Order, Stream};
use kibitzer_trainer::weighted_file::WeightedFile;

use crate::fixtures::{bytes, empty_folder, games, selection, sorted};
use evaluator::{Behaviour, hash, program};

/// Settings of a run on `count` games in a folder.
fn settings(folder: &Path, count: usize) -> LabelSettings {
    let seeds = folder.join("generated.vf");
    fs::write(&seeds, bytes(&games(count, 1))).expect("a data file");
    LabelSettings {
        evaluator: program(Behaviour::Hash),
        seeds: vec![seeds],
        folder: folder.join("labels"),
        unknown_results: Vec::new(),
        seed_share: 0.5,
        relatives: RelativeSettings { count: 6, flat: true },
        thinning: Vec::new(),
        seed: 3,
        games_per_block: 4,
        workers: 1,
        most_bytes: u64::MAX,
    }
}

fn label(settings: LabelSettings) -> anyhow::Result<Progress> {
    Labeller::new(settings)?.run(&mut |_| ())
}

fn label_path(settings: &LabelSettings) -> PathBuf {
    settings.folder.join("generated.labels")
}

/// The labels of a run.
fn labels(settings: &LabelSettings) -> Vec<u8> {
    label(settings.clone()).expect("labels");
    fs::read(label_path(settings)).expect("a label file")
}

fn samples(path: &Path) -> Vec<Sample> {
    let file = LabelFile::open(path).expect("a label file");
    let mut samples = Vec::new();
    for info in file.blocks() {
        let before = samples.len();
        let block = file.read(info).expect("a block");
        for (_, game) in block.games().expect("games") {
            game.for_each_sample(|sample| samples.push(sample)).expect("a game");
        }
        assert_eq!(samples.len() - before, info.labels as usize);
    }
    samples
}

#[test]
fn each_label_is_the_answer_to_its_position() {
    let folder = empty_folder("labels-round-trip");
    let settings = settings(&folder, 40);
    let progress = label(settings.clone()).expect("labels");
    let samples = samples(&label_path(&settings));
    assert!(samples.len() > 4000, "{}", samples.len());
    assert_eq!(progress.labels, samples.len() as u64);
    assert_eq!(progress.evaluated, progress.labels, "nothing is thinned");
    for sample in &samples {
        assert_eq!(sample.score(), hash(sample), "{sample:?}");
    }
}

#[test]
fn the_number_of_workers_does_not_change_the_labels() {
    let (one, three) = (empty_folder("labels-one"), empty_folder("labels-three"));
    let single = settings(&one, 40);
    let several = LabelSettings { workers: 3, ..settings(&three, 40) };
    assert_eq!(labels(&single), labels(&several));
}

#[test]
fn a_stopped_run_continues_to_the_same_labels() {
    let (one, other) = (empty_folder("labels-whole"), empty_folder("labels-stopped"));
    let whole = labels(&settings(&one, 40));
    let settings = settings(&other, 40);
    fs::create_dir_all(&settings.folder).expect("a folder");
    // As after a kill within the header, a block's header and a block.
    for length in [0, 3, 300, whole.len() / 3, whole.len() / 2, whole.len() - 1, whole.len()] {
        fs::write(label_path(&settings), &whole[..length]).expect("written");
        assert_eq!(labels(&settings), whole, "{length} bytes");
    }
}

#[test]
fn thinning_keeps_the_labels_of_small_scores() {
    let folder = empty_folder("labels-thinned");
    let settings = settings(&folder, 40);
    label(settings.clone()).expect("labels");
    let all = samples(&label_path(&settings));
    let thinning =
        vec![Thinning { beyond: 600, one_of: 4 }, Thinning { beyond: 900, one_of: 1_000_000 }];
    let thinned = LabelSettings { thinning, folder: folder.join("thinned"), ..settings };
    label(thinned.clone()).expect("labels");
    let kept = samples(&label_path(&thinned));
    let count = |samples: &[Sample], from: u16, to: u16| {
        samples.iter().filter(|sample| (from..=to).contains(&sample.score().unsigned_abs())).count()
    };
    assert_eq!(count(&kept, 0, 600), count(&all, 0, 600));
    assert_eq!(count(&kept, 901, 1000), 0);
    let share = count(&kept, 601, 900) as f64 / count(&all, 601, 900) as f64;
    assert!((0.2..0.3).contains(&share), "{share}");
}

#[test]
fn a_dataset_has_the_labels_and_never_trains_on_held_out_games() {
    let folder = empty_folder("labels-dataset");
    let settings = LabelSettings { seed_share: 1.0, ..settings(&folder, 60) };
    label(settings.clone()).expect("labels");
    let load = |data: &Path, unknown: &[&str]| {
        let sources = Sources {
            data: vec![data.to_owned()],
            selection: Selection {
                unknown_results: unknown.iter().map(ToString::to_string).collect(),
                ..selection()
            },
        };
        Dataset::load(&sources).expect("data")
    };
    let (of_games, of_labels) = (load(&settings.seeds[0], &[]), load(&label_path(&settings), &[]));
    let all = samples(&label_path(&settings));
    assert_eq!(of_labels.training.len() + of_labels.validation.len(), all.len());
    assert_eq!((of_labels.files[0].games, of_labels.files[0].positions), (60, all.len()));
    assert!(of_labels.validation.len() > 500, "{}", of_labels.validation.len());
    // Seeds of held-out games are held out, those of other games are not.
    let boards = |samples: &[Sample]| -> HashSet<String> {
        samples.iter().map(|sample| format!("{:?}", Vec::from_iter(sample.pieces()))).collect()
    };
    let (trained, held_out) = (boards(&of_games.training), boards(&of_games.validation));
    let found =
        |set: &HashSet<String>, samples: &[Sample]| boards(samples).intersection(set).count();
    assert!(found(&held_out, &of_labels.validation) > held_out.len() / 3);
    assert!(found(&trained, &of_labels.training) > trained.len() / 3);
    let both = trained.intersection(&held_out).count();
    assert!(found(&trained, &of_labels.validation) <= both + 60, "chance meetings in the opening");

    let results = |samples: &[Sample]| -> HashMap<String, GameResult> {
        samples
            .iter()
            .filter(|sample| sample.result() != GameResult::Unknown)
            .map(|sample| (format!("{:?}", Vec::from_iter(sample.pieces())), sample.result()))
            .collect()
    };
    let (of_seeds, known) = (results(&of_games.training), results(&of_labels.training));
    assert!((of_seeds.len() / 3..of_seeds.len()).contains(&known.len()), "half of the seeds");
    let same = known.iter().filter(|(board, result)| of_seeds.get(*board) == Some(result)).count();
    assert!(same + 60 > known.len(), "{same} of {}: openings have several results", known.len());
    let unknown = load(&label_path(&settings), &["generated.vf"]);
    assert!(results(&unknown.training).is_empty());
}

#[test]
fn a_stream_has_the_labels_of_a_dataset() {
    let folder = empty_folder("labels-stream");
    let settings = settings(&folder, 42);
    label(settings.clone()).expect("labels");
    let data = vec![label_path(&settings)];
    let dataset = Dataset::load(&Sources { data: data.clone(), selection: selection() });
    let dataset = dataset.expect("data");
    let order = Order { seed: 1, number: 0, shuffle_units: 4 };
    let stream = Stream::open(&[WeightedFile::new(&data[0])], order).expect("a stream");
    // Eleven blocks in three superbatches.
    let samples = |superbatches: std::ops::Range<u64>| {
        let read = |index| stream.read(index, &selection()).expect("a superbatch").samples;
        superbatches.flat_map(read).collect::<Vec<_>>()
    };
    assert_eq!(sorted(&samples(0..3)), sorted(&dataset.training));
    assert_eq!(sorted(&samples(3..6)), sorted(&dataset.training));
    let files = stream.files().iter().map(|(file, _)| file);
    let held_out = data_file::held_out(files, &selection()).expect("held-out positions");
    assert_eq!(held_out, dataset.validation);
    assert!(held_out.len() > 100, "{}", held_out.len());
}

#[test]
fn a_run_stops_before_the_largest_size_whatever_the_number_of_workers() {
    let limited = |name: &str, workers, most_bytes| {
        let folder = empty_folder(name);
        let first = settings(&folder, 40);
        let other = folder.join("other.vf");
        fs::write(&other, bytes(&games(24, 9))).expect("a data file");
        let seeds = vec![first.seeds[0].clone(), other];
        LabelSettings { seeds, workers, most_bytes, ..first }
    };
    let files = |settings: &LabelSettings| {
        ["generated", "other"].map(|name| {
            fs::read(settings.folder.join(name).with_extension("labels")).expect("a label file")
        })
    };
    let whole = limited("labels-unlimited", 2, u64::MAX);
    let all_bytes = label(whole.clone()).expect("labels").bytes;
    let single = limited("labels-limited-one", 1, all_bytes / 2);
    let several = limited("labels-limited-three", 3, all_bytes / 2);
    for settings in [&single, &several] {
        let progress = label(settings.clone()).expect("labels");
        assert!(progress.is_full);
        assert!((all_bytes / 3..=all_bytes / 2).contains(&progress.bytes), "{progress:?}");
    }
    assert_eq!(files(&single), files(&several));
    for (part, whole) in files(&single).iter().zip(files(&whole)) {
        assert!(whole.starts_with(part));
        let share = part.len() as f64 / whole.len() as f64;
        assert!((0.3..0.7).contains(&share), "each file has its share: {share}");
    }
    let rest = label(LabelSettings { most_bytes: u64::MAX, ..several.clone() }).expect("labels");
    assert!(!rest.is_full);
    assert_eq!(files(&several), files(&whole));
}

#[test]
fn a_position_in_check_has_no_label() {
    let folder = empty_folder("labels-checks");
    let mut settings = settings(&folder, 8);
    settings.evaluator = program(Behaviour::FindsChecks);
    let progress = label(settings.clone()).expect("labels");
    assert_eq!(progress.labels, 0);
    assert!(progress.evaluated > 100);
    assert!(samples(&label_path(&settings)).is_empty());
}

#[test]
fn the_command_prints_its_progress() {
    let folder = empty_folder("labels-command");
    let settings = settings(&folder, 12);
    let command = |thin: &str| {
        Command::new(env!("CARGO_BIN_EXE_kibitzer-trainer"))
            .args(["label", "--workers", "2", "--thin", thin, "--seed-share", "0.5", "--out"])
            .arg(&settings.folder)
            .arg("--evaluator")
            .arg(&settings.evaluator)
            .arg("--seeds")
            .args(&settings.seeds)
            .output()
            .expect("the command")
    };
    let output = command("100:2,500:8");
    let stdout = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let labels = samples(&label_path(&settings)).len();
    assert!(stdout.starts_with(&format!("1 of 1 blocks, {labels} labels, ")), "{stdout}");

    let stderr = String::from_utf8(command("100:2").stderr).expect("text");
    assert!(stderr.contains("--thin: the labels were made with 100:2,500:8"), "{stderr}");
}
