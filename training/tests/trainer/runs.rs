use std::path::Path;

use kibitzer_trainer::benchmark;
use kibitzer_trainer::checkpoint::Losses;
use kibitzer_trainer::config::{Config, LatePhase};
use kibitzer_trainer::network_file;
use kibitzer_trainer::run::{CHECKPOINT, NETWORK, Run};
use kibitzer_trainer::training_data::TrainingData;
use kibitzer_trainer::weighted_file::WeightedFile;

use crate::fixtures::{bytes, config, config_with_games, empty_folder, games};

/// The bytes of a run's checkpoint and network file.
fn run_files(folder: &Path) -> [Vec<u8>; 2] {
    [CHECKPOINT, NETWORK].map(|name| std::fs::read(folder.join(name)).expect("a file of the run"))
}

/// Trains up to this number of superbatches, and returns the log. Only checkpoints that are due are
/// written.
fn advance(run: &mut Run, superbatches: u64, folder: &Path) -> String {
    let data = TrainingData::open(&run.state.config).expect("data");
    let mut log = Vec::new();
    while !run.is_done() && run.state.superbatches < superbatches {
        run.advance(&data, folder, &mut log).expect("a superbatch");
    }
    String::from_utf8(log).expect("text")
}

/// Trains up to this number of superbatches and saves the run into `folder`.
fn train(mut run: Run, superbatches: u64, folder: &Path) -> Vec<Losses> {
    advance(&mut run, superbatches, folder);
    run.save(folder).expect("saved");
    run.state.losses
}

/// Trains a run from start to end on `threads` threads.
fn train_whole_run(config: Config, folder: &Path, threads: usize) -> Vec<Losses> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| train(Run::new(config).expect("a run"), u64::MAX, folder))
}

/// A run of 40 steps in superbatches of about six steps, with a late phase of its own data from the
/// middle on. There is a checkpoint after every second superbatch.
fn two_phases(folder: &Path) -> Config {
    let file = |seed: u64| {
        let path = folder.join(format!("games-{seed}.vf"));
        std::fs::write(&path, bytes(&games(24, seed))).expect("a data file");
        WeightedFile::new(path)
    };
    Config {
        data: vec![file(1), WeightedFile { weight: 1.5, ..file(2) }, file(3)],
        late: LatePhase {
            late_from: 0.5,
            late_data: vec![file(4), file(5)],
            late_result_weight: Some(0.75),
        },
        king_buckets: "none".to_owned(),
        samples: 40 * 256,
        checkpoint_every: 7 * 256,
        benchmark_every: 20 * 256,
        ..config(folder)
    }
}

#[test]
fn a_run_resumed_after_any_superbatch_gives_the_files_of_an_uninterrupted_run() {
    let (one, other) = (empty_folder("uninterrupted"), empty_folder("interrupted"));
    let config = two_phases(&one);
    let losses = train_whole_run(config.clone(), &one, 2);
    let measured = losses.iter().filter(|losses| losses.held_out.is_some()).count();
    assert_eq!(measured, 2, "{losses:?}");
    assert!(measured < losses.len(), "{losses:?}");

    let mut run = Run::new(config).expect("a run");
    let mut phases = Vec::new();
    while !run.is_done() {
        let superbatches = run.state.superbatches + 1;
        train(run, superbatches, &other);
        run = Run::resume(&other).expect("the checkpoint");
        phases.push(run.state.late_superbatches > 0);
    }
    assert!(phases.contains(&false) && phases.contains(&true), "{phases:?}");
    assert_eq!(run_files(&one), run_files(&other));
}

#[test]
fn a_killed_run_continues_from_an_older_checkpoint_to_the_same_files() {
    let (one, other) = (empty_folder("not-killed"), empty_folder("killed"));
    let config = two_phases(&one);
    train_whole_run(config.clone(), &one, 2);
    let mut repeated = 0;
    for killed_after in 2..8 {
        let folder = other.join(killed_after.to_string());
        std::fs::create_dir(&folder).expect("a folder");
        advance(&mut Run::new(config.clone()).expect("a run"), killed_after, &folder);
        let mut resumed = Run::resume(&folder).expect("a checkpoint");
        repeated += killed_after - resumed.state.superbatches;
        advance(&mut resumed, u64::MAX, &folder);
        assert!(run_files(&one) == run_files(&folder), "killed after {killed_after}");
    }
    assert!(repeated >= 2, "{repeated}");
}

#[test]
fn the_result_is_independent_of_the_number_of_threads() {
    let (one, three) = (empty_folder("one-thread"), empty_folder("three-threads"));
    let config = Config { hidden: 96, ..two_phases(&one) };
    train_whole_run(config.clone(), &one, 1);
    train_whole_run(config, &three, 3);
    assert_eq!(run_files(&one), run_files(&three));
}

