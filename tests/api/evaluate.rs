//! The static evaluation and the contributions of pieces.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::Server;
use crate::support::server_process::ServerProcess;

crate::trials![
    white_score_is_negated_with_black_to_move,
    every_piece_except_the_kings_has_a_value,
    a_pieces_value_is_the_score_difference_without_it,
    a_position_in_check_is_evaluated,
    the_network_id_matches_the_engine_route,
    a_network_from_a_file_evaluates_like_the_embedded_one,
    an_invalid_position_is_refused,
];

async fn white_score(server: &Server, fen: &str) -> i64 {
    let answer = server.post_ok("/v1/evaluate", &json!({ "fen": fen })).await;
    answer["white_score"]["value"].as_i64().unwrap()
}

async fn white_score_is_negated_with_black_to_move() {
    let server = Server::start().await;
    for (moves, sign) in [(json!(["e4"]), -1), (json!(["e4", "e5"]), 1)] {
        let answer =
            server.post_ok("/v1/evaluate", &json!({ "fen": "startpos", "moves": moves })).await;
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

async fn every_piece_except_the_kings_has_a_value() {
    let server = Server::start().await;
    let answer = server.post_ok("/v1/evaluate", &json!({ "fen": "startpos" })).await;
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

async fn a_pieces_value_is_the_score_difference_without_it() {
    let server = Server::start().await;
    let with = "4k3/1p4p1/8/3N4/8/q7/1P6/1K6 w - - 0 1";
    let without = white_score(&server, "4k3/1p4p1/8/8/8/q7/1P6/1K6 w - - 0 1").await;
    let answer = server.post_ok("/v1/evaluate", &json!({ "fen": with })).await;
    let knight =
        answer["pieces"].as_array().unwrap().iter().find(|piece| piece["square"] == "d5").unwrap();
    assert_eq!((&knight["role"], &knight["color"]), (&json!("knight"), &json!("white")));
    assert_eq!(knight["value"].as_i64().unwrap(), white_score(&server, with).await - without);
}

async fn a_position_in_check_is_evaluated() {
    let server = Server::start().await;
    let answer = server
        .post_ok("/v1/evaluate", &json!({ "fen": "startpos", "moves": ["e4", "f6", "Qh5+"] }))
        .await;
    assert_eq!((&answer["check"], &answer["turn"]), (&json!(true), &json!("black")));
    assert!(answer["score"]["value"].is_i64());
}

async fn the_network_id_matches_the_engine_route() {
    let server = Server::start().await;
    let evaluation = server.post_ok("/v1/evaluate", &json!({ "fen": "startpos" })).await;
    let engine = server.get("/v1/engine").await.json();
    let network = evaluation["network"].as_str().unwrap();
    assert!(
        engine["evaluation"].as_str().unwrap().starts_with(&format!("{network} (")),
        "{engine}"
    );
}

async fn a_network_from_a_file_evaluates_like_the_embedded_one() {
    let own = Server::start().await;
    let other =
        ServerProcess::start(&[("KIBITZER__SEARCH__NETWORK", "src/nnue/kibitzer.nnue")]).await;
    let fen = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";
    let body = json!({ "fen": fen });
    let answer = other.client.post("/v1/evaluate", &body).await.json();
    other.signal("TERM");
    other.wait_for_exit(Duration::from_secs(20));
    assert_eq!(answer, own.post_ok("/v1/evaluate", &body).await);
}

async fn an_invalid_position_is_refused() {
    let server = Server::start().await;
    server
        .post_expecting_problem("/v1/evaluate", &json!({ "fen": "nonsense" }), 422, "invalid_fen")
        .await;
    server
        .post_expecting_problem(
            "/v1/evaluate",
            &json!({ "fen": "startpos", "depth": 3 }),
            422,
            "invalid_request",
        )
        .await;
}
