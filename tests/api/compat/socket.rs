//! The WebSocket in the format of chess-api.com.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::SinkExt;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use super::{LONG_SEARCH_FEN, assert_move};
use crate::support::{LiveBoard, START_FEN, Server};

crate::trials![
    moves_arrive_as_the_search_deepens_and_the_best_one_last,
    each_variant_has_its_messages,
    a_newer_message_replaces_the_search,
    bad_input_is_an_error_and_leaves_the_socket_open,
    three_messages_in_a_row_that_are_no_objects_close_the_socket,
    pages_of_other_origins_are_refused,
    a_request_without_upgrade_is_answered_426,
    a_shutdown_closes_the_socket,
    sockets_share_the_limit_of_live_boards,
    an_idle_socket_is_closed,
    every_message_counts_against_the_rate_limit,
];

async fn connect(address: SocketAddr) -> LiveBoard {
    LiveBoard::try_connect(address, "/v1", &[])
        .await
        .unwrap_or_else(|refused| panic!("{refused:?}"))
}

/// All messages up to the best move.
async fn messages_of_search(socket: &mut LiveBoard) -> Vec<Value> {
    let mut messages = Vec::new();
    loop {
        let message = socket.next_message().await;
        assert_move(&message);
        let is_last = message["type"] == "bestmove";
        messages.push(message);
        if is_last {
            return messages;
        }
    }
}

async fn moves_arrive_as_the_search_deepens_and_the_best_one_last() {
    let server = Server::start().await;
    let mut socket = connect(server.address).await;
    let request = json!({ "fen": START_FEN, "depth": 4, "maxThinkingTime": 100, "taskId": "a" });
    socket.send(&request).await;
    let messages = messages_of_search(&mut socket).await;
    let (best, moves) = messages.split_last().unwrap();
    assert!(!moves.is_empty(), "{best}");
    let depths: Vec<_> = messages.iter().map(|message| message["depth"].as_u64()).collect();
    assert!(depths.is_sorted(), "{depths:?}");
    for message in &messages {
        assert_eq!((&message["taskId"], &message["fen"]), (&json!("a"), &json!(START_FEN)));
    }
    assert!(moves.iter().all(|message| message["type"] == "move"), "{moves:?}");
    assert_eq!(moves.last().unwrap()["move"], best["move"]);
    // The cached analysis arrives as a move too.
    socket.send(&request).await;
    let again = messages_of_search(&mut socket).await;
    assert_eq!((again.len(), &again[1]["move"]), (2, &best["move"]), "{again:?}");
}

async fn each_variant_has_its_messages() {
    let server = Server::start().await;
    let mut socket = connect(server.address).await;
    socket.send(&json!({ "fen": START_FEN, "depth": 3, "variants": 3 })).await;
    let messages = messages_of_search(&mut socket).await;
    let (best, moves) = messages.split_last().unwrap();
    let deepest: Vec<_> =
        moves.iter().filter(|message| message["depth"] == best["depth"]).collect();
    assert_eq!(deepest.len(), 3, "{moves:?}");
    assert_eq!(deepest[0]["move"], best["move"], "the best variant comes first");
    assert_ne!(deepest[1]["move"], best["move"]);
}

async fn a_newer_message_replaces_the_search() {
    let server = Server::start_with(|settings| settings.search.workers = 1).await;
    let mut socket = connect(server.address).await;
    let long = json!({
        "fen": LONG_SEARCH_FEN, "depth": 18, "maxThinkingTime": 100, "variants": 5, "taskId": 1,
    });
    socket.send(&long).await;
    socket.send(&json!({ "fen": START_FEN, "depth": 2, "taskId": 2 })).await;
    let best = socket.next_of_type("bestmove").await;
    assert_eq!(best["taskId"], 2, "the older search has no best move");
    socket.send(&json!({ "fen": START_FEN, "depth": 1, "taskId": 3 })).await;
    let rest = messages_of_search(&mut socket).await;
    assert!(rest.iter().all(|message| message["taskId"] == 3), "{rest:?}");
}

