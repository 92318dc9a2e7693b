//! A review job of the API, from its submission to its results.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::Duration;

use kibitzer::client::{ApiClient, ApiError, EventStream, ProblemText};
use kibitzer::terminal::{ProgressBar, progress_bar};
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde::Deserialize;
use tokio::time::{Instant, sleep};

use crate::commands::api::ApiSession;
use crate::commands::note;
use crate::commands::search_limits::{Clamped, SearchLimits};

/// The time between two tries to reach a server.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// The time for sending games and for receiving their review: 64 MB at 1 Mbit/s.
const TRANSFER_TIMEOUT: Duration = Duration::from_secs(600);

/// The unit of the progress bar.
const UNIT: &str = "moves";

/// A review that failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum JobFailure {
    /// The server is away. The job may go on.
    #[error("{0}")]
    Lost(String),
    /// The server refuses a request or has ended the job.
    #[error("{0}")]
    Refused(String),
}

impl From<ApiError> for JobFailure {
    fn from(error: ApiError) -> JobFailure {
        match error.is_temporary() {
            true => JobFailure::Lost(error.to_string()),
            false => JobFailure::Refused(error.to_string()),
        }
    }
}

/// What the events of a job have told.
#[derive(Default)]
pub(super) struct Followed {
    /// Games that can't be read.
    pub(super) refused_games: usize,
}

/// A job.
pub(super) struct Job<'a> {
    session: &'a ApiSession,
    id: String,
    bar: ProgressBar,
}

/// The members of a submitted job that are read.
#[derive(Deserialize)]
struct Submitted {
    id: String,
    moves: u64,
    games: usize,
    clamped: Vec<Clamped>,
}

#[derive(Deserialize)]
struct Progress {
    moves_done: u64,
    moves: u64,
}

/// An event of the job, as far as it is read.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum JobEvent {
    Move {},
    Game(Box<GameEvent>),
    Heartbeat(Progress),
    End {
        reason: String,
        progress: Progress,
    },
    Problem(ProblemText),
    /// A type of a newer server.
    #[serde(other)]
    Unknown,
}

/// A reviewed game, or one that can't be read.
#[derive(Deserialize)]
struct GameEvent {
    game: usize,
    headers: serde_json::Map<String, serde_json::Value>,
    accuracy: PerPlayer,
    error: Option<GameError>,
}

#[derive(Deserialize)]
struct PerPlayer {
    white: Option<f64>,
    black: Option<f64>,
}

#[derive(Deserialize)]
struct GameError {
    detail: String,
}

impl<'a> Job<'a> {
    /// Submits these games, or finds the job with this id.
    pub(super) async fn open(
        session: &'a ApiSession,
        id: Option<String>,
        pgn: Option<Vec<u8>>,
        limits: &SearchLimits,
    ) -> Result<Job<'a>, JobFailure> {
        if let Some(id) = id {
            // The number of moves is not known yet, and a bar of 0 would be full.
            return Ok(Job { session, id, bar: progress_bar(1, UNIT) });
        }
        let query = limits.members().into_iter().map(|(name, value)| format!("{name}={value}"));
        let path = format!("/v1/games?{}", query.collect::<Vec<_>>().join("&"));
        let pgn = axum::body::Bytes::from(pgn.unwrap_or_default());
        // A repeated request with the same key makes no second job.
        let key = format!("{:016x}", RandomState::new().hash_one(std::process::id()));
        let request = |api: &ApiClient| {
            let request = api.request(Method::POST, &path).body(pgn.clone());
            let request = request.timeout(TRANSFER_TIMEOUT);
            request.header(CONTENT_TYPE, "application/x-chess-pgn").header("idempotency-key", &key)
        };
        let response = session.fetch("/v1/games", request).await?;
        let submitted: Submitted = serde_json::from_slice(&response).map_err(|error| {
            JobFailure::Refused(format!("the response of /v1/games is invalid: {error}"))
        })?;
        submitted.clamped.iter().for_each(|clamped| note(&clamped.describe()));
        if submitted.games == 0 {
            return Err(JobFailure::Refused("there are no games in the text".to_owned()));
        }
        Ok(Job { session, id: submitted.id, bar: progress_bar(submitted.moves, UNIT) })
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Follows the events to the end of the job, over several streams if the server goes away.
    pub(super) async fn follow(&self) -> Result<Followed, JobFailure> {
        let mut followed = Followed::default();
        let mut last_event_id = "0".to_owned();
        // When the server was heard last.
        let mut heard = Instant::now();
        loop {
            match self.follow_stream(&mut last_event_id, &mut heard, &mut followed).await {
                Ok(()) => {
                    self.bar.finish_and_clear();
                    return Ok(followed);
                }
                Err(JobFailure::Lost(reason)) => {
                    if heard.elapsed() + RETRY_INTERVAL > self.session.wait {
                        self.bar.finish_and_clear();
                        return Err(JobFailure::Lost(reason));
                    }
                    sleep(RETRY_INTERVAL).await;
                }
                Err(failure) => {
                    self.bar.finish_and_clear();
                    return Err(failure);
                }
            }
        }
    }

