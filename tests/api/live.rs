//! Live boards, and the tickets that open them.

use std::time::Duration;

use kibitzer::config::{ApiKeySettings, KeyDigest, Settings};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::time::sleep;

use crate::support::{LiveBoard, Server, Stream};

crate::claims![
    a_position_message_is_answered_with_its_state,
    every_message_has_the_id_of_its_request,
    a_new_board_has_the_start_position,
    a_stop_ends_the_analysis_with_its_best_result,
    a_newer_go_replaces_the_older_one,
    a_newer_position_ends_the_analysis,
    a_game_that_is_over_is_answered_at_once,
    deeper_continues_from_the_cached_depth,
    multipv_can_be_changed_during_an_analysis,
    a_quiet_board_sends_heartbeats,
    a_bad_message_is_a_problem_and_the_analysis_continues,
    three_bad_messages_in_a_row_close_the_board,
    a_message_is_limited_to_64_kib,
    an_idle_board_is_closed,
    a_client_that_does_not_answer_pings_is_disconnected,
    a_client_disconnect_frees_its_worker,
    shutdown_ends_analyses_and_closes_boards,
    pages_of_other_origins_are_refused,
    a_request_without_upgrade_is_answered_426,
    a_requested_subprotocol_is_accepted,
    concurrent_streams_are_limited,
    every_search_counts_against_the_rate_limit,
    a_ticket_stands_for_its_key_once,
    an_invalid_ticket_is_refused,
    tickets_per_client_are_limited,
];

async fn start_board() -> (Server, LiveBoard) {
    let server = Server::start().await;
    let board = LiveBoard::connect(server.address).await;
    (server, board)
}

/// White is a rook down: searched for a while without an end.
const LONG_SEARCH_FEN: &str = "r3k2r/pppq1ppp/2n2n2/3p4/3P4/2N2N2/PPPQ1PPP/R3K3 w Qkq - 0 1";

async fn a_position_message_is_answered_with_its_state() {
    let (server, mut board) = start_board().await;
    board.send(&json!({ "type": "position", "id": 7, "fen": "startpos", "moves": ["f3", "e5", "g4", "Qh4#"] })).await;
    let ready = board.next_message().await;
    let state = server
        .post_ok(
            "/v1/legal-moves",
            &json!({ "fen": "startpos", "moves": ["f3", "e5", "g4", "Qh4#"] }),
        )
        .await;
    assert_eq!((&ready["type"], &ready["id"]), (&json!("ready"), &json!(7)));
    for member in
        ["fen", "key", "turn", "check", "status", "winner", "draw_reason", "claims", "warnings"]
    {
        assert_eq!(ready[member], state[member], "{member}");
    }
}

async fn every_message_has_the_id_of_its_request() {
    let (_server, mut board) = start_board().await;
    board.send(&json!({ "type": "position", "id": "p", "fen": LONG_SEARCH_FEN })).await;
    assert_eq!(board.next_message().await["id"], "p");
    board.send(&json!({ "type": "go", "id": "g", "depth": 6, "multipv": 2, "pov": "white" })).await;
    let mut depth = 0;
    let end = loop {
        let line = board.next_message().await;
        assert_eq!(line["id"], "g", "{line}");
        match line["type"].as_str().unwrap() {
            "info" => {
                assert_eq!(line["lines"].as_array().unwrap().len(), 2);
                assert!(line["depth"].as_u64().unwrap() >= depth, "depth never falls");
                depth = line["depth"].as_u64().unwrap();
            }
            "queued" | "heartbeat" => {}
            _ => break line,
        }
    };
    assert_eq!((&end["type"], &end["reason"], depth), (&json!("end"), &json!("depth"), 6));
    assert!(end["best_move"].is_string());
    board.send(&json!({ "type": "go", "depth": 2 })).await;
    assert_eq!(board.next_of_type("end").await["id"], Value::Null, "who gives no id gets none");
}

async fn a_new_board_has_the_start_position() {
    let (_server, mut board) = start_board().await;
    board.send(&json!({ "type": "go", "id": 1, "depth": 1, "searchmoves": ["e4"] })).await;
    assert_eq!(board.next_of_type("end").await["best_move"], "e2e4");
}

