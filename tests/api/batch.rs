//! Batches: many positions in one request.

pub(crate) mod lifecycle;

use std::collections::BTreeSet;
use std::time::Duration;

use kibitzer_loadtest::random_positions;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::server_process::ServerProcess;
use crate::support::{Server, Stream, assert_win_chances, coverage, rss};

crate::trials![
    every_answer_has_the_id_and_index_of_its_line,
    a_line_with_multipv_is_answered_with_lines,
    a_line_with_elo_is_answered_with_the_move_of_a_weaker_player,
    an_invalid_strength_of_a_line_is_refused,
    scores_can_be_reported_from_whites_point_of_view,
    a_bad_line_fails_alone,
    blank_lines_count_but_are_not_answered,
    lines_beyond_the_limits_are_not_read_and_earlier_ones_are_answered,
    a_long_batch_does_not_grow_memory,
    a_batch_must_not_be_declared_as_another_type_than_ndjson_or_json,
    an_array_is_answered_like_lines,
    a_bad_element_fails_alone,
    an_error_of_an_array_says_what_is_wrong_and_where,
    an_error_of_a_line_says_that_a_line_is_a_whole_object,
    an_error_of_a_line_has_the_number_of_the_line_in_the_body,
    several_objects_on_one_line_are_reported,
    a_json_body_that_is_not_an_array_is_refused,
    an_undeclared_body_is_an_array_if_it_begins_with_a_bracket,
    an_array_without_its_end_is_broken,
];

const PATH: &str = "/v1/batch";

