//! Requests as links: the GET forms of POST routes.

use reqwest::Method;
use serde_json::json;

use crate::support::server::api_key;
use crate::support::{Server, TestResponse};

crate::trials![
    a_query_gives_the_answer_of_the_body,
    a_list_in_a_query_uses_commas_or_repeats_its_parameter,
    spaces_separate_the_items_of_a_list_in_a_query,
    a_json_array_in_a_query_is_refused,
    a_stored_answer_is_confirmed_by_its_etag,
    the_answer_to_a_request_with_a_key_is_private,
    a_best_move_by_query_is_not_stored,
    an_invalid_query_is_refused,
    a_route_without_parameters_refuses_any,
    a_post_request_refuses_members_in_its_query,
];

/// The routes whose answers depend only on the request and the program.
const CACHED_ROUTES: [(&str, &str); 3] = [
    ("/v1/legal-moves", "public"),
    ("/v1/position", "public"),
    ("/v1/evaluate", "public, no-cache"),
];

async fn a_query_gives_the_answer_of_the_body() {
    let server = Server::start().await;
    for (path, cache_control) in CACHED_ROUTES {
        let body = json!({ "fen": "startpos", "moves": ["e4", "c5"] });
        let by_query = server.get(&format!("{path}?fen=startpos&moves=e4,c5")).await;
        assert_eq!(by_query.json(), server.post_ok(path, &body).await, "{path}");
        assert_eq!(by_query.header("cache-control"), cache_control, "{path}");
    }
}

async fn a_list_in_a_query_uses_commas_or_repeats_its_parameter() {
    let server = Server::start().await;
    for (path, first, second) in [
        ("/v1/legal-moves?fen=startpos", "moves=e4,c5,Nf3", "moves=e4&moves=c5&moves=Nf3"),
        ("/v1/position?fen=startpos", "views=special,state", "views=special&views=state"),
        ("/v1/analysis?fen=startpos", "moves=e4,c5,d4,d4", "moves=e4&moves=c5&moves=d4,d4"),
    ] {
        let bodies = [
            server.get(&format!("{path}&{first}")).await.json(),
            server.get(&format!("{path}&{second}")).await.json(),
        ]
        .map(|mut body| {
            body.as_object_mut().unwrap().remove("request_id");
            body
        });
        assert_eq!(bodies[0], bodies[1], "{path}");
    }
}

async fn spaces_separate_the_items_of_a_list_in_a_query() {
    let server = Server::start().await;
    let body = json!({ "fen": "startpos", "moves": ["e4", "e5", "Qh5", "g6", "Qxe5+", "Qe7"] });
    let expected = server.post_ok("/v1/legal-moves", &body).await;
    for moves in [
        "e4+e5+Qh5+g6+Qxe5%2B+Qe7",
        "e2e4%20e7e5%20d1h5%20g7g6%20h5e5%20d8e7",
        "e4,+e5++Qh5,g6&moves=Qxe5+Qe7",
    ] {
        let by_query = server.get(&format!("/v1/legal-moves?fen=startpos&moves={moves}")).await;
        assert_eq!(by_query.json(), expected, "{moves}");
    }
}

async fn a_json_array_in_a_query_is_refused() {
    let server = Server::start().await;
    let answer = server.get("/v1/legal-moves?fen=startpos&moves=%5B%22e4%22%5D").await;
    let problem = answer.expect_problem(422, "invalid_request");
    let error = &problem["errors"][0];
    assert_eq!((&error["code"], &error["pointer"]), (&json!("wrong_type"), &json!("/moves")));
    assert_eq!(
        error["detail"],
        r#"moves is "[\"e4\"]"; separate items with commas, without brackets and quotes"#
    );
}

async fn get_with(server: &Server, path: &str, header: &'static str, value: &str) -> TestResponse {
    server.send(server.request(Method::GET, path).header(header, value)).await
}

async fn a_stored_answer_is_confirmed_by_its_etag() {
    let server = Server::start().await;
    for (path, cache_control) in CACHED_ROUTES {
        let link = format!("{path}?fen=startpos");
        let etag = server.get(&link).await.header("etag").to_owned();
        let confirmed = get_with(&server, &link, "if-none-match", &etag).await;
        assert_eq!((confirmed.status, confirmed.body.as_str()), (304, ""), "{path}");
        assert_eq!(confirmed.header("etag"), etag);
        assert_eq!(confirmed.header("cache-control"), cache_control);
        let other = get_with(&server, &format!("{link}&moves=e4"), "if-none-match", &etag).await;
        assert_eq!(other.status, 200, "{path} of another position");
    }
}

