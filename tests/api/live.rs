//! Live boards, and the tickets that open them.

use std::time::Duration;

use kibitzer::config::{Key, KeyDigest, Settings};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::time::sleep;

use crate::support::{Board, Server, Stream};

crate::claims![
    a_position_is_answered_by_its_state,
    every_line_bears_the_id_that_it_answers,
    the_starting_position_stands_on_a_new_board,
    a_stop_ends_the_analysis_with_what_it_has,
    a_newer_go_takes_the_place_of_the_older_one,
    a_newer_position_ends_the_analysis,
    a_game_that_is_over_is_answered_at_once,
    what_was_found_is_not_searched_again_for_more_depth,
    more_lines_are_told_when_they_are_asked_for,
    a_quiet_board_is_heard_of_all_the_same,
    a_bad_message_is_a_problem_and_ends_nothing,
    three_bad_messages_in_a_row_are_too_many,
    a_message_may_have_64_kib,
    a_forgotten_board_is_closed,
    a_client_that_does_not_answer_pings_is_given_up,
    a_board_that_is_left_frees_its_worker,
    the_end_of_the_server_is_told,
    pages_of_other_origins_are_refused,
    what_is_no_handshake_is_told_so,
    the_subprotocol_is_spoken_where_it_is_asked_for,
    there_are_no_more_streams_than_allowed,
    every_search_counts_where_there_is_a_rate,
    a_ticket_is_its_holders_key_once,
    a_ticket_that_is_none_is_refused,
    no_client_has_tickets_without_end,
];

async fn board() -> (Server, Board) {
    let server = Server::start().await;
    let board = Board::open(server.address).await;
    (server, board)
}

/// White is a rook down: searched for a while without an end.
const LONG: &str = "r3k2r/pppq1ppp/2n2n2/3p4/3P4/2N2N2/PPPQ1PPP/R3K3 w Qkq - 0 1";

async fn a_position_is_answered_by_its_state() {
    let (server, mut board) = board().await;
    board.say(&json!({ "type": "position", "id": 7, "fen": "startpos", "moves": ["f3", "e5", "g4", "Qh4#"] })).await;
    let ready = board.line().await;
    let state = server
        .ask("/v1/legal-moves", &json!({ "fen": "startpos", "moves": ["f3", "e5", "g4", "Qh4#"] }))
        .await;
    assert_eq!((&ready["type"], &ready["id"]), (&json!("ready"), &json!(7)));
    for member in
        ["fen", "key", "turn", "check", "status", "winner", "draw_reason", "claims", "warnings"]
    {
        assert_eq!(ready[member], state[member], "{member}");
    }
}

