//! The observer of a job: it records the job's events and compares them with the review.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::{Value, json};

use crate::server::Server;
use crate::sse::Event;

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

/// A job and all of its received events.
pub(crate) struct JobObserver {
    url: String,
    key: String,
    pgn: String,
    /// The received events by their ids.
    events: BTreeMap<u64, Value>,
    is_done: bool,
    is_deleted: bool,
}

impl JobObserver {
    /// Submits a job. From now on it must exist.
    pub(crate) async fn submit(server: &Server, number: u64, pgn: String) -> JobObserver {
        let key = format!("job-{number}");
        let job = submit(server, &key, &pgn).await;
        assert!(job["moves"].as_u64().is_some_and(|moves| moves > 100), "{job}");
        let url = job["url"].as_str().expect("a url").to_owned();
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

    /// Compares the server's review with the received events.
    pub(crate) async fn check(&mut self, server: &Server) {
        let answer = server.request(Method::GET, &self.url).send().await.expect("an answer");
        if self.is_deleted {
            assert_eq!(answer.status(), 410, "an acknowledged deletion is lost");
            return;
        }
        assert_eq!(answer.status(), 200, "an acknowledged job is lost");
        let review: Value = answer.json().await.expect("JSON");
        assert_eq!(
            submit(server, &self.key, &self.pgn).await["url"],
            self.url,
            "the idempotency key of a job is lost"
        );
        assert!(!self.is_done || review["status"] == "done", "a finished job is not done");
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

    /// Follows the job from its last received event and kills the server after `events` more. With
    /// `kill_while_writing` it waits for a write. `true` if the server was writing.
    pub(crate) async fn follow_until_killed(
        &mut self,
        server: &mut Server,
        events: usize,
        kill_while_writing: bool,
    ) -> bool {
        let mut stream = self.open_events(server).await;
        let until = self.events.len() + events;
        while self.events.len() < until && !self.is_done {
            let event = stream.next().await.expect("the stream continues");
            self.record_event(event);
        }
        if kill_while_writing && !self.is_done {
            server.kill_at_next_write().await;
        }
        let was_writing = server.kill_now();
        // The server sent these events before the kill.
        while let Some(event) = stream.next().await {
            self.record_event(event);
        }
        was_writing
    }

    /// Follows the job to its end.
    pub(crate) async fn finish(&mut self, server: &Server) {
        if self.is_deleted {
            return;
        }
        let mut stream = self.open_events(server).await;
        while let Some(event) = stream.next().await {
            self.record_event(event);
        }
        assert!(self.is_done, "the stream has no end event");
        assert_eq!(self.events.len() as u64, self.last_event_id(), "an event is missing");
        self.check(server).await;
    }

    /// The id of the last received event; 0 before the first.
    fn last_event_id(&self) -> u64 {
        self.events.keys().last().copied().unwrap_or(0)
    }

    /// Opens the stream of events after the last received one.
    async fn open_events(&self, server: &Server) -> Stream {
        let request = server.request(Method::GET, &format!("{}/events", self.url));
        let request = request.header("last-event-id", self.last_event_id().to_string());
        Stream { answer: request.send().await.expect("an answer"), text: String::new() }
    }

    fn record_event(&mut self, Event { name, id, data }: Event) {
        match (name.as_str(), id) {
            ("end", _) => {
                assert_eq!(data["reason"], "done", "{data}");
                self.is_done = true;
            }
            (_, Some(id)) => {
                let id = id.parse().expect("a number");
                let expected = self.last_event_id() + 1;
                assert_eq!(id, expected, "ids rise by one, also across a restart");
                self.events.insert(id, data);
            }
            (name, None) => assert_eq!(name, "heartbeat"),
        }
    }
}

async fn submit(server: &Server, key: &str, pgn: &str) -> Value {
    let request = server.request(Method::POST, "/v1/games").header("idempotency-key", key);
    let answer = request.json(&json!({ "pgn": pgn, "nodes": 20 })).send().await.expect("an answer");
    assert_eq!(answer.status(), 202);
    answer.json().await.expect("JSON")
}

/// Server-sent events, up to the end of the stream or of the server.
struct Stream {
    answer: reqwest::Response,
    text: String,
}

impl Stream {
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((text, rest)) = self.text.split_once("\n\n") {
                let event = Event::parse(text);
                self.text = rest.to_owned();
                if event.is_some() {
                    return event;
                }
                continue;
            }
            match self.answer.chunk().await {
                Ok(Some(chunk)) => self.text.push_str(std::str::from_utf8(&chunk).expect("text")),
                Ok(None) | Err(_) => return None,
            }
        }
    }
}
