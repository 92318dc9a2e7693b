//! Batches from their first byte to their end: priorities, limits, slow and leaving clients, and
//! shutdown.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{PATH, body, open_batch};
use crate::support::exposition::Exposition;
use crate::support::{Server, coverage};

crate::trials![
    a_client_may_write_the_whole_batch_before_it_reads,
    single_requests_take_priority_over_a_batch,
    a_client_disconnect_cancels_its_batch,
    a_client_that_leaves_in_mid_body_ends_its_searches_at_once,
    shutdown_ends_a_batch,
    a_body_timeout_ends_the_batch,
    a_stalled_body_does_not_delay_shutdown,
    concurrent_batches_are_limited,
    a_server_in_shutdown_refuses_batches,
];

/// A raw HTTP client writes the whole request before it reads.
async fn a_client_may_write_the_whole_batch_before_it_reads() {
    const LINES: usize = 2_000;
    let server = Server::start_with(|settings| {
        settings.stream.stall_ms = 2_000;
        // The answers are several times as large.
        settings.batch.bytes = 200_000;
    })
    .await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "POST {PATH} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
         content-type: application/x-ndjson\r\n"
    );
    stream.write_all(format!("{head}transfer-encoding: chunked\r\n\r\n").as_bytes()).await.unwrap();
    for number in 0..LINES {
        let line = format!(
            "{{\"id\": {number}, \"fen\": \"startpos\", \"moves\": [\"e4\", \"e5\"], \
             \"depth\": 2}}\n"
        );
        stream.write_all(format!("{:x}\r\n{line}\r\n", line.len()).as_bytes()).await.unwrap();
    }
    // Longer than a reader may stall once the request body is complete.
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    stream.write_all(b"0\r\n\r\n").await.unwrap();
    let mut lines = BufReader::new(stream).lines();
    let mut ids = BTreeSet::new();
    let read = async {
        while let Some(line) = lines.next_line().await.unwrap() {
            if let Ok(answer) = serde_json::from_str::<Value>(&line)
                && let Some(id) = answer["id"].as_u64()
            {
                ids.insert(id);
            }
        }
    };
    timeout(Duration::from_secs(60), read).await.expect("the response ends");
    assert_eq!(ids.len(), LINES);
    coverage::record_response("POST", PATH, 200);
}

async fn single_requests_take_priority_over_a_batch() {
    let server = Server::start_with(|settings| settings.search.workers = 1).await;
    let lines: Vec<Value> = (0..50)
        .map(|number| json!({ "fen": "startpos", "movetime_ms": 50 + number, "fresh": true }))
        .collect();
    let mut batch = open_batch(&server, body(&lines)).await;
    batch.next_line().await.unwrap();
    let started = Instant::now();
    let answer = server
        .post_ok("/v1/best-move", &json!({ "fen": "startpos", "moves": ["d4"], "depth": 3 }))
        .await;
    assert_eq!(answer["reason"], "depth");
    assert!(started.elapsed() < Duration::from_millis(1_500), "{:?}", started.elapsed());
    assert_eq!(batch.next_of_type("end").await["answered"], 50);
}

async fn a_client_disconnect_cancels_its_batch() {
    let server = Server::start_with(|settings| settings.search.workers = 1).await;
    let lines: Vec<Value> = (0..100)
        .map(|number| json!({ "fen": "startpos", "movetime_ms": 20_000 + number }))
        .collect();
    let batch = open_batch(&server, body(&lines)).await;
    Exposition::wait_until(&server, "a search runs", |page| {
        page.value("kibitzer_searches_running") == 1.0
    })
    .await;
    drop(batch);
    let answer = server
        .post_ok("/v1/best-move", &json!({ "fen": "startpos", "moves": ["d4"], "depth": 3 }))
        .await;
    assert_eq!(answer["reason"], "depth", "the worker is not free");
}

async fn a_client_that_leaves_in_mid_body_ends_its_searches_at_once() {
    let server = Server::start_with(|settings| settings.search.workers = 1).await;
    let mut client = TcpStream::connect(server.address).await.unwrap();
    let line = json!({ "fen": "startpos", "movetime_ms": 30_000 });
    let head = "POST /v1/batch HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-ndjson\r\n\
                content-length: 1000\r\n\r\n";
    client.write_all(format!("{head}{line}\n").as_bytes()).await.unwrap();
    let running = |page: &Exposition| page.value("kibitzer_searches_running");
    Exposition::wait_until(&server, "a search runs", |page| running(page) == 1.0).await;
    let left = Instant::now();
    drop(client);
    Exposition::wait_until(&server, "the search has ended", |page| running(page) == 0.0).await;
    assert!(left.elapsed() < Duration::from_secs(5), "{:?}", left.elapsed());
}