fn body(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

async fn open_batch(server: &Server, body: String) -> Stream {
    let request = server
        .request(Method::POST, PATH)
        .header("content-type", "application/x-ndjson")
        .body(body);
    Stream::open(server, request, "application/x-ndjson").await
}

/// All answers of a batch sorted by index, and the end line.
async fn collect_answers(server: &Server, body: String) -> (Vec<Value>, Value) {
    let mut lines = open_batch(server, body).await.remaining_lines().await;
    let end = lines.pop().unwrap();
    assert_eq!(end["type"], "end", "{end}");
    lines.sort_by_key(|line| line["index"].as_u64().unwrap());
    (lines, end)
}

async fn every_answer_has_the_id_and_index_of_its_line() {
    let server = Server::start().await;
    let lines: Vec<Value> = (0..40)
        .map(|number| {
            let (id, depth) = (format!("line {number}"), number % 4 + 1);
            json!({ "id": id, "fen": "startpos", "moves": ["e4"], "depth": depth })
        })
        .collect();
    let (answers, end) = collect_answers(&server, body(&lines)).await;
    assert_eq!(
        (&end["reason"], &end["answered"], &end["failed"]),
        (&json!("done"), &json!(40), &json!(0))
    );
    for (index, answer) in answers.iter().enumerate() {
        assert_eq!(
            (&answer["index"], &answer["id"]),
            (&json!(index), &json!(format!("line {index}")))
        );
        assert!(answer["depth"].as_u64().unwrap() > index as u64 % 4, "{answer}");
        assert_eq!(answer["type"], "answer");
        assert!(
            answer["best_move"].is_string() && answer["pv"].is_array() && answer["fen"].is_string()
        );
    }
}

async fn a_line_with_multipv_is_answered_with_lines() {
    let server = Server::start().await;
    let lines = [
        json!({ "id": 1, "fen": "startpos", "depth": 3, "multipv": 2 }),
        json!({ "id": -25, "fen": "startpos", "depth": 3 }),
        json!({ "fen": "startpos", "depth": 3, "multipv": 50 }),
    ];
    let (answers, _) = collect_answers(&server, body(&lines)).await;
    assert_eq!((answers[0]["lines"].as_array().unwrap().len(), answers[0].get("pv")), (2, None));
    assert_eq!((answers[1].get("lines"), &answers[1]["id"]), (None, &json!(-25)));
    assert_eq!((&answers[2]["id"], &answers[2]["clamped"][0]["given"]), (&Value::Null, &json!(5)));
}

async fn a_line_with_elo_is_answered_with_the_move_of_a_weaker_player() {
    let server = Server::start_with(|settings| settings.idle.positions = 0).await;
    let entries = async || server.get("/v1/limits").await.json()["dictionary"]["entries"].clone();
    server.post_ok("/v1/best-move", &json!({ "fen": "startpos", "depth": 10 })).await;
    assert_eq!(entries().await, 1);
    let weak = json!({ "fen": "startpos", "elo": 800, "threads": 2 });
    let (answers, end) = collect_answers(&server, body(&vec![weak; 64])).await;
    assert_eq!((&end["answered"], &end["failed"]), (&json!(64), &json!(0)));
    let mut moves = BTreeSet::new();
    for answer in &answers {
        assert_eq!(
            (&answer["memory"], &answer["source"], &answer["shared"], &answer["reason"]),
            (&json!("not_asked"), &json!("search"), &json!(false), &json!("nodes"))
        );
        assert_eq!(answer["clamped"], json!([{ "member": "threads", "asked": 2, "given": 1 }]));
        assert_eq!(answer["best_move"], answer["pv"][0]);
        moves.insert(answer["best_move"].as_str().unwrap());
    }
    assert!(moves.len() > 1, "{moves:?}");
    assert_eq!(entries().await, 1);
}

async fn an_invalid_strength_of_a_line_is_refused() {
    let server = Server::start().await;
    let lines = [
        (json!({ "fen": "startpos", "elo": 799 }), "out_of_range"),
        (json!({ "fen": "startpos", "elo": 1500, "mate": 2 }), "conflict"),
        (json!({ "fen": "startpos", "elo": 1500, "fresh": true }), "conflict"),
        (json!({ "fen": "startpos", "elo": 1500, "multipv": 2 }), "conflict"),
    ];
    let (answers, end) = collect_answers(&server, body(&lines.clone().map(|(line, _)| line))).await;
    assert_eq!((&end["answered"], &end["failed"]), (&json!(0), &json!(4)));
    for (answer, (line, code)) in answers.iter().zip(lines) {
        let error = &answer["error"]["errors"][0];
        assert_eq!((&error["code"], &error["pointer"]), (&json!(code), &json!("/elo")), "{line}");
    }
}

async fn scores_can_be_reported_from_whites_point_of_view() {
    let server = Server::start().await;
    // Black is a queen up.
    let fen = "3qk3/8/8/8/8/8/8/4K3 b - - 0 1";
    let lines = [
        json!({ "fen": fen, "depth": 4 }),
        json!({ "fen": fen, "depth": 4, "pov": "white" }),
        json!({ "fen": fen, "depth": 4, "pov": "white", "multipv": 2 }),
    ];
    let (answers, _) = collect_answers(&server, body(&lines)).await;
    let is_positive = |answer: &Value| answer["score"]["value"].as_i64().unwrap() > 0;
    assert_eq!(answers.iter().map(is_positive).collect::<Vec<_>>(), [true, false, false]);
    assert!(!is_positive(&answers[2]["lines"][1]), "{}", answers[2]);
    assert_win_chances(&answers[2]["lines"]);
}

async fn a_bad_line_fails_alone() {
    let server = Server::start().await;
    let good = json!({ "id": "good", "fen": "startpos", "depth": 1 });
    let long = json!({ "id": "long", "fen": "x".repeat(70_000) });
    let lines = [
        good.to_string(),
        "{\"id\": \"cut".to_owned(),
        json!({ "id": "fen", "fen": "8/8/8/8/8/8/8/8 w - - 0 1" }).to_string(),
        json!({ "id": 7, "fen": "startpos", "moves": ["e5"] }).to_string(),
        json!({ "id": "session", "fen": "startpos", "session": "s" }).to_string(),
        json!({ "id": [], "fen": "startpos", "depth": 1 }).to_string(),
        long.to_string(),
        good.to_string(),
    ];
    let (answers, end) = collect_answers(&server, lines.join("\n")).await;
    assert_eq!(
        (&end["reason"], &end["answered"], &end["failed"]),
        (&json!("done"), &json!(2), &json!(6))
    );
    let errors: Vec<_> =
        answers.iter().map(|line| (line["id"].clone(), line["error"]["code"].as_str())).collect();
    assert_eq!(
        errors,
        [
            (json!("good"), None),
            (Value::Null, Some("malformed_json")),
            (json!("fen"), Some("invalid_fen")),
            (json!(7), Some("illegal_move")),
            (json!("session"), Some("invalid_request")),
            (Value::Null, Some("invalid_request")),
            (Value::Null, Some("body_too_large")),
            (json!("good"), None),
        ]
    );
    let types: Vec<_> = answers.iter().map(|line| line["type"].as_str().unwrap()).collect();
    let expected = ["answer", "error", "error", "error", "error", "error", "error", "answer"];
    assert_eq!(types, expected);
    let error = &answers[2]["error"];
    assert_eq!(
        (&error["type"], &error["status"], &error["instance"]),
        (&json!("/problems/invalid_fen"), &json!(422), &json!(PATH))
    );
}

async fn blank_lines_count_but_are_not_answered() {
    let server = Server::start().await;
    let line = json!({ "fen": "startpos", "depth": 1 });
    let (answers, end) = collect_answers(&server, format!("\n{line}\r\n  \n{line}")).await;
    assert_eq!(answers.iter().map(|line| &line["index"]).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(end["answered"], 2);
}

async fn lines_beyond_the_limits_are_not_read_and_earlier_ones_are_answered() {
    let server = Server::start_with(|settings| settings.batch.lines = 3).await;
    let line = json!({ "fen": "startpos", "depth": 1 });
    let (found, end) =
        collect_answers(&server, body(&[line.clone(), line.clone(), line.clone(), line.clone()]))
            .await;
    assert_eq!((found.len(), &end["reason"]), (3, &json!("too_large")));
    let detail = "the body has more than 3 lines (batch.lines); the server read 3 lines; send the \
                  rest in another batch";
    assert_eq!(end["detail"], detail);
    let server = Server::start_with(|settings| settings.batch.bytes = 2_000).await;
    let whole_lines = 2_000 / (line.to_string().len() + 1);
    let (found, end) = collect_answers(&server, body(&vec![line; 1_000])).await;
    assert_eq!(
        (found.len(), &end["reason"], &end["answered"]),
        (whole_lines, &json!("too_large"), &json!(whole_lines))
    );
    let detail = format!(
        "the body is larger than 2000 bytes (batch.bytes); the server read {whole_lines} lines; \
         send the rest in another batch"
    );
    assert_eq!(end["detail"], detail);
    let limits = server.get("/v1/limits").await.json();
    assert_eq!(limits["batch"], json!({ "max": 8, "lines": 10_000, "bytes": 2_000 }));
}

/// The server has its own process, because other tests allocate memory in this one.
async fn a_long_batch_does_not_grow_memory() {
    let server = ServerProcess::start(&[("KIBITZER__IDLE__POSITIONS", "0")]).await;
    let resident_mb = || rss::status_kib(server.pid(), "VmRSS").unwrap_or(0) / 1_024;
    let fens = random_positions(800, 1);
    let lines: Vec<Value> = fens.iter().map(|fen| json!({ "fen": fen, "nodes": 300 })).collect();
    let mut after = Vec::new();
    for part in [&lines[..200], &lines[200..]] {
        let request = server
            .client
            .request(Method::POST, PATH)
            .header("content-type", "application/x-ndjson");
        let answer = server.client.send(request.body(body(part))).await;
        assert_eq!(answer.body.lines().count(), part.len() + 1);
        after.push(resident_mb());
    }
    // The cached analyses of 600 positions take 2 MB; each of their searches took half a megabyte.
    assert!(after[1] <= after[0] + 30, "{after:?}");
}

async fn a_batch_must_not_be_declared_as_another_type_than_ndjson_or_json() {
    let server = Server::start().await;
    let request = server.request(Method::POST, PATH).header("content-type", "application/x-ndjson");
    let plain = server.send(request.header("content-encoding", "identity").body("{}")).await;
    assert_eq!(plain.status, 200, "`identity` is no encoding");
    for kind in ["application/x-ndjson", "application/json"] {
        let request = server.request(Method::POST, PATH).header("content-type", kind);
        let packed = server.send(request.header("content-encoding", "gzip").body("[]")).await;
        packed.expect_problem(415, "unsupported_media_type");
    }
    let request = server.request(Method::POST, PATH).header("content-type", "text/plain");
    server.send(request.body("{}")).await.expect_problem(415, "unsupported_media_type");
}

/// All answers of a batch with a body of this media type, sorted by index, and the end line.
async fn collect_answers_of(
    server: &Server,
    media_type: Option<&str>,
    body: String,
) -> (Vec<Value>, Value) {
    let request = server.request(Method::POST, PATH).body(body);
    let answer = server
        .send(match media_type {
            Some(media_type) => request.header("content-type", media_type),
            None => request,
        })
        .await;
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, "application/x-ndjson"),
        "{}",
        answer.body
    );
    let mut lines: Vec<Value> =
        answer.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let end = lines.pop().unwrap();
    assert_eq!(end["type"], "end", "{end}");
    lines.sort_by_key(|line| line["index"].as_u64().unwrap());
    (lines, end)
}