async fn bad_input_is_an_error_and_leaves_the_socket_open() {
    let server = Server::start().await;
    let mut socket = connect(server.address).await;
    for _ in 0..2 {
        for (request, error) in [
            (json!({ "fen": "?", "taskId": 5 }), "INVALID_FEN_VALIDATION_ERROR"),
            (json!({}), "INVALID_INPUT"),
            (json!({ "fen": START_FEN, "searchmoves": "e2e5" }), "INVALID_INPUT"),
        ] {
            socket.send(&request).await;
            let answer = socket.next_message().await;
            assert_eq!((&answer["type"], &answer["error"]), (&json!("error"), &json!(error)));
            assert_eq!(answer["taskId"], request["taskId"], "{answer}");
        }
    }
    socket.send(&json!({ "fen": START_FEN, "depth": 1 })).await;
    messages_of_search(&mut socket).await;
}

async fn three_messages_in_a_row_that_are_no_objects_close_the_socket() {
    let server = Server::start().await;
    let mut socket = connect(server.address).await;
    socket.send_text("hello").await;
    socket.socket.send(Message::binary(b"{}".to_vec())).await.unwrap();
    for _ in 0..2 {
        assert_eq!(socket.next_message().await["error"], "INVALID_INPUT");
    }
    socket.send(&json!({ "fen": START_FEN, "depth": 1 })).await;
    messages_of_search(&mut socket).await;
    for _ in 0..3 {
        socket.send_text("[]").await;
    }
    let (errors, code) = socket.collect_until_closed().await;
    assert_eq!((errors.len(), code), (3, 1008));
}

async fn pages_of_other_origins_are_refused() {
    let server = Server::start_with(|settings| {
        settings.http.cors_origins = vec!["https://board.example".to_owned()];
    })
    .await;
    let own = format!("http://{}", server.address);
    for origin in [own.as_str(), "https://board.example"] {
        let socket = LiveBoard::try_connect(server.address, "/v1", &[("origin", origin)]).await;
        assert!(socket.is_ok(), "{origin}");
    }
    for origin in ["https://elsewhere.example", "null"] {
        let Err((status, problem)) =
            LiveBoard::try_connect(server.address, "/v1", &[("origin", origin)]).await
        else {
            panic!("{origin} was accepted")
        };
        assert_eq!((status, &problem["code"]), (403, &json!("origin_refused")), "{origin}");
    }
}

async fn a_request_without_upgrade_is_answered_426() {
    let server = Server::start().await;
    let answer = server.get("/v1").await;
    answer.expect_problem(426, "upgrade_required");
    assert_eq!(answer.header("upgrade"), "websocket");
}

async fn a_shutdown_closes_the_socket() {
    let server = Server::start_with(|settings| settings.shutdown.drain_ms = 2_000).await;
    let mut socket = connect(server.address).await;
    let address = server.address;
    server.stop.send(()).unwrap();
    assert_eq!(socket.collect_until_closed().await, (vec![], 1001));
    let refused = LiveBoard::try_connect(address, "/v1", &[]).await;
    let (status, problem) = refused.err().expect("a refusal");
    assert_eq!((status, &problem["code"]), (503, &json!("shutting_down")));
}

async fn sockets_share_the_limit_of_live_boards() {
    let server = Server::start_with(|settings| settings.stream.max = 16).await;
    let _open = [connect(server.address).await, LiveBoard::connect(server.address).await];
    let refused = LiveBoard::try_connect(server.address, "/v1", &[]).await;
    let (status, problem) = refused.err().expect("a refusal");
    assert_eq!((status, &problem["code"]), (503, &json!("queue_full")));
}

async fn an_idle_socket_is_closed() {
    let server = Server::start_with(|settings| settings.live.idle_ms = 100).await;
    let mut socket = connect(server.address).await;
    let opened = std::time::Instant::now();
    assert_eq!(socket.collect_until_closed().await, (vec![], 4000));
    assert!(opened.elapsed() >= Duration::from_millis(90));
}

async fn every_message_counts_against_the_rate_limit() {
    let server = Server::start_with(|settings| {
        settings.rate.requests = 2;
        settings.rate.window_ms = 3_600_000;
    })
    .await;
    // The handshake counts too.
    let mut socket = connect(server.address).await;
    socket.send(&json!({ "fen": START_FEN, "depth": 1 })).await;
    messages_of_search(&mut socket).await;
    socket.send(&json!({ "fen": START_FEN, "depth": 1 })).await;
    let problem = socket.next_message().await;
    assert_eq!((&problem["type"], &problem["code"]), (&json!("problem"), &json!("rate_limited")));
}
