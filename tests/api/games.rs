//! Review jobs.

mod capacity;
mod durability;
mod event_stream;
mod reviews;
mod submission;

use kibitzer::config::Settings;
use libtest_mimic::Trial;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::support::sse::Event;
use crate::support::{Server, Stream, TestResponse};

pub(crate) fn trials() -> Vec<Trial> {
    let trials = [
        submission::trials(),
        reviews::trials(),
        event_stream::trials(),
        capacity::trials(),
        durability::trials(),
    ];
    trials.into_iter().flatten().collect()
}

pub(super) const PATH: &str = "/v1/games";

pub(super) const PGN: &str = "\
[Event \"Rated blitz game\"]
[White \"Ann\"]
[Black \"Bob\"]
[Result \"1-0\"]

1. e4 { [%clk 0:03:00] } e5 2. Bc4 Nc6 { why not } 3. Qh5 Nf6?? (3... g6 4. Qf3) 4. Qxf7# 1-0
";

/// A game that no other test uses.
pub(super) fn long_game() -> String {
    "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 6. Nf3 h6 7. Bh4 b6 8. cxd5 Nxd5 \
     9. Bxe7 Qxe7 10. Nxd5 exd5 *\n"
        .to_owned()
}

pub(super) fn pgn_request(
    server: &Server,
    query: &str,
    text: impl Into<reqwest::Body>,
) -> RequestBuilder {
    let path = format!("{PATH}{query}");
    server.request(Method::POST, &path).header("content-type", "application/x-chess-pgn").body(text)
}

/// The job of a 202 response.
pub(super) fn accepted_job(answer: &TestResponse) -> Value {
    assert_eq!(answer.status, 202, "{}", answer.body);
    let job = answer.json();
    assert_eq!(answer.header("location"), job["url"].as_str().unwrap());
    assert_eq!(job["url"], format!("{PATH}/{}", job["id"].as_str().unwrap()));
    assert_eq!(job["id"].as_str().unwrap().len(), 32);
    job
}

pub(super) async fn submit(server: &Server, body: &Value) -> String {
    accepted_job(&server.post(PATH, body).await)["url"].as_str().unwrap().to_owned()
}

pub(super) async fn open_events(server: &Server, job: &str, last_event_id: Option<&str>) -> Stream {
    let request = server.request(Method::GET, &format!("{job}/events"));
    let request = match last_event_id {
        Some(id) => request.header("last-event-id", id),
        None => request,
    };
    Stream::open(server, request, "text/event-stream").await
}

pub(super) async fn remaining_events(stream: &mut Stream) -> Vec<Event> {
    let mut events = Vec::new();
    while let Some(event) = stream.next_event().await {
        events.push(event);
    }
    events
}

/// A job that occupies one worker for longer than any test.
pub(super) fn long_running_job(number: u64) -> Value {
    json!({ "pgn": long_game(), "movetime_ms": 20_000 + number })
}

pub(super) fn one_worker(settings: &mut Settings) {
    settings.search.workers = 1;
}
