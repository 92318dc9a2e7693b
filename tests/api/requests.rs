//! Parsing of requests, on every route with a body.

use std::net::SocketAddr;
use std::time::Duration;

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::contract::{json_operations, position_operations, valid_body};
use crate::support::{START_FEN, Server, coverage, log};
use crate::tablebase;

crate::trials![
    a_valid_request_is_answered_on_every_route,
    malformed_json_is_refused_with_line_and_column,
    a_body_must_not_be_declared_as_another_type_than_json,
    an_undeclared_body_is_json_if_it_is_an_object,
    an_empty_body_is_reported_as_empty_if_it_is_undeclared,
    a_body_too_large_is_refused_with_and_without_content_length,
    a_slow_body_times_out,
    all_errors_are_reported_at_once,
    null_has_the_wrong_type,
    a_duplicate_member_is_refused,
    fen_and_packed_exclude_each_other_and_one_is_required,
    too_many_moves_are_out_of_range,
    every_error_of_a_fen_is_reported,
    an_incomplete_fen_names_its_missing_fields,
    a_word_like_startpos_suggests_it,
    an_illegal_move_is_reported_with_its_index,
    a_promotion_without_its_piece_is_told_how_to_write_it,
    long_texts_are_truncated_in_problems,
    a_valid_request_id_is_kept,
    an_invalid_request_id_is_replaced,
    every_request_is_logged_in_one_line,
    cors_is_off_until_origins_are_configured,
    a_configured_origin_may_read_the_exposed_headers,
];

async fn a_valid_request_is_answered_on_every_route() {
    let server = tablebase::start().await;
    for route in position_operations() {
        let answer = server.post_ok(&route.path, &valid_body(&route)).await;
        assert!(answer["fen"].is_string(), "{answer}");
    }
}