async fn an_array_is_answered_like_lines() {
    let server = Server::start().await;
    let requests = json!([
        { "id": "a", "fen": "startpos", "depth": 2 },
        { "id": "]", "fen": "startpos", "moves": ["e4"], "depth": 2, "multipv": 2 },
    ]);
    let pretty = serde_json::to_string_pretty(&requests).unwrap();
    for body in [requests.to_string(), pretty] {
        let media_type = Some("application/json; charset=utf-8");
        let (answers, end) = collect_answers_of(&server, media_type, body).await;
        assert_eq!((&end["reason"], &end["answered"]), (&json!("done"), &json!(2)));
        assert_eq!((&answers[0]["id"], &answers[0]["type"]), (&json!("a"), &json!("answer")));
        assert_eq!((&answers[1]["id"], &answers[1]["type"]), (&json!("]"), &json!("answer")));
        assert!(answers[0]["pv"].is_array() && answers[1]["lines"].is_array());
    }
    let (answers, end) = collect_answers_of(&server, Some("application/json"), "[]".into()).await;
    assert_eq!((answers.len(), &end["reason"]), (0, &json!("done")));
}

async fn a_bad_element_fails_alone() {
    let server = Server::start().await;
    let good = r#"{"id": "good", "fen": "startpos", "depth": 1}"#;
    let long = json!({ "fen": "x".repeat(70_000) });
    let body = format!(
        "[{good}, 3, null, [{good}], , {}, {{}} x, {long}, {good}] x",
        json!({ "id": "fen", "fen": "" })
    );
    let (answers, end) = collect_answers_of(&server, Some("application/json"), body).await;
    let codes: Vec<_> = answers.iter().map(|line| line["error"]["code"].as_str()).collect();
    let expected = [
        None,
        Some("invalid_request"),
        Some("invalid_request"),
        Some("invalid_request"),
        Some("malformed_json"),
        Some("invalid_fen"),
        Some("malformed_json"),
        Some("body_too_large"),
        None,
        Some("malformed_json"),
    ];
    assert_eq!(codes, expected);
    assert_eq!((&end["answered"], &end["failed"]), (&json!(2), &json!(8)));
}

