//! An evaluator for tests: this test program, started by a shell script.

use std::fs::{self, OpenOptions};
use std::io::{Read, Write, stdin};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use kibitzer_trainer::sample::{GameResult, Sample};
use viriformat::chess::piece::Colour;
use viriformat::dataformat::Game;

/// What the evaluator does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behaviour {
    /// It answers with the hash of each position.
    Hash,
}

/// The variable that tells the child process its behaviour. It is not set in a normal test run.
const VARIABLE: &str = "KIBITZER_TRAINER_TEST_EVALUATOR";

/// Writes a program that behaves like this, and returns its path.
pub(super) fn write_evaluator(folder: &Path, behaviour: Behaviour) -> PathBuf {
    let path = folder.join(format!("{behaviour:?}"));
    let program = std::env::current_exe().expect("this program");
    // The test harness prints to standard output, so the answers take another way.
    let script = format!(
        "#!/bin/sh\nexec 3>&1 1>/dev/null\n{VARIABLE}={behaviour:?} \
         exec '{}' --exact labels::evaluator::serve --ignored\n",
        program.display()
    );
    fs::write(&path, script).expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
    path
}

/// A score within ±1000 that depends on every piece and the side to move.
pub(super) fn hash(sample: &Sample) -> i16 {
    let hash = sample.pieces().fold(7_u64, |hash, piece| {
        let code = u64::from(piece.role) | u64::from(piece.own) << 3;
        (hash ^ (code << 6 | u64::from(piece.square)))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
    });
    (hash % 2001) as i16 - 1000
}

#[test]
#[ignore = "the program that write_evaluator starts"]
fn serve() {
    if std::env::var_os(VARIABLE).is_none() {
        return;
    }
    let mut answers = OpenOptions::new().write(true).open("/dev/fd/3").expect("the answers");
    let mut position = [0; 32];
    while stdin().read_exact(&mut position).is_ok() {
        // A game without moves.
        let game = [position.as_slice(), &[0; 4]].concat();
        let game = Game::deserialise_from(&mut game.as_slice(), Vec::new()).expect("a game");
        let board = game.initial_position();
        let score = hash(&Sample::new(&board, 0, GameResult::Unknown));
        let for_white = if board.turn() == Colour::White { score } else { -score };
        answers.write_all(&for_white.to_le_bytes()).expect("an answer");
    }
}