async fn malformed_json_is_refused_with_line_and_column() {
    let server = Server::start().await;
    for route in json_operations() {
        let cases = [
            ("", 1, 1),
            ("{", 1, 2),
            (r#"{"fen": }"#, 1, 9),
            ("{\n  \"fen\": nope}", 2, 11),
            ("{} {}", 1, 4),
        ];
        for (body, line, column) in cases {
            let problem =
                server.post_text(&route.path, body).await.expect_problem(400, "malformed_json");
            assert_eq!(
                (&problem["line"], &problem["column"]),
                (&json!(line), &json!(column)),
                "{body:?}"
            );
        }
        for body in ["", " \n"] {
            let problem =
                server.post_text(&route.path, body).await.expect_problem(400, "malformed_json");
            assert_eq!(problem["detail"], "the body is empty; it must be a JSON object");
        }
    }
    let not_utf8 = server.post_text("/v1/legal-moves", b"{\"fen\": \"\xff\"}".to_vec()).await;
    not_utf8.expect_problem(400, "malformed_json");
    let deep = server.post_text("/v1/legal-moves", "[".repeat(5_000)).await;
    deep.expect_problem(400, "malformed_json");
}

async fn a_body_must_not_be_declared_as_another_type_than_json() {
    let server = tablebase::start().await;
    for route in json_operations() {
        let body = valid_body(&route).to_string();
        for (declared, status) in [
            ("text/plain", 415),
            ("application/json; charset=utf-8", 200),
            ("application/x+json", 200),
        ] {
            let request = server
                .request(Method::POST, &route.path)
                .header(CONTENT_TYPE, declared)
                .body(body.clone());
            assert_eq!(server.send(request).await.status, status, "{declared}");
        }
    }
    let packed =
        server.request(Method::POST, "/v1/legal-moves").header(CONTENT_TYPE, "application/json");
    let packed = server.send(packed.header("content-encoding", "gzip").body("…")).await;
    packed.expect_problem(415, "unsupported_media_type");
}

/// curl declares `application/x-www-form-urlencoded` by default.
async fn an_undeclared_body_is_json_if_it_is_an_object() {
    let server = tablebase::start().await;
    let undeclared = |path: &str, media_type: Option<&str>, body: String| {
        let request = server.request(Method::POST, path).body(body);
        match media_type {
            Some(media_type) => request.header(CONTENT_TYPE, media_type),
            None => request,
        }
    };
    for media_type in [None, Some("application/x-www-form-urlencoded")] {
        for route in json_operations() {
            let body = format!("\n {}", valid_body(&route));
            let answer = server.send(undeclared(&route.path, media_type, body)).await;
            assert_eq!(answer.status, 200, "{} {}", route.path, answer.body);
        }
        for body in ["[]", "fen=startpos", "1. e4 *"] {
            for path in ["/v1/legal-moves", "/v1/games"] {
                let answer = server.send(undeclared(path, media_type, body.to_owned())).await;
                answer.expect_problem(415, "unsupported_media_type");
            }
        }
        let broken = server.send(undeclared("/v1/legal-moves", media_type, "{".to_owned())).await;
        broken.expect_problem(400, "malformed_json");
        let games = r#"{"pgn": "1. e4 *", "depth": 1}"#.to_owned();
        let job = server.send(undeclared("/v1/games", media_type, games)).await;
        assert_eq!(job.status, 202, "{}", job.body);
        let lines = "{\"fen\": \"startpos\", \"depth\": 1}\n".repeat(2);
        let batch = server.send(undeclared("/v1/batch", media_type, lines)).await;
        assert_eq!((batch.status, batch.body.lines().count()), (200, 3), "{}", batch.body);
    }
}

/// As `curl -X POST URL` and `curl -d '' URL` send it.
async fn an_empty_body_is_reported_as_empty_if_it_is_undeclared() {
    let server = Server::start().await;
    let routes = json_operations().into_iter().map(|operation| operation.path);
    for path in routes.chain(["/v1/games".to_owned()]) {
        let form = server
            .request(Method::POST, &path)
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body("");
        for request in [server.request(Method::POST, &path), form] {
            let problem = server.send(request).await.expect_problem(400, "malformed_json");
            let detail = "the body is empty; it must be a JSON object";
            assert_eq!(problem["detail"], detail, "{path}");
        }
    }
    let page = server.get("/problems/unsupported_media_type").await.body;
    assert!(page.contains("A JSON object needs no"), "{page}");
}

async fn a_body_too_large_is_refused_with_and_without_content_length() {
    let server = Server::start_with(|settings| settings.limits.body_bytes = 2_000).await;
    for route in json_operations() {
        let mut body = valid_body(&route);
        body["fen"] = "x".repeat(3_000).into();
        server.post_expecting_problem(&route.path, &body, 413, "body_too_large").await;
    }
    let chunks = format!("3e8\r\n{}\r\n", "x".repeat(1_000)).repeat(3);
    let answer = send_raw(
        server.address,
        "/v1/legal-moves",
        &format!("transfer-encoding: chunked\r\n\r\n{chunks}0\r\n\r\n"),
    )
    .await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "a body of unknown length: {answer}");
    server
        .post_text("/v1/legal-moves", "x".repeat(50_000))
        .await
        .expect_problem(413, "body_too_large");
    let fits = json!({ "fen": "startpos", "moves": ["e4"], "packed": "x".repeat(1_900) });
    server.post_expecting_problem("/v1/legal-moves", &fits, 422, "invalid_request").await;
}

async fn a_slow_body_times_out() {
    let server = Server::start_with(|settings| {
        settings.http.body_timeout_ms = 100;
        settings.mcp.allowed_hosts = vec!["x".to_owned()];
    })
    .await;
    let mut paths: Vec<String> = json_operations().into_iter().map(|route| route.path).collect();
    paths.extend(["/v1".to_owned(), "/mcp".to_owned()]);
    for path in paths {
        let half = "content-length: 40\r\n\r\n{\"fen\": \"startpos\", ";
        let answer = send_raw(server.address, &path, half).await;
        assert!(answer.starts_with("HTTP/1.1 408 "), "{path}: {answer}");
        assert!(answer.contains("\"code\":\"request_timeout\""), "{path}: {answer}");
        coverage::record_response("POST", &path, 408);
    }
}