    async fn follow_stream(
        &self,
        last_event_id: &mut String,
        heard: &mut Instant,
        followed: &mut Followed,
    ) -> Result<(), JobFailure> {
        let path = format!("/v1/games/{}/events", self.id);
        let after = last_event_id.clone();
        let request =
            |api: &ApiClient| api.request(Method::GET, &path).header("last-event-id", &after);
        let mut stream = EventStream::new(self.session.open_stream(request).await?);
        loop {
            let lost = |error| JobFailure::Lost(format!("the events of the review: {error}"));
            let event = stream.next_event().await.map_err(lost)?;
            let parsed: JobEvent = serde_json::from_str(&event.data).map_err(|error| {
                JobFailure::Refused(format!("an event of the server is invalid: {error}"))
            })?;
            if let JobEvent::Problem(problem) = parsed {
                return Err(ApiError::Refused(problem, None).into());
            }
            *heard = Instant::now();
            if let Some(id) = event.id {
                *last_event_id = id;
            }
            match parsed {
                JobEvent::Move {} => self.bar.inc(1),
                JobEvent::Game(game) => {
                    followed.refused_games += usize::from(game.error.is_some());
                    self.report_game(&game);
                }
                JobEvent::Heartbeat(progress) => self.show(&progress),
                JobEvent::Problem(_) | JobEvent::Unknown => {}
                JobEvent::End { reason, progress } => {
                    self.show(&progress);
                    return match reason.as_str() {
                        "done" => Ok(()),
                        "cancelled" => Err(JobFailure::Refused("the job was deleted".to_owned())),
                        _ => Err(JobFailure::Refused(format!("the review ended: {reason}"))),
                    };
                }
            }
        }
    }

    fn show(&self, progress: &Progress) {
        self.bar.set_length(progress.moves);
        self.bar.set_position(progress.moves_done);
    }

    /// Names a game that can't be read; at a terminal also each one that is reviewed.
    fn report_game(&self, game: &GameEvent) {
        let name = |key: &str| game.headers.get(key).and_then(|name| name.as_str()).unwrap_or("?");
        let title = format!("game {} ({} - {})", game.game + 1, name("White"), name("Black"));
        match &game.error {
            Some(GameError { detail }) => {
                self.bar.suspend(|| note(&format!("{title}: {detail}")));
            }
            None => {
                let percent = |accuracy: Option<f64>| {
                    accuracy.map_or_else(|| "-".to_owned(), |accuracy| format!("{accuracy:.0} %"))
                };
                let PerPlayer { white, black } = game.accuracy;
                let accuracy = format!("accuracy {} - {}", percent(white), percent(black));
                self.bar.println(format!("{title}: {accuracy}"));
            }
        }
    }

    /// The annotated games, or the review as JSON. A server that is away is tried again for this
    /// time.
    pub(super) async fn download(
        &self,
        is_json: bool,
        patience: Duration,
    ) -> Result<Vec<u8>, JobFailure> {
        self.bar.finish_and_clear();
        let path = format!("/v1/games/{}{}", self.id, if is_json { "" } else { "/pgn" });
        let request = |api: &ApiClient| api.request(Method::GET, &path).timeout(TRANSFER_TIMEOUT);
        let response = self.session.api.fetch_patiently(patience, &path, request).await?;
        let mut content = Vec::from(response);
        if !content.ends_with(b"\n") && !content.is_empty() {
            content.push(b'\n');
        }
        Ok(content)
    }
}
