//! Submission of review jobs.

use std::time::Duration;

use reqwest::{Method, RequestBuilder};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{PATH, PGN, accepted_job, pgn_request, submit};
use crate::support::{Server, coverage};

crate::trials![
    equivalent_bodies_give_the_same_job,
    latin_1_pgn_is_read,
    other_media_types_are_refused,
    limits_may_be_in_the_query_but_not_twice,
    limits_above_a_cap_are_clamped_and_reported,
    a_bad_game_fails_alone,
    a_text_without_a_game_is_refused_with_its_line,
    a_text_that_is_too_large_is_refused,
    a_slow_body_times_out,
    an_idempotency_key_gives_the_same_job_and_refuses_another_body,
    an_invalid_idempotency_key_is_refused,
];

async fn equivalent_bodies_give_the_same_job() {
    let server = Server::start().await;
    let key = |request: RequestBuilder| request.header("idempotency-key", "each-kind");
    let first =
        accepted_job(&server.send(key(pgn_request(&server, "?depth=3&multipv=2", PGN))).await);
    for kind in ["application/vnd.chess-pgn", "text/plain; charset=utf-8", "Text/Plain"] {
        let request = server
            .request(Method::POST, "/v1/games?depth=3&multipv=2")
            .header("content-type", kind)
            .body(PGN);
        assert_eq!(accepted_job(&server.send(key(request)).await)["id"], first["id"], "{kind}");
    }
    let body = json!({ "pgn": PGN, "depth": 3, "multipv": 2 });
    let request = server.request(Method::POST, PATH).json(&body);
    assert_eq!(accepted_job(&server.send(key(request)).await)["id"], first["id"]);
    server.wait_for_review(first["url"].as_str().unwrap()).await;
}

async fn latin_1_pgn_is_read() {
    let server = Server::start().await;
    let job = accepted_job(
        &server
            .send(pgn_request(&server, "?depth=1", b"[White \"M\xfcller\"]\n\n1. e4 *".to_vec()))
            .await,
    );
    let review = server.wait_for_review(job["url"].as_str().unwrap()).await;
    assert_eq!(review["games"][0]["headers"]["White"], "Müller");
}

async fn other_media_types_are_refused() {
    let server = Server::start().await;
    for kind in ["application/x-ndjson", "text/html", "application/pgn"] {
        let request = server.request(Method::POST, PATH).header("content-type", kind).body(PGN);
        server.send(request).await.expect_problem(415, "unsupported_media_type");
    }
    let media_types =
        "application/x-chess-pgn, application/vnd.chess-pgn, text/plain or application/json";
    let undeclared = server.send(server.request(Method::POST, PATH).body(PGN)).await;
    assert_eq!(
        undeclared.expect_problem(415, "unsupported_media_type")["detail"],
        format!("the header Content-Type is missing; it must be {media_types}")
    );
    let form = "application/x-www-form-urlencoded";
    let request = server.request(Method::POST, PATH).header("content-type", form).body(PGN);
    assert_eq!(
        server.send(request).await.expect_problem(415, "unsupported_media_type")["detail"],
        format!("Content-Type is {form:?}; it must be {media_types}")
    );
    let packed = pgn_request(&server, "", PGN).header("content-encoding", "gzip");
    server.send(packed).await.expect_problem(415, "unsupported_media_type");
    server.post_text(PATH, "{\"pgn\": ").await.expect_problem(400, "malformed_json");
    server
        .send(pgn_request(&server, "?depth=%zz", PGN))
        .await
        .expect_problem(400, "malformed_query");
}

async fn limits_may_be_in_the_query_but_not_twice() {
    let server = Server::start().await;
    let by_query = server
        .send(server.request(Method::POST, "/v1/games?nodes=500").json(&json!({ "pgn": PGN })))
        .await;
    accepted_job(&by_query);
    let twice = server
        .request(Method::POST, "/v1/games?depth=4&nodes=9")
        .json(&json!({ "pgn": PGN, "depth": 4 }));
    let problem = server.send(twice).await.expect_problem(422, "invalid_request");
    assert_eq!(problem["errors"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&problem["errors"][0]["code"], &problem["errors"][0]["pointer"]),
        (&json!("conflict"), &json!("/depth"))
    );
    let unknown = server
        .send(pgn_request(&server, "?deep=4", PGN))
        .await
        .expect_problem(422, "invalid_request");
    assert_eq!(unknown["errors"][0]["code"], "unknown_member");
    for (body, code) in [
        (json!({ "depth": 3 }), "missing"),
        (json!({ "pgn": 3 }), "wrong_type"),
        (json!({ "pgn": PGN, "depth": 0 }), "out_of_range"),
        (json!({ "pgn": PGN, "fen": "startpos" }), "unknown_member"),
    ] {
        let problem = server.post_expecting_problem(PATH, &body, 422, "invalid_request").await;
        assert_eq!(problem["errors"][0]["code"], code, "{body}");
    }
}

async fn limits_above_a_cap_are_clamped_and_reported() {
    let server = Server::start_with(|settings| settings.limits.nodes = 2_000).await;
    let job = accepted_job(
        &server.post(PATH, &json!({ "pgn": "1. e4 *", "nodes": 1_000_000, "multipv": 50 })).await,
    );
    assert_eq!(
        job["clamped"],
        json!([
            { "member": "nodes", "asked": 1_000_000, "given": 2_000 },
            { "member": "multipv", "asked": 50, "given": 5 }
        ])
    );
    server.wait_for_review(job["url"].as_str().unwrap()).await;
}

