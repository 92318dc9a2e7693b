//! `kibitzer-trainer datagen`: its games, read back by the crate that defines the format. In builds
//! with debug assertions that crate plays every move by its own rules.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::fs;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use kibitzer::engine::{Engine, Network};
use viriformat::dataformat::{Game, WDL};

/// A folder that is removed on drop.
struct TempFolder(PathBuf);

impl TempFolder {
    fn new(name: &str) -> TempFolder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("datagen-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        TempFolder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.file(name), text).unwrap();
        self.file(name).display().to_string()
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs the command with few nodes. The last one of a repeated option counts.
fn datagen(folder: &TempFolder, arguments: &[&str]) -> Output {
    let out = folder.0.join("games");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kibitzer-trainer"));
    let mut options = BTreeMap::from([("--nodes", "200"), ("--hash", "1")]);
    options.extend(arguments.chunks(2).map(|pair| (pair[0], pair[1])));
    command
        .arg("datagen")
        .arg("--out")
        .arg(out)
        .args(options.into_iter().flat_map(<[&str; 2]>::from));
    command.output().unwrap()
}

#[track_caller]
fn expect_success(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn games(path: &Path) -> Vec<Game> {
    let bytes = fs::read(path).unwrap();
    let mut rest = bytes.as_slice();
    let mut games = Vec::new();
    while !rest.fill_buf().unwrap().is_empty() {
        games.push(Game::deserialise_from(&mut rest, Vec::new()).unwrap());
    }
    games
}

#[test]
fn games_have_legal_moves_scores_and_their_results() {
    let folder = TempFolder::new("legal");
    let stdout = expect_success(&datagen(&folder, &["--games", "12", "--workers", "2"]));
    let games: Vec<Game> = [0, 1]
        .into_iter()
        .flat_map(|worker| games(&folder.file(&format!("games/1-{worker}.vf"))))
        .collect();
    let positions: usize = games.iter().map(Game::len).sum();
    assert!(
        stdout.lines().last().unwrap().starts_with(&format!("12 games, {positions} positions, ")),
        "{stdout}"
    );
    assert_eq!(games.len(), 12);
    for game in &games {
        let last = game.moves.last().unwrap().1.get();
        match game.outcome() {
            WDL::Win => assert!(last > 500, "White has won with {last}"),
            WDL::Loss => assert!(last < -500, "Black has won with {last}"),
            WDL::Draw => assert!(last.abs() < 1_500, "a draw with {last}"),
        }
        assert!(game.moves[0].1.get().abs() <= 400, "a balanced opening");
    }
}

#[test]
fn a_stopped_run_resumes_where_it_ended() {
    let (folder, whole) = (TempFolder::new("stopped"), TempFolder::new("whole"));
    expect_success(&datagen(&whole, &["--games", "6", "--workers", "1", "--seed", "9"]));
    let wanted = fs::read(whole.file("games/9-0.vf")).unwrap();

    expect_success(&datagen(&folder, &["--games", "4", "--workers", "1", "--seed", "9"]));
    let path = folder.file("games/9-0.vf");
    let mut written = fs::read(&path).unwrap();
    assert!(wanted.starts_with(&written), "the seed decides the games");
    // As after a crash in the middle of a game.
    written.truncate(written.len() - 7);
    fs::write(&path, written).unwrap();
    let stdout =
        expect_success(&datagen(&folder, &["--games", "6", "--workers", "1", "--seed", "9"]));
    assert!(stdout.starts_with("6 games, "), "{stdout}");
    assert!(fs::read(&path).unwrap() == wanted, "the same games as without a break");
    expect_success(&datagen(&folder, &["--games", "6", "--workers", "3", "--seed", "9"]));
    assert!(fs::read(&path).unwrap() == wanted, "there are enough games");
}

/// Expects that a run is refused. Returns its error text.
#[track_caller]
fn expect_refusal(folder: &TempFolder, arguments: &[&str]) -> String {
    let output = datagen(folder, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {stderr}");
    stderr
}

#[test]
fn a_run_resumes_only_with_its_original_settings() {
    let folder = TempFolder::new("settings");
    let book = folder.write("book.epd", "4k3/pppp4/8/8/8/8/PPPP4/4K3 w - -\n");
    let other = folder.write("other.epd", "4k3/pppp4/8/8/8/8/PPP5/4K3 w - -\n");
    let copy = folder.write("copy.epd", "4k3/pppp4/8/8/8/8/PPPP4/4K3 w - -\n");
    let run = ["--games", "2", "--workers", "1", "--random-plies", "0", "--book", &book];
    expect_success(&datagen(&folder, &run));
    let path = folder.file("games/1-0.vf");
    let made = fs::read(&path).unwrap();

    let engine_mismatch = format!(
        "--engine: the games of seed 1 were made with kibitzer {} (signature ",
        Engine::VERSION
    );
    for (arguments, expected) in [
        (["--nodes", "300"], "--nodes: the games of seed 1 were made with 200, not with 300 "),
        (["--hash", "2"], "--hash: the games of seed 1 were made with 1, not with 2 "),
        (
            ["--random-plies", "3"],
            "--random-plies: the games of seed 1 were made with 0, not with 3 ",
        ),
        (
            ["--most-at-start", "90"],
            "--most-at-start: the games of seed 1 were made with 400, not with 90 ",
        ),
        (["--engine", "/nowhere"], &engine_mismatch),
        (["--book", &other], "not with other.epd (SHA-256 "),
    ] {
        let stderr =
            expect_refusal(&folder, &[["--games", "3"].as_slice(), &run[2..], &arguments].concat());
        assert!(stderr.contains(expected) && stderr.contains("1.json"), "{arguments:?}: {stderr}");
        assert!(fs::read(&path).unwrap() == made, "{arguments:?} added games");
    }

    expect_success(&datagen(
        &folder,
        &[&run[..], &["--seed", "2", "--most-at-start", "90"]].concat(),
    ));
    expect_success(&datagen(
        &folder,
        &[["--games", "3", "--workers", "2", "--random-plies", "0", "--book"].as_slice(), &[&copy]]
            .concat(),
    ));
    let made = {
        let more = fs::read(&path).unwrap();
        assert!(more.starts_with(&made), "the same book by another name, and more workers");
        more
    };

    let manifest = fs::read_to_string(folder.file("games/1.json")).unwrap();
    let of_another_network = manifest.replace(Network::embedded().id(), "0123456789ab");
    assert_ne!(manifest, of_another_network);
    fs::write(folder.file("games/1.json"), of_another_network).unwrap();
    let stderr = expect_refusal(&folder, &[["--games", "4"].as_slice(), &run[2..]].concat());
    assert!(
        stderr.contains("--engine: the games of seed 1 were made with")
            && stderr.contains("network 0123456789ab"),
        "{stderr}"
    );
    let by_other_rules = manifest.replace("\"rules\": 2,", "\"rules\": 7,");
    assert_ne!(manifest, by_other_rules);
    fs::write(folder.file("games/1.json"), by_other_rules).unwrap();
    let stderr = expect_refusal(&folder, &[["--games", "4"].as_slice(), &run[2..]].concat());
    assert!(
        stderr.contains("rules of play: the games of seed 1 were made with 7, not with 2 "),
        "{stderr}"
    );
    assert!(fs::read(&path).unwrap() == made);
}

#[test]
fn games_without_a_manifest_adopt_the_settings_of_the_resuming_run() {
    let folder = TempFolder::new("adopted");
    expect_success(&datagen(&folder, &["--games", "1", "--workers", "1"]));
    fs::remove_file(folder.file("games/1.json")).unwrap();
    expect_success(&datagen(&folder, &["--games", "2", "--workers", "1"]));
    assert!(
        expect_refusal(&folder, &["--games", "3", "--random-plies", "5"])
            .contains("--random-plies")
    );
}

#[test]
fn settings_may_change_before_the_first_game() {
    let folder = TempFolder::new("unbound");
    assert!(
        expect_refusal(&folder, &["--games", "1", "--engine", "/nowhere"]).contains("/nowhere")
    );
    expect_success(&datagen(&folder, &["--games", "1", "--workers", "1"]));
}

#[test]
fn a_truncated_first_game_is_replayed_and_a_foreign_file_is_left_alone() {
    let folder = TempFolder::new("foreign");
    let run = ["--games", "1", "--workers", "1"];
    expect_success(&datagen(&folder, &run));
    let path = folder.file("games/1-0.vf");
    let game = fs::read(&path).unwrap();
    for length in [7, 20, 32, 45, game.len() - 1] {
        fs::write(&path, &game[..length]).unwrap();
        expect_success(&datagen(&folder, &run));
        assert!(fs::read(&path).unwrap() == game, "{length} bytes of the first game");
    }
    let letter = b"This file has no games but a letter of some importance to its owner.";
    for foreign in [letter.to_vec(), [game.as_slice(), letter].concat(), vec![0; 100]] {
        fs::write(&path, &foreign).unwrap();
        assert!(expect_refusal(&folder, &run).contains("1-0.vf is not a game file"));
        assert!(fs::read(&path).unwrap() == foreign, "the file is unchanged");
    }
}

#[test]
fn games_start_from_a_book() {
    let folder = TempFolder::new("book");
    let book =
        folder.write("book.epd", "4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - bm e2; id \"pawns\";\n\n");
    expect_success(&datagen(
        &folder,
        &["--games", "3", "--workers", "1", "--random-plies", "0", "--book", &book],
    ));
    for game in games(&folder.file("games/1-0.vf")) {
        assert!(game.initial_position().to_string().starts_with("4k3/pppp4/8/8/8/8/PPPP4/4K3 w"));
    }
}

/// A UCI engine as a shell script, which plays from a fixed list of moves. `first` are the moves of
/// plies 0 and 1, `cycle` those of the plies after them, repeated.
#[cfg(unix)]
fn write_scripted_engine(
    folder: &TempFolder,
    name: &str,
    first: [&str; 2],
    cycle: [&str; 4],
) -> String {
    use std::os::unix::fs::PermissionsExt;

    let [first, second] = first;
    let [a, b, c, d] = cycle;
    let script = format!(
        r#"#!/bin/sh
while read -r line; do
  case $line in
    uci) echo 'option name UCI_Chess960 type check default false'; echo uciok ;;
    isready) echo readyok ;;
    position*)
      case $line in *' moves '*) set -- ${{line##* moves }} ;; *) set -- ;; esac
      case $# in
        0) move={first} ;;
        1) move={second} ;;
        *) case $(( ($# - 2) % 4 )) in
             0) move={a} ;; 1) move={b} ;; 2) move={c} ;; 3) move={d} ;;
           esac ;;
      esac ;;
    go*) echo 'info depth 1 score cp 20 nodes 1'; echo "bestmove $move" ;;
  esac
