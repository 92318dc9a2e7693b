//! Durability of review jobs across restarts and full disks.

use std::path::Path;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{PATH, PGN, accepted_job, long_game};
use crate::support::server_process::ServerProcess;
use crate::support::{Client, Stream};

crate::trials![
    a_job_survives_a_restart_and_its_events_continue,
    a_full_disk_is_reported_and_loses_nothing,
    a_recovered_disk_is_detected_without_pending_writes,
];

fn settings(folder: &Path) -> [(&str, &str); 3] {
    let path = folder.to_str().unwrap();
    [
        ("KIBITZER__STORE__PATH", path),
        ("KIBITZER__SHUTDOWN__DRAIN_MS", "0"),
        ("KIBITZER__SEARCH__WORKERS", "1"),
    ]
}

async fn server_on(folder: &Path) -> ServerProcess {
    ServerProcess::start(&settings(folder)).await
}

async fn server_with_file_size_errors(folder: &Path) -> ServerProcess {
    ServerProcess::start_with_file_size_errors(&settings(folder)).await
}

/// Repeats a request until it is answered with 503 `not_ready`; returns the problem.
async fn wait_until_not_ready(client: &Client, method: Method, path: &str) -> Value {
    for _ in 0..1_000 {
        let answer = client.send(client.request(method.clone(), path)).await;
        if answer.status == 503 {
            return answer.expect_problem(503, "not_ready");
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{method} {path} does not return 503");
}

async fn a_job_survives_a_restart_and_its_events_continue() {
    let folder = tempfile::tempdir().unwrap();
    let server = server_on(folder.path()).await;
    let body = json!({ "pgn": long_game(), "movetime_ms": 30 });
    let request = |client: &Client| {
        client.request(Method::POST, PATH).header("idempotency-key", "outlasts").json(&body)
    };
    let job = accepted_job(&server.client.send(request(&server.client)).await);
    let url = job["url"].as_str().unwrap();
    let follow = async |client: &Client, last_event_id: usize| {
        let request = client
            .request(Method::GET, &format!("{url}/events"))
            .header("last-event-id", last_event_id.to_string());
        Stream::open(client, request, "text/event-stream").await
    };
    let mut stream = follow(&server.client, 0).await;
    let mut received = Vec::new();
    for _ in 0..4 {
        received.push(stream.next_event().await.unwrap().data);
    }
    server.signal("TERM");
    // Events sent before the shutdown still arrive, but no end event.
    while let Ok(Some(event)) =
        timeout(Duration::from_secs(10), stream.next_event()).await.map_err(|_| "the stream ends")
    {
        assert_ne!(event.name, "end");
        received.push(event.data);
    }
    let (status, took, _) = server.wait_for_exit(Duration::from_secs(20));
    assert_eq!(status.code(), Some(0));
    assert!(took < Duration::from_secs(5), "the shutdown waited for the job: {took:?}");

    let server = server_on(folder.path()).await;
    let again = accepted_job(&server.client.send(request(&server.client)).await);
    assert_eq!(again["id"], job["id"], "the idempotency key gives the same job");
    let mut stream = follow(&server.client, received.len()).await;
    let first = stream.next_event().await.unwrap();
    assert_eq!(first.id, Some((received.len() + 1).to_string()));
    received.push(first.data);
    while let Some(event) = stream.next_event().await {
        received.push(event.data);
    }
    let review = server.client.wait_for_review(url).await;
    assert_eq!((&review["status"], received.len()), (&json!("done"), 22));
    for event in received.iter().filter(|event| event["type"] == "move") {
        let reviewed = &review["games"][0]["moves"][event["ply"].as_u64().unwrap() as usize - 1];
        assert!(
            ["san", "before", "after", "line", "accuracy"]
                .iter()
                .all(|member| event[*member] == reviewed[*member]),
            "{event}"
        );
    }
    server.client.send(server.client.request(Method::DELETE, url)).await;
    server.signal("TERM");
    server.wait_for_exit(Duration::from_secs(20));

    let server = server_on(folder.path()).await;
    server.client.get(url).await.expect_problem(410, "gone");
    server.signal("TERM");
    server.wait_for_exit(Duration::from_secs(20));
}

async fn a_full_disk_is_reported_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = server_with_file_size_errors(folder.path()).await;
    let client = &server.client;
    let job =
        accepted_job(&client.post(PATH, &json!({ "pgn": long_game(), "movetime_ms": 20 })).await);
    let url = job["url"].as_str().unwrap();
    server.limit_file_size("4096");
    let refused =
        async |method: Method, path: &str| wait_until_not_ready(client, method, path).await;
    assert_eq!(refused(Method::GET, url).await["reasons"], json!(["store"]));
    refused(Method::GET, &format!("{url}/pgn")).await;
    refused(Method::GET, &format!("{url}/events")).await;
    refused(Method::DELETE, url).await;
    refused(Method::GET, "/readyz").await;
    client.post(PATH, &json!({ "pgn": PGN, "depth": 1 })).await.expect_problem(503, "not_ready");
    server.limit_file_size("unlimited");
    client.wait_until_ready().await;
    let review = client.wait_for_review(url).await;
    assert_eq!(
        (&review["status"], &review["progress"]["moves_done"]),
        (&json!("done"), &json!(20))
    );
    server.signal("TERM");
    let (_, _, log) = server.wait_for_exit(Duration::from_secs(20));
    assert!(log.iter().any(|line| {
        line["message"].as_str().unwrap_or_default().starts_with("the jobs cannot be written")
    }));
}

async fn a_recovered_disk_is_detected_without_pending_writes() {
    let folder = tempfile::tempdir().unwrap();
    let server = server_with_file_size_errors(folder.path()).await;
    let client = &server.client;
    let submit = async |key: &str| {
        let request = client.request(Method::POST, PATH).header("idempotency-key", key);
        client.send(request.json(&json!({ "pgn": PGN, "depth": 1 }))).await
    };
    let job = accepted_job(&submit("first").await);
    let url = job["url"].as_str().unwrap();
    client.wait_for_review(url).await;
    server.limit_file_size("4096");
    submit("second").await.expect_problem(503, "not_ready");
    wait_until_not_ready(client, Method::GET, url).await;
    wait_until_not_ready(client, Method::GET, "/readyz").await;
    submit("first").await.expect_problem(503, "not_ready");
    server.limit_file_size("unlimited");
    // No request writes from here on.
    client.wait_until_ready().await;
    assert_eq!(client.get(url).await.json()["status"], "done");
    assert_eq!(accepted_job(&submit("first").await)["id"], job["id"]);
    client.wait_for_review(accepted_job(&submit("second").await)["url"].as_str().unwrap()).await;
    assert_eq!(client.send(client.request(Method::DELETE, url)).await.status, 204);
}
