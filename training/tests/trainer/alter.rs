//! The command `alter`: a book of altered positions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use kibitzer::chess::Position;
use viriformat::chess::board::{Board, DrawType, GameOutcome};
use viriformat::dataformat::Game;

use crate::fixtures::{bytes, empty_folder, games};

/// Alters positions of the file `games.vf` of a folder.
fn alter(folder: &Path, positions: &str, seed: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kibitzer-trainer"))
        .arg("alter")
        .args(["--positions", positions, "--seed", seed])
        .arg("--games")
        .arg(folder.join("games.vf"))
        .arg("--to")
        .arg(book(folder))
        .output()
        .expect("the trainer")
}

fn book(folder: &Path) -> PathBuf {
    folder.join("altered.epd")
}

/// The book of 200 altered positions of generated games.
fn altered(folder: &Path, seed: &str) -> String {
    fs::write(folder.join("games.vf"), bytes(&games(20, 1))).expect("a game file");
    let output = alter(folder, "200", seed);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::read_to_string(book(folder)).expect("a book")
}

#[test]
fn a_book_has_legal_positions_that_the_seed_determines() {
    let folder = empty_folder("alter-book");
    let text = altered(&folder, "1");
    assert_eq!(text.lines().count(), 200);
    for line in text.lines() {
        let position = Position::from_fen(line).unwrap_or_else(|_| panic!("{line}"));
        assert!(line.ends_with(" - -") && !position.in_check(), "{line}");
    }
    assert_eq!(altered(&folder, "1"), text);
    assert_ne!(altered(&folder, "2"), text);
}

#[test]
fn games_without_a_position_to_alter_are_refused() {
    let folder = empty_folder("alter-refused");
    let error = |content: &[u8]| {
        fs::write(folder.join("games.vf"), content).expect("a game file");
        let output = alter(&folder, "3", "1");
        assert_eq!(output.status.code(), Some(1));
        assert!(!book(&folder).exists(), "no book after an error");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(error(&[]).contains("the files have no game"));
    let whole = bytes(&games(1, 1));
    let cut = error(&whole[..whole.len() - 4]);
    assert!(cut.contains("games.vf") && cut.contains("game 0 has no end marker"), "{cut}");
    let mut unknown_piece = whole;
    unknown_piece[8] = 7;
    let damaged = error(&unknown_piece);
    assert!(damaged.contains("game 0") && damaged.contains("unknown kind 7"), "{damaged}");
}

#[test]
fn positions_that_no_alteration_fits_are_an_error() {
    let folder = empty_folder("alter-bare-kings");
    let mut board = Board::default();
    board.set_from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1", true).expect("a FEN");
    let mut game = Game::new(&board);
    game.set_outcome(GameOutcome::Draw(DrawType::Adjudication));
    fs::write(folder.join("games.vf"), bytes(&[game])).expect("a game file");
    let output = alter(&folder, "3", "1");
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("only 0 of ") && error.contains("could be altered"), "{error}");
    assert!(!book(&folder).exists(), "no book after an error");
}

#[test]
fn a_book_has_at_least_one_position() {
    let folder = empty_folder("alter-none");
    let output = alter(&folder, "0", "1");
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("--positions") && error.contains("0 is not in 1.."), "{error}");
}
