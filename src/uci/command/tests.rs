//! Tests of parsing the lines of a GUI.

use std::time::Duration;

use super::*;

fn parse(line: &str) -> Command {
    Command::parse(line).unwrap().unwrap()
}

fn go(line: &str) -> Go {
    match parse(line) {
        Command::Go(go) => go,
        other => panic!("{other:?}"),
    }
}

fn position(line: &str) -> (Option<String>, Vec<String>) {
    match parse(line) {
        Command::Position(PositionText { fen, moves }) => (fen, moves),
        other => panic!("{other:?}"),
    }
}

fn option(line: &str) -> (String, Option<String>) {
    match parse(line) {
        Command::SetOption { name, value } => (name, value),
        other => panic!("{other:?}"),
    }
}

#[test]
fn spaces_around_and_between_words_are_ignored() {
    assert_eq!(parse("  isready\t\r\n"), Command::IsReady);
    assert_eq!(parse("perft \t 5"), Command::Perft { depth: 5 });
    assert_eq!(Command::parse(" \t\r\n"), Ok(None));
}

#[test]
fn a_position_is_a_fen_or_startpos_with_optional_moves() {
    assert_eq!(position("position startpos"), (None, vec![]));
    assert_eq!(
        position("position startpos moves e2e4 e7e5"),
        (None, vec!["e2e4".into(), "e7e5".into()])
    );
    let fen = "8/8/1KP5/3r4/8/8/8/k7 w - - 0 1";
    assert_eq!(position(&format!("position fen {fen}")), (Some(fen.into()), vec![]));
    assert_eq!(
        position(&format!("position  fen  {fen}  moves  c6c7")),
        (Some(fen.into()), vec!["c6c7".into()])
    );
    assert_eq!(position("position startpos moves"), (None, vec![]));
    assert!(matches!(Command::parse("position"), Err(CommandError::Missing("position", _))));
    assert!(matches!(
        Command::parse("position startpos e2e4"),
        Err(CommandError::Unexpected("position", _))
    ));
    assert!(matches!(
        Command::parse("position somewhere"),
        Err(CommandError::Unexpected("position", _))
    ));
}

#[test]
fn go_takes_its_words_in_any_order() {
    let parsed =
        go("go btime 2000 searchmoves e2e4 d2d4 wtime 1000 binc 20 winc 10 movestogo 7 ponder");
    assert_eq!(parsed.searchmoves, ["e2e4", "d2d4"]);
    assert_eq!(
        (parsed.white.time, parsed.white.increment),
        (Some(Duration::from_secs(1)), Duration::from_millis(10))
    );
    assert_eq!(
        (parsed.black.time, parsed.black.increment),
        (Some(Duration::from_secs(2)), Duration::from_millis(20))
    );
    assert_eq!((parsed.moves_to_go, parsed.ponder, parsed.infinite), (Some(7), true, false));
    let parsed = go("go depth 9 nodes 5000 mate 3 movetime 250");
    assert_eq!((parsed.depth, parsed.nodes, parsed.mate), (Some(9), Some(5000), Some(3)));
    assert_eq!(parsed.movetime, Some(Duration::from_millis(250)));
    assert_eq!(go("go"), Go::default());
    assert!(go("go infinite").infinite);
}

#[test]
fn a_go_with_errors_is_still_a_go() {
    let parsed = go("go quickly depth x wtime nodes 10");
    assert_eq!((parsed.depth, parsed.nodes, parsed.white.time), (None, Some(10), None));
    let errors: Vec<String> = parsed.errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        ["go: unexpected word quickly", "depth: x is not an integer", "wtime: number is missing"]
    );
}

#[test]
fn numbers_out_of_range_are_clamped() {
    let parsed = go("go wtime -300 depth 4000 nodes 99999999999999999999999999 movestogo 0 mate 0");
    assert_eq!(parsed.white.time, Some(Duration::ZERO));
    assert_eq!(
        (parsed.depth, parsed.nodes, parsed.moves_to_go, parsed.mate),
        (Some(255), Some(u64::MAX), None, Some(1))
    );
    assert_eq!(parsed.errors, []);
    assert_eq!(go("go depth 0 nodes 0").nodes, Some(1), "a limit is at least 1");
}

#[test]
fn names_and_values_of_options_may_contain_spaces() {
    assert_eq!(option("setoption name Hash value 128"), ("Hash".into(), Some("128".into())));
    assert_eq!(option("setoption name Clear Hash"), ("Clear Hash".into(), None));
    assert_eq!(
        option("setoption name  Move   Overhead value 30"),
        ("Move Overhead".into(), Some("30".into()))
    );
    assert_eq!(
        option("setoption name File value /a  path/value x"),
        ("File".into(), Some("/a  path/value x".into()))
    );
    assert_eq!(option("setoption name valued things"), ("valued things".into(), None));
    assert_eq!(option("setoption name Text value"), ("Text".into(), Some(String::new())));
    for line in ["setoption", "setoption Hash 5", "setoption name", "setoption name value 3"] {
        assert!(
            matches!(Command::parse(line), Err(CommandError::Missing("setoption", "name"))),
            "{line}"
        );
    }
}

#[test]
fn perft_has_two_spellings() {
    assert_eq!(parse("perft 4"), Command::Perft { depth: 4 });
    assert_eq!(parse("go perft 4"), Command::Perft { depth: 4 });
    for nothing in ["perft", "go perft", "go perft "] {
        assert!(
            matches!(Command::parse(nothing), Err(CommandError::Missing("perft", _))),
            "{nothing:?}"
        );
    }
    assert_eq!(parse("perft 4000000000"), Command::Perft { depth: 255 });
    assert!(matches!(Command::parse("go perft x"), Err(CommandError::NotANumber("perft", _))));
}

#[test]
fn an_unknown_command_is_quoted_only_as_an_excerpt() {
    assert_eq!(Command::parse("xboard").unwrap_err().to_string(), "unknown command: xboard");
    let long = "x".repeat(10_000);
    assert!(Command::parse(&long).unwrap_err().to_string().len() < 1_000);
}
