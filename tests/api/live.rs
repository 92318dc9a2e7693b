//! Live boards.

pub(crate) mod access;
pub(crate) mod protocol;

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use crate::support::{LiveBoard, Server, Stream, assert_win_chances};

crate::trials![
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
    a_refused_message_is_a_problem_and_the_analysis_continues,
    three_invalid_messages_in_a_row_close_the_board,
    illegal_positions_and_moves_leave_the_board_open,
    a_message_is_limited_to_64_kib,
    the_fragments_of_an_unfinished_message_are_limited_too,
    an_idle_board_is_closed,
    a_client_that_does_not_answer_pings_is_disconnected,
    a_client_disconnect_frees_its_worker,
    a_close_of_the_client_is_answered_with_its_code,
    shutdown_ends_analyses_and_closes_boards,
];

async fn start_board() -> (Server, LiveBoard) {
    let server = Server::start().await;
    let board = LiveBoard::connect(server.address).await;
    (server, board)
}

/// White is a rook down. A search of this position takes long.
const LONG_SEARCH_FEN: &str = "r3k2r/pppq1ppp/2n2n2/3p4/3P4/2N2N2/PPPQ1PPP/R3K3 w Qkq - 0 1";

async fn a_position_message_is_answered_with_its_state() {
    let (server, mut board) = start_board().await;
    let moves = ["f3", "e5", "g4", "Qh4#"];
    board.send(&json!({ "type": "position", "id": 7, "fen": "startpos", "moves": moves })).await;
    let ready = board.next_message().await;
    let state =
        server.post_ok("/v1/legal-moves", &json!({ "fen": "startpos", "moves": moves })).await;
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
                assert_win_chances(&line["lines"]);
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
    assert_eq!(
        board.next_of_type("end").await["id"],
        Value::Null,
        "a request without an id gets none"
    );
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
    assert_eq!(board.next_message().await["id"], 4, "a stop without an analysis has no effect");
}

async fn a_newer_go_replaces_the_older_one() {
    let server = Server::start_with(|settings| settings.search.workers = 1).await;
    let mut board = LiveBoard::connect(server.address).await;
    board.send(&json!({ "type": "go", "id": 1, "infinite": true })).await;
    board.next_of_type("info").await;
    board.send(&json!({ "type": "go", "id": 2, "depth": 3, "fresh": true })).await;
    let first = board.next_of_type("end").await;
    assert_eq!((&first["id"], &first["reason"]), (&json!(1), &json!("replaced")));
    assert!(first["best_move"].is_string(), "it ends with its best result");
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
        "the number is kept for the next go"
    );
    board.send(&json!({ "type": "go", "id": 4, "depth": 2, "multipv": 1, "fresh": true })).await;
    board.next_of_type("end").await;
    assert_eq!(
        board.next_of_type("info").await["lines"].as_array().unwrap().len(),
        1,
        "the number of the go takes precedence"
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

async fn a_refused_message_is_a_problem_and_the_analysis_continues() {
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
        // A valid message, so that the invalid ones are not in a row.
        board.send(&json!({ "type": "multipv", "value": 1, "id": 1 })).await;
        assert_eq!(board.next_of_type("info").await["id"], 1, "the analysis continues");
    }
    let bytes = tokio_tungstenite::tungstenite::Message::binary(b"{}".to_vec());
    futures_util::SinkExt::send(&mut board.socket, bytes).await.unwrap();
    assert_eq!(
        board.next_of_type("problem").await["code"],
        "malformed_json",
        "a binary message is refused"
    );
}

async fn illegal_positions_and_moves_leave_the_board_open() {
    let (_server, mut board) = start_board().await;
    for _ in 0..3 {
        for message in [
            r#"{"type": "position", "fen": "rnbqkbnr/pppppppp/8"}"#,
            r#"{"type": "position", "fen": "startpos", "moves": ["e5"]}"#,
            r#"{"type": "go", "searchmoves": ["e5"]}"#,
        ] {
            board.send_text(message).await;
            board.next_of_type("problem").await;
        }
    }
    board.send(&json!({ "type": "position", "fen": "startpos", "id": 7 })).await;
    assert_eq!(board.next_of_type("ready").await["id"], 7);
}

