//! Access to live boards: origins, the WebSocket handshake, limits and tickets.

use std::time::Duration;

use kibitzer::config::Settings;
use reqwest::Method;
use serde_json::json;
use tokio::time::sleep;

use super::LONG_SEARCH_FEN;
use crate::support::server::api_key;
use crate::support::{LiveBoard, Server, Stream};

crate::trials![
    pages_of_other_origins_are_refused,
    a_request_without_upgrade_is_answered_426,
    a_requested_subprotocol_is_accepted,
    one_client_holds_an_eighth_of_the_streams,
    concurrent_streams_are_limited,
    every_search_counts_against_the_rate_limit,
    an_illegal_position_or_move_counts_against_the_rate_limit,
    too_many_valid_tickets_are_refused,
    a_ticket_stands_for_its_key_once,
    an_invalid_ticket_is_refused,
    a_ticket_gives_no_other_ticket,
    tickets_per_client_are_limited,
];

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
            panic!("{origin} was accepted")
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

async fn one_client_holds_an_eighth_of_the_streams() {
    let server = Server::start_with(|settings| settings.stream.max = 16).await;
    let _boards =
        [LiveBoard::connect(server.address).await, LiveBoard::connect(server.address).await];
    let Err((status, problem)) = LiveBoard::try_connect(server.address, "/v1/live", &[]).await
    else {
        panic!("the limit of one client was exceeded")
    };
    assert_eq!(
        (status, &problem["code"], &problem["queue_length"]),
        (503, &json!("queue_full"), &json!(2))
    );
    assert!(problem["detail"].as_str().unwrap().contains("of one client"), "{problem}");
}

async fn concurrent_streams_are_limited() {
    let server = Server::start_with(|settings| {
        settings.stream.max = 2;
        settings.access.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    })
    .await;
    assert_eq!(server.get("/v1/limits").await.json()["streams"], 2);
    let other = [("x-forwarded-for", "192.0.2.1")];
    let board = LiveBoard::try_connect(server.address, "/v1/live", &other).await;
    assert!(board.is_ok(), "another client");
    let stream =
        Stream::post(&server, "/v1/analysis", &json!({ "fen": LONG_SEARCH_FEN, "infinite": true }))
            .await;
    let Err((status, problem)) = LiveBoard::try_connect(server.address, "/v1/live", &[]).await
    else {
        panic!("the limit was exceeded")
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
        "events are the default format"
    );
    let whole = server
        .request(Method::GET, "/v1/analysis?fen=startpos&depth=2")
        .header("accept", "application/json");
    assert_eq!(server.send(whole).await.status, 200, "a single response is not a stream");
    drop((board, stream));
    for _ in 0..200 {
        if LiveBoard::try_connect(server.address, "/v1/live", &[]).await.is_ok() {
            return;
        }
        sleep(Duration::from_millis(20)).await;
    }
    panic!("the permits are not released");
}

async fn server_with_rate(requests: u32) -> Server {
    Server::start_with(|settings: &mut Settings| {
        settings.rate.requests = requests;
        settings.rate.window_ms = 3_600_000;
        settings.access.keys = vec![api_key("board", "secret", 50)];
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
            "a rate-limited message is not an invalid one"
        );
        let wait = problem["retry_after_ms"].as_u64().unwrap();
        assert!((1_000_000..=1_200_000).contains(&wait), "{wait}");
        let detail = problem["detail"].as_str().unwrap();
        let limit = "rate limit exceeded: 3 requests per 3600 s; try again in ";
        assert!(detail.starts_with(limit), "{detail}");
    }
}

async fn an_illegal_position_or_move_counts_against_the_rate_limit() {
    let server = server_with_rate(4).await;
    let mut board = LiveBoard::connect(server.address).await;
    let (position, game, go) = (
        json!({ "type": "position", "fen": "nonsense" }),
        json!({ "type": "position", "fen": "startpos", "moves": ["e5"] }),
        json!({ "type": "go", "searchmoves": ["e5"] }),
    );
    for (message, code) in [
        (&position, "invalid_fen"),
        (&game, "illegal_move"),
        (&go, "illegal_move"),
        (&position, "rate_limited"),
        (&game, "rate_limited"),
        (&go, "rate_limited"),
    ] {
        board.send(message).await;
        assert_eq!(board.next_of_type("problem").await["code"], code, "{message}");
    }
    board.send(&json!({ "type": "position", "id": 1, "fen": "startpos" })).await;
    assert_eq!(board.next_message().await["type"], "ready", "a legal position does not count");
}

async fn too_many_valid_tickets_are_refused() {
    let server = Server::start().await;
    let issue = async || server.send(server.request(Method::POST, "/v1/tickets")).await;
    for _ in 0..64 {
        assert_eq!(issue().await.status, 200);
    }
    let refused = issue().await;
    let problem = refused.expect_problem(429, "rate_limited");
    let wait = refused.header("retry-after");
    let detail = format!("too many tickets are valid; use them, or try again in {wait} s");
    assert_eq!(problem["detail"], detail);
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
            "the key has a higher limit than an address"
        );
    }
    let Err((status, problem)) = LiveBoard::try_connect(server.address, &path, &[]).await else {
        panic!("the ticket was accepted twice")
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

async fn a_ticket_gives_no_other_ticket() {
    let server = server_with_rate(100).await;
    let ticket = server.post("/v1/tickets", &json!({})).await.json();
    let path = format!("/v1/tickets?ticket={}", ticket["ticket"].as_str().unwrap());
    let problem = server.post(&path, &json!({})).await.expect_problem(401, "unauthorized");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("send the API key"), "{detail}");
}

async fn tickets_per_client_are_limited() {
    let server = server_with_rate(0).await;
    let mut statuses = Vec::new();
    for _ in 0..65 {
        statuses.push(server.post("/v1/tickets", &json!({})).await.status);
    }
    assert_eq!(statuses[63..], [200, 429]);
}
