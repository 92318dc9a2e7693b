//! Tests of the parsing and digests of submissions.

use std::time::Duration;

use super::*;
use crate::analysis::jobs::usage::Usage;

fn submission(client: &str, key: Option<&str>, text: &str, depth: Option<u8>) -> Submission {
    let limits = PositionLimits { depth, nodes: None, movetime: None, multipv: 1 };
    Submission {
        is_anonymous: false,
        client: Client::new(client),
        text: text.to_owned(),
        limits,
        idempotency_key: key.map(str::to_owned),
    }
}

#[test]
fn a_bad_game_is_kept_beside_the_good_ones() {
    let parsed =
        ParsedSubmission::parse("1. e4 e5 *\n\n[White \"x\"]\n\n1. e4 Ke5 *\n\n1. d4 1-0").unwrap();
    assert_eq!(parsed.plies, [2, 0, 1]);
    let text: Vec<_> = parsed.games.iter().map(|game| game.text_range.is_some()).collect();
    assert_eq!(text, [true, false, true]);
    let single = ParsedSubmission::parse("1. e4 e5 *").unwrap().reserved_bytes;
    assert!(parsed.reserved_bytes > single && single > 3 * MAX_EVAL_BYTES);
}

#[test]
fn a_text_without_games_is_refused_with_its_errors() {
    let Err(JobError::NoGame(errors)) = ParsedSubmission::parse("\n\n1. e4 Ke5 *\n1. e5 *") else {
        panic!("a game")
    };
    let locations: Vec<_> =
        errors.iter().map(|error| (error.code.as_str(), error.line, error.ply)).collect();
    assert_eq!(locations, [("not_legal", 3, 2), ("not_legal", 4, 1)]);
    assert!(
        matches!(ParsedSubmission::parse(" \n"), Err(JobError::NoGame(errors)) if errors.is_empty())
    );
}

#[test]
fn a_game_over_the_length_limit_is_not_reviewed() {
    let text = format!("1. e4 *\n\n[White \"x\"]\n\n{} *", "Nf3 Nf6 Ng1 Ng8 ".repeat(501));
    let parsed = ParsedSubmission::parse(&text).unwrap();
    assert_eq!(parsed.plies, [1, 0]);
    assert_eq!(line_number(&text, 7), 3);
}

#[test]
fn the_text_range_of_a_game_parses_to_the_same_game() {
    let text = "% a file\n[White \"A\"]\n\n1. e4 {one} e5 (1... c5) 1-0 [White \"B\"] \
                1. d4 $1 d5 *\n\n1. c4 *";
    let expected: Vec<_> = PgnReader::new(text).map(Result::unwrap).collect();
    let parsed = ParsedSubmission::parse(text).unwrap();
    let reparsed = parsed.games.iter().map(|game| {
        PgnReader::new(&text[game.text_range.clone().unwrap()]).next().unwrap().unwrap()
    });
    assert_eq!(reparsed.collect::<Vec<_>>(), expected);
}

#[test]
fn digests_cover_the_client_the_text_and_the_limits() {
    let key = |client, name| submission(client, Some(name), "", None).idempotency_digest();
    assert_eq!(submission("ann", None, "", None).idempotency_digest(), None);
    assert_eq!(key("ann", "x"), key("ann", "x"));
    assert_ne!(key("ann", "x"), key("bob", "x"));
    assert_ne!(key("ann", "bx"), key("annb", "x"));
    let digest = |text, depth| submission("ann", None, text, depth).request_digest();
    assert_eq!(digest("1. e4", Some(3)), digest("1. e4", Some(3)));
    assert_ne!(digest("1. e4", Some(3)), digest("1. d4", Some(3)));
    assert_ne!(digest("1. e4", Some(3)), digest("1. e4", None));
}

#[test]
fn every_position_has_a_node_limit() {
    let rules = JobRules {
        max_usage: Usage { jobs: 1, bytes: 1 },
        anonymous_share_permille: 125,
        max_nodes: 1_000,
        default_nodes: 30,
        retention: Duration::ZERO,
    };
    let nodes = |limits: PositionLimits, positions| {
        let submission = Submission { limits, ..submission("ann", None, "", None) };
        submission.position_limits(positions, &rules).map(|limits| limits.nodes.unwrap())
    };
    let none = PositionLimits { depth: None, nodes: None, movetime: None, multipv: 1 };
    let (depth, time) = (
        PositionLimits { depth: Some(100), ..none },
        PositionLimits { movetime: Some(Duration::from_secs(9)), ..none },
    );
    assert_eq!((nodes(depth, 10).unwrap(), nodes(time, 8).unwrap()), (100, 125));
    assert_eq!((nodes(none, 10).unwrap(), nodes(none, 100).unwrap()), (30, 10));
    assert_eq!((nodes(depth, 2_000).unwrap(), nodes(depth, 0).unwrap()), (1, 1_000));
    let asked = |nodes| PositionLimits { nodes: Some(nodes), ..depth };
    assert_eq!(nodes(asked(100), 10).unwrap(), 100);
    assert!(matches!(
        nodes(asked(101), 10),
        Err(JobError::TooManyNodes {
            nodes: 101,
            positions: 10,
            max: 1_000,
            max_per_position: 100
        })
    ));
}