async fn a_stop_ends_the_analysis_with_its_best_result() {
    let (_server, mut board) = start_board().await;
    board.send(&json!({ "type": "go", "id": 1, "infinite": true })).await;
    board.next_of_type("info").await;
    board.send(&json!({ "type": "stop", "id": 2 })).await;
    let end = board.next_of_type("end").await;
    assert_eq!((&end["reason"], &end["id"]), (&json!("stopped"), &json!(1)));
    assert!(end["best_move"].is_string());
    board.send(&json!({ "type": "stop", "id": 3 })).await;
    board.send(&json!({ "type": "position", "id": 4, "fen": "startpos" })).await;
    assert_eq!(board.next_message().await["id"], 4, "where nothing runs a stop changes nothing");
}

async fn a_newer_go_replaces_the_older_one() {
    let server = Server::start_with(|settings| settings.search.workers = 1).await;
    let mut board = LiveBoard::connect(server.address).await;
    board.send(&json!({ "type": "go", "id": 1, "infinite": true })).await;
    board.next_of_type("info").await;
    board.send(&json!({ "type": "go", "id": 2, "depth": 3, "fresh": true })).await;
    let first = board.next_of_type("end").await;
    assert_eq!((&first["id"], &first["reason"]), (&json!(1), &json!("replaced")));
    assert!(first["best_move"].is_string(), "it ends with what it had");
    let second = board.next_of_type("end").await;
    assert_eq!((&second["id"], &second["reason"]), (&json!(2), &json!("depth")));
}

async fn a_newer_position_ends_the_analysis() {
    let (_server, mut board) = start_board().await;
    board.send(&json!({ "type": "go", "id": 1, "infinite": true })).await;
    board.next_of_type("info").await;
    board.send(&json!({ "type": "position", "id": 2, "fen": LONG_SEARCH_FEN })).await;
    let end = board.next_of_type("end").await;
    assert_eq!((&end["id"], &end["reason"]), (&json!(1), &json!("replaced")));
    assert_eq!(board.next_message().await["id"], 2);
}

async fn a_game_that_is_over_is_answered_at_once() {
    let (_server, mut board) = start_board().await;
    board
        .send(
            &json!({ "type": "position", "fen": "startpos", "moves": ["f3", "e5", "g4", "Qh4#"] }),
        )
        .await;
    board.send(&json!({ "type": "go", "infinite": true })).await;
    let end = board.next_of_type("end").await;
    assert_eq!((&end["reason"], &end["best_move"]), (&json!("terminal"), &Value::Null));
}

async fn deeper_continues_from_the_cached_depth() {
    let (_server, mut board) = start_board().await;
    board.send(&json!({ "type": "position", "fen": LONG_SEARCH_FEN })).await;
    board.send(&json!({ "type": "go", "id": 1, "depth": 7, "pov": "white" })).await;
    board.next_of_type("end").await;
    board.send(&json!({ "type": "deeper", "id": 2, "depth": 9 })).await;
    let known = board.next_message().await;
    assert_eq!(
        (&known["source"], &known["depth"], &known["id"]),
        (&json!("memory"), &json!(7), &json!(2))
    );
    let deeper = board.next_of_type("info").await;
    assert!(deeper["depth"].as_u64().unwrap() > 7, "{deeper}");
    let end = board.next_of_type("end").await;
    assert_eq!((&end["reason"], &end["id"]), (&json!("depth"), &json!(2)));
}

async fn multipv_can_be_changed_during_an_analysis() {
    let (_server, mut board) = start_board().await;
    board.send(&json!({ "type": "go", "id": 1, "infinite": true })).await;
    assert_eq!(board.next_of_type("info").await["lines"].as_array().unwrap().len(), 1);
    board.send(&json!({ "type": "multipv", "id": 2, "value": 3 })).await;
    let end = board.next_of_type("end").await;
    assert_eq!((&end["id"], &end["reason"]), (&json!(1), &json!("replaced")));
    let info = board.next_of_type("info").await;
    assert_eq!((&info["id"], info["lines"].as_array().unwrap().len()), (&json!(2), 3));
    board.send(&json!({ "type": "go", "id": 3, "depth": 2, "fresh": true })).await;
    assert_eq!(board.next_of_type("end").await["id"], 2);
    assert_eq!(
        board.next_of_type("info").await["lines"].as_array().unwrap().len(),
        3,
        "the number stays for the next go"
    );
    board.send(&json!({ "type": "go", "id": 4, "depth": 2, "multipv": 1, "fresh": true })).await;
    board.next_of_type("end").await;
    assert_eq!(
        board.next_of_type("info").await["lines"].as_array().unwrap().len(),
        1,
        "unless that says another one"
    );
}

