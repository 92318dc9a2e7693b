//! A job as it goes on, told as server-sent events. Each reader has a place in the job and no more:
//! what it hears is read when it has room for it.

use std::time::Duration;

use axum::response::Response;
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use tracing::Instrument;
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use super::response::{GameHead, JobProgress, MoveReviewDto};
use crate::analysis::jobs::{JobError, JobEvent, JobReader, JobStatus, Progress};
use crate::http::problem::{Problem, ProblemDocument, render_line_object};
use crate::http::schema::string_enum;
use crate::http::stream::{Delivery, END_EVENT_ID, StreamSetup, StreamWriter};

/// So many events are read at once.
const EVENTS_PER_READ: u64 = 16;

/// An event.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum JobLine {
    /// A move is reviewed.
    Move(Box<MoveEvent>),
    /// All of a game is reviewed, or it cannot be.
    Game(Box<GameEvent>),
    /// The job goes on.
    Heartbeat(JobProgress),
    /// The last event.
    End(EndEvent),
    /// The last event of a stream that broke on the server's side.
    #[schema(value_type = ProblemDocument)]
    Problem(Map<String, Value>),
}

/// A move is reviewed.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct MoveEvent {
    /// Which game of the text, from 0.
    game: u32,
    #[serde(flatten)]
    review: MoveReviewDto,
}

/// All of a game is reviewed, or it cannot be. Its moves were told before.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct GameEvent {
    /// Which game of the text, from 0.
    game: u32,
    #[serde(flatten)]
    head: GameHead,
}

/// The last event.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct EndEvent {
    /// Why nothing more comes.
    #[schema(schema_with = reasons)]
    reason: &'static str,
    /// How far it came.
    progress: JobProgress,
}

/// Begins a stream behind the event of that number. It ends with its job, with its reader, or with
/// the service: then without `end`, so that its reader comes back.
pub(super) fn stream_events(
    setup: StreamSetup,
    job: JobReader,
    last_event_id: u64,
    shutdown: watch::Receiver<bool>,
) -> Response {
    let heartbeat_interval = setup.options.heartbeat;
    let (stream, response) = setup.open();
    let writer = EventWriter { stream, job, last_event_id, shutdown };
    tokio::spawn(writer.run(heartbeat_interval).in_current_span());
    response
}

struct EventWriter {
    stream: StreamWriter,
    job: JobReader,
    /// The event that was sent last.
    last_event_id: u64,
    /// Becomes `true` when the service ends.
    shutdown: watch::Receiver<bool>,
}

impl EventWriter {
    async fn run(mut self, heartbeat_interval: Duration) {
        let mut progress = self.job.subscribe();
        let mut last_sent_at = Instant::now();
        loop {
            let current = *progress.borrow_and_update();
            if current.status != JobStatus::Gone
                && self.last_event_id < self.job.schedule().events_done(current.positions_done)
            {
                match self.send_events(current).await {
                    Ok(true) => last_sent_at = Instant::now(),
                    Ok(false) => return,
                    // The next look sees it.
                    Err(JobError::Gone) if !self.job.progress().status.is_finished() => {}
                    Err(JobError::Gone) => {
                        return self.send_end(Progress { status: JobStatus::Gone, ..current });
                    }
                    Err(error) => return self.send_problem(error),
                }
                continue;
            }
            if current.status.is_finished() {
                return self.send_end(current);
            }
            tokio::select! {
                biased;
                () = self.stream.closed() => return,
                () = wait_for_shutdown(&mut self.shutdown) => return,
                // The sender lives in the job.
                _ = progress.changed() => {}
                () = sleep_until(last_sent_at + heartbeat_interval) => {
                    self.put(None, &JobLine::Heartbeat(JobProgress::new(&self.job, current)));
                    last_sent_at = Instant::now();
                }
            }
        }
    }

    /// Tells the next few events; `false` when nobody hears them.
    async fn send_events(&mut self, current: Progress) -> Result<bool, JobError> {
        for event in
            self.job.events(self.last_event_id + 1, current.positions_done, EVENTS_PER_READ).await?
        {
            tokio::select! {
                biased;
                () = self.stream.closed() => return Ok(false),
                () = wait_for_shutdown(&mut self.shutdown) => return Ok(false),
                () = self.stream.wait_for_capacity() => {}
            }
            self.last_event_id += 1;
            let line = match event {
                JobEvent::Move { game, reviewed_move: moved } => {
                    JobLine::Move(Box::new(MoveEvent {
                        game,
                        review: MoveReviewDto::from(&*moved),
                    }))
                }
                JobEvent::Game(page) => JobLine::Game(Box::new(GameEvent {
                    game: page.number,
                    head: GameHead::from(*page),
                })),
            };
            self.put(Some(&self.last_event_id.to_string()), &line);
        }
        Ok(true)
    }

    fn send_end(&self, current: Progress) {
        let (reason, progress) = (current.status.name(), JobProgress::new(&self.job, current));
        self.put(Some(END_EVENT_ID), &JobLine::End(EndEvent { reason, progress }));
    }

    /// Who hears of a fault of ours comes back later, and goes on behind what was heard.
    fn send_problem(&self, error: JobError) {
        let caller = self.stream.caller();
        let problem = Problem::from_job_error(error, caller.path());
        if let Some(object) = render_line_object(&problem, caller.path(), caller.request_id()) {
            self.put(None, &JobLine::Problem(object));
        }
    }

    fn put(&self, id: Option<&str>, line: &JobLine) {
        self.stream.send(Delivery::Required, line.name(), id, line);
    }
}

/// Resolves when the service ends.
async fn wait_for_shutdown(shutdown: &mut watch::Receiver<bool>) {
    // An error means that the service is gone altogether.
    drop(shutdown.wait_for(|is_shutting_down| *is_shutting_down).await);
}

impl JobLine {
    const fn name(&self) -> &'static str {
        match self {
            JobLine::Move(_) => "move",
            JobLine::Game(_) => "game",
            JobLine::Heartbeat(_) => "heartbeat",
            JobLine::End(_) => "end",
            JobLine::Problem(_) => "problem",
        }
    }
}

fn reasons() -> ObjectBuilder {
    let description = "Why nothing more comes: `done`, all is reviewed; `failed`, a fault of the server has ended the job; `cancelled`, it was \
                       deleted.";
    string_enum(
        description,
        [JobStatus::Done, JobStatus::Failed, JobStatus::Gone].map(JobStatus::name),
    )
}
