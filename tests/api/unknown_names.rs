//! Unknown paths, methods and members, and what their refusals suggest.

use reqwest::Method;
use serde_json::json;

use crate::support::{Server, TestResponse};

crate::trials![
    an_unknown_path_is_not_found,
    an_unsupported_method_is_answered_405,
    a_misspelled_name_gets_a_suggestion,
    a_member_of_another_route_names_that_route,
    another_word_for_a_member_suggests_it,
    an_unknown_member_names_the_allowed_ones,
    a_misspelled_path_suggests_the_nearest_route,
];

async fn an_unknown_path_is_not_found() {
    let server = Server::start().await;
    let problem = server.get("/v2/legal-moves").await.expect_problem(404, "not_found");
    assert_eq!(problem["instance"], "/v2/legal-moves");
    server.post("/", &json!({})).await.expect_problem(405, "method_not_allowed");
    for not_utf8 in ["/problems/%ff", "/docs/%ff"] {
        server.get(not_utf8).await.expect_problem(404, "not_found");
    }
}

async fn an_unsupported_method_is_answered_405() {
    let server = Server::start().await;
    for (method, path, allow, advice) in [
        (Method::GET, "/v1/perft", "POST", "use POST"),
        (Method::GET, "/v1/games", "POST", "use POST"),
        (Method::DELETE, "/v1/best-move", "GET,HEAD,POST", "use GET or POST"),
        (Method::POST, "/v1/games/1", "GET,HEAD,DELETE", "use GET or DELETE"),
        (Method::POST, "/v1/limits", "GET,HEAD", "use GET"),
        (Method::PUT, "/livez", "GET,HEAD", "use GET"),
    ] {
        let answer = server.send(server.request(method.clone(), path)).await;
        let problem = answer.expect_problem(405, "method_not_allowed");
        assert_eq!(answer.header("allow"), allow, "{path}");
        assert_eq!(problem["detail"], format!("{path} does not support {method}; {advice}"));
    }
}

/// The detail of the only error of a request.
fn detail_of_only_error(answer: &TestResponse) -> String {
    let problem = answer.expect_problem(422, "invalid_request");
    let errors = problem["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 1, "{problem}");
    errors[0]["detail"].as_str().unwrap().to_owned()
}

async fn a_misspelled_name_gets_a_suggestion() {
    let server = Server::start().await;
    let body = json!({ "fen": "startpos", "movetime": 50 });
    let expected = "\"movetime\" is not a known member; did you mean \"movetime_ms\"?";
    let by_body = server.post("/v1/best-move", &body).await;
    assert_eq!(detail_of_only_error(&by_body), expected);
    let by_query = server.get("/v1/best-move?fen=startpos&movetime=50").await;
    assert_eq!(detail_of_only_error(&by_query), expected);
    let value = server.get("/v1/best-move?fen=startpos&pov=White").await;
    assert_eq!(
        detail_of_only_error(&value),
        "pov is \"White\"; it must be one of side, white; did you mean \"white\"?"
    );
}

async fn a_member_of_another_route_names_that_route() {
    let server = Server::start().await;
    for (path, body, expected) in [
        ("/v1/legal-moves", json!({ "fen": "startpos", "multipv": 2 }), "/v1/analysis"),
        ("/v1/evaluate", json!({ "fen": "startpos", "depth": 2 }), "/v1/best-move"),
        ("/v1/analysis", json!({ "fen": "startpos", "elo": 1500 }), "/v1/best-move"),
        ("/v1/best-move", json!({ "fen": "startpos", "undo": 2 }), "/v1/play"),
    ] {
        let answer = server.post(path, &body).await;
        let detail = detail_of_only_error(&answer);
        assert!(detail.ends_with(&format!("; it belongs to {expected}")), "{detail}");
    }
    let camel_case =
        server.post("/v1/best-move", &json!({ "fen": "startpos", "multiPv": 2 })).await;
    let expected = "; did you mean \"multipv\"? It belongs to /v1/analysis";
    assert!(detail_of_only_error(&camel_case).ends_with(expected), "{}", camel_case.body);
    let by_query = server.get("/v1/legal-moves?fen=startpos&multipv=2").await;
    assert!(detail_of_only_error(&by_query).ends_with("; it belongs to /v1/analysis"));
    let review = server.post("/v1/games", &json!({ "pgn": "1. e4 *", "pov": "white" })).await;
    assert!(detail_of_only_error(&review).contains("it belongs to GET /v1/games/{id}"));
}

async fn another_word_for_a_member_suggests_it() {
    let server = Server::start().await;
    for (path, name, suggestion) in [
        ("/v1/best-move", "time", "; did you mean \"movetime_ms\"?"),
        ("/v1/best-move", "skill", "; did you mean \"elo\"?"),
        ("/v1/analysis", "lines", "; did you mean \"multipv\"?"),
        ("/v1/analysis", "level", "; did you mean \"elo\"? It belongs to /v1/best-move"),
    ] {
        let answer = server.post(path, &json!({ "fen": "startpos", name: 1 })).await;
        let expected = format!("{name:?} is not a known member{suggestion}");
        assert_eq!(detail_of_only_error(&answer), expected, "{path}");
    }
    let problem = server.post("/v1/best-move", &json!({ "position": "startpos" })).await;
    let problem = problem.expect_problem(422, "invalid_request");
    assert_eq!(
        problem["errors"][1]["detail"],
        "\"position\" is not a known member; did you mean \"fen\"?"
    );
}

async fn an_unknown_member_names_the_allowed_ones() {
    let server = Server::start().await;
    let expected = "\"callback\" is not a known member; allowed are fen, packed, moves";
    let body = json!({ "fen": "startpos", "callback": "f" });
    let by_body = server.post("/v1/evaluate", &body).await;
    assert_eq!(detail_of_only_error(&by_body), expected);
    let by_query = server.get("/v1/evaluate?fen=startpos&callback=f").await;
    assert_eq!(detail_of_only_error(&by_query), expected);
}

async fn a_misspelled_path_suggests_the_nearest_route() {
    let server = Server::start().await;
    for (path, suggestion) in [
        ("/v1/bestmove", "; did you mean /v1/best-move?"),
        ("/v1/analyze", "; did you mean /v1/analysis?"),
        ("/legal-moves", "; did you mean /v1/legal-moves?"),
        ("/v1/moves", "; did you mean /v1/legal-moves?"),
        ("/v1/review", "; did you mean /v1/games?"),
        ("/api/v1/best-move", "; did you mean /v1/best-move?"),
        ("/health", "; did you mean /livez?"),
        ("/v1/nowhere", "; see /docs"),
    ] {
        let problem = server.get(path).await.expect_problem(404, "not_found");
        assert_eq!(problem["detail"], format!("{path} does not exist{suggestion}"));
    }
    let long = format!("/v1/{}", "best-move".repeat(500));
    let problem = server.get(&long).await.expect_problem(404, "not_found");
    let detail = problem["detail"].as_str().unwrap();
    assert!(!detail.contains("did you mean") && detail.ends_with("; see /docs"), "{problem}");
}