async fn every_line_bears_the_id_that_it_answers() {
    let (_server, mut board) = board().await;
    board.say(&json!({ "type": "position", "id": "p", "fen": LONG })).await;
    assert_eq!(board.line().await["id"], "p");
    board.say(&json!({ "type": "go", "id": "g", "depth": 6, "multipv": 2, "pov": "white" })).await;
    let mut depth = 0;
    let end = loop {
        let line = board.line().await;
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
    board.say(&json!({ "type": "go", "depth": 2 })).await;
    assert_eq!(board.next("end").await["id"], Value::Null, "who gives no id gets none");
}

async fn the_starting_position_stands_on_a_new_board() {
    let (_server, mut board) = board().await;
    board.say(&json!({ "type": "go", "id": 1, "depth": 1, "searchmoves": ["e4"] })).await;
    assert_eq!(board.next("end").await["best_move"], "e2e4");
}

async fn a_stop_ends_the_analysis_with_what_it_has() {
    let (_server, mut board) = board().await;
    board.say(&json!({ "type": "go", "id": 1, "infinite": true })).await;
    board.next("info").await;
    board.say(&json!({ "type": "stop", "id": 2 })).await;
    let end = board.next("end").await;
    assert_eq!((&end["reason"], &end["id"]), (&json!("stopped"), &json!(1)));
    assert!(end["best_move"].is_string());
    board.say(&json!({ "type": "stop", "id": 3 })).await;
    board.say(&json!({ "type": "position", "id": 4, "fen": "startpos" })).await;
    assert_eq!(board.line().await["id"], 4, "where nothing runs a stop changes nothing");
}

async fn a_newer_go_takes_the_place_of_the_older_one() {
    let server = Server::with(|settings| settings.search.workers = 1).await;
    let mut board = Board::open(server.address).await;
    board.say(&json!({ "type": "go", "id": 1, "infinite": true })).await;
    board.next("info").await;
    board.say(&json!({ "type": "go", "id": 2, "depth": 3, "fresh": true })).await;
    let first = board.next("end").await;
    assert_eq!((&first["id"], &first["reason"]), (&json!(1), &json!("replaced")));
    assert!(first["best_move"].is_string(), "it ends with what it had");
    let second = board.next("end").await;
    assert_eq!((&second["id"], &second["reason"]), (&json!(2), &json!("depth")));
}

async fn a_newer_position_ends_the_analysis() {
    let (_server, mut board) = board().await;
    board.say(&json!({ "type": "go", "id": 1, "infinite": true })).await;
    board.next("info").await;
    board.say(&json!({ "type": "position", "id": 2, "fen": LONG })).await;
    let end = board.next("end").await;
    assert_eq!((&end["id"], &end["reason"]), (&json!(1), &json!("replaced")));
    assert_eq!(board.line().await["id"], 2);
}

async fn a_game_that_is_over_is_answered_at_once() {
    let (_server, mut board) = board().await;
    board
        .say(&json!({ "type": "position", "fen": "startpos", "moves": ["f3", "e5", "g4", "Qh4#"] }))
        .await;
    board.say(&json!({ "type": "go", "infinite": true })).await;
    let end = board.next("end").await;
    assert_eq!((&end["reason"], &end["best_move"]), (&json!("terminal"), &Value::Null));
}

async fn what_was_found_is_not_searched_again_for_more_depth() {
    let (_server, mut board) = board().await;
    board.say(&json!({ "type": "position", "fen": LONG })).await;
    board.say(&json!({ "type": "go", "id": 1, "depth": 7, "pov": "white" })).await;
    board.next("end").await;
    board.say(&json!({ "type": "deeper", "id": 2, "depth": 9 })).await;
    let known = board.line().await;
    assert_eq!(
        (&known["source"], &known["depth"], &known["id"]),
        (&json!("memory"), &json!(7), &json!(2))
    );
    let deeper = board.next("info").await;
    assert!(deeper["depth"].as_u64().unwrap() > 7, "{deeper}");
    let end = board.next("end").await;
    assert_eq!((&end["reason"], &end["id"]), (&json!("depth"), &json!(2)));
}

async fn more_lines_are_told_when_they_are_asked_for() {
    let (_server, mut board) = board().await;
    board.say(&json!({ "type": "go", "id": 1, "infinite": true })).await;
    assert_eq!(board.next("info").await["lines"].as_array().unwrap().len(), 1);
    board.say(&json!({ "type": "multipv", "id": 2, "value": 3 })).await;
    let end = board.next("end").await;
    assert_eq!((&end["id"], &end["reason"]), (&json!(1), &json!("replaced")));
    let info = board.next("info").await;
    assert_eq!((&info["id"], info["lines"].as_array().unwrap().len()), (&json!(2), 3));
    board.say(&json!({ "type": "go", "id": 3, "depth": 2, "fresh": true })).await;
    assert_eq!(board.next("end").await["id"], 2);
    assert_eq!(
        board.next("info").await["lines"].as_array().unwrap().len(),
        3,
        "the number stays for the next go"
    );
    board.say(&json!({ "type": "go", "id": 4, "depth": 2, "multipv": 1, "fresh": true })).await;
    board.next("end").await;
    assert_eq!(
        board.next("info").await["lines"].as_array().unwrap().len(),
        1,
        "unless that says another one"
    );
}

async fn a_quiet_board_is_heard_of_all_the_same() {
    let server = Server::with(|settings| {
        settings.search.workers = 1;
        settings.stream.heartbeat_ms = 100;
    })
    .await;
    let _busy =
        Stream::post(&server, "/v1/analysis", &json!({ "fen": LONG, "infinite": true })).await;
    let mut board = Board::open(server.address).await;
    board.say(&json!({ "type": "go", "id": 5, "depth": 3 })).await;
    let queued = board.next("queued").await;
    assert_eq!((&queued["position"], &queued["id"]), (&json!(1), &json!(5)));
    for _ in 0..2 {
        let heartbeat = board.next("heartbeat").await;
        assert_eq!((&heartbeat["id"], &heartbeat["nodes"]), (&json!(5), &json!(0)));
    }
}

async fn a_bad_message_is_a_problem_and_ends_nothing() {
    let (_server, mut board) = board().await;
    board.say(&json!({ "type": "go", "id": 1, "infinite": true })).await;
    for (message, id, code) in [
        (r#"{"type": "position", "id": 2, "fen": "nonsense"}"#, json!(2), "invalid_fen"),
        (r#"{"type": "go", "id": 3, "searchmoves": ["e5"]}"#, json!(3), "illegal_move"),
        (r#"{"type": "castle", "id": "four"}"#, json!("four"), "invalid_request"),
        (r#"{"type": "go", "id": 5"#, Value::Null, "malformed_json"),
    ] {
        board.say_text(message).await;
        let problem = board.next("problem").await;
        assert_eq!((&problem["id"], &problem["code"]), (&id, &json!(code)), "{problem}");
        assert!(
            problem["request_id"].is_string() && problem["instance"] == "/v1/live",
            "{problem}"
        );
        // A good one, so that they do not stand in a row.
        board.say(&json!({ "type": "multipv", "value": 1, "id": 1 })).await;
        assert_eq!(board.next("info").await["id"], 1, "the analysis goes on");
    }
    let bytes = tokio_tungstenite::tungstenite::Message::binary(b"{}".to_vec());
    futures_util::SinkExt::send(&mut board.socket, bytes).await.unwrap();
    assert_eq!(board.next("problem").await["code"], "malformed_json", "bytes are no text");
}

async fn three_bad_messages_in_a_row_are_too_many() {
    let (_server, mut board) = board().await;
    for _ in 0..2 {
        board.say_text("nonsense").await;
        board.next("problem").await;
    }
    board.say(&json!({ "type": "stop" })).await;
    for _ in 0..3 {
        board.say_text("nonsense").await;
    }
    let (lines, code) = board.until_closed().await;
    assert_eq!((lines.len(), code), (3, 1008), "{lines:?}");
}

async fn a_message_may_have_64_kib() {
    let (_server, mut board) = board().await;
    let message = r#"{"type": "position", "id": 1, "fen": "startpos"}"#;
    board.say_text(format!("{message}{}", " ".repeat((64 << 10) - message.len()))).await;
    assert_eq!(board.line().await["id"], 1);
    board.say_text(format!("{message}{}", " ".repeat((64 << 10) - message.len() + 1))).await;
    assert_eq!(board.until_closed().await, (vec![], 1009));
}

async fn a_forgotten_board_is_closed() {
    let server = Server::with(|settings| settings.live.idle_ms = 100).await;
    let mut board = Board::open(server.address).await;
    board.say(&json!({ "type": "go", "id": 1, "movetime_ms": 400, "fen": "startpos" })).await;
    assert_eq!(
        board.next("problem").await["code"],
        "invalid_request",
        "a go has no position of its own"
    );
    board.say(&json!({ "type": "go", "id": 2, "movetime_ms": 400 })).await;
    let (lines, code) = board.until_closed().await;
    assert_eq!(
        (&lines.last().unwrap()["type"], code),
        (&json!("end"), 4000),
        "not while something is searched for it"
    );
}

async fn a_client_that_does_not_answer_pings_is_given_up() {
    let server = Server::with(|settings| settings.live.ping_ms = 100).await;
    let mut board = Board::open(server.address).await;
    // Pongs are sent by those who read.
    sleep(Duration::from_millis(600)).await;
    assert_eq!(board.until_closed().await, (vec![], 1008));
    let mut listening = Board::open(server.address).await;
    let quiet = tokio::time::timeout(Duration::from_millis(600), listening.hear()).await;
    assert!(quiet.is_err(), "who answers stays: {quiet:?}");
}

async fn a_board_that_is_left_frees_its_worker() {
    let server = Server::with(|settings| settings.search.workers = 1).await;
    let mut board = Board::open(server.address).await;
    board.say(&json!({ "type": "go", "infinite": true })).await;
    board.next("info").await;
    drop(board);
    assert_eq!(
        server.ask("/v1/best-move", &json!({ "fen": LONG, "depth": 3 })).await["reason"],
        "depth"
    );
}

async fn the_end_of_the_server_is_told() {
    let (server, mut board) = board().await;
    let mut idle = Board::open(server.address).await;
    board.say(&json!({ "type": "go", "id": 1, "infinite": true })).await;
    board.next("info").await;
    let Server { stop, .. } = server;
    stop.send(()).unwrap();
    let (lines, code) = board.until_closed().await;
    let last = lines.last().unwrap();
    assert_eq!((&last["type"], &last["reason"], code), (&json!("end"), &json!("shutdown"), 1001));
    assert_eq!(idle.until_closed().await, (vec![], 1001));
}

async fn pages_of_other_origins_are_refused() {
    let server = Server::with(|settings| {
        settings.http.cors_origins = vec!["https://board.example".to_owned()]
    })
    .await;
    let own = format!("http://{}", server.address);
    for origin in [own.as_str(), "https://board.example"] {
        assert!(
            Board::ask(server.address, "/v1/live", &[("origin", origin)]).await.is_ok(),
            "{origin}"
        );
    }
    for origin in ["https://elsewhere.example", "null"] {
        let Err((status, problem)) =
            Board::ask(server.address, "/v1/live", &[("origin", origin)]).await
        else {
            panic!("{origin} is welcome")
        };
        assert_eq!((status, &problem["code"]), (403, &json!("origin_refused")), "{origin}");
    }
}

async fn what_is_no_handshake_is_told_so() {
    let server = Server::start().await;
    let answer = server.get("/v1/live").await;
    answer.problem(426, "upgrade_required");
    assert_eq!(
        (answer.header("upgrade"), answer.header("sec-websocket-version")),
        ("websocket", "13")
    );
    server.post("/v1/live", &json!({})).await.problem(405, "method_not_allowed");
}

async fn the_subprotocol_is_spoken_where_it_is_asked_for() {
    let server = Server::start().await;
    let header = ("sec-websocket-protocol", "other, kibitzer.v1");
    let board = Board::ask(server.address, "/v1/live", &[header]).await.unwrap();
    assert_eq!(board.handshake.headers()["sec-websocket-protocol"], "kibitzer.v1");
    let plain = Board::open(server.address).await;
    assert!(!plain.handshake.headers().contains_key("sec-websocket-protocol"));
    assert!(plain.handshake.headers().contains_key("x-request-id"));
}

async fn there_are_no_more_streams_than_allowed() {
    let server = Server::with(|settings| settings.stream.max = 2).await;
    assert_eq!(server.get("/v1/limits").await.json()["streams"], 2);
    let board = Board::open(server.address).await;
    let stream =
        Stream::post(&server, "/v1/analysis", &json!({ "fen": LONG, "infinite": true })).await;
    let Err((status, problem)) = Board::ask(server.address, "/v1/live", &[]).await else {
        panic!("one too many")
    };
    assert_eq!(
        (status, &problem["code"], &problem["queue_length"]),
        (503, &json!("queue_full"), &json!(2))
    );
    let request = server.request(Method::GET, "/v1/analysis?fen=startpos&depth=2");
    server.send(request.header("accept", "text/event-stream")).await.problem(503, "queue_full");
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
        if Board::ask(server.address, "/v1/live", &[]).await.is_ok() {
            return;
        }
        sleep(Duration::from_millis(20)).await;
    }
    panic!("the places are never free again");
}

fn key(name: &str, text: &str, requests: u32) -> Key {
    Key {
        name: name.to_owned(),
        sha256: KeyDigest(Sha256::digest(text).into()),
        requests,
        window_ms: 3_600_000,
    }
}

async fn limited(requests: u32) -> Server {
    Server::with(|settings: &mut Settings| {
        settings.rate.requests = requests;
        settings.rate.window_ms = 3_600_000;
        settings.access.keys = vec![key("board", "secret", 50)];
    })
    .await
}

async fn every_search_counts_where_there_is_a_rate() {
    let server = limited(3).await;
    let mut board = Board::open(server.address).await;
    for id in 0..2 {
        board.say(&json!({ "type": "go", "id": id, "depth": 1 })).await;
        assert_eq!(board.next("end").await["id"], id);
    }
    for id in 2..6 {
        board.say(&json!({ "type": "go", "id": id, "depth": 1 })).await;
        let problem = board.next("problem").await;
        assert_eq!(
            (&problem["code"], &problem["id"]),
            (&json!("rate_limited"), &json!(id)),
            "and it is no bad message"
        );
    }
}

async fn a_ticket_is_its_holders_key_once() {
    let server = limited(2).await;
    let request =
        server.request(Method::POST, "/v1/tickets").header("authorization", "Bearer secret");
    let answer = server.send(request).await;
    assert_eq!((answer.status, answer.header("cache-control")), (200, "no-store"));
    let ticket = answer.json();
    assert_eq!(ticket["expires_in_ms"], 30_000);
    let path = format!("/v1/live?ticket={}", ticket["ticket"].as_str().unwrap());
    let mut board = Board::ask(server.address, &path, &[]).await.unwrap();
    for id in 0..10 {
        board.say(&json!({ "type": "go", "id": id, "depth": 1 })).await;
        assert_eq!(board.next("end").await["id"], id, "the key may ask more often than an address");
    }
    let Err((status, problem)) = Board::ask(server.address, &path, &[]).await else {
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
    assert_eq!(events.event().await.unwrap().name, "info");
}

async fn a_ticket_that_is_none_is_refused() {
    let server = limited(0).await;
    for ticket in ["", "nonsense", &"0".repeat(32)] {
        let answer = server.get(&format!("/v1/limits?ticket={ticket}")).await;
        answer.problem(401, "unauthorized");
    }
}

async fn no_client_has_tickets_without_end() {
    let server = limited(0).await;
    let mut statuses = Vec::new();
    for _ in 0..65 {
        statuses.push(server.post("/v1/tickets", &json!({})).await.status);
    }
    assert_eq!(statuses[63..], [200, 429]);
}
