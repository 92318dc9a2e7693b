//! The benchmark of static evaluations.

use std::fs;
use std::path::Path;

use kibitzer_trainer::benchmark::{self, Reference};
use kibitzer_trainer::commands::benchmark::Benchmark;
use kibitzer_trainer::network_file;

/// Two games: one quiet position of each, and a second one of the first game.
pub(crate) const POSITIONS: &str = "\
fen,engine_score_cp_white,result,move_uci,game_id,ply
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,111,1,e2e4,first,0
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1,-111,1,e7e5,first,1
4k3/8/8/8/8/8/4P3/4K3 w - - 0 1,0,0.5,e2e4,second,80
";

fn write(folder: &Path, name: &str, text: &str) -> std::path::PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).expect("the folder can be written");
    path
}

fn run(positions: &Path, save: Option<&Path>, against: Option<&Path>) -> Result<String, String> {
    let network = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/nnue/kibitzer.nnue");
    let command = Benchmark {
        network,
        positions: positions.to_owned(),
        save: save.map(Path::to_owned),
        against: against.map(Path::to_owned),
    };
    let mut out = Vec::new();
    command.execute(&mut out).map_err(|error| format!("{error:#}"))?;
    Ok(String::from_utf8(out).expect("text"))
}

#[test]
fn the_best_scale_of_the_deep_evaluations_themselves_has_no_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), "positions.csv", POSITIONS);
    let positions = benchmark::load(&path).expect("valid");
    let scores = [111, -111, 0];
    let scale = benchmark::best_scale(&scores, &positions, Reference::DeepEvaluation);
    assert!((scale / 111.0 - 1.0).abs() < 0.003, "{scale}");
    let errors = benchmark::squared_errors(&scores, &positions, Reference::DeepEvaluation, 111.0);
    assert!(errors.iter().all(|error| *error < 1e-20), "{errors:?}");
    let errors = benchmark::squared_errors(&scores, &positions, Reference::GameResult, 111.0);
    let share = 1.0 / (1.0 + (-1.0_f64).exp());
    let expected = [(share - 1.0).powi(2), share.powi(2), 0.0];
    for (error, expected) in errors.iter().zip(expected) {
        assert!((error - expected).abs() < 1e-12, "{errors:?}");
    }
}

#[test]
fn the_positions_of_one_game_are_one_cluster() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), "positions.csv", POSITIONS);
    let positions = benchmark::load(&path).expect("valid");
    // The mean is 2. The sums of the differences from it: -1 of the first game, 1 of the second.
    let (count, estimate) =
        benchmark::estimate(&[1.0, 2.0, 3.0], &positions, (0, 32)).expect("enough");
    assert_eq!((count, estimate.mean), (3, 2.0));
    assert!((estimate.standard_error - 2.0 / 3.0).abs() < 1e-12, "{estimate:?}");
    let (count, estimate) =
        benchmark::estimate(&[1.0, 2.0, 3.0], &positions, (29, 32)).expect("enough");
    assert_eq!((count, estimate.mean), (2, 1.5));
    assert!(benchmark::estimate(&[1.0, 2.0, 3.0], &positions, (1, 8)).is_none());
}

#[test]
fn a_network_does_not_differ_from_its_saved_evaluations() {
    let folder = tempfile::tempdir().expect("a folder");
    let positions = write(folder.path(), "positions.csv", POSITIONS);
    let saved = folder.path().join("scores.txt");
    let output = run(&positions, Some(&saved), None).expect("it runs");
    assert!(
        output.starts_with("3 positions\nagainst the deep evaluation: best scale "),
        "{output}"
    );
    let scores = fs::read_to_string(&saved).expect("written");
    assert_eq!(scores.lines().count(), 3);
    // A run evaluates in another way, to the same numbers.
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/nnue/kibitzer.nnue");
    let network = network_file::load(&shipped).expect("a network");
    let of_run = benchmark::evaluate(&network, &benchmark::load(&positions).expect("valid"));
    assert_eq!(scores, of_run.iter().map(|score| format!("{score}\n")).collect::<String>());
    let output = run(&positions, None, Some(&saved)).expect("it runs");
    assert_eq!(output.matches("difference 0.00000 ± 0.00000").count(), 4, "{output}");
}

#[test]
fn an_invalid_file_is_refused_with_the_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let positions = write(folder.path(), "positions.csv", POSITIONS);
    for (from, to, expected) in [
        ("4k3/8/", "4k3/", "position 3"),
        (",1,e2e4", ",0.7,e2e4", "position 1: the result is 0.7"),
        ("-111", "much", "position 2"),
        ("engine_score_cp_white", "score", "missing field `engine_score_cp_white`"),
    ] {
        let invalid = write(folder.path(), "invalid.csv", &POSITIONS.replacen(from, to, 1));
        let error = run(&invalid, None, None).expect_err("invalid");
        assert!(error.contains(expected), "{error}");
    }
    let empty = write(folder.path(), "empty.csv", "");
    assert!(run(&empty, None, None).expect_err("empty").contains("has no position"));
    for (scores, expected) in
        [("1\n2\n", "has 2 evaluations; the positions are 3"), ("1\nx\n3\n", "line 2: `x`")]
    {
        let scores = write(folder.path(), "scores.txt", scores);
        let error = run(&positions, None, Some(&scores)).expect_err("invalid");
        assert!(error.contains(expected), "{error}");
    }
}
