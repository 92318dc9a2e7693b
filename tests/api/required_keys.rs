//! Servers that refuse requests without a key or ticket (`access.required`).

use kibitzer::config::Settings;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::support::contract::operations;
use crate::support::server::api_key;
use crate::support::{Client, LiveBoard, Server};

crate::trials![
    every_path_but_the_open_ones_needs_a_key,
    open_paths_need_no_key,
    a_key_or_a_ticket_opens_every_route,
    a_ticket_opens_streams_and_live_boards,
    the_urls_of_a_job_need_a_key,
    a_preflight_needs_no_key,
    options_without_the_headers_of_a_preflight_need_a_key,
    metrics_are_open_only_on_an_address_of_their_own,
    get_responses_are_private_where_a_key_is_required,
    requests_without_a_key_count_against_their_address,
    the_served_contract_says_that_a_key_is_required,
];

const OPEN_PATHS: [&str; 9] = [
    "/livez",
    "/readyz",
    "/",
    "/docs",
    "/docs/",
    "/docs/reference.css",
    "/openapi.json",
    "/openapi.yaml",
    "/problems/unauthorized",
];

fn require_key(settings: &mut Settings) {
    settings.access.required = true;
    settings.access.keys = vec![api_key("board", "secret", 0)];
}

async fn start_server() -> Server {
    Server::start_with(require_key).await
}

fn with_key(request: RequestBuilder) -> RequestBuilder {
    request.header("authorization", "Bearer secret")
}

async fn ticket(server: &Server) -> String {
    let answer = server.send(with_key(server.request(Method::POST, "/v1/tickets"))).await;
    answer.json()["ticket"].as_str().unwrap().to_owned()
}

async fn every_path_but_the_open_ones_needs_a_key() {
    let server = start_server().await;
    let documented = operations().into_iter().map(|operation| (operation.method, operation.path));
    let others =
        ["/v1", "/v1/", "/v1/nowhere", "/api/nowhere", "/standard", "/board.svg", "/docsy"];
    let posts = ["/mcp", "/v1"].map(|path| ("POST".to_owned(), path.to_owned()));
    let others = others.map(|path| ("GET".to_owned(), path.to_owned()));
    for (method, path) in documented.chain(others).chain(posts) {
        let is_open = OPEN_PATHS.contains(&path.as_str()) || path.starts_with("/problems/");
        if is_open {
            continue;
        }
        let request = server.request(method.parse().unwrap(), &path);
        let refused = server.send(request).await;
        let problem = refused.expect_problem(401, "unauthorized");
        assert_eq!(refused.header("www-authenticate"), "Bearer", "{path}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("requires an API key"), "{path}: {detail}");
    }
}

async fn open_paths_need_no_key() {
    let server = start_server().await;
    for path in OPEN_PATHS {
        let answer = server.get(path).await;
        assert!(matches!(answer.status, 200 | 307), "{path} returns {}", answer.status);
    }
    for path in ["/assets/board.js", "/assets", "/docs/nowhere", "/problems/nowhere"] {
        server.get(path).await.expect_problem(404, "not_found");
    }
}

async fn a_key_or_a_ticket_opens_every_route() {
    let server = start_server().await;
    for path in ["/v1/engine", "/v1/legal-moves?fen=startpos", "/metrics"] {
        let answer = server.send(with_key(server.request(Method::GET, path))).await;
        assert_eq!(answer.status, 200, "{path}");
    }
    let unknown = with_key(server.request(Method::GET, "/v1/nowhere"));
    server.send(unknown).await.expect_problem(404, "not_found");
    let wrong = server.request(Method::GET, "/v1/engine").header("x-api-key", "another");
    let problem = server.send(wrong).await.expect_problem(401, "unauthorized");
    assert_eq!(problem["detail"], "the API key or ticket is not valid");
    let path = format!("/v1/engine?ticket={}", ticket(&server).await);
    assert_eq!(server.get(&path).await.status, 200);
    server.get(&path).await.expect_problem(401, "unauthorized");
}

async fn a_ticket_opens_streams_and_live_boards() {
    let server = start_server().await;
    let path = format!("/v1/live?ticket={}", ticket(&server).await);
    let mut board = LiveBoard::try_connect(server.address, &path, &[]).await.unwrap();
    board.send(&json!({ "type": "go", "id": 1, "depth": 2 })).await;
    assert_eq!(board.next_of_type("end").await["id"], 1);
    let Err((status, problem)) = LiveBoard::try_connect(server.address, "/v1/live", &[]).await
    else {
        panic!("a board was opened without a key")
    };
    assert_eq!((status, &problem["code"]), (401, &json!("unauthorized")));
    let path = format!("/v1/analysis?fen=startpos&depth=2&ticket={}", ticket(&server).await);
    let events = server.request(Method::GET, &path).header("accept", "text/event-stream");
    let answer = server.send(events).await;
    assert!(answer.status == 200 && answer.body.contains("event: end"), "{}", answer.body);
}

async fn the_urls_of_a_job_need_a_key() {
    let server = start_server().await;
    let request = server.request(Method::POST, "/v1/games");
    let job = json!({ "pgn": "1. e4 e5 *", "depth": 1 });
    let accepted = server.send(with_key(request.json(&job))).await;
    assert_eq!(accepted.status, 202, "{}", accepted.body);
    let url = accepted.header("location").to_owned();
    for path in ["", "/events", "/pgn"] {
        server.get(&format!("{url}{path}")).await.expect_problem(401, "unauthorized");
    }
    let deletion = server.send(server.request(Method::DELETE, &url)).await;
    deletion.expect_problem(401, "unauthorized");
    assert_eq!(server.send(with_key(server.request(Method::GET, &url))).await.status, 200);
}

async fn a_preflight_needs_no_key() {
    let server = Server::start_with(|settings| {
        require_key(settings);
        settings.http.cors_origins = vec!["https://board.example".to_owned()];
    })
    .await;
    let preflight = server
        .request(Method::OPTIONS, "/v1/best-move")
        .header("origin", "https://board.example")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "authorization");
    let allowed = server.send(preflight).await;
    assert_eq!(allowed.status, 200);
    assert!(allowed.header("access-control-allow-headers").contains("authorization"));
    let request = server.request(Method::GET, "/v1/engine");
    let refused = server.send(request.header("origin", "https://board.example")).await;
    refused.expect_problem(401, "unauthorized");
    assert_eq!(refused.header("access-control-allow-origin"), "https://board.example");
}

