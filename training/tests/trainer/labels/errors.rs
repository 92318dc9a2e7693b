//! Label files and evaluators that cannot be used.

use std::fs;

use kibitzer_trainer::labels::{LabelFile, LabelSettings, Labeller, RelativeSettings, Thinning};

use super::evaluator::{Behaviour, program};
use super::{label, label_path, labels, settings};
use crate::fixtures::{bytes, empty_folder, games};

/// Asserts that an error has all of these words.
#[track_caller]
fn assert_says(error: anyhow::Error, words: &[&str]) {
    let text = format!("{error:#}");
    for word in words {
        assert!(text.contains(word), "{word:?} is not in: {text}");
    }
}

#[test]
fn an_evaluator_that_ends_is_named_with_its_status() {
    let folder = empty_folder("labels-dying");
    for (behaviour, words) in [
        (Behaviour::Dies, ["Dies failed after 0 positions", "exit status: 3"]),
        (Behaviour::AnswersTooFew, ["AnswersTooFew failed after 0 positions", "exit status: 0"]),
        (Behaviour::AnswersTwice, ["AnswersTwice", "more than one answer per position"]),
    ] {
        let evaluator = program(behaviour);
        let settings = LabelSettings { evaluator, workers: 2, ..settings(&folder, 12) };
        let out = folder.join(format!("{behaviour:?}-labels"));
        let error = label(LabelSettings { folder: out, ..settings }).expect_err("no labels");
        assert_says(error, &words);
    }
}

#[test]
fn an_evaluator_that_cannot_be_started_is_named() {
    let folder = empty_folder("labels-no-evaluator");
    let missing = LabelSettings { evaluator: folder.join("missing"), ..settings(&folder, 4) };
    assert_says(label(missing).expect_err("no program"), &["cannot find", "missing"]);
    let text = folder.join("text");
    fs::write(&text, "not a program").expect("written");
    let error = label(LabelSettings { evaluator: text, ..settings(&folder, 4) });
    assert_says(error.expect_err("no program"), &["cannot start the evaluator", "text"]);
}

#[test]
fn a_run_with_other_settings_is_refused() {
    let folder = empty_folder("labels-other-settings");
    let made = settings(&folder, 12);
    let whole = labels(&made);
    let program = folder.join("program");
    fs::write(&program, "another").expect("written");
    let games_file = folder.join("games/generated.vf");
    fs::create_dir_all(folder.join("games")).expect("a folder");
    fs::write(&games_file, bytes(&games(12, 2))).expect("written");
    let changed = |change: &dyn Fn(&mut LabelSettings)| {
        let mut settings = made.clone();
        change(&mut settings);
        settings
    };
    for (words, settings) in [
        (["--seed: ", "with 3, not with 4"], changed(&|it| it.seed = 4)),
        (["--seed-share: ", "0.5, not with 1"], changed(&|it| it.seed_share = 1.0)),
        (
            ["--relatives: ", "6, not with 7"],
            changed(&|it| it.relatives = RelativeSettings { count: 7, flat: true }),
        ),
        (["--flat: ", "true, not with false"], changed(&|it| it.relatives.flat = false)),
        (
            ["--thin: ", "not with 600:4"],
            changed(&|it| it.thinning = vec![Thinning { beyond: 600, one_of: 4 }]),
        ),
        (
            ["--unknown-results: ", "known: true"],
            changed(&|it| it.unknown_results = vec!["generated.vf".to_owned()]),
        ),
        (["--evaluator: ", "SHA-256"], changed(&|it| it.evaluator.clone_from(&program))),
        (["--seeds: ", "generated.vf"], changed(&|it| it.seeds = vec![games_file.clone()])),
    ] {
        let error = label(settings).expect_err("other settings");
        assert_says(error, &words);
        assert!(fs::read(label_path(&made)).expect("the labels") == whole, "{words:?}");
    }
    assert_eq!(labels(&LabelSettings { workers: 2, ..made }), whole, "workers do not count");
}

