//! An evaluator for tests: this test program, started by a shell script.

use std::fs::{self, OpenOptions};
use std::io::{Read, Write, stdin};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use kibitzer_trainer::labels::IN_CHECK;
use kibitzer_trainer::sample::{GameResult, Sample};
use viriformat::chess::piece::Colour;
use viriformat::dataformat::Game;

use crate::fixtures::empty_folder;

/// What the evaluator does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behaviour {
    /// It answers with the hash of each position.
    Hash,
    /// It answers 100 positions and ends with status 3.
    Dies,
    /// It answers 100 positions and ends with status 0.
    AnswersTooFew,
    /// It answers as `Hash`, and once more at the end.
    AnswersTwice,
    /// It finds every position in check.
    FindsChecks,
}

/// The variable that tells the child process its behaviour. It is not set in a normal test run.
const VARIABLE: &str = "KIBITZER_TRAINER_TEST_EVALUATOR";

impl Behaviour {
    const ALL: [Behaviour; 5] = [
        Behaviour::Hash,
        Behaviour::Dies,
        Behaviour::AnswersTooFew,
        Behaviour::AnswersTwice,
        Behaviour::FindsChecks,
    ];
}

/// The path of a program that behaves like this.
pub(super) fn program(behaviour: Behaviour) -> PathBuf {
    // All programs are written before the first one starts. A process that another test forks would
    // hold a program open for writing, and it could not be started ("text file busy").
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = empty_folder("labels-programs");
        for behaviour in Behaviour::ALL {
            write_program(&folder.join(format!("{behaviour:?}")), behaviour);
        }
        folder
    });
    FOLDER.join(format!("{behaviour:?}"))
}

fn write_program(path: &Path, behaviour: Behaviour) {
    let tests = std::env::current_exe().expect("this program");
    // The test harness prints to standard output, so the answers take another way.
    let script = format!(
        "#!/bin/sh\nexec 3>&1 1>/dev/null\n{VARIABLE}={behaviour:?} \
         exec '{}' --exact labels::evaluator::serve\n",
        tests.display()
    );
    fs::write(path, script).expect("a script");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("permissions");
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

/// The evaluator that other tests start; without their variable it does nothing.
#[test]
fn serve() {
    let Some(behaviour) = std::env::var_os(VARIABLE) else { return };
    let mut answers = OpenOptions::new().write(true).open("/dev/fd/3").expect("the answers");
    let mut answer = |score: i16| answers.write_all(&score.to_le_bytes()).expect("an answer");
    let mut position = [0; 32];
    let mut answered = 0;
    while stdin().read_exact(&mut position).is_ok() {
        match behaviour.to_str() {
            Some("Dies") if answered == 100 => std::process::exit(3),
            Some("AnswersTooFew") if answered == 100 => std::process::exit(0),
            Some("FindsChecks") => answer(IN_CHECK),
            _ => answer(white_score(&position)),
        }
        answered += 1;
    }
    if behaviour == "AnswersTwice" {
        answer(0);
    }
}

/// The hash of a packed board from White's point of view. viriformat unpacks it.
fn white_score(position: &[u8; 32]) -> i16 {
    // A game without moves.
    let game = [position.as_slice(), &[0; 4]].concat();
    let game = Game::deserialise_from(&mut game.as_slice(), Vec::new()).expect("a game");
    let board = game.initial_position();
    let score = hash(&Sample::new(&board, 0, GameResult::Unknown));
    if board.turn() == Colour::White { score } else { -score }
}