/// The details of the errors of a batch, by index: of a member if one is wrong.
fn details(answers: &[Value]) -> Vec<(u64, &str)> {
    fn detail_of(answer: &Value) -> Option<(u64, &str)> {
        let error = answer.get("error")?;
        let detail = error["errors"][0]["detail"].as_str().or(error["detail"].as_str())?;
        Some((answer["index"].as_u64()?, detail))
    }
    answers.iter().filter_map(detail_of).collect()
}

async fn an_error_of_an_array_says_what_is_wrong_and_where() {
    let server = Server::start().await;
    let good = r#"{"fen": "startpos", "depth": 1}"#;
    for (body, index, expected) in [
        (format!("[{good}, ]"), 1, "the array ends with a comma; remove it"),
        (
            format!("[{good}, , {good}]"),
            1,
            "a request is missing before a comma of the array; add one, or remove the comma",
        ),
        (
            format!("[{good}]\n x"),
            1,
            "text follows the `]` that ends the array; the body must end there",
        ),
        (format!("[{good}, 3]"), 1, "the element is 3; it must be an object"),
        (format!("[{good}, {{}} x]"), 1, "trailing characters at line 1, column 4 of the element"),
    ] {
        let (answers, _) = collect_answers_of(&server, Some("application/json"), body).await;
        assert_eq!(details(&answers), [(index, expected)]);
        let error = &answers[1]["error"];
        let has_position = expected.contains("column");
        assert_eq!(error["line"].is_u64() && error["column"].is_u64(), has_position, "{error}");
    }
}

async fn an_error_of_a_line_says_that_a_line_is_a_whole_object() {
    let server = Server::start().await;
    let (answers, _) = collect_answers_of(&server, None, "3\n".to_owned()).await;
    assert_eq!(details(&answers), [(0, "the line is 3; it must be an object")]);
    let request = json!({ "fen": "startpos", "depth": 1 });
    let pretty = serde_json::to_string_pretty(&request).unwrap();
    let (answers, end) = collect_answers_of(&server, None, pretty).await;
    let hint = "; each line must be a whole JSON object: write it on one line, or send an array of \
                objects";
    assert_eq!((&end["answered"], &end["failed"]), (&json!(0), &json!(4)));
    let details = details(&answers);
    assert!(details.iter().all(|(_, detail)| detail.ends_with(hint)), "{details:?}");
    let first = format!("the text ends within an object at column 2 of the line{hint}");
    assert_eq!(details[0], (0, first.as_str()));
}

