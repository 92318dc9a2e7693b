//! Workers, the queue and shared searches.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::support::{Client, Server, TestResponse};

crate::trials![
    a_client_disconnect_frees_its_worker,
    a_perft_client_disconnect_frees_its_worker,
    a_client_disconnect_frees_its_queue_place,
    equal_requests_share_one_search,
    a_shared_search_continues_while_it_has_a_subscriber,
    a_full_queue_is_answered_503_and_does_not_delay_legal_moves,
    two_searches_of_two_threads_run_one_after_the_other_on_two_workers,
    a_mix_of_searches_of_one_and_two_threads_completes,
    equal_requests_share_a_search_with_equal_threads,
];

fn long_search(fen: &str) -> Value {
    json!({ "fen": fen, "movetime_ms": 50_000 })
}

// Different positions, whose searches are not shared.
const A: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const B: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
const C: &str = "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1";

/// Posts in a background task. Aborting the task closes the connection.
fn spawn_post(client: &Client, path: &'static str, body: Value) -> JoinHandle<TestResponse> {
    let client = client.clone();
    tokio::spawn(async move { client.post(path, &body).await })
}

async fn one_worker(queue: usize) -> Server {
    Server::start_with(|settings| {
        settings.search.workers = 1;
        settings.queue.capacity = queue;
    })
    .await
}

