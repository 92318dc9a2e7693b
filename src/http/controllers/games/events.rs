//! The server-sent events of a job. A stream keeps only the id of its last event; it reads the next
//! events when the client has capacity for them.

use std::time::Duration;

use axum::response::Response;
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};
use tracing::Instrument;
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use super::response::{GameHead, JobProgress, MoveReviewDto};
use crate::analysis::jobs::{JobError, JobEvent, JobReader, JobStatus, Progress};
use crate::http::dto::Pov;
use crate::http::problem::{Problem, ProblemDocument, render_line_object};
use crate::http::schema::string_enum;
use crate::http::stream::{Delivery, END_EVENT_ID, StreamSetup, StreamWriter};

/// The number of events per read.
const EVENTS_PER_READ: u64 = 16;

/// The time until a job that is gone from the store is looked at again.
const GONE_RETRY: Duration = Duration::from_millis(100);

/// An event of a review.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum JobLine {
    /// A move is reviewed.
    Move(Box<MoveEvent>),
    /// A whole game is reviewed, or it can't be reviewed.
    Game(Box<GameEvent>),
    /// Sent if the server has sent no other event for some seconds.
    Heartbeat(JobProgress),
    /// The last event of a complete stream.
    End(EndEvent),
    /// The last event of a stream that failed on the server.
    #[schema(value_type = ProblemDocument)]
    Problem(Map<String, Value>),
}

/// A move is reviewed.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct MoveEvent {
    /// The number of the game in the text, from 0.
    game: u32,
    #[serde(flatten)]
    review: MoveReviewDto,
}

/// A whole game is reviewed, or it can't be reviewed. The events of its moves come before.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct GameEvent {
    /// The number of the game in the text, from 0.
    game: u32,
    #[serde(flatten)]
    head: GameHead,
}

/// The last event of a complete stream.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct EndEvent {
    /// The reason for the end of the stream.
    #[schema(schema_with = reasons)]
    reason: &'static str,
    /// The progress of the job at the end.
    progress: JobProgress,
}

/// Starts a stream with the event after `last_event_id`. It ends when the job ends, the client
/// disconnects or the service shuts down. A shutdown sends no `end`, so that the client reconnects.
pub(super) fn stream_events(
    setup: StreamSetup,
    job: JobReader,
    pov: Pov,
    last_event_id: u64,
    shutdown: watch::Receiver<bool>,
) -> Response {
    let heartbeat_interval = setup.options.heartbeat;
    let (stream, response) = setup.open();
    let writer = EventWriter { stream, job, pov, last_event_id, shutdown };
    tokio::spawn(writer.run(heartbeat_interval).in_current_span());
    response
}

struct EventWriter {
    stream: StreamWriter,
    job: JobReader,
    /// The point of view of the scores.
    pov: Pov,
    /// The id of the last sent event.
    last_event_id: u64,
    /// Becomes `true` when the service shuts down.
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
                    // The job's status is not updated yet. The next iteration sees the deletion.
                    Err(JobError::Gone) if !self.job.progress().status.is_finished() => {
                        tokio::select! {
                            () = self.stream.closed() => return,
                            _ = progress.changed() => {}
                            () = sleep(GONE_RETRY) => {}
                        }
                    }
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
                // It can't fail: the job holds the sender.
                _ = progress.changed() => {}
                () = sleep_until(last_sent_at + heartbeat_interval) => {
                    self.send(None, &JobLine::Heartbeat(JobProgress::new(&self.job, current)));
                    last_sent_at = Instant::now();
                }
            }
        }
    }

    /// Sends the next few events. `false` if the stream must end: the client has disconnected or
    /// the service shuts down.
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
                        review: MoveReviewDto::new(&moved, self.pov),
                    }))
                }
                JobEvent::Game(page) => JobLine::Game(Box::new(GameEvent {
                    game: page.number,
                    head: GameHead::from(*page),
                })),
            };
            self.send(Some(&self.last_event_id.to_string()), &line);
        }
        Ok(true)
    }

    fn send_end(&self, current: Progress) {
        let (reason, progress) = (current.status.name(), JobProgress::new(&self.job, current));
        self.send(Some(END_EVENT_ID), &JobLine::End(EndEvent { reason, progress }));
    }

    /// Sends a problem without an id. A client that reconnects continues after its last event.
    fn send_problem(&self, error: JobError) {
        let caller = self.stream.caller();
        let problem = Problem::from_job_error(error, caller.path());
        if let Some(object) = render_line_object(&problem, caller.path(), caller.request_id()) {
            self.send(None, &JobLine::Problem(object));
        }
    }

    fn send(&self, id: Option<&str>, line: &JobLine) {
        self.stream.send(Delivery::Required, line.name(), id, line);
    }
}

/// Resolves when the service shuts down.
async fn wait_for_shutdown(shutdown: &mut watch::Receiver<bool>) {
    // An error means that the service is already dropped.
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
    let description = "The reason for the end of the stream: `done`, all games are reviewed; \
        `failed`, a server error ended the job; `cancelled`, the job was deleted.";
    string_enum(
        description,
        [JobStatus::Done, JobStatus::Failed, JobStatus::Gone].map(JobStatus::name),
    )
}