async fn a_quiet_board_sends_heartbeats() {
    let server = Server::start_with(|settings| {
        settings.search.workers = 1;
        settings.stream.heartbeat_ms = 100;
    })
    .await;
    let _busy =
        Stream::post(&server, "/v1/analysis", &json!({ "fen": LONG_SEARCH_FEN, "infinite": true }))
            .await;
    let mut board = LiveBoard::connect(server.address).await;
    board.send(&json!({ "type": "go", "id": 5, "depth": 3 })).await;
    let queued = board.next_of_type("queued").await;
    assert_eq!((&queued["position"], &queued["id"]), (&json!(1), &json!(5)));
    for _ in 0..2 {
        let heartbeat = board.next_of_type("heartbeat").await;
        assert_eq!((&heartbeat["id"], &heartbeat["nodes"]), (&json!(5), &json!(0)));
    }
}

async fn a_bad_message_is_a_problem_and_the_analysis_continues() {
    let (_server, mut board) = start_board().await;
    board.send(&json!({ "type": "go", "id": 1, "infinite": true })).await;
    for (message, id, code) in [
        (r#"{"type": "position", "id": 2, "fen": "nonsense"}"#, json!(2), "invalid_fen"),
        (r#"{"type": "go", "id": 3, "searchmoves": ["e5"]}"#, json!(3), "illegal_move"),
        (r#"{"type": "castle", "id": "four"}"#, json!("four"), "invalid_request"),
        (r#"{"type": "go", "id": 5"#, Value::Null, "malformed_json"),
    ] {
        board.send_text(message).await;
        let problem = board.next_of_type("problem").await;
        assert_eq!((&problem["id"], &problem["code"]), (&id, &json!(code)), "{problem}");
        assert!(
            problem["request_id"].is_string() && problem["instance"] == "/v1/live",
            "{problem}"
        );
        // A good one, so that they do not stand in a row.
        board.send(&json!({ "type": "multipv", "value": 1, "id": 1 })).await;
        assert_eq!(board.next_of_type("info").await["id"], 1, "the analysis goes on");
    }
    let bytes = tokio_tungstenite::tungstenite::Message::binary(b"{}".to_vec());
    futures_util::SinkExt::send(&mut board.socket, bytes).await.unwrap();
    assert_eq!(board.next_of_type("problem").await["code"], "malformed_json", "bytes are no text");
}

async fn three_bad_messages_in_a_row_close_the_board() {
    let (_server, mut board) = start_board().await;
    for _ in 0..2 {
        board.send_text("nonsense").await;
        board.next_of_type("problem").await;
    }
    board.send(&json!({ "type": "stop" })).await;
    for _ in 0..3 {
        board.send_text("nonsense").await;
    }
    let (lines, code) = board.collect_until_closed().await;
    assert_eq!((lines.len(), code), (3, 1008), "{lines:?}");
}

async fn a_message_is_limited_to_64_kib() {
    let (_server, mut board) = start_board().await;
    let message = r#"{"type": "position", "id": 1, "fen": "startpos"}"#;
    board.send_text(format!("{message}{}", " ".repeat((64 << 10) - message.len()))).await;
    assert_eq!(board.next_message().await["id"], 1);
    board.send_text(format!("{message}{}", " ".repeat((64 << 10) - message.len() + 1))).await;
    assert_eq!(board.collect_until_closed().await, (vec![], 1009));
}

async fn an_idle_board_is_closed() {
    let server = Server::start_with(|settings| settings.live.idle_ms = 100).await;
    let mut board = LiveBoard::connect(server.address).await;
    board.send(&json!({ "type": "go", "id": 1, "movetime_ms": 400, "fen": "startpos" })).await;
    assert_eq!(
        board.next_of_type("problem").await["code"],
        "invalid_request",
        "a go has no position of its own"
    );
    board.send(&json!({ "type": "go", "id": 2, "movetime_ms": 400 })).await;
    let (lines, code) = board.collect_until_closed().await;
    assert_eq!(
        (&lines.last().unwrap()["type"], code),
        (&json!("end"), 4000),
        "not while something is searched for it"
    );
}

async fn a_client_that_does_not_answer_pings_is_disconnected() {
    let server = Server::start_with(|settings| settings.live.ping_ms = 100).await;
    let mut board = LiveBoard::connect(server.address).await;
    // Pongs are sent by those who read.
    sleep(Duration::from_millis(600)).await;
    assert_eq!(board.collect_until_closed().await, (vec![], 1008));
    let mut listening = LiveBoard::connect(server.address).await;
    let quiet = tokio::time::timeout(Duration::from_millis(600), listening.receive()).await;
    assert!(quiet.is_err(), "who answers stays: {quiet:?}");
}

async fn a_client_disconnect_frees_its_worker() {
    let server = Server::start_with(|settings| settings.search.workers = 1).await;
    let mut board = LiveBoard::connect(server.address).await;
    board.send(&json!({ "type": "go", "infinite": true })).await;
    board.next_of_type("info").await;
    drop(board);
    assert_eq!(
        server.post_ok("/v1/best-move", &json!({ "fen": LONG_SEARCH_FEN, "depth": 3 })).await["reason"],
        "depth"
    );
}

async fn shutdown_ends_analyses_and_closes_boards() {
    let (server, mut board) = start_board().await;
    let mut idle = LiveBoard::connect(server.address).await;
    board.send(&json!({ "type": "go", "id": 1, "infinite": true })).await;
    board.next_of_type("info").await;
    let Server { stop, .. } = server;
    stop.send(()).unwrap();
    let (lines, code) = board.collect_until_closed().await;
    let last = lines.last().unwrap();
    assert_eq!((&last["type"], &last["reason"], code), (&json!("end"), &json!("shutdown"), 1001));
    assert_eq!(idle.collect_until_closed().await, (vec![], 1001));
}

async fn pages_of_other_origins_are_refused() {
    let server = Server::start_with(|settings| {
        settings.http.cors_origins = vec!["https://board.example".to_owned()]
    })
    .await;
    let own = format!("http://{}", server.address);
    for origin in [own.as_str(), "https://board.example"] {
        assert!(
            LiveBoard::try_connect(server.address, "/v1/live", &[("origin", origin)]).await.is_ok(),
            "{origin}"
        );
    }
    for origin in ["https://elsewhere.example", "null"] {
        let Err((status, problem)) =
            LiveBoard::try_connect(server.address, "/v1/live", &[("origin", origin)]).await
        else {
            panic!("{origin} is welcome")
        };
        assert_eq!((status, &problem["code"]), (403, &json!("origin_refused")), "{origin}");
    }
}

async fn a_request_without_upgrade_is_answered_426() {
    let server = Server::start().await;
    let answer = server.get("/v1/live").await;
    answer.expect_problem(426, "upgrade_required");
    assert_eq!(
        (answer.header("upgrade"), answer.header("sec-websocket-version")),
        ("websocket", "13")
    );
    server.post("/v1/live", &json!({})).await.expect_problem(405, "method_not_allowed");
}

async fn a_requested_subprotocol_is_accepted() {
    let server = Server::start().await;
    let header = ("sec-websocket-protocol", "other, kibitzer.v1");
    let board = LiveBoard::try_connect(server.address, "/v1/live", &[header]).await.unwrap();
    assert_eq!(board.handshake.headers()["sec-websocket-protocol"], "kibitzer.v1");
    let plain = LiveBoard::connect(server.address).await;
    assert!(!plain.handshake.headers().contains_key("sec-websocket-protocol"));
    assert!(plain.handshake.headers().contains_key("x-request-id"));
}

async fn concurrent_streams_are_limited() {
    let server = Server::start_with(|settings| settings.stream.max = 2).await;
    assert_eq!(server.get("/v1/limits").await.json()["streams"], 2);
    let board = LiveBoard::connect(server.address).await;
    let stream =
        Stream::post(&server, "/v1/analysis", &json!({ "fen": LONG_SEARCH_FEN, "infinite": true }))
            .await;
    let Err((status, problem)) = LiveBoard::try_connect(server.address, "/v1/live", &[]).await
    else {
        panic!("one too many")
    };
    assert_eq!(
        (status, &problem["code"], &problem["queue_length"]),
        (503, &json!("queue_full"), &json!(2))
    );
    let request = server.request(Method::GET, "/v1/analysis?fen=startpos&depth=2");
    server
        .send(request.header("accept", "text/event-stream"))
        .await
        .expect_problem(503, "queue_full");
    assert_eq!(
        server.get("/v1/analysis?fen=startpos&depth=2").await.status,
        503,
        "events are the usual form"
    );
    let whole = server
        .request(Method::GET, "/v1/analysis?fen=startpos&depth=2")
        .header("accept", "application/json");
    assert_eq!(server.send(whole).await.status, 200, "one answer is no stream");
    drop((board, stream));
    for _ in 0..200 {
        if LiveBoard::try_connect(server.address, "/v1/live", &[]).await.is_ok() {
            return;
        }
        sleep(Duration::from_millis(20)).await;
    }
    panic!("the places are never free again");
}

fn key(name: &str, text: &str, requests: u32) -> ApiKeySettings {
    ApiKeySettings {
        name: name.to_owned(),
        sha256: KeyDigest(Sha256::digest(text).into()),
        requests,
        window_ms: 3_600_000,
    }
}

async fn server_with_rate(requests: u32) -> Server {
    Server::start_with(|settings: &mut Settings| {
        settings.rate.requests = requests;
        settings.rate.window_ms = 3_600_000;
        settings.access.keys = vec![key("board", "secret", 50)];
    })
    .await
}

async fn every_search_counts_against_the_rate_limit() {
    let server = server_with_rate(3).await;
    let mut board = LiveBoard::connect(server.address).await;
    for id in 0..2 {
        board.send(&json!({ "type": "go", "id": id, "depth": 1 })).await;
        assert_eq!(board.next_of_type("end").await["id"], id);
    }
    for id in 2..6 {
        board.send(&json!({ "type": "go", "id": id, "depth": 1 })).await;
        let problem = board.next_of_type("problem").await;
        assert_eq!(
            (&problem["code"], &problem["id"]),
            (&json!("rate_limited"), &json!(id)),
            "and it is no bad message"
        );
    }
}

async fn a_ticket_stands_for_its_key_once() {
    let server = server_with_rate(2).await;
    let request =
        server.request(Method::POST, "/v1/tickets").header("authorization", "Bearer secret");
    let answer = server.send(request).await;
    assert_eq!((answer.status, answer.header("cache-control")), (200, "no-store"));
    let ticket = answer.json();
    assert_eq!(ticket["expires_in_ms"], 30_000);
    let path = format!("/v1/live?ticket={}", ticket["ticket"].as_str().unwrap());
    let mut board = LiveBoard::try_connect(server.address, &path, &[]).await.unwrap();
    for id in 0..10 {
        board.send(&json!({ "type": "go", "id": id, "depth": 1 })).await;
        assert_eq!(
            board.next_of_type("end").await["id"],
            id,
            "the key may ask more often than an address"
        );
    }
    let Err((status, problem)) = LiveBoard::try_connect(server.address, &path, &[]).await else {
        panic!("it was good twice")
    };
    assert_eq!((status, &problem["code"]), (401, &json!("unauthorized")));

    let ticket = server
        .send(server.request(Method::POST, "/v1/tickets").header("x-api-key", "secret"))
        .await
        .json();
    let query =
        format!("/v1/analysis?fen=startpos&ticket={}&depth=2", ticket["ticket"].as_str().unwrap());
    let mut events =
        Stream::open(&server, server.request(Method::GET, &query), "text/event-stream").await;
    assert_eq!(events.next_event().await.unwrap().name, "info");
}

async fn an_invalid_ticket_is_refused() {
    let server = server_with_rate(0).await;
    for ticket in ["", "nonsense", &"0".repeat(32)] {
        let answer = server.get(&format!("/v1/limits?ticket={ticket}")).await;
        answer.expect_problem(401, "unauthorized");
    }
}

async fn tickets_per_client_are_limited() {
    let server = server_with_rate(0).await;
    let mut statuses = Vec::new();
    for _ in 0..65 {
        statuses.push(server.post("/v1/tickets", &json!({})).await.status);
    }
    assert_eq!(statuses[63..], [200, 429]);
}