async fn wait_for_queue_length(server: &Server, length: u64) {
    for _ in 0..500 {
        if server.get("/v1/limits").await.json()["queue"]["length"] == length {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("the queue length does not become {length}");
}

/// Waits long enough for a search to start.
async fn wait_for_search_start() {
    tokio::time::sleep(Duration::from_millis(150)).await;
}

async fn assert_disconnect_frees_the_worker(path: &'static str, body: Value) {
    let server = one_worker(4).await;
    let client_task = spawn_post(&server, path, body);
    wait_for_search_start().await;
    assert!(!client_task.is_finished());
    let next = spawn_post(&server, "/v1/perft", json!({ "fen": "startpos", "depth": 1 }));
    wait_for_queue_length(&server, 1).await;
    let disconnected = Instant::now();
    client_task.abort();
    let answer = next.await.unwrap();
    assert_eq!(answer.status, 200);
    // 20 ms on a quiet machine; the limit allows for a busy one.
    assert!(disconnected.elapsed() < Duration::from_millis(400), "{:?}", disconnected.elapsed());
}

async fn a_client_disconnect_frees_its_worker() {
    assert_disconnect_frees_the_worker("/v1/best-move", long_search(A)).await;
}

async fn a_perft_client_disconnect_frees_its_worker() {
    assert_disconnect_frees_the_worker("/v1/perft", json!({ "fen": "startpos", "depth": 8 })).await;
}

async fn a_client_disconnect_frees_its_queue_place() {
    let server = one_worker(1).await;
    let running = spawn_post(&server, "/v1/best-move", long_search(A));
    wait_for_search_start().await;
    let waiting = spawn_post(&server, "/v1/best-move", long_search(B));
    wait_for_queue_length(&server, 1).await;
    waiting.abort();
    wait_for_queue_length(&server, 0).await;
    running.abort();
}

async fn equal_requests_share_one_search() {
    let server = one_worker(1).await;
    let body = json!({ "fen": A, "movetime_ms": 600 });
    let pending: Vec<_> =
        (0..8).map(|_| spawn_post(&server, "/v1/best-move", body.clone())).collect();
    let started = Instant::now();
    let mut answers = Vec::new();
    for answer in pending {
        answers.push(answer.await.unwrap().json());
    }
    assert!(
        started.elapsed() < Duration::from_millis(1_800),
        "the eight requests did not share a search: {:?}",
        started.elapsed()
    );
    let shared = answers.iter().filter(|answer| answer["shared"] == true).count();
    let remembered = answers.iter().filter(|answer| answer["source"] == "memory").count();
    assert_eq!(shared + remembered, 7, "{answers:?}");
    assert!(shared >= 1);
    assert!(
        answers.iter().all(|answer| answer["nodes"] == answers[0]["nodes"]),
        "the answers come from different searches"
    );
}

async fn a_shared_search_continues_while_it_has_a_subscriber() {
    let server = one_worker(1).await;
    let body = json!({ "fen": A, "movetime_ms": 700 });
    let first = spawn_post(&server, "/v1/best-move", body.clone());
    wait_for_search_start().await;
    let second = spawn_post(&server, "/v1/best-move", body);
    wait_for_search_start().await;
    first.abort();
    let answer = second.await.unwrap().json();
    assert_eq!((&answer["shared"], &answer["reason"]), (&json!(true), &json!("time")));
    assert!(answer["time_ms"].as_u64().unwrap() >= 600);
}

async fn a_full_queue_is_answered_503_and_does_not_delay_legal_moves() {
    let server = one_worker(1).await;
    let running = spawn_post(&server, "/v1/best-move", long_search(A));
    wait_for_search_start().await;
    let waiting = spawn_post(&server, "/v1/best-move", long_search(B));
    wait_for_queue_length(&server, 1).await;
    let problem =
        server.post_expecting_problem("/v1/best-move", &long_search(C), 503, "queue_full").await;
    assert_eq!(problem["queue_length"], 1);
    let perft = json!({ "fen": "startpos", "depth": 2 });
    server.post_expecting_problem("/v1/perft", &perft, 503, "queue_full").await;
    let started = Instant::now();
    server.post_ok("/v1/legal-moves", &json!({ "fen": "startpos" })).await;
    assert!(started.elapsed() < Duration::from_millis(500), "{:?}", started.elapsed());
    assert_eq!(server.get("/readyz").await.status, 200, "a full queue does not affect readiness");
    running.abort();
    waiting.abort();
    wait_for_queue_length(&server, 0).await;
    wait_for_search_start().await;
    server.post_ok("/v1/perft", &perft).await;
}

/// The milliseconds that a request waited for its workers.
fn queue_wait_ms(answer: &TestResponse) -> f64 {
    let queue = answer
        .header("server-timing")
        .strip_prefix("queue;dur=")
        .and_then(|rest| rest.split(',').next());
    queue
        .and_then(|queue| queue.parse().ok())
        .unwrap_or_else(|| panic!("{}", answer.header("server-timing")))
}

async fn two_searches_of_two_threads_run_one_after_the_other_on_two_workers() {
    let server = Server::start().await;
    let started = Instant::now();
    let pending = [A, B].map(|fen| {
        spawn_post(
            &server,
            "/v1/best-move",
            json!({ "fen": fen, "movetime_ms": 400, "threads": 2 }),
        )
    });
    let mut waits = Vec::new();
    for answer in pending {
        let answer = answer.await.unwrap();
        assert_eq!(answer.json()["reason"], "time");
        waits.push(queue_wait_ms(&answer));
    }
    waits.sort_by(f64::total_cmp);
    assert!(waits[0] < 200.0 && waits[1] >= 350.0, "{waits:?}");
    assert!(started.elapsed() >= Duration::from_millis(780), "{:?}", started.elapsed());

    let pending = [A, B].map(|fen| {
        spawn_post(
            &server,
            "/v1/best-move",
            json!({ "fen": fen, "movetime_ms": 400, "threads": 1, "fresh": true }),
        )
    });
    for answer in pending {
        assert!(
            queue_wait_ms(&answer.await.unwrap()) < 200.0,
            "two searches of one thread run in parallel"
        );
    }
}

async fn a_mix_of_searches_of_one_and_two_threads_completes() {
    let server = Server::start().await;
    let pending: Vec<_> = (0..40)
        .map(|number| {
            let (fen, threads) = ([A, B, C][number % 3], 1 + number / 2 % 2);
            let body =
                json!({ "fen": fen, "movetime_ms": 5 + number, "threads": threads, "fresh": true });
            spawn_post(&server, "/v1/best-move", body)
        })
        .collect();
    for answer in pending {
        let answer = tokio::time::timeout(Duration::from_secs(20), answer)
            .await
            .expect("the search ends")
            .unwrap();
        assert_eq!((answer.status, &answer.json()["reason"]), (200, &json!("time")));
    }
    wait_for_queue_length(&server, 0).await;
}

async fn equal_requests_share_a_search_with_equal_threads() {
    let server = Server::start().await;
    let send_request = |threads: u64| {
        let body = json!({ "fen": A, "movetime_ms": 500, "threads": threads, "fresh": true });
        spawn_post(&server, "/v1/best-move", body)
    };
    let doubles = [send_request(2), send_request(2)];
    wait_for_search_start().await;
    // Three threads are clamped to two, so the search is shared. A search of one thread is another.
    let (triple, single) = (send_request(3), send_request(1));
    let mut shared = Vec::new();
    for answer in doubles.into_iter().chain([triple, single]) {
        shared.push(answer.await.unwrap().json()["shared"].as_bool().unwrap());
    }
    assert_eq!(shared.iter().filter(|&&shared| shared).count(), 2, "{shared:?}");
    assert!(shared[2] && !shared[3], "{shared:?}");
}