/// Sends the rest of a request's head and its body as raw text, which may be invalid. Returns the
/// first part of the response.
async fn send_raw(address: SocketAddr, path: &str, rest: &str) -> String {
    let request =
        format!("POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n{rest}");
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = vec![0; 4_096];
    let length = timeout(Duration::from_secs(10), stream.read(&mut answer))
        .await
        .expect("an answer in time")
        .unwrap();
    String::from_utf8_lossy(&answer[..length]).into_owned()
}

/// The codes and pointers of an `invalid_request` problem.
fn request_errors(problem: &Value) -> Vec<(&str, &str)> {
    let errors = problem["errors"].as_array().expect("errors").iter();
    errors
        .map(|error| {
            assert!(error["detail"].as_str().is_some_and(|detail| !detail.is_empty()));
            (error["code"].as_str().expect("a code"), error["pointer"].as_str().expect("a pointer"))
        })
        .collect()
}

async fn all_errors_are_reported_at_once() {
    let server = Server::start().await;
    for route in position_operations() {
        let body = json!({ "fen": 7, "moves": ["e4", null, {}], "a/b": true });
        let problem =
            server.post_expecting_problem(&route.path, &body, 422, "invalid_request").await;
        let errors = request_errors(&problem);
        for error in [
            ("wrong_type", "/fen"),
            ("wrong_type", "/moves/1"),
            ("wrong_type", "/moves/2"),
            ("unknown_member", "/a~1b"),
        ] {
            assert!(errors.contains(&error), "{error:?} is not in {errors:?}");
        }
        for body in [json!([]), json!("startpos"), json!(null), json!(3)] {
            let problem =
                server.post_expecting_problem(&route.path, &body, 422, "invalid_request").await;
            assert_eq!(self::request_errors(&problem), [("wrong_type", "")]);
        }
    }
    let body = json!({
        "fen": "startpos", "depth": 0, "nodes": -1, "movetime_ms": 1.5, "mate": "2", "threads": 0,
        "fresh": 1,
    });
    let problem =
        server.post_expecting_problem("/v1/best-move", &body, 422, "invalid_request").await;
    let mut all = request_errors(&problem);
    all.sort_unstable();
    assert_eq!(
        all,
        [
            ("conflict", "/depth"),
            ("out_of_range", "/depth"),
            ("out_of_range", "/nodes"),
            ("out_of_range", "/threads"),
            ("wrong_type", "/fresh"),
            ("wrong_type", "/mate"),
            ("wrong_type", "/movetime_ms"),
        ]
    );
    let problem = server
        .post_expecting_problem("/v1/perft", &json!({ "fen": "startpos" }), 422, "invalid_request")
        .await;
    assert_eq!(request_errors(&problem), [("missing", "/depth")]);
    let problem =
        server.post_expecting_problem("/v1/play", &json!({}), 422, "invalid_request").await;
    assert_eq!(request_errors(&problem), [("missing", "/moves"), ("missing", "/fen")]);
}

async fn null_has_the_wrong_type() {
    let server = Server::start().await;
    for member in
        ["fen", "packed", "moves", "depth", "nodes", "movetime_ms", "mate", "threads", "fresh"]
    {
        let mut body = json!({ "fen": "startpos" });
        if member == "packed" {
            body = json!({});
        }
        body[member] = Value::Null;
        let problem =
            server.post_expecting_problem("/v1/best-move", &body, 422, "invalid_request").await;
        assert_eq!(request_errors(&problem), [("wrong_type", format!("/{member}").as_str())]);
    }
}