done
"#
    );
    let engine = folder.write(name, &script);
    fs::set_permissions(&engine, fs::Permissions::from_mode(0o755)).unwrap();
    engine
}

#[cfg(unix)]
#[test]
fn another_engine_plays_over_uci() {
    let folder = TempFolder::new("engine");
    let shuffle = ["f3g1", "f6g8", "g1f3", "g8f6"];
    let standard = write_scripted_engine(&folder, "standard", ["g1f3", "g8f6"], shuffle);
    let run = ["--games", "2", "--workers", "1", "--random-plies", "0"];
    expect_success(&datagen(&folder, &[&run[..], &["--engine", &standard]].concat()));
    for game in games(&folder.file("games/1-0.vf")) {
        assert_eq!((game.len(), game.outcome()), (8, WDL::Draw), "a claimed repetition");
    }

    // In Chess960 castling is a move of the king onto its rook.
    let steps = ["g1h1", "g8h8", "h1g1", "h8g8"];
    let chess960 = write_scripted_engine(&folder, "chess960", ["e1g1", "e8g8"], steps);
    let book = folder.write("book.epd", "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1\n");
    let arguments = ["--seed", "2", "--book", &book, "--engine", &chess960];
    expect_success(&datagen(&folder, &[&run[..], &arguments].concat()));
    for game in games(&folder.file("games/2-0.vf")) {
        assert_eq!((game.len(), game.outcome()), (10, WDL::Draw), "a claimed repetition");
        assert!(game.moves[0].0.is_castle(), "{:?}", game.moves[0]);
    }
}

