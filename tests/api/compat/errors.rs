//! Bad input, which gets 200 in the formats of the other services, and refusals, which are
//! problems.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::stockfish_path;
use crate::support::server::api_key;
use crate::support::{START_FEN, Server};

crate::trials![
    an_illegal_position_gets_200_with_its_error,
    other_bad_input_gets_200_with_its_error,
    bad_input_of_stockfish_online_is_a_failure,
    a_body_that_is_not_read_is_a_problem,
    the_rate_limit_and_keys_apply,
    a_shutdown_refuses_searches,
];

const CHECKMATE: &str = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";

async fn expect_error(server: &Server, body: &Value, error: &str, part: &str) {
    let answer = server.post("/v1", body).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    let answer = answer.json();
    assert_eq!((&answer["type"], &answer["error"]), (&json!("error"), &json!(error)), "{body}");
    assert!(answer["text"].as_str().unwrap().contains(part), "{body}: {answer}");
}

async fn an_illegal_position_gets_200_with_its_error() {
    let server = Server::start().await;
    for (fen, part) in [
        ("", "FEN"),
        ("not a fen", "fields"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "king"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1", "x"),
    ] {
        expect_error(&server, &json!({ "fen": fen }), "INVALID_FEN_VALIDATION_ERROR", part).await;
    }
    let answer = server.post_ok("/v1", &json!({ "fen": "?", "taskId": "a" })).await;
    let names: Vec<_> = answer.as_object().unwrap().keys().collect();
    assert_eq!(names, ["type", "error", "text", "taskId"], "{answer}");
}

async fn other_bad_input_gets_200_with_its_error() {
    let server = Server::start().await;
    for (body, part) in [
        (json!({}), "fen and input are missing"),
        (json!([]), "must be an object"),
        (json!({ "fen": 7 }), "fen is 7"),
        (json!({ "fen": START_FEN, "depth": "deep" }), "depth is \"deep\"; it must be a number"),
        (json!({ "fen": START_FEN, "variants": [] }), "variants is an array"),
        (json!({ "fen": START_FEN, "taskId": true }), "taskId is true"),
        (json!({ "fen": START_FEN, "searchmoves": "e2e4 e2e5" }), "searchmoves has \"e2e5\""),
        (json!({ "fen": START_FEN, "searchmoves": "fast" }), "searchmoves has \"fast\""),
        (json!({ "input": "" }), "input has no moves"),
        (json!({ "input": "<div ..." }), "input has no moves"),
        (json!({ "input": "1. e4 e5 2. Ke3" }), "Ke3"),
        (json!({ "fen": CHECKMATE }), "the game is over"),
        (json!({ "fen": STALEMATE }), "the game is over"),
        (json!({ "input": "1. f3 e5 2. g4 Qh4#" }), "the game is over"),
    ] {
        expect_error(&server, &body, "INVALID_INPUT", part).await;
    }
    for body in ["", "{", "{\"fen\": }"] {
        let answer = server.post_text("/v1", body).await;
        assert_eq!((answer.status, &answer.json()["error"]), (200, &json!("INVALID_INPUT")));
    }
}

async fn bad_input_of_stockfish_online_is_a_failure() {
    let server = Server::start().await;
    for (path, part) in [
        ("/api/s/v2.php".to_owned(), "fen is missing"),
        ("/api/s/v2.php?fen=%zz".to_owned(), "percent-encoded"),
        (stockfish_path("not a fen", ""), "fields"),
        (stockfish_path(START_FEN, "&depth=deep"), "depth is \"deep\"; it must be a number"),
        (stockfish_path(CHECKMATE, ""), "the game is over"),
    ] {
        let answer = server.get(&path).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
        let answer = answer.json();
        assert_eq!(answer["success"], false, "{path}: {answer}");
        assert!(answer["data"].as_str().unwrap().contains(part), "{path}: {answer}");
        assert_eq!(answer.as_object().unwrap().len(), 2);
    }
}

async fn a_body_that_is_not_read_is_a_problem() {
    let server = Server::start_with(|settings| settings.limits.body_bytes = 2_000).await;
    let text = server.request(Method::POST, "/v1").header("content-type", "text/plain").body("{}");
    server.send(text).await.expect_problem(415, "unsupported_media_type");
    let long = json!({ "input": "e4 ".repeat(1_000) });
    server.post_expecting_problem("/v1", &long, 413, "body_too_large").await;
}

async fn the_rate_limit_and_keys_apply() {
    let server = Server::start_with(|settings| {
        settings.rate.requests = 2;
        settings.rate.window_ms = 3_600_000;
        settings.access.keys = vec![api_key("board", "secret", 50)];
    })
    .await;
    let body = json!({ "fen": START_FEN, "depth": 1 });
    server.post_ok("/v1", &body).await;
    assert_eq!(server.get(&stockfish_path(START_FEN, "&depth=1")).await.status, 200);
    server.post_expecting_problem("/v1", &body, 429, "rate_limited").await;
    server.get(&stockfish_path(START_FEN, "")).await.expect_problem(429, "rate_limited");
    let with_key = |key: &str| server.request(Method::POST, "/v1").header("x-api-key", key);
    let answer = server.send(with_key("secret").json(&body)).await;
    assert_eq!(answer.json()["type"], "bestmove", "a key has a limit of its own");
    server.send(with_key("other").json(&body)).await.expect_problem(429, "rate_limited");
}

async fn a_shutdown_refuses_searches() {
    let server = Server::start_with(|settings| settings.shutdown.drain_ms = 2_000).await;
    let client = server.client.clone();
    server.stop.send(()).unwrap();
    sleep(Duration::from_millis(200)).await;
    let body = json!({ "fen": START_FEN });
    client.post_expecting_problem("/v1", &body, 503, "shutting_down").await;
    client.get(&stockfish_path(START_FEN, "")).await.expect_problem(503, "shutting_down");
}