async fn the_answer_to_a_request_with_a_key_is_private() {
    let server = Server::start_with(|settings| {
        settings.access.keys = vec![api_key("board", "secret", 0)];
    })
    .await;
    for (path, cache_control) in CACHED_ROUTES {
        let link = format!("{path}?fen=startpos");
        let with_key = get_with(&server, &link, "x-api-key", "secret").await;
        let ticket = server.request(Method::POST, "/v1/tickets").header("x-api-key", "secret");
        let ticket = server.send(ticket).await.json()["ticket"].as_str().unwrap().to_owned();
        let with_ticket = server.get(&format!("{link}&ticket={ticket}")).await;
        for answer in [with_key, with_ticket] {
            let private = cache_control.replace("public", "private");
            assert_eq!(answer.header("cache-control"), private, "{path}");
        }
        assert_eq!(server.get(&link).await.header("cache-control"), cache_control);
    }
}

async fn a_best_move_by_query_is_not_stored() {
    let server = Server::start().await;
    let link = "/v1/best-move?fen=6k1/5ppp/8/8/8/8/8/R5K1+w+-+-+0+1&depth=3";
    let answer = server.get(link).await;
    assert_eq!(answer.json()["best_move"], "a1a8");
    assert_eq!(answer.header("cache-control"), "no-store");
    assert!(answer.header("server-timing").starts_with("queue;dur="));
    let server = Server::start_with(|settings| settings.shutdown.drain_ms = 2_000).await;
    let client = server.client.clone();
    server.stop.send(()).unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    client.get(link).await.expect_problem(503, "shutting_down");
}

async fn an_invalid_query_is_refused() {
    let server = Server::start().await;
    let paths = CACHED_ROUTES.map(|(path, _)| path);
    for path in paths.into_iter().chain(["/v1/best-move"]) {
        server.get(&format!("{path}?fen=%zz")).await.expect_problem(400, "malformed_query");
        server.get(path).await.expect_problem(422, "invalid_request");
        server.get(&format!("{path}?fen=nonsense")).await.expect_problem(422, "invalid_fen");
    }
}

async fn a_post_request_refuses_members_in_its_query() {
    let server = Server::start().await;
    for path in [
        "/v1/legal-moves",
        "/v1/best-move",
        "/v1/analysis",
        "/v1/batch",
        "/v1/evaluate",
        "/v1/perft",
        "/v1/play",
        "/v1/position",
    ] {
        let body = json!({ "fen": "startpos" });
        let answer = server.post(&format!("{path}?moves=e4&depth=3"), &body).await;
        let problem = answer.expect_problem(422, "invalid_request");
        let detail = "\"moves\" is in the query; the members of this request belong in the body";
        assert_eq!(problem["errors"][0]["detail"], detail, "{path}");
        assert_eq!(problem["errors"][1]["pointer"], "/depth", "{path}");
    }
    server.post("/v1/perft?%zz", &json!({})).await.expect_problem(422, "invalid_request");
    let answer = server.post("/v1/perft?&=1", &json!({ "fen": "startpos", "depth": 1 })).await;
    assert_eq!(answer.status, 200, "no parameter has a name");
}

async fn a_route_without_parameters_refuses_any() {
    let server = Server::start().await;
    let job = format!("/v1/games/{}", "0".repeat(32));
    let pgn = format!("{job}/pgn");
    for (method, path) in [
        (Method::GET, "/v1/limits"),
        (Method::GET, "/v1/engine"),
        (Method::GET, "/v1/live"),
        (Method::GET, &pgn),
        (Method::POST, "/v1/tickets"),
        (Method::DELETE, &job),
    ] {
        let send = async |query: &str| {
            server.send(server.request(method.clone(), &format!("{path}?{query}"))).await
        };
        for (query, detail) in [
            ("foo=1", "\"foo\" is not a known member; none is allowed"),
            ("depth=1", "\"depth\" is not a known member; it belongs to /v1/best-move"),
        ] {
            let problem = send(query).await.expect_problem(422, "invalid_request");
            assert_eq!(problem["detail"], detail, "{method} {path}");
        }
        send("foo=%zz").await.expect_problem(400, "malformed_query");
    }
    // Monitors add parameters of their own to get past caches.
    for path in ["/livez", "/readyz", "/metrics"] {
        assert_eq!(server.get(&format!("{path}?foo=1")).await.status, 200, "{path}");
    }
}