#[test]
fn errors_are_reported() {
    let folder = TempFolder::new("wrong");
    let book = folder.write("book.epd", "4k3/8/8/8/8/8/4P3/4K3 w - -\nnonsense\n");
    let empty = folder.write("empty.epd", "\n");
    let over = folder.write("over.epd", "4k3/8/8/8/8/8/4P3/4K3 w - -\n7k/8/6Q1/8/8/8/8/K7 b - -\n");
    let decided = folder.write("decided.epd", "4k3/8/8/8/8/8/8/QQQ1K3 w - -\n");
    let text = folder.write("text", "#!/bin/sh\nexit 0\n");
    fs::create_dir_all(folder.file("games")).unwrap();
    fs::write(
        folder.file("games/7-0.vf"),
        [255; 100].into_iter().chain([0; 4]).collect::<Vec<u8>>(),
    )
    .unwrap();
    fs::write(folder.file("games/8-0.vf"), [0]).unwrap();
    fs::write(folder.file("games/8.json"), "{}").unwrap();
    for (arguments, expected) in [
        (vec!["--book", &book], "line 2"),
        (vec!["--book", &empty], "has no positions"),
        (vec!["--book", &over], "line 2: the game is over in this position"),
        (vec!["--book", &decided, "--random-plies", "0", "--nodes", "1"], "--most-at-start"),
        (vec!["--book", "/nowhere"], "/nowhere"),
        (vec!["--engine", "/nowhere"], "/nowhere"),
        (vec!["--engine", &text], "text"),
        (vec!["--seed", "7"], "is not a game file"),
        (vec!["--seed", "8"], "8.json is not a manifest"),
    ] {
        let output = datagen(&folder, &[&["--games", "1"], arguments.as_slice()].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code() == Some(1) && stderr.contains(expected),
            "{arguments:?}: {stderr}"
        );
    }
}