async fn an_error_of_a_line_has_the_number_of_the_line_in_the_body() {
    let server = Server::start().await;
    let good = r#"{"fen": "startpos", "depth": 1}"#;
    let body = format!("\n{good}\n \n{{\"fen\": }}\n");
    for media_type in [None, Some("application/x-ndjson")] {
        let (answers, _) = collect_answers_of(&server, media_type, body.clone()).await;
        assert_eq!(details(&answers), [(3, "expected value at column 9 of the line")]);
        let error = &answers[1]["error"];
        assert_eq!((&error["line"], &error["column"]), (&json!(4), &json!(9)));
    }
}

/// curl removes the line breaks of a file if it is sent with `-d`.
async fn several_objects_on_one_line_are_reported() {
    let server = Server::start().await;
    let good = r#"{"fen": "startpos", "depth": 1}"#;
    for (between, rest, column) in [("", good, 32), ("  ", "{", 34), ("", r#"{"fen": "#, 32)] {
        let body = format!("{good}{between}{rest}");
        let (answers, _) = collect_answers_of(&server, None, body).await;
        let expected = format!(
            "trailing characters at column {column} of the line: several objects on one line; \
             with curl use --data-binary"
        );
        assert_eq!(details(&answers), [(0, expected.as_str())]);
    }
    let (answers, _) = collect_answers_of(&server, None, format!("{good} }}")).await;
    assert_eq!(details(&answers), [(0, "trailing characters at column 33 of the line")]);
    let long = good.repeat(3_000);
    let (answers, _) = collect_answers_of(&server, None, long).await;
    assert!(details(&answers)[0].1.ends_with("--data-binary"), "{answers:?}");
}

async fn a_json_body_that_is_not_an_array_is_refused() {
    let server = Server::start_with(|settings| settings.http.body_timeout_ms = 500).await;
    for body in ["", " \n", "{}", r#"{"fen": "startpos"}"#, "3"] {
        let request = server.request(Method::POST, PATH).header("content-type", "application/json");
        let problem = server.send(request.body(body)).await.expect_problem(422, "invalid_request");
        assert_eq!(
            (&problem["errors"][0]["code"], &problem["errors"][0]["pointer"]),
            (&json!("wrong_type"), &json!("")),
            "{body:?}"
        );
        let found = if body.trim().is_empty() { "empty" } else { "not an array" };
        let detail = problem["errors"][0]["detail"].as_str().unwrap();
        assert!(detail.starts_with(&format!("the body is {found}; ")), "{body:?}: {detail}");
    }
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "POST {PATH} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
         content-length: 20\r\n\r\n "
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut late = [0; 12];
    timeout(Duration::from_secs(10), stream.read_exact(&mut late)).await.unwrap().unwrap();
    assert_eq!(&late, b"HTTP/1.1 408");
    coverage::record_response("POST", PATH, 408);
}

async fn an_undeclared_body_is_an_array_if_it_begins_with_a_bracket() {
    let server = Server::start().await;
    let line = json!({ "fen": "startpos", "depth": 1 });
    for media_type in [None, Some("application/x-www-form-urlencoded")] {
        for body in [format!("\n [{line},\n{line}]"), format!("{line}\n{line}")] {
            let (answers, _) = collect_answers_of(&server, media_type, body).await;
            let indexes: Vec<_> = answers.iter().map(|answer| &answer["index"]).collect();
            assert_eq!(indexes, [0, 1]);
            assert!(answers.iter().all(|answer| answer["best_move"].is_string()), "{answers:?}");
        }
    }
}

async fn an_array_without_its_end_is_broken() {
    let server = Server::start().await;
    let body = r#"[{"fen": "startpos", "depth": 1}, {"fen": "#.to_owned();
    let (answers, end) = collect_answers_of(&server, Some("application/json"), body).await;
    assert!(answers[0]["best_move"].is_string(), "{}", answers[0]);
    assert_eq!(answers[1]["error"]["code"], "malformed_json");
    assert_eq!(end["reason"], "broken");
}
