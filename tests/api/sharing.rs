//! Workers, the queue before them, and searches that many listen to.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::support::{Answer, Client, Server};

crate::claims![
    a_client_that_leaves_frees_its_worker,
    a_perft_whose_client_leaves_frees_its_worker,
    a_client_that_leaves_the_queue_frees_its_place,
    equal_requests_share_one_search,
    a_shared_search_goes_on_while_somebody_listens,
    a_full_queue_is_answered_503_and_legal_moves_are_not_held_up,
];

fn long(fen: &str) -> Value {
    json!({ "fen": fen, "movetime_ms": 50_000 })
}

/// Different positions, so that nothing is shared.
const A: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const B: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
const C: &str = "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1";

/// Asks in the background; dropping the handle's task closes the connection.
fn in_background(client: &Client, path: &'static str, body: Value) -> JoinHandle<Answer> {
    let client = client.clone();
    tokio::spawn(async move { client.post(path, &body).await })
}

async fn one_worker(queue: usize) -> Server {
    Server::with(|settings| {
        settings.search.workers = 1;
        settings.queue.capacity = queue;
    })
    .await
}

async fn until_queue_is(server: &Server, length: u64) {
    for _ in 0..500 {
        if server.get("/v1/limits").await.json()["queue"]["length"] == length {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("the queue does not get to {length}");
}

/// Time for a search to have begun.
async fn a_moment() {
    tokio::time::sleep(Duration::from_millis(150)).await;
}

async fn leaves_and_frees(path: &'static str, body: Value) {
    let server = one_worker(4).await;
    let leaver = in_background(&server, path, body);
    a_moment().await;
    assert!(!leaver.is_finished());
    let next = in_background(&server, "/v1/perft", json!({ "fen": "startpos", "depth": 1 }));
    until_queue_is(&server, 1).await;
    let left = Instant::now();
    leaver.abort();
    let answer = next.await.unwrap();
    assert_eq!(answer.status, 200);
    // 20 ms on a quiet machine; a busy one gets more.
    assert!(left.elapsed() < Duration::from_millis(400), "{:?}", left.elapsed());
}

async fn a_client_that_leaves_frees_its_worker() {
    leaves_and_frees("/v1/best-move", long(A)).await;
}

async fn a_perft_whose_client_leaves_frees_its_worker() {
    leaves_and_frees("/v1/perft", json!({ "fen": "startpos", "depth": 8 })).await;
}

async fn a_client_that_leaves_the_queue_frees_its_place() {
    let server = one_worker(1).await;
    let running = in_background(&server, "/v1/best-move", long(A));
    a_moment().await;
    let waiting = in_background(&server, "/v1/best-move", long(B));
    until_queue_is(&server, 1).await;
    waiting.abort();
    until_queue_is(&server, 0).await;
    running.abort();
}

async fn equal_requests_share_one_search() {
    let server = one_worker(1).await;
    let body = json!({ "fen": A, "movetime_ms": 600 });
    let asked: Vec<_> = (0..8).map(|_| in_background(&server, "/v1/best-move", body.clone())).collect();
    let started = Instant::now();
    let mut answers = Vec::new();
    for answer in asked {
        answers.push(answer.await.unwrap().json());
    }
    assert!(started.elapsed() < Duration::from_millis(1_800), "one search, not eight: {:?}", started.elapsed());
    let shared = answers.iter().filter(|answer| answer["shared"] == true).count();
    let remembered = answers.iter().filter(|answer| answer["source"] == "memory").count();
    assert_eq!(shared + remembered, 7, "{answers:?}");
    assert!(shared >= 1);
    assert!(answers.iter().all(|answer| answer["nodes"] == answers[0]["nodes"]), "all heard the same search");
}

async fn a_shared_search_goes_on_while_somebody_listens() {
    let server = one_worker(1).await;
    let body = json!({ "fen": A, "movetime_ms": 700 });
    let first = in_background(&server, "/v1/best-move", body.clone());
    a_moment().await;
    let second = in_background(&server, "/v1/best-move", body);
    a_moment().await;
    first.abort();
    let answer = second.await.unwrap().json();
    assert_eq!((&answer["shared"], &answer["reason"]), (&json!(true), &json!("time")));
    assert!(answer["time_ms"].as_u64().unwrap() >= 600);
}

async fn a_full_queue_is_answered_503_and_legal_moves_are_not_held_up() {
    let server = one_worker(1).await;
    let running = in_background(&server, "/v1/best-move", long(A));
    a_moment().await;
    let waiting = in_background(&server, "/v1/best-move", long(B));
    until_queue_is(&server, 1).await;
    let problem = server.refused("/v1/best-move", &long(C), 503, "queue_full").await;
    assert_eq!(problem["queue_length"], 1);
    let perft = json!({ "fen": "startpos", "depth": 2 });
    server.refused("/v1/perft", &perft, 503, "queue_full").await;
    let started = Instant::now();
    server.ask("/v1/legal-moves", &json!({ "fen": "startpos" })).await;
    assert!(started.elapsed() < Duration::from_millis(500), "{:?}", started.elapsed());
    assert_eq!(server.get("/readyz").await.status, 200, "a full queue is no reason");
    running.abort();
    waiting.abort();
    until_queue_is(&server, 0).await;
    a_moment().await;
    server.ask("/v1/perft", &perft).await;
}
