//! A client that records the events of a job and compares them with the server.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::{Value, json};

use crate::server::Server;

/// The compared members of a move.
const COMPARED_MEMBERS: [&str; 12] = [
    "ply",
    "san",
    "uci",
    "fen",
    "before",
    "after",
    "best",
    "best_san",
    "line",
    "win_chance_loss",
    "judgement",
    "accuracy",
];

/// A job and all its received events.
pub(crate) struct JobObserver {
    url: String,
    key: String,
    pgn: String,
    /// Events by id.
    events: BTreeMap<u64, Value>,
    is_done: bool,
    is_deleted: bool,
}

/// An event with its id, if any.
struct Event {
    id: Option<String>,
    data: Value,
}

impl JobObserver {
    /// Submits a job. From now on it must exist.
    pub(crate) async fn submit(server: &Server, number: u64, pgn: String) -> JobObserver {
        let key = format!("job-{number}");
        let submitted = submit(server, &key, &pgn).await;
        assert!(submitted["moves"].as_u64().is_some_and(|moves| moves > 100), "{submitted}");
        let url = submitted["url"].as_str().expect("a url").to_owned();
        JobObserver { url, key, pgn, events: BTreeMap::new(), is_done: false, is_deleted: false }
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.is_done || self.is_deleted
    }

    pub(crate) fn event_count(&self) -> usize {
        self.events.len()
    }

    /// Deletes the job. From now on it must be gone.
    pub(crate) async fn delete(&mut self, server: &Server) {
        let answer = server.request(Method::DELETE, &self.url).send().await.expect("an answer");
        assert_eq!(answer.status(), 204);
        self.is_deleted = true;
    }

    /// Compares the review on the server with the received events.
    pub(crate) async fn check(&mut self, server: &Server) {
        let answer = server.request(Method::GET, &self.url).send().await.expect("an answer");
        if self.is_deleted {
            assert_eq!(answer.status(), 410, "an acknowledged deletion is durable");
            return;
        }
        assert_eq!(answer.status(), 200, "an acknowledged job is durable");
        let review: Value = answer.json().await.expect("JSON");
        assert_eq!(
            submit(server, &self.key, &self.pgn).await["url"],
            self.url,
            "the idempotency key is durable"
        );
        assert!(!self.is_done || review["status"] == "done", "a finished job stays finished");
        for event in self.events.values().filter(|event| event["type"] == "move") {
            let (game, ply) =
                (&review["games"][event["game"].as_u64().expect("a game") as usize], &event["ply"]);
            let moves = game["moves"].as_array().expect("moves");
            let stored = moves
                .iter()
                .find(|mv| mv["ply"] == *ply)
                .unwrap_or_else(|| panic!("lost: {event}"));
            COMPARED_MEMBERS.iter().for_each(|member| {
                assert_eq!(event[member], stored[member], "{member} of {event}")
            });
        }
        for event in self.events.values().filter(|event| event["type"] == "game") {
            let game = &review["games"][event["game"].as_u64().expect("a game") as usize];
            ["accuracy", "average_centipawn_loss", "result"]
                .iter()
                .for_each(|member| assert_eq!(event[member], game[member]));
        }
    }

    /// Follows the job behind the last received event and kills the server after `events` further
    /// events; with `kill_while_writing` at its next write. Returns `true` when it was writing.
    pub(crate) async fn follow_until_killed(
        &mut self,
        server: &mut Server,
        events: usize,
        kill_while_writing: bool,
    ) -> bool {
        let request = server.request(Method::GET, &format!("{}/events", self.url));
        let last_event_id = self.events.keys().last().copied().unwrap_or(0);
        let answer = request
            .header("last-event-id", last_event_id.to_string())
            .send()
            .await
            .expect("an answer");
        let mut stream = Stream { answer, text: String::new() };
        let until = self.events.len() + events;
        while self.events.len() < until && !self.is_done {
            let event = stream.next().await.expect("the stream does not end");
            self.record_event(event);
        }
        if kill_while_writing && !self.is_done {
            server.kill_at_next_write().await;
        }
        let was_writing = server.kill_now();
        // The events that were sent before the kill count as well.
        while let Some(event) = stream.next().await {
            self.record_event(event);
        }
        was_writing
    }

    /// Receives all remaining events and checks the job.
    pub(crate) async fn finish(&mut self, server: &Server) {
        if self.is_deleted {
            return;
        }
        let request = server.request(Method::GET, &format!("{}/events", self.url));
        let last_event_id = self.events.keys().last().copied().unwrap_or(0);
        let answer = request
            .header("last-event-id", last_event_id.to_string())
            .send()
            .await
            .expect("an answer");
        let mut stream = Stream { answer, text: String::new() };
        while let Some(event) = stream.next().await {
            self.record_event(event);
        }
        assert!(self.is_done, "the job finishes");
        let last = self.events.keys().last().copied().unwrap_or(0);
        assert_eq!(self.events.len() as u64, last, "every event was received once");
        self.check(server).await;
    }

    fn record_event(&mut self, Event { id, data }: Event) {
        match id.as_deref() {
            Some("end") => {
                assert_eq!(data["reason"], "done", "{data}");
                self.is_done = true;
            }
            Some(id) => {
                let id = id.parse().expect("a number");
                let expected = self.events.keys().last().copied().unwrap_or(0) + 1;
                assert_eq!(id, expected, "ids rise by one, even across a restart");
                self.events.insert(id, data);
            }
            None => assert_eq!(data["type"], "heartbeat"),
        }
    }
}

async fn submit(server: &Server, key: &str, pgn: &str) -> Value {
    let request = server.request(Method::POST, "/v1/games").header("idempotency-key", key);
    let answer = request.json(&json!({ "pgn": pgn, "nodes": 20 })).send().await.expect("an answer");
    assert_eq!(answer.status(), 202);
    answer.json().await.expect("JSON")
}

/// Server-sent events until the end of the stream or of the server.
struct Stream {
    answer: reqwest::Response,
    text: String,
}

impl Stream {
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let field = |name: &str| {
                    event.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned)
                };
                let (id, data) = (field("id: "), field("data: "));
                self.text = rest.to_owned();
                match data {
                    Some(data) => {
                        return Some(Event {
                            id,
                            data: serde_json::from_str(&data).expect("JSON"),
                        });
                    }
                    None => continue,
                }
            }
            match self.answer.chunk().await {
                Ok(Some(chunk)) => self.text.push_str(std::str::from_utf8(&chunk).expect("text")),
                Ok(None) | Err(_) => return None,
            }
        }
    }
}
