use std::path::Path;

use kibitzer_trainer::checkpoint::Losses;
use kibitzer_trainer::config::Config;
use kibitzer_trainer::dataset::Dataset;
use kibitzer_trainer::network_file;
use kibitzer_trainer::run::{CHECKPOINT, NETWORK, Run};

use crate::fixtures::{config, config_with_games, empty_folder};

/// The bytes of a run's checkpoint and network file.
fn run_files(folder: &Path) -> [Vec<u8>; 2] {
    [CHECKPOINT, NETWORK].map(|name| std::fs::read(folder.join(name)).expect("a file of the run"))
}

/// Trains up to this epoch and saves the run into `folder`.
fn train(mut run: Run, epochs: u32, folder: &Path) -> Vec<Losses> {
    let data = Dataset::load(&run.state.config.sources).expect("data");
    while run.state.epochs < epochs {
        run.train_epoch(&data, &mut Vec::new()).expect("an epoch");
    }
    run.save(folder).expect("saved");
    run.state.losses
}

/// Trains a run from start to end on `threads` threads.
fn train_whole_run(config: Config, folder: &Path, threads: usize) -> Vec<Losses> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| {
        let epochs = config.epochs;
        train(Run::new(config).expect("a run"), epochs, folder)
    })
}

#[test]
fn a_resumed_run_gives_the_files_of_an_uninterrupted_run() {
    let (one, other) = (empty_folder("uninterrupted"), empty_folder("interrupted"));
    let config = config(&one);
    train_whole_run(config.clone(), &one, 2);

    train(Run::new(config).expect("a run"), 1, &other);
    let resumed = Run::resume(&other).expect("the checkpoint");
    assert_eq!(resumed.state.epochs, 1);
    train(resumed, 3, &other);
    assert_eq!(run_files(&one), run_files(&other));
}

#[test]
fn the_result_is_independent_of_the_number_of_threads() {
    let (one, three) = (empty_folder("one-thread"), empty_folder("three-threads"));
    let config = Config { hidden: 96, ..config(&one) };
    train_whole_run(config.clone(), &one, 1);
    train_whole_run(config, &three, 3);
    assert_eq!(run_files(&one), run_files(&three));
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
    let config =
        Config { king_buckets: "none".to_owned(), epochs: 5, ..config_with_games(&folder, 400) };
    let losses = train_whole_run(config, &folder, 2);
    assert!(losses[4].training < losses[0].training / 4.0, "{losses:?}");
    let held_out = |epoch: usize| losses[epoch].held_out.expect("some games are held out");
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
    let held_out = Dataset::load(&config.sources).expect("data").validation;
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
        let held_out = Dataset::load(&config.sources).expect("data").validation;
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