async fn shutdown_ends_a_batch() {
    let server = Server::start_with(|settings| settings.search.workers = 1).await;
    let lines: Vec<Value> = (0..20)
        .map(|number| json!({ "id": number, "fen": "startpos", "movetime_ms": 20_000 + number }))
        .collect();
    let mut batch = open_batch(&server, body(&lines)).await;
    Exposition::wait_until(&server, "a search runs", |page| {
        page.value("kibitzer_searches_running") == 1.0
    })
    .await;
    server.stop.send(()).unwrap();
    let rest = batch.remaining_lines().await;
    let (end, answers) = rest.split_last().unwrap();
    assert_eq!((&end["type"], &end["reason"]), (&json!("end"), &json!("shutdown")));
    assert!(
        answers.iter().any(|answer| answer["reason"] == "shutdown"),
        "running searches return their best result: {answers:?}"
    );
    assert_eq!(answers.len(), 20, "a line has no answer");
    assert_eq!(end["answered"].as_u64().unwrap() + end["failed"].as_u64().unwrap(), 20, "{end}");
}

async fn a_body_timeout_ends_the_batch() {
    let server = Server::start_with(|settings| settings.http.body_timeout_ms = 200).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let line = json!({ "fen": "startpos", "depth": 1 }).to_string() + "\n";
    let head = format!(
        "POST {PATH} HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-ndjson\r\n\
         content-length: 1000\r\n\r\n{line}"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let _ = timeout(Duration::from_secs(10), stream.read_to_string(&mut answer))
        .await
        .expect("the response ends");
    assert!(
        answer.contains("\"reason\":\"broken\"") && answer.contains("\"best_move\""),
        "{answer}"
    );
}

async fn a_stalled_body_does_not_delay_shutdown() {
    let server = Server::start_with(|settings| settings.http.body_timeout_ms = 60_000).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let line = json!({ "fen": "startpos", "depth": 1 }).to_string() + "\n";
    let head = "POST /v1/batch HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-ndjson\r\n\
                content-length: 1000\r\n\r\n";
    stream.write_all(format!("{head}{line}").as_bytes()).await.unwrap();
    let mut lines = BufReader::new(stream).lines();
    while !lines.next_line().await.unwrap().expect("an answer").contains("best_move") {}
    server.stop.send(()).unwrap();
    let last = async {
        while let Some(line) = lines.next_line().await.unwrap() {
            if line.contains("\"type\":\"end\"") {
                return line;
            }
        }
        panic!("the batch has no end line");
    };
    let end: Value =
        serde_json::from_str(&timeout(Duration::from_secs(30), last).await.expect("an end line"))
            .unwrap();
    assert_eq!(
        (&end["reason"], &end["answered"], &end["failed"]),
        (&json!("shutdown"), &json!(1), &json!(0))
    );
}

async fn concurrent_batches_are_limited() {
    let server = Server::start_with(|settings| settings.batch.max = 1).await;
    let mut slow = TcpStream::connect(server.address).await.unwrap();
    let head = "POST /v1/batch HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-ndjson\r\n\
                content-length: 1000\r\n\r\n";
    slow.write_all(head.as_bytes()).await.unwrap();
    let batches = |page: &Exposition| page.value("kibitzer_batches");
    Exposition::wait_until(&server, "the batch is counted", |page| batches(page) == 1.0).await;
    let another = || {
        server
            .request(Method::POST, PATH)
            .header("content-type", "application/x-ndjson")
            .body("{}\n")
    };
    let refused = server.send(another()).await;
    assert!(!refused.header("retry-after").is_empty());
    let problem = refused.expect_problem(503, "queue_full");
    assert_eq!(
        (&problem["queue_length"], &problem["detail"]),
        (&json!(1), &json!("the limit of 1 concurrent batches is reached"))
    );
    drop(slow);
    Exposition::wait_until(&server, "its permit is free", |page| batches(page) == 0.0).await;
    assert_eq!(server.send(another()).await.status, 200);
    assert_eq!(Exposition::fetch(&server).await.value("kibitzer_max_batches"), 1.0);
}

async fn a_server_in_shutdown_refuses_batches() {
    let server = Server::start_with(|settings| settings.shutdown.drain_ms = 2_000).await;
    let client = server.client.clone();
    server.stop.send(()).unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    let request = client
        .request(Method::POST, PATH)
        .header("content-type", "application/x-ndjson")
        .body("{}\n");
    client.send(request).await.expect_problem(503, "shutting_down");
}
