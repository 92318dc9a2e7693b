//! Contents of reviews.

use kibitzer::chess::Color;
use kibitzer::chess::pgn::{PgnEval, PgnReader};
use serde_json::{Value, json};

use super::{PATH, PGN, accepted_job, long_game, submit};
use crate::support::{Server, win_chance};

crate::trials![
    a_game_is_reviewed_move_by_move,
    both_scores_of_a_move_have_one_point_of_view,
    annotated_games_can_be_read_back,
    games_of_chess960_are_reviewed,
    many_games_are_reviewed,
];

async fn a_game_is_reviewed_move_by_move() {
    let server = Server::start().await;
    let job = accepted_job(&server.post(PATH, &json!({ "pgn": PGN, "depth": 6 })).await);
    assert_eq!((&job["games"], &job["moves"], &job["clamped"]), (&json!(1), &json!(7), &json!([])));
    let review = server.wait_for_review(job["url"].as_str().unwrap()).await;
    assert_eq!(
        (&review["status"], &review["progress"]),
        (&json!("done"), &json!({ "moves_done": 7, "moves": 7 }))
    );
    let game = &review["games"][0];
    assert_eq!(
        (&game["headers"]["White"], &game["result"], game.get("error")),
        (&json!("Ann"), &json!("1-0"), None)
    );
    assert_eq!(
        game["opening"],
        json!({ "eco": "C23", "name": "Bishop's Opening" }),
        "{}",
        game["opening"]
    );
    let moves = game["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 7);
    for (index, mv) in moves.iter().enumerate() {
        assert_eq!(mv["ply"], index + 1);
        let legal = server.post_ok("/v1/legal-moves", &json!({ "fen": mv["fen"] })).await;
        assert_eq!(legal["fen"], mv["fen"]);
        assert_eq!(mv["best"], mv["line"][0]);
        for member in ["before", "after"] {
            // The last move gives checkmate: a mate in 0 moves is won for its player.
            let is_mated = index == 6 && member == "after";
            let expected = if is_mated { 97.54 } else { win_chance(&mv[member]) };
            let found = mv["win_chance"][member].as_f64().unwrap();
            assert!((found - expected).abs() < 0.006, "{member} of {mv}");
        }
        if let Some(next) = moves.get(index + 1) {
            assert_eq!(
                flipped(&mv["after"]),
                next["before"],
                "the score after a move is not that before the next"
            );
        }
    }
    let blunder = &moves[5];
    assert_eq!(
        (&blunder["san"], &blunder["uci"], &blunder["judgement"]),
        (&json!("Nf6"), &json!("g8f6"), &json!("blunder"))
    );
    assert_eq!(blunder["after"], json!({ "type": "mate", "value": -1 }), "Black gets mated");
    assert!(
        blunder["win_chance_loss"].as_f64().unwrap() > 15.0
            && blunder["accuracy"].as_f64().unwrap() < 60.0
    );
    let mate = &moves[6];
    assert_eq!(
        (&mate["before"], &mate["after"]),
        (&json!({ "type": "mate", "value": 1 }), &json!({ "type": "mate", "value": 0 }))
    );
    assert_eq!(
        (&mate["best_san"], &mate["judgement"], &mate["accuracy"]),
        (&json!("Qxf7#"), &Value::Null, &json!(100.0))
    );
    let (white, black) = (&game["accuracy"]["white"], &game["accuracy"]["black"]);
    assert!(white.as_f64().unwrap() > black.as_f64().unwrap(), "{white} {black}");
    assert!(game["average_centipawn_loss"]["black"].as_f64().unwrap() > 100.0);
}

/// A score from the other side's view.
fn flipped(score: &Value) -> Value {
    json!({ "type": score["type"], "value": -score["value"].as_i64().unwrap() })
}

async fn both_scores_of_a_move_have_one_point_of_view() {
    let server = Server::start().await;
    let job = submit(&server, &json!({ "pgn": PGN, "depth": 6 })).await;
    let by_mover = server.wait_for_review(&job).await;
    let by_white = server.get(&format!("{job}?pov=white")).await.json();
    let events = server.get(&format!("{job}/events?pov=white")).await.body;
    let [by_mover, by_white] =
        [&by_mover, &by_white].map(|review| review["games"][0]["moves"].as_array().unwrap());
    for (mover, white) in by_mover.iter().zip(by_white) {
        let is_black = mover["ply"].as_u64().unwrap() % 2 == 0;
        for member in ["before", "after"] {
            let score = if is_black { flipped(&mover[member]) } else { mover[member].clone() };
            assert_eq!(white[member], score, "{member} of {white}");
            let chance = mover["win_chance"][member].as_f64().unwrap();
            let of_white = if is_black { 100.0 - chance } else { chance };
            let found = white["win_chance"][member].as_f64().unwrap();
            assert!((found - of_white).abs() < 0.006, "win chance {member} of {white}");
        }
        let whole = white.to_string();
        assert!(events.contains(&whole[1..]), "{whole} is no event");
        for member in ["win_chance_loss", "judgement", "accuracy", "line"] {
            assert_eq!(white[member], mover[member], "the view does not change the {member}");
        }
    }
    for pair in by_white.windows(2) {
        assert_eq!(pair[0]["after"], pair[1]["before"], "White's view never changes");
    }
    for path in [job.clone(), format!("{job}/events")] {
        server.get(&format!("{path}?pov=black")).await.expect_problem(422, "invalid_request");
        server.get(&format!("{path}?pov=%zz")).await.expect_problem(400, "malformed_query");
    }
}

async fn annotated_games_can_be_read_back() {
    let server = Server::start().await;
    let pgn = format!("{PGN}\n1. e4 Ke5 *\n\n{}", long_game());
    let job = submit(&server, &json!({ "pgn": pgn, "depth": 5 })).await;
    let review = server.wait_for_review(&job).await;
    let annotated = server.get(&format!("{job}/pgn")).await;
    assert_eq!(
        (annotated.status, annotated.header("content-type")),
        (200, "application/x-chess-pgn")
    );
    let games: Vec<_> = PgnReader::new(&annotated.body).map(|game| game.expect("a game")).collect();
    assert_eq!(games.len(), 2, "a game that cannot be parsed is skipped");
    assert_eq!(games[0].headers.get("White"), Some("Ann"));
    assert_eq!(games[0].line.moves[0].clock_ms(), Some(180_000), "the clock comments are kept");
    for (game, review) in games.iter().zip([&review["games"][0], &review["games"][2]]) {
        let mut mover = Color::White;
        for (mv, review) in game.line.moves.iter().zip(review["moves"].as_array().unwrap()) {
            let value = review["after"]["value"].as_i64().unwrap() as i32;
            let white = if mover.is_white() { value } else { -value };
            let eval = match review["after"]["type"].as_str() {
                Some("cp") => Some(PgnEval::Cp(white)),
                _ if value == 0 => None,
                _ => Some(PgnEval::Mate(white)),
            };
            assert_eq!(mv.eval(), eval, "{review}");
            let nag = match review["judgement"].as_str() {
                Some("inaccuracy") => Some(6),
                Some("mistake") => Some(2),
                Some("blunder") => Some(4),
                _ => None,
            };
            assert_eq!(mv.nags(), nag.as_slice(), "{review}");
            assert!(
                nag.is_none() || !mv.variations().is_empty(),
                "the best line is not a variation"
            );
            mover = !mover;
        }
    }
    assert!(annotated.body.contains("$4") && annotated.body.contains("g6"), "{}", annotated.body);
}

async fn games_of_chess960_are_reviewed() {
    let server = Server::start().await;
    let fen = "5kr1/pppppppp/8/8/8/8/PPPPPPPP/5KR1 w Gg - 0 1";
    let pgn =
        format!("[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n1. O-O O-O 2. a3 *");
    let review =
        server.wait_for_review(&submit(&server, &json!({ "pgn": pgn, "depth": 3 })).await).await;
    let moves = review["games"][0]["moves"].as_array().unwrap();
    assert_eq!((&moves[0]["san"], &moves[0]["uci"]), (&json!("O-O"), &json!("f1g1")));
}

async fn many_games_are_reviewed() {
    let server = Server::start_with(|settings| settings.search.hash_mb = 16).await;
    let game = format!("{}{}", long_game().trim_end_matches("*\n"), "11. Be2 Be6 12. O-O c5 *\n\n");
    let job = submit(&server, &json!({ "pgn": game.repeat(200), "depth": 1 })).await;
    let review = server.wait_for_review(&job).await;
    let games = review["games"].as_array().unwrap();
    assert_eq!((games.len(), &review["progress"]["moves_done"]), (200, &json!(4_800)));
    assert!(games.iter().all(|game| game["moves"].as_array().unwrap().len() == 24));
}