async fn options_without_the_headers_of_a_preflight_need_a_key() {
    let server = Server::start_with(|settings| {
        require_key(settings);
        settings.http.cors_origins = vec!["*".to_owned()];
    })
    .await;
    let options = || server.request(Method::OPTIONS, "/v1/best-move");
    let origin = ("origin", "https://board.example");
    let method = ("access-control-request-method", "POST");
    for headers in [&[][..], &[origin], &[method]] {
        let with_headers = |request: RequestBuilder| {
            headers.iter().fold(request, |request, (name, value)| request.header(*name, *value))
        };
        let refused = server.send(with_headers(options())).await;
        refused.expect_problem(401, "unauthorized");
        let admitted = server.send(with_key(with_headers(options()))).await;
        admitted.expect_problem(405, "method_not_allowed");
    }
}

async fn metrics_are_open_only_on_an_address_of_their_own() {
    start_server().await.get("/metrics").await.expect_problem(401, "unauthorized");
    let server = Server::start_with(|settings| {
        require_key(settings);
        settings.metrics.listen = Some("127.0.0.1:0".parse().unwrap());
    })
    .await;
    let metrics = Client::new(server.metrics_address.unwrap());
    assert_eq!(metrics.get("/metrics").await.status, 200);
    let problem = server.get("/metrics").await.expect_problem(404, "not_found");
    assert_eq!(problem["detail"], "/metrics does not exist; see /docs");
}

async fn get_responses_are_private_where_a_key_is_required() {
    let server = start_server().await;
    for (path, expected) in [
        ("/v1/legal-moves", "private"),
        ("/v1/position", "private"),
        ("/v1/evaluate", "private, no-cache"),
        ("/v1/best-move", "no-store"),
    ] {
        let query = if path == "/v1/best-move" { "&depth=1" } else { "" };
        let request = server.request(Method::GET, &format!("{path}?fen=startpos{query}"));
        let answer = server.send(with_key(request)).await;
        assert_eq!((answer.status, answer.header("cache-control")), (200, expected), "{path}");
    }
    let path = format!("/v1/legal-moves?fen=startpos&ticket={}", ticket(&server).await);
    assert_eq!(server.get(&path).await.header("cache-control"), "private");
}

async fn requests_without_a_key_count_against_their_address() {
    let server = Server::start_with(|settings| {
        require_key(settings);
        settings.rate.requests = 2;
        settings.rate.window_ms = 3_600_000;
    })
    .await;
    for path in ["/nowhere", "/v1/engine"] {
        server.get(path).await.expect_problem(401, "unauthorized");
    }
    server.get("/v1/engine").await.expect_problem(429, "rate_limited");
    assert_eq!(server.get("/livez").await.status, 200);
}

async fn the_served_contract_says_that_a_key_is_required() {
    let security = async |server: &Server| {
        let contract = server.get("/openapi.json").await.json();
        contract["security"].clone()
    };
    let anonymous = json!({});
    let allows_anonymous = |security: Value| security.as_array().unwrap().contains(&anonymous);
    assert!(allows_anonymous(security(&Server::start().await).await));
    assert!(!allows_anonymous(security(&start_server().await).await));
}