async fn a_duplicate_member_is_refused() {
    let server = Server::start().await;
    let answer =
        server.post_text("/v1/legal-moves", r#"{"fen": "startpos", "fen": "startpos"}"#).await;
    assert_eq!(
        request_errors(&answer.expect_problem(422, "invalid_request")),
        [("conflict", "/fen")]
    );
}

async fn fen_and_packed_exclude_each_other_and_one_is_required() {
    let server = Server::start().await;
    for route in position_operations() {
        let mut both = valid_body(&route);
        both["packed"] = "HvP66f522220AAAAAkkkk9nG-2M-h4A".into();
        let problem =
            server.post_expecting_problem(&route.path, &both, 422, "invalid_request").await;
        assert_eq!(request_errors(&problem), [("conflict", "/packed")]);
        let mut neither = valid_body(&route);
        neither.as_object_mut().unwrap().remove("fen");
        let problem =
            server.post_expecting_problem(&route.path, &neither, 422, "invalid_request").await;
        assert_eq!(request_errors(&problem), [("missing", "/fen")]);
    }
}

async fn too_many_moves_are_out_of_range() {
    let server = Server::start_with(|settings| settings.limits.moves = 4).await;
    let body = json!({ "fen": "startpos", "moves": ["Nf3", "Nf6", "Ng1", "Ng8", "Nf3"] });
    let problem =
        server.post_expecting_problem("/v1/legal-moves", &body, 422, "invalid_request").await;
    assert_eq!(request_errors(&problem), [("out_of_range", "/moves")]);
    let body = json!({ "fen": "startpos", "moves": ["e4"], "undo": 2 });
    let problem = server.post_expecting_problem("/v1/play", &body, 422, "invalid_request").await;
    assert_eq!(request_errors(&problem), [("out_of_range", "/undo")]);
    let body = json!({ "fen": "startpos", "moves": ["e4", 4], "undo": 2 });
    let problem = server.post_expecting_problem("/v1/play", &body, 422, "invalid_request").await;
    assert_eq!(
        request_errors(&problem),
        [("wrong_type", "/moves/1")],
        "undo is not checked without valid moves"
    );
    for (route, body, errors) in [
        (
            "/v1/legal-moves",
            json!({ "fen": 7, "moves": ["Nf3", "Nf6", "Ng1", "Ng8", "Nf3"] }),
            [("wrong_type", "/fen"), ("out_of_range", "/moves")],
        ),
        (
            "/v1/play",
            json!({ "fen": "startpos", "moves": ["e4"], "undo": 2, "bit_order": "x" }),
            [("unknown_value", "/bit_order"), ("out_of_range", "/undo")],
        ),
    ] {
        let problem = server.post_expecting_problem(route, &body, 422, "invalid_request").await;
        assert_eq!(request_errors(&problem), errors, "other errors hide none");
    }
}

async fn every_error_of_a_fen_is_reported() {
    let server = Server::start().await;
    for route in position_operations() {
        let mut body = valid_body(&route);
        body["fen"] = "rnbqqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNX x KQkq e9 -1 1".into();
        let problem = server.post_expecting_problem(&route.path, &body, 422, "invalid_fen").await;
        let errors = problem["errors"].as_array().unwrap();
        for (code, field, text) in [
            ("unknown_piece", "board", "X"),
            ("side_unknown", "side", "x"),
            ("clock_not_a_number", "halfmove_clock", "-1"),
        ] {
            let found = errors.iter().any(|error| {
                error["code"] == code
                    && error["field"] == field
                    && error["text"].as_str().is_some_and(|given| given.contains(text))
            });
            assert!(found, "{code} is not in {errors:?}");
        }
        assert_eq!(problem["detail"], errors[0]["detail"], "the detail is that of the first error");
        let mut body = valid_body(&route);
        body.as_object_mut().unwrap().remove("fen");
        body["packed"] = "AAAA".into();
        let problem = server.post_expecting_problem(&route.path, &body, 422, "invalid_fen").await;
        assert_eq!(
            (&problem["errors"][0]["code"], &problem["errors"][0]["field"]),
            (&json!("packed_form"), &json!("packed"))
        );
    }
}

/// The details of a refused FEN: of the problem, and of its first error.
async fn details_of_invalid_fen(server: &Server, fen: &str) -> [String; 2] {
    let answer = server.post("/v1/legal-moves", &json!({ "fen": fen })).await;
    let problem = answer.expect_problem(422, "invalid_fen");
    [&problem["detail"], &problem["errors"][0]["detail"]]
        .map(|detail| detail.as_str().unwrap().to_owned())
}

async fn an_incomplete_fen_names_its_missing_fields() {
    let server = Server::start().await;
    let board = START_FEN.split(' ').next().unwrap();
    for (fen, expected) in [
        (
            board,
            "the FEN has 1 field; it must have 4, 5 or 6; side to move, castling rights and en \
             passant square are missing",
        ),
        ("", "the FEN is empty; it must have 4, 5 or 6 fields"),
    ] {
        assert_eq!(details_of_invalid_fen(&server, fen).await, [expected; 2], "{fen}");
    }
}

async fn a_word_like_startpos_suggests_it() {
    let server = Server::start().await;
    for (fen, suggestion) in [
        ("Startpos", "; did you mean startpos?"),
        ("start", "; did you mean startpos?"),
        ("startposition", "; did you mean startpos?"),
        ("\"startpos\"", "; did you mean startpos?"),
        (" startpos", "; did you mean startpos?"),
        ("startpos moves e4", "; did you mean startpos? Put moves in the member moves"),
        ("startpos moves e4 e5", "; did you mean startpos? Put moves in the member moves"),
    ] {
        for detail in details_of_invalid_fen(&server, fen).await {
            assert!(detail.ends_with(suggestion), "{fen}: {detail}");
        }
    }
    for detail in details_of_invalid_fen(&server, "nonsense").await {
        assert!(!detail.contains("startpos"), "{detail}");
    }
}

async fn an_illegal_move_is_reported_with_its_index() {
    let server = Server::start().await;
    let cases: [(&str, &[&str], usize, &str); 4] = [
        ("startpos", &["e4", "castle"], 1, "not_a_move"),
        ("startpos", &["e4", "e4"], 1, "not_legal"),
        ("4k3/8/8/8/8/8/4K3/R6R w - - 0 1", &["Rd1"], 0, "ambiguous"),
        ("startpos", &["f3", "e5", "g4", "Qh4#", "a3"], 4, "game_over"),
    ];
    for route in position_operations() {
        for (fen, moves, index, why) in cases {
            let mut body = valid_body(&route);
            body["fen"] = fen.into();
            body["moves"] = moves.into();
            let problem =
                server.post_expecting_problem(&route.path, &body, 422, "illegal_move").await;
            let reported = (&problem["index"], &problem["text"], &problem["why"]);
            assert_eq!(reported, (&json!(index), &json!(moves[index]), &json!(why)), "{body}");
        }
    }
}

async fn a_promotion_without_its_piece_is_told_how_to_write_it() {
    let server = Server::start().await;
    let fen = "1n5k/P7/8/8/8/8/8/4K3 w - - 0 1";
    for (text, why, expected) in [
        ("a7a8", "not_legal", "is not legal in that position; add the piece, as in a7a8q or a8=Q"),
        ("a8", "ambiguous", "matches more than one legal move; add the piece, as in a7a8q or a8=Q"),
        (
            "a7b8",
            "not_legal",
            "is not legal in that position; add the piece, as in a7b8q or axb8=Q",
        ),
        ("a6", "not_legal", "is not legal in that position"),
    ] {
        for (path, list) in [("/v1/legal-moves", "moves"), ("/v1/analysis", "searchmoves")] {
            let answer = server.post(path, &json!({ "fen": fen, list: [text] })).await;
            let problem = answer.expect_problem(422, "illegal_move");
            assert_eq!(problem["detail"], format!("{list}[0], {text:?}, {expected}"));
            assert_eq!(problem["why"], why);
        }
    }
}

async fn long_texts_are_truncated_in_problems() {
    let server = Server::start().await;
    let body = json!({ "fen": "startpos", "moves": ["é".repeat(500)] });
    let problem =
        server.post_expecting_problem("/v1/legal-moves", &body, 422, "illegal_move").await;
    assert_eq!(problem["text"], "é".repeat(200));
    let body = json!({ "fen": "é".repeat(500) });
    let problem = server.post_expecting_problem("/v1/legal-moves", &body, 422, "invalid_fen").await;
    for error in problem["errors"].as_array().unwrap() {
        assert!(error["text"].as_str().unwrap().chars().count() <= 200);
    }
}

async fn a_valid_request_id_is_kept() {
    let server = Server::start().await;
    let longest = "~".repeat(128);
    for id in ["x", "client-7/3", longest.as_str()] {
        let answer =
            server.send(server.request(Method::GET, "/livez").header("x-request-id", id)).await;
        assert_eq!(answer.header("x-request-id"), id);
    }
    let refused =
        server.send(server.request(Method::GET, "/nowhere").header("x-request-id", "mine")).await;
    assert_eq!(refused.expect_problem(404, "not_found")["request_id"], "mine");
}

async fn an_invalid_request_id_is_replaced() {
    let server = Server::start().await;
    let too_long = "x".repeat(129);
    let mut ids = Vec::new();
    for id in ["", "two words", too_long.as_str()] {
        let answer =
            server.send(server.request(Method::GET, "/livez").header("x-request-id", id)).await;
        ids.push(answer.header("x-request-id").to_owned());
    }
    ids.push(server.get("/livez").await.header("x-request-id").to_owned());
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 4, "two requests have the same id: {ids:?}");
    assert!(ids.iter().all(|id| !id.is_empty()
        && id.len() < 129
        && id.bytes().all(|byte| byte.is_ascii_graphic())));
}

