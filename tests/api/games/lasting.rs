//! Jobs that outlast their server.

use std::path::Path;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{PATH, PGN, long_game, taken};
use crate::support::child::ServerProcess;
use crate::support::{Client, Stream};

crate::claims![
    a_job_outlasts_its_server_and_events_go_on,
    a_disk_that_refuses_is_told_and_loses_nothing,
    a_disk_that_takes_again_is_found_out_though_no_job_has_anything_to_write,
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

async fn server_told_by_errors(folder: &Path) -> ServerProcess {
    ServerProcess::start_with_errors(&settings(folder)).await
}

/// The problem of the first answer that is one of a store that cannot be used.
async fn until_refused(client: &Client, method: Method, path: &str) -> Value {
    for _ in 0..1_000 {
        let answer = client.send(client.request(method.clone(), path)).await;
        if answer.status == 503 {
            return answer.problem(503, "not_ready");
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{method} {path} is never answered 503");
}

async fn a_job_outlasts_its_server_and_events_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let server = server_on(folder.path()).await;
    let body = json!({ "pgn": long_game(), "movetime_ms": 30 });
    let request = |client: &Client| {
        client.request(Method::POST, PATH).header("idempotency-key", "outlasts").json(&body)
    };
    let job = taken(&server.client.send(request(&server.client)).await);
    let url = job["url"].as_str().unwrap();
    let follow = async |client: &Client, heard: usize| {
        let request = client
            .request(Method::GET, &format!("{url}/events"))
            .header("last-event-id", heard.to_string());
        Stream::open(client, request, "text/event-stream").await
    };
    let mut stream = follow(&server.client, 0).await;
    let mut heard = Vec::new();
    for _ in 0..4 {
        heard.push(stream.event().await.unwrap().data);
    }
    server.signal("TERM");
    // What was on its way still comes, but no end.
    while let Ok(Some(event)) =
        timeout(Duration::from_secs(10), stream.event()).await.map_err(|_| "the stream ends")
    {
        assert_ne!(event.name, "end");
        heard.push(event.data);
    }
    let (status, took, _) = server.wait(Duration::from_secs(20));
    assert_eq!(status.code(), Some(0));
    assert!(took < Duration::from_secs(5), "nobody waits for a whole job: {took:?}");

    let server = server_on(folder.path()).await;
    let again = taken(&server.client.send(request(&server.client)).await);
    assert_eq!(again["id"], job["id"], "the key is known");
    let mut stream = follow(&server.client, heard.len()).await;
    let first = stream.event().await.unwrap();
    assert_eq!(first.id, Some((heard.len() + 1).to_string()));
    heard.push(first.data);
    while let Some(event) = stream.event().await {
        heard.push(event.data);
    }
    let review = server.client.until_over(url).await;
    assert_eq!((&review["status"], heard.len()), (&json!("done"), 22));
    for told in heard.iter().filter(|event| event["type"] == "move") {
        let kept = &review["games"][0]["moves"][told["ply"].as_u64().unwrap() as usize - 1];
        assert!(
            ["san", "before", "after", "line", "accuracy"]
                .iter()
                .all(|member| told[*member] == kept[*member]),
            "{told}"
        );
    }
    server.client.send(server.client.request(Method::DELETE, url)).await;
    server.signal("TERM");
    server.wait(Duration::from_secs(20));

    let server = server_on(folder.path()).await;
    server.client.get(url).await.problem(410, "gone");
    server.signal("TERM");
    server.wait(Duration::from_secs(20));
}

async fn a_disk_that_refuses_is_told_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = server_told_by_errors(folder.path()).await;
    let client = &server.client;
    let job = taken(&client.post(PATH, &json!({ "pgn": long_game(), "movetime_ms": 20 })).await);
    let url = job["url"].as_str().unwrap();
    server.limit_files("4096");
    let refused = async |method: Method, path: &str| until_refused(client, method, path).await;
    assert_eq!(refused(Method::GET, url).await["reasons"], json!(["store"]));
    refused(Method::GET, &format!("{url}/pgn")).await;
    refused(Method::GET, &format!("{url}/events")).await;
    refused(Method::DELETE, url).await;
    refused(Method::GET, "/readyz").await;
    client.post(PATH, &json!({ "pgn": PGN, "depth": 1 })).await.problem(503, "not_ready");
    server.limit_files("unlimited");
    client.until_ready().await;
    let review = client.until_over(url).await;
    assert_eq!(
        (&review["status"], &review["progress"]["moves_done"]),
        (&json!("done"), &json!(20))
    );
    server.signal("TERM");
    let (_, _, log) = server.wait(Duration::from_secs(20));
    assert!(log.iter().any(|line| {
        line["message"].as_str().unwrap_or_default().starts_with("the jobs cannot be written")
    }));
}

async fn a_disk_that_takes_again_is_found_out_though_no_job_has_anything_to_write() {
    let folder = tempfile::tempdir().unwrap();
    let server = server_told_by_errors(folder.path()).await;
    let client = &server.client;
    let submit = async |key: &str| {
        let request = client.request(Method::POST, PATH).header("idempotency-key", key);
        client.send(request.json(&json!({ "pgn": PGN, "depth": 1 }))).await
    };
    let job = taken(&submit("first").await);
    let url = job["url"].as_str().unwrap();
    client.until_over(url).await;
    server.limit_files("4096");
    submit("second").await.problem(503, "not_ready");
    until_refused(client, Method::GET, url).await;
    until_refused(client, Method::GET, "/readyz").await;
    submit("first").await.problem(503, "not_ready");
    server.limit_files("unlimited");
    // Nobody writes from here on.
    client.until_ready().await;
    assert_eq!(client.get(url).await.json()["status"], "done");
    assert_eq!(taken(&submit("first").await)["id"], job["id"]);
    client.until_over(taken(&submit("second").await)["url"].as_str().unwrap()).await;
    assert_eq!(client.send(client.request(Method::DELETE, url)).await.status, 204);
}
