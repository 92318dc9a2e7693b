//! The relatives that a run draws.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use kibitzer::chess::{Position, parse_move};
use kibitzer::engine::RawScore;
use kibitzer_trainer::datagen::{ScoredMove, TrainingGame};
use kibitzer_trainer::labels::{LabelFile, LabelSettings, RelativeSettings};
use kibitzer_trainer::sample::Sample;
use sha2::{Digest, Sha256};
use viriformat::dataformat::WDL;

use super::{hash, label_path, labels, samples, settings};
use crate::fixtures::{empty_folder, position};

/// The relatives of a position, whose game continues with one move.
fn relatives(name: &str, fen: &str, mv: &str, relatives: RelativeSettings) -> Vec<Sample> {
    let folder: PathBuf = empty_folder(name);
    let start = Position::from_fen(fen).expect("a position");
    let mut game = TrainingGame::new(&start).expect("a game");
    let mv = parse_move(&start, mv).expect("a move");
    game.add_move(&start, ScoredMove { mv, score: RawScore::Cp(0) });
    let settings = LabelSettings { seed_share: 1.0, relatives, ..settings(&folder, 0) };
    fs::write(&settings.seeds[0], game.finish(WDL::Draw).expect("bytes")).expect("written");
    labels(&settings);
    samples(&label_path(&settings))
}

fn many() -> RelativeSettings {
    RelativeSettings { count: 200, flat: true }
}

fn has(samples: &[Sample], fen: &str) -> bool {
    let wanted = Vec::from_iter(position(fen).pieces());
    samples.iter().any(|sample| Vec::from_iter(sample.pieces()) == wanted)
}

#[test]
fn special_moves_survive() {
    for (name, start, mv, relatives_of_start) in [
        (
            "castling",
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
            "e1g1",
            vec!["r3k2r/8/8/8/8/8/8/R4RK1 b kq - 0 1", "r3k2r/8/8/8/8/8/8/2KR3R b kq - 0 1"],
        ),
        (
            "chess960",
            "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1",
            "e1g1",
            vec![
                "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R3RK1 b gb - 0 1",
                "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/2KR2R1 b gb - 0 1",
            ],
        ),
        (
            "en-passant",
            "4k3/8/8/8/Pp6/8/8/4K3 b - a3 0 1",
            "e8e7",
            vec!["4k3/8/8/8/8/p7/8/4K3 w - - 0 2"],
        ),
        (
            "double-step",
            "4k3/8/8/8/1p6/8/P7/4K3 w - - 0 1",
            "a2a4",
            vec!["4k3/8/8/8/Pp6/8/8/4K3 b - a3 0 1", "4k3/8/8/8/8/p7/8/4K3 w - - 0 2"],
        ),
        (
            "promotion",
            "1n6/P6k/8/8/8/8/8/7K w - - 0 1",
            "a7a8q",
            vec![
                "Qn6/7k/8/8/8/8/8/7K b - - 0 1",
                "Nn6/7k/8/8/8/8/8/7K b - - 0 1",
                "1R6/7k/8/8/8/8/8/7K b - - 0 1",
            ],
        ),
    ] {
        let drawn = relatives(&format!("labels-{name}"), start, mv, many());
        for fen in relatives_of_start {
            assert!(has(&drawn, fen), "{name}: {fen}");
        }
        assert!(drawn.iter().all(|sample| sample.score() == hash(sample)), "{name}");
    }
}

#[test]
fn no_relative_is_in_check_or_without_moves_or_bare_or_taken_twice() {
    // Qg6 is stalemate, Qe8 and Qg7 check or mate.
    let drawn = relatives("labels-legal", "7k/4Q3/8/8/8/8/8/K7 w - - 0 1", "e7e1", many());
    assert!(!has(&drawn, "7k/8/6Q1/8/8/8/8/K7 b - - 0 1"), "stalemate");
    assert!(!has(&drawn, "4Q2k/8/8/8/8/8/8/K7 b - - 0 1"), "check");
    assert!(drawn.iter().all(|sample| sample.piece_count() >= 3), "the queen may be taken");
    let fens: BTreeSet<String> =
        drawn.iter().map(|sample| format!("{:?}", Vec::from_iter(sample.pieces()))).collect();
    assert_eq!(fens.len(), drawn.len());
}

#[test]
fn the_end_of_good_captures_is_a_relative() {
    // After most first moves White takes the queen, and Black has no good capture.
    let drawn = relatives("labels-captures", "k7/p6p/8/3q3p/4P3/8/7P/K7 b - - 0 1", "h7h6", many());
    assert!(has(&drawn, "k7/p7/7p/3P3p/8/8/7P/K7 b - - 0 1"));
}

#[test]
fn positions_with_few_pieces_are_kept_less_often() {
    let draw = |name, fen, flat| {
        relatives(name, fen, "e1f1", RelativeSettings { count: 200, flat }).len() as f64
    };
    let (endgame, middlegame) = (
        "4k3/p7/8/8/8/8/P7/4K1R1 w - - 0 1",
        "rn2k1nr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RN2K1NR w - - 0 1",
    );
    let share = |fen| draw("labels-weighted", fen, false) / draw("labels-flat", fen, true);
    assert!((0.1..0.3).contains(&share(endgame)));
    assert!((0.95..1.05).contains(&share(middlegame)));
}

#[test]
fn the_relatives_change_only_with_the_version_of_the_generator() {
    let folder = empty_folder("labels-version");
    let relatives = RelativeSettings { count: 10, flat: false };
    let settings = LabelSettings { relatives, ..settings(&folder, 20) };
    let bytes = labels(&settings);
    let file = LabelFile::open(&label_path(&settings)).expect("a label file");
    // The header names the evaluator, a script with the path of this program.
    let blocks = &bytes[file.blocks()[0].offset as usize..];
    let digest = Sha256::digest(blocks);
    let prefix: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(
        (file.manifest().generator, prefix.as_str()),
        (1, "0eae543b62ae"),
        "a stopped run must not continue with other relatives: raise Manifest::GENERATOR"
    );
}