async fn every_request_is_logged_in_one_line() {
    let server = Server::start().await;
    let request = server
        .request(Method::POST, "/v1/legal-moves")
        .header("x-request-id", "one-line-of-the-log");
    server.send(request.json(&json!({ "fen": "startpos" }))).await;
    let lines = log::wait_for_lines("one-line-of-the-log").await;
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(lines[0]["method"], "POST");
    assert_eq!(lines[0]["path"], "/v1/legal-moves");
    assert_eq!(lines[0]["status"], 200);
    assert!(lines[0]["duration_ms"].is_number());
}

async fn cors_is_off_until_origins_are_configured() {
    let server = Server::start().await;
    let answer = server
        .send(server.request(Method::GET, "/livez").header("origin", "https://chess.example"))
        .await;
    assert!(
        answer.headers.keys().all(|name| !name.as_str().starts_with("access-control-")),
        "{:?}",
        answer.headers
    );
}

async fn a_configured_origin_may_read_the_exposed_headers() {
    let server = Server::start_with(|settings| {
        settings.http.cors_origins = vec!["https://chess.example".to_owned()]
    })
    .await;
    let request_from = |origin| server.request(Method::GET, "/livez").header("origin", origin);
    let answer = server.send(request_from("https://chess.example")).await;
    assert_eq!(answer.header("access-control-allow-origin"), "https://chess.example");
    let exposed = answer.header("access-control-expose-headers").to_ascii_lowercase();
    for header in [
        "x-request-id",
        "retry-after",
        "location",
        "server-timing",
        "etag",
        "ratelimit",
        "ratelimit-policy",
    ] {
        assert!(
            exposed.split(',').any(|name| name.trim() == header),
            "{header} is not in {exposed}"
        );
    }
    let other = server.send(request_from("https://elsewhere.example")).await;
    assert_ne!(other.header("access-control-allow-origin"), "https://elsewhere.example");
    let preflight = server
        .request(Method::OPTIONS, "/v1/best-move")
        .header("origin", "https://chess.example")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "content-type");
    let preflight = server.send(preflight).await;
    assert_eq!(preflight.status, 200);
    assert!(preflight.header("access-control-allow-methods").contains("POST"));
    assert!(!preflight.header("x-request-id").is_empty());
}