async fn a_bad_game_fails_alone() {
    let server = Server::start().await;
    let pgn = format!(
        "{PGN}\n[White \"Cid\"]\n\n1. e4\nKe5 *\n\n\
         [Variant \"Atomic\"]\n\n1. e4 *\n\n1. d4 1/2-1/2\n"
    );
    let review =
        server.wait_for_review(&submit(&server, &json!({ "pgn": pgn, "depth": 2 })).await).await;
    let games = review["games"].as_array().unwrap();
    assert_eq!((games.len(), &review["progress"]["moves"]), (4, &json!(8)));
    let error = &games[1]["error"];
    assert_eq!(
        (&error["code"], &error["line"], &error["ply"], &error["text"]),
        (&json!("not_legal"), &json!(11), &json!(2), &json!("Ke5"))
    );
    assert_eq!((&games[1]["headers"]["White"], &games[1]["moves"]), (&json!("Cid"), &json!([])));
    assert_eq!(games[2]["error"]["code"], "unknown_variant");
    assert_eq!(
        (&games[3]["result"], games[3]["moves"].as_array().unwrap().len()),
        (&json!("1/2-1/2"), 1)
    );
}

async fn a_text_without_a_game_is_refused_with_its_line() {
    let server = Server::start().await;
    let problem = server
        .send(pgn_request(&server, "", "\n1. e4 e5\n2. Ke3 *"))
        .await
        .expect_problem(422, "invalid_pgn");
    let error = &problem["errors"][0];
    assert_eq!(
        (&error["code"], &error["line"], &error["text"]),
        (&json!("not_legal"), &json!(3), &json!("Ke3"))
    );
    assert!(problem["detail"].as_str().unwrap().contains("Ke3"), "{problem}");
    let answer = server.send(pgn_request(&server, "", "")).await;
    assert_eq!(answer.expect_problem(422, "invalid_pgn")["errors"], json!([]));
}

async fn a_text_that_is_too_large_is_refused() {
    let server =
        Server::start_with(|settings| (settings.jobs.bytes, settings.jobs.max_mb) = (200_000, 1))
            .await;
    assert_eq!(server.get("/v1/limits").await.json()["jobs"]["bytes"], 200_000);
    server
        .send(pgn_request(&server, "", " ".repeat(200_001)))
        .await
        .expect_problem(413, "body_too_large");
    // The text fits, but its review would not.
    let problem = server
        .send(pgn_request(&server, "", "Nf3 Nf6 Ng1 Ng8 *\n".repeat(5_000)))
        .await
        .expect_problem(413, "job_too_large");
    let end = "may take 131072, as jobs.anonymous_share_permille says for clients without an API \
               key; send fewer games";
    assert!(problem["detail"].as_str().unwrap().ends_with(end), "{problem}");
    assert_eq!(problem["title"], "Job too large");
    server
        .send(pgn_request(&server, "", "e4 *\n".repeat(30_000)))
        .await
        .expect_problem(413, "job_too_large");
    let big = format!("{PGN}{}", " ".repeat(100_000));
    accepted_job(&server.send(pgn_request(&server, "?depth=1", big)).await);
}

async fn a_slow_body_times_out() {
    let server = Server::start_with(|settings| settings.http.body_timeout_ms = 100).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "POST {PATH} HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\n\
         content-length: 40\r\n\r\n1. e4"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = vec![0; 4_096];
    let length = timeout(Duration::from_secs(10), stream.read(&mut answer))
        .await
        .expect("an answer in time")
        .unwrap();
    let answer = String::from_utf8_lossy(&answer[..length]);
    assert!(
        answer.starts_with("HTTP/1.1 408 ") && answer.contains("\"code\":\"request_timeout\""),
        "{answer}"
    );
    coverage::record_response("POST", PATH, 408);
}

async fn an_idempotency_key_gives_the_same_job_and_refuses_another_body() {
    let server = Server::start().await;
    let send_request = |pgn: &'static str, depth: u64| {
        let request = server.request(Method::POST, PATH).header("idempotency-key", "game-7");
        let (client, request) =
            (server.client.clone(), request.json(&json!({ "pgn": pgn, "depth": depth })));
        tokio::spawn(async move { client.send(request).await })
    };
    let mut ids = Vec::new();
    for response in
        [send_request(PGN, 3), send_request(PGN, 3), send_request(PGN, 3), send_request(PGN, 3)]
    {
        ids.push(accepted_job(&response.await.unwrap())["id"].clone());
    }
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    send_request(PGN, 4).await.unwrap().expect_problem(409, "idempotency_conflict");
    send_request("1. e4 *", 3).await.unwrap().expect_problem(409, "idempotency_conflict");
    let url = format!("{PATH}/{}", ids[0].as_str().unwrap());
    server.wait_for_review(&url).await;
    let done = accepted_job(&send_request(PGN, 3).await.unwrap());
    assert_eq!((&done["id"], &done["status"]), (&ids[0], &json!("done")));
}

async fn an_invalid_idempotency_key_is_refused() {
    let server = Server::start().await;
    for bad in ["", "two words", "ä", &"x".repeat(129)] {
        let request =
            pgn_request(&server, "?depth=1", PGN).header("idempotency-key", bad.as_bytes());
        let problem = server.send(request).await.expect_problem(422, "invalid_request");
        assert!(problem["detail"].as_str().unwrap().contains("Idempotency-Key"), "{problem}");
    }
    let twice = pgn_request(&server, "?depth=1", PGN)
        .header("idempotency-key", "a")
        .header("idempotency-key", "a");
    server.send(twice).await.expect_problem(422, "invalid_request");
    let good = pgn_request(&server, "?depth=1", PGN).header("idempotency-key", "~".repeat(128));
    accepted_job(&server.send(good).await);
}