#[test]
fn the_late_phase_has_its_own_data() {
    let folder = empty_folder("late-data");
    let config = two_phases(&folder);
    let mut run = Run::new(config.clone()).expect("a run");
    let log = advance(&mut run, u64::MAX, &folder);
    let counts = |data: &[WeightedFile]| {
        let count = |file: &WeightedFile| {
            let of_file = Config { data: vec![file.clone()], ..config.clone() };
            let data = TrainingData::open(&of_file).expect("data").main;
            data.read(0, &config.selection).expect("a superbatch").samples.len()
        };
        data.iter().map(count).collect::<Vec<_>>()
    };
    let (main, late) = (counts(&config.data), counts(&config.late.late_data));
    let mut superbatches = 0;
    for line in log.lines().filter(|line| line.contains(" read in ")) {
        let expected = if line.contains(" of the late phase") { &late } else { &main };
        let is_of = |count: &usize| line.contains(&format!(": {count} positions read"));
        assert!(expected.iter().any(is_of), "{line}: {main:?}, {late:?}");
        superbatches += 1;
    }
    assert_eq!(superbatches, run.state.superbatches);
    assert!((2..superbatches - 2).contains(&run.state.late_superbatches), "{:?}", run.state);
}

#[test]
fn the_late_phase_has_its_own_result_weight() {
    let network = |name: &str, result_weight: f32, late_from: f32, late: Option<f32>| {
        let folder = empty_folder(&format!("late-weight-{name}"));
        let mut config = config(&folder);
        config.target.result_weight = result_weight;
        config.late = LatePhase { late_from, late_data: Vec::new(), late_result_weight: late };
        let mut run = Run::new(config).expect("a run");
        [1, u64::MAX].map(|superbatches| {
            advance(&mut run, superbatches, &folder);
            run_files(&folder)[1].clone()
        })
    };
    let (low, high) = (network("low", 0.25, 1.0, None), network("high", 0.75, 1.0, None));
    let (all_late, late) =
        (network("all", 0.25, 0.0, Some(0.75)), network("half", 0.25, 0.2, Some(0.75)));
    assert!(all_late == high, "a late phase from the start");
    assert!(late[0] == low[0] && late[1] != low[1] && late[1] != high[1]);
    assert!(network("same", 0.25, 0.2, None) == low, "a late phase without settings");
}

#[test]
fn a_run_measures_itself_on_the_benchmark() {
    let folder = empty_folder("measures-itself");
    let positions = folder.join("positions.csv");
    std::fs::write(&positions, crate::benchmark::POSITIONS).expect("written");
    let config = Config { benchmark: Some(positions.clone()), ..two_phases(&folder) };
    let mut run = Run::new(config).expect("a run");
    let log = advance(&mut run, u64::MAX, &folder);
    let network = network_file::load(&folder.join("net-0M.nnue")).expect("a copy");
    assert_eq!(network, network_file::load(&folder.join(NETWORK)).expect("a network"));
    let positions = benchmark::load(&positions).expect("valid");
    let scores = benchmark::evaluate(&network, &positions);
    let mut expected = Vec::new();
    benchmark::write_errors(&mut expected, &positions, &scores, None, &[benchmark::ALL_MEN])
        .expect("written");
    let expected = String::from_utf8(expected).expect("text");
    assert_eq!(expected.lines().count(), 4, "{expected}");
    assert!(log.contains(&expected), "{log}");
    assert_eq!(log.matches("against the deep evaluation").count(), 2, "{log}");
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let folder = empty_folder("bad-settings");
    let games = config(&folder).data[0].path.display().to_string();
    let (missing, weighted) = (folder.join("missing.vf"), format!("{games}=heavy"));
    let missing = missing.display().to_string();
    let heavy = weighted.clone();
    for (data, options, expected) in [
        (format!("{games}=0"), "--samples 1k", "the weight is 0; it must be 0.01 to 100"),
        (weighted, "--samples 1k --batch 9", heavy.as_str()),
        (missing.clone(), "--samples 1k --batch 9", missing.as_str()),
        (games.clone(), "--samples 0", "it must be 1 or more"),
        (games.clone(), "--samples many", "not a whole number"),
        (games.clone(), "", "--samples"),
        (games.clone(), "--samples 1k --late-from 1.5", "it must be from 0 to 1"),
        (games.clone(), "--samples 1k --late-result-weight 1", "--late-from"),
        (games.clone(), "--samples 9k", "the run trains on 9000 positions; a batch needs 16384"),
        (games.clone(), "--samples 9M", "superbatch 1 has "),
        (games.clone(), "--samples 9M", "positions; a batch needs 16384"),
        (games.clone(), "--samples 1k --batch 9 --hold-out 1", "superbatch 1 has 0 positions"),
        (games.clone(), "--samples 1k --batch 9 --benchmark none.csv", "cannot read none.csv"),
    ] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_kibitzer-trainer"))
            .args(["train", "--hidden", "32", "--data", &data, "--run"])
            .arg(folder.join("run"))
            .args(options.split_whitespace())
            .output()
            .expect("the command");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && stderr.contains(expected), "{options}: {stderr}");
    }
}

