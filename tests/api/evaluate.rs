//! The static evaluation and what each piece adds to it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::Server;
use crate::support::child::ServerProcess;

crate::claims![
    the_score_of_white_is_the_blacks_with_the_sign_changed,
    every_piece_but_the_kings_has_its_worth,
    a_piece_is_worth_what_is_missing_without_it,
    a_position_in_check_is_judged_too,
    the_network_is_the_one_that_the_engine_names,
    a_network_from_a_file_judges_as_the_same_one_in_the_program,
    what_is_no_position_is_refused,
];

async fn white_score(server: &Server, fen: &str) -> i64 {
    let answer = server.ask("/v1/evaluate", &json!({ "fen": fen })).await;
    answer["white_score"]["value"].as_i64().unwrap()
}

async fn the_score_of_white_is_the_blacks_with_the_sign_changed() {
    let server = Server::start().await;
    for (moves, sign) in [(json!(["e4"]), -1), (json!(["e4", "e5"]), 1)] {
        let answer =
            server.ask("/v1/evaluate", &json!({ "fen": "startpos", "moves": moves })).await;
        assert_eq!(
            (&answer["score"]["type"], &answer["white_score"]["type"]),
            (&json!("cp"), &json!("cp"))
        );
        let (own, white) = (
            answer["score"]["value"].as_i64().unwrap(),
            answer["white_score"]["value"].as_i64().unwrap(),
        );
        assert_eq!(own * sign, white);
    }
}

async fn every_piece_but_the_kings_has_its_worth() {
    let server = Server::start().await;
    let answer = server.ask("/v1/evaluate", &json!({ "fen": "startpos" })).await;
    assert_eq!(answer["bucket"], 7);
    let pieces = answer["pieces"].as_array().unwrap();
    let squares: Vec<&str> = pieces.iter().map(|piece| piece["square"].as_str().unwrap()).collect();
    assert_eq!(squares.len(), 30);
    assert_eq!((squares[0], squares[7], squares[29]), ("a1", "a2", "h8"));
    assert!(!squares.contains(&"e1") && !squares.contains(&"e8"));
    let queen = |color: &str| {
        let queen = |piece: &&Value| piece["role"] == "queen" && piece["color"] == color;
        pieces.iter().find(queen).unwrap()["value"].as_i64().unwrap()
    };
    assert!(queen("white") > 300 && queen("black") < -300, "{} {}", queen("white"), queen("black"));
}

async fn a_piece_is_worth_what_is_missing_without_it() {
    let server = Server::start().await;
    let with = "4k3/1p4p1/8/3N4/8/q7/1P6/1K6 w - - 0 1";
    let without = white_score(&server, "4k3/1p4p1/8/8/8/q7/1P6/1K6 w - - 0 1").await;
    let answer = server.ask("/v1/evaluate", &json!({ "fen": with })).await;
    let knight =
        answer["pieces"].as_array().unwrap().iter().find(|piece| piece["square"] == "d5").unwrap();
    assert_eq!((&knight["role"], &knight["color"]), (&json!("knight"), &json!("white")));
    assert_eq!(knight["value"].as_i64().unwrap(), white_score(&server, with).await - without);
}

async fn a_position_in_check_is_judged_too() {
    let server = Server::start().await;
    let answer = server
        .ask("/v1/evaluate", &json!({ "fen": "startpos", "moves": ["e4", "f6", "Qh5+"] }))
        .await;
    assert_eq!((&answer["check"], &answer["turn"]), (&json!(true), &json!("black")));
    assert!(answer["score"]["value"].is_i64());
}

async fn the_network_is_the_one_that_the_engine_names() {
    let server = Server::start().await;
    let judged = server.ask("/v1/evaluate", &json!({ "fen": "startpos" })).await;
    let engine = server.get("/v1/engine").await.json();
    let network = judged["network"].as_str().unwrap();
    assert!(
        engine["evaluation"].as_str().unwrap().starts_with(&format!("{network} (")),
        "{engine}"
    );
}

async fn a_network_from_a_file_judges_as_the_same_one_in_the_program() {
    let own = Server::start().await;
    let other =
        ServerProcess::start(&[("KIBITZER__SEARCH__NETWORK", "src/nnue/kibitzer.nnue")]).await;
    let question = json!({ "fen": "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10" });
    let answer = other.client.post("/v1/evaluate", &question).await.json();
    other.signal("TERM");
    other.wait(Duration::from_secs(20));
    assert_eq!(answer, own.ask("/v1/evaluate", &question).await);
}

async fn what_is_no_position_is_refused() {
    let server = Server::start().await;
    server.refused("/v1/evaluate", &json!({ "fen": "nonsense" }), 422, "invalid_fen").await;
    server
        .refused("/v1/evaluate", &json!({ "fen": "startpos", "depth": 3 }), 422, "invalid_request")
        .await;
}