async fn three_invalid_messages_in_a_row_close_the_board() {
    let (_server, mut board) = start_board().await;
    for _ in 0..2 {
        board.send_text("nonsense").await;
        board.next_of_type("problem").await;
    }
    board.send(&json!({ "type": "stop" })).await;
    for _ in 0..3 {
        board.send_text("nonsense").await;
        board.next_of_type("problem").await;
    }
    let close = board.receive().await.unwrap_err().expect("a close frame");
    assert_eq!(
        (close.code.into(), close.reason.as_str()),
        (1_008, "three invalid messages in a row")
    );
}

async fn a_message_is_limited_to_64_kib() {
    let (_server, mut board) = start_board().await;
    let message = r#"{"type": "position", "id": 1, "fen": "startpos"}"#;
    board.send_text(format!("{message}{}", " ".repeat((64 << 10) - message.len()))).await;
    assert_eq!(board.next_message().await["id"], 1);
    board.send_text(format!("{message}{}", " ".repeat((64 << 10) - message.len() + 1))).await;
    assert_eq!(board.collect_until_closed().await, (vec![], 1009));
}

async fn the_fragments_of_an_unfinished_message_are_limited_too() {
    let server = Server::start_with(|settings| settings.live.idle_ms = 5_000).await;
    let mut board = LiveBoard::connect(server.address).await;
    for kind in [Data::Text, Data::Continue] {
        let fragment = Frame::message(vec![b' '; 40 << 10], OpCode::Data(kind), false);
        let sent = futures_util::SinkExt::send(&mut board.socket, Message::Frame(fragment)).await;
        sent.expect("the server reads the message until it is too long");
    }
    assert_eq!(board.collect_until_closed().await, (vec![], 1009));
}

async fn an_idle_board_is_closed() {
    let server = Server::start_with(|settings| settings.live.idle_ms = 100).await;
    let mut board = LiveBoard::connect(server.address).await;
    board.send(&json!({ "type": "go", "id": 1, "movetime_ms": 400, "fen": "startpos" })).await;
    assert_eq!(
        board.next_of_type("problem").await["code"],
        "invalid_request",
        "a go has no position"
    );
    board.send(&json!({ "type": "go", "id": 2, "movetime_ms": 400 })).await;
    let (lines, code) = board.collect_until_closed().await;
    assert_eq!(
        (&lines.last().unwrap()["type"], code),
        (&json!("end"), 4000),
        "the board is not idle during a search"
    );
}

async fn a_client_that_does_not_answer_pings_is_disconnected() {
    let server = Server::start_with(|settings| settings.live.ping_ms = 100).await;
    let mut board = LiveBoard::connect(server.address).await;
    // The client sends pongs only while it reads.
    sleep(Duration::from_millis(600)).await;
    assert_eq!(board.collect_until_closed().await, (vec![], 1008));
    let mut listening = LiveBoard::connect(server.address).await;
    let quiet = tokio::time::timeout(Duration::from_millis(600), listening.receive()).await;
    assert!(quiet.is_err(), "a client that answers pings was disconnected: {quiet:?}");
}

async fn a_client_disconnect_frees_its_worker() {
    let server = Server::start_with(|settings| settings.search.workers = 1).await;
    let mut board = LiveBoard::connect(server.address).await;
    board.send(&json!({ "type": "go", "infinite": true })).await;
    board.next_of_type("info").await;
    drop(board);
    let body = json!({ "fen": LONG_SEARCH_FEN, "depth": 3 });
    assert_eq!(server.post_ok("/v1/best-move", &body).await["reason"], "depth");
}

async fn a_close_of_the_client_is_answered_with_its_code() {
    let (server, mut board) = start_board().await;
    board.send(&json!({ "type": "go", "infinite": true })).await;
    board.next_of_type("info").await;
    for code in [1000, 4321] {
        let frame = CloseFrame { code: code.into(), reason: "done".into() };
        board.socket.close(Some(frame)).await.unwrap();
        assert_eq!(board.collect_until_closed().await.1, code);
        board = LiveBoard::connect(server.address).await;
    }
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