#[test]
fn another_seed_gives_another_network() {
    let (one, other) = (empty_folder("seed-7"), empty_folder("seed-8"));
    let config = config(&one);
    train_whole_run(config.clone(), &one, 2);
    train_whole_run(Config { seed: 8, ..config }, &other, 2);
    assert_ne!(run_files(&one)[1], run_files(&other)[1]);
}

#[test]
fn training_reduces_the_held_out_loss() {
    let folder = empty_folder("learns");
    let config = Config {
        king_buckets: "none".to_owned(),
        samples: 130_000,
        ..config_with_games(&folder, 400)
    };
    let losses = train_whole_run(config, &folder, 2);
    assert!(losses[4].training < losses[0].training / 4.0, "{losses:?}");
    let held_out = |pass: usize| losses[pass].held_out.expect("some games are held out");
    assert!(held_out(4) < held_out(0) / 2.0, "{losses:?}");
    network_file::read(&run_files(&folder)[1]).expect("a network file");
}

#[test]
fn a_damaged_checkpoint_is_refused() {
    let folder = empty_folder("damaged");
    train(Run::new(config(&folder)).expect("a run"), 0, &folder);
    let path = folder.join(CHECKPOINT);
    let whole = std::fs::read(&path).expect("a checkpoint");
    assert!(Run::resume(&folder).is_ok());
    for place in [3, 40, whole.len() / 2, whole.len() - 1] {
        let mut damaged = whole.clone();
        damaged[place] ^= 1;
        std::fs::write(&path, damaged).expect("written");
        assert!(Run::resume(&folder).is_err(), "byte {place}");
    }
}

#[test]
fn a_run_may_start_from_another_runs_weights_and_gain_king_buckets() {
    let (first, second) = (empty_folder("without-buckets"), empty_folder("with-buckets"));
    let config = Config { king_buckets: "none".to_owned(), ..config(&first) };
    train_whole_run(config.clone(), &first, 2);

    let checkpoint = Some(first.join(CHECKPOINT));
    let bucketed =
        Config { king_buckets: "8".to_owned(), start_from: checkpoint.clone(), ..config.clone() };
    let mut run = Run::new(bucketed).expect("a run");
    let held_out = TrainingData::open(&config).expect("data").held_out;
    let mut before = Run::resume(&first).expect("the first run");
    let (now, then) = (
        run.held_out_loss(&held_out).expect("a loss"),
        before.held_out_loss(&held_out).expect("a loss"),
    );
    assert!((now - then).abs() < 1e-6, "{now} after, {then} before");

    train(run, 1, &second);
    let wider = Config { hidden: 64, start_from: checkpoint, ..config };
    assert!(Run::new(wider).is_err(), "a wider network cannot start from a narrower one");
}

#[test]
fn a_run_may_start_from_a_network_file() {
    for king_buckets in ["none", "8"] {
        let (first, second) = (
            empty_folder(&format!("to-a-file-{king_buckets}")),
            empty_folder(&format!("from-a-file-{king_buckets}")),
        );
        let config = Config { king_buckets: king_buckets.to_owned(), ..config(&first) };
        train_whole_run(config.clone(), &first, 2);
        let file = first.join(NETWORK);

        let mut run =
            Run::new(Config { start_from: Some(file.clone()), ..config.clone() }).expect("a run");
        let held_out = TrainingData::open(&config).expect("data").held_out;
        let mut before = Run::resume(&first).expect("the first run");
        let (now, then) = (
            run.held_out_loss(&held_out).expect("a loss"),
            before.held_out_loss(&held_out).expect("a loss"),
        );
        assert!((now - then).abs() < 1e-6, "{now} after, {then} before");
        run.save(&second).expect("saved");
        let bytes = |path: &Path| std::fs::read(path).expect("a network");
        assert_eq!(bytes(&second.join(NETWORK)), bytes(&file), "the same weights again");
        train(run, 1, &second);
    }
}
