//! Tests of the request bodies.

use serde_json::json;

use super::*;
use crate::chess::{Position, parse_move};
use crate::engine::SearchOptions;

fn game(moves: &str) -> Game {
    let mut game = Game::new(Position::startpos());
    for text in moves.split(' ') {
        let mv = parse_move(game.position(), text).unwrap();
        game.play(mv);
    }
    game
}

#[test]
fn only_reversible_moves_are_sent() {
    let (fen, moves) = history(&game("e2e4 e7e5 g1f3 b8c6 f3g1"));
    assert_eq!(fen, "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
    assert_eq!(moves, ["g1f3", "b8c6", "f3g1"]);
}

#[test]
fn a_game_played_on_after_its_end_is_sent_as_its_position() {
    let shuffle = ["g1f3 g8f6 f3g1 f6g8"; 5].join(" ");
    let (fen, moves) = history(&game(&format!("{shuffle} b1c3")));
    assert_eq!((fen, moves.len()), (game(&format!("{shuffle} b1c3")).position().fen(), 0));
}

fn request_body(limits: Limits, options: SearchOptions) -> AnalysisRequestBody {
    AnalysisRequestBody::new(
        &SearchTask { game: game("e2e4"), limits, options, fresh: false },
        "board",
    )
}

#[test]
fn unset_options_are_not_sent() {
    let depth_three = Limits { depth: Some(3), ..Limits::default() };
    let body = request_body(depth_three, SearchOptions::default());
    let json = serde_json::to_value(&body).unwrap();
    assert_eq!(json, json!({"fen": body.fen, "depth": 3, "castling": "960", "session": "board"}));
    let e5 = parse_move(game("e2e4").position(), "e7e5").unwrap();
    let json = serde_json::to_value(request_body(
        depth_three,
        SearchOptions {
            threads: 4,
            multipv: 2,
            search_moves: vec![e5],
            ..SearchOptions::default()
        },
    ))
    .unwrap();
    assert_eq!(
        (&json["threads"], &json["multipv"], &json["searchmoves"]),
        (&json!(4), &json!(2), &json!(["e7e5"]))
    );
}

#[test]
fn a_search_without_limits_is_infinite() {
    let mut body = request_body(Limits::default(), SearchOptions::default());
    body.set_time(None);
    assert!(body.infinite && body.movetime_ms.is_none());
    body.set_time(Some(Duration::from_micros(3)));
    assert!(!body.infinite && body.movetime_ms == Some(1));
    let mut body =
        request_body(Limits { nodes: Some(7), ..Limits::default() }, SearchOptions::default());
    body.set_time(None);
    assert!(!body.infinite);
}

#[test]
fn a_mate_search_is_sent_without_other_limits() {
    let limits = Limits { mate: Some(2), depth: Some(9), ..Limits::default() };
    let body =
        request_body(limits, SearchOptions { threads: 2, multipv: 3, ..SearchOptions::default() });
    assert_eq!((body.mate, body.depth, body.threads, body.multipv), (Some(2), None, None, None));
}