#[test]
fn two_runs_cannot_write_one_file() {
    let folder = empty_folder("labels-locked");
    let settings = settings(&folder, 4);
    let _first = Labeller::new(settings.clone()).expect("a run");
    assert_says(label(settings).expect_err("locked"), &["another run writes the file"]);
}

#[test]
fn two_game_files_of_one_name_are_refused() {
    let folder = empty_folder("labels-same-name");
    let mut settings = settings(&folder, 4);
    settings.seeds.push(folder.join("elsewhere/generated.vf"));
    assert_says(label(settings).expect_err("one name"), &["generated.labels", "must differ"]);
}

#[test]
fn a_file_with_other_content_is_refused_and_stays() {
    let folder = empty_folder("labels-foreign");
    let settings = settings(&folder, 4);
    fs::create_dir_all(&settings.folder).expect("a folder");
    for content in [bytes(&games(3, 1)), b"KBZNOTES".to_vec(), b"12345678".repeat(100)] {
        fs::write(label_path(&settings), &content).expect("written");
        for error in [
            LabelFile::open(&label_path(&settings)).expect_err("another file"),
            label(settings.clone()).expect_err("another file"),
        ] {
            assert_says(error, &["generated.labels", "not a label file"]);
        }
        assert!(fs::read(label_path(&settings)).expect("the file") == content);
    }
}

#[test]
fn a_truncated_file_is_not_read() {
    let folder = empty_folder("labels-truncated");
    let settings = settings(&folder, 12);
    let whole = labels(&settings);
    let path = label_path(&settings);
    for (length, words) in [
        (0, "not a label file"),
        (10, "not a label file"),
        (20, "ends within its header"),
        (whole.len() / 2, "ends within block"),
        (whole.len() - 1, "ends within block 2"),
    ] {
        fs::write(&path, &whole[..length]).expect("written");
        assert_says(LabelFile::open(&path).expect_err("truncated"), &[words]);
    }
}

#[test]
fn a_damaged_file_is_refused() {
    let folder = empty_folder("labels-damaged");
    let settings = settings(&folder, 12);
    let whole = labels(&settings);
    let path = label_path(&settings);
    let first = LabelFile::open(&path).expect("a label file").blocks()[0];
    let content = first.offset as usize;
    for (place, words) in [
        (4, "not a label file"),
        (9, "version"),
        (40, "checksum of the header"),
        (content - 30, "header of block 0 is damaged"),
        (content - 5, "header of block 0 is damaged"),
        (content, "checksum does not match"),
        (content + first.bytes as usize - 1, "checksum does not match"),
    ] {
        let mut damaged = whole.clone();
        damaged[place] ^= 1;
        fs::write(&path, &damaged).expect("written");
        let read = LabelFile::open(&path).and_then(|file| file.read(&file.blocks()[0]));
        assert_says(read.expect_err("damaged"), &["generated.labels", words]);
        // A run does not cut off a damaged block.
        let _ = label(settings.clone());
        assert!(fs::read(&path).expect("the file") == damaged, "byte {place}");
    }
}

#[test]
fn a_damaged_game_is_named() {
    let folder = empty_folder("labels-damaged-game");
    let settings = settings(&folder, 8);
    let whole = bytes(&games(8, 1));
    // A move of the first game; a piece and the en passant square of its start position.
    for (place, bits, words) in
        [(33, 0x3e, "is not a move in"), (9, 0x3e, "unknown kind 7"), (24, 0x54, "is not legal")]
    {
        let mut games = whole.clone();
        games[place] ^= bits;
        fs::write(&settings.seeds[0], &games).expect("written");
        let out = folder.join(format!("labels-{place}"));
        let error = label(LabelSettings { folder: out, ..settings.clone() });
        assert_says(error.expect_err("a damaged game"), &["generated.vf, game 0", words]);
    }
}
