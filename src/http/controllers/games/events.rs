//! A job as it goes on, told as server-sent events. Each reader has a place in the job and no more:
//! what it hears is read when it has room for it.

use axum::response::Response;
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use tracing::Instrument;
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use super::reply::{GameHead, JobProgress, MoveReviewDto};
use crate::analysis::jobs::{Job, JobError, JobEvent, JobStatus, Progress};
use crate::http::StreamRules;
use crate::http::asker::Asker;
use crate::http::dto::names_of;
use crate::http::openapi::ProblemDocument;
use crate::http::problem::{Problem, object};
use crate::http::stream::{END, Form, Line, Outbox, Place, outbox, response};

/// So many events are read at once.
const AT_ONCE: u64 = 16;

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
pub(super) fn begin(
    rules: StreamRules,
    place: Place,
    asker: Asker,
    job: Job,
    heard: u64,
    ending: watch::Receiver<bool>,
) -> Response {
    let (outbox, lines) = outbox(rules);
    let reader = Reader { asker, job, outbox, heard, ending, _place: place };
    tokio::spawn(reader.run(rules).in_current_span());
    response(Form::Events, lines)
}

struct Reader {
    asker: Asker,
    job: Job,
    outbox: Outbox,
    /// The event that was told last.
    heard: u64,
    /// Becomes `true` when the service ends.
    ending: watch::Receiver<bool>,
    _place: Place,
}

impl Reader {
    async fn run(mut self, rules: StreamRules) {
        Line::preamble(Form::Events).into_iter().for_each(|line| self.outbox.put(line));
        let mut progress = self.job.follow();
        let mut told = Instant::now();
        loop {
            let now = *progress.borrow_and_update();
            if now.status != JobStatus::Gone && self.heard < self.job.plan().events_done(now.found)
            {
                match self.tell(now).await {
                    Ok(true) => told = Instant::now(),
                    Ok(false) => return,
                    // The next look sees it.
                    Err(JobError::Gone) if !self.job.progress().status.is_over() => {}
                    Err(JobError::Gone) => {
                        return self.end(Progress { status: JobStatus::Gone, ..now });
                    }
                    Err(error) => return self.broken(error),
                }
                continue;
            }
            if now.status.is_over() {
                return self.end(now);
            }
            tokio::select! {
                biased;
                () = self.outbox.deserted() => return,
                () = ended(&mut self.ending) => return,
                // The sender lives in the job.
                _ = progress.changed() => {}
                () = sleep_until(told + rules.heartbeat) => {
                    self.put(None, &JobLine::Heartbeat(JobProgress::new(&self.job, now)));
                    told = Instant::now();
                }
            }
        }
    }

    /// Tells the next few events; `false` when nobody hears them.
    async fn tell(&mut self, now: Progress) -> Result<bool, JobError> {
        for event in self.job.events(self.heard + 1, now.found, AT_ONCE).await? {
            tokio::select! {
                biased;
                () = self.outbox.deserted() => return Ok(false),
                () = ended(&mut self.ending) => return Ok(false),
                () = self.outbox.room() => {}
            }
            self.heard += 1;
            let line = match event {
                JobEvent::Move { game, moved } => JobLine::Move(Box::new(MoveEvent {
                    game,
                    review: MoveReviewDto::from(&*moved),
                })),
                JobEvent::Game(page) => JobLine::Game(Box::new(GameEvent {
                    game: page.number,
                    head: GameHead::from(*page),
                })),
            };
            self.put(Some(&self.heard.to_string()), &line);
        }
        Ok(true)
    }

    fn end(&self, now: Progress) {
        let (reason, progress) = (now.status.name(), JobProgress::new(&self.job, now));
        self.put(Some(END), &JobLine::End(EndEvent { reason, progress }));
    }

    /// Who hears of a fault of ours comes back later, and goes on behind what was heard.
    fn broken(&self, error: JobError) {
        let problem = Problem::of_job(error, self.asker.path());
        match object(&problem, self.asker.path(), self.asker.request_id()) {
            Ok(mut problem) => {
                // The line's type takes the place of the problem's, which its code tells as well.
                problem.remove("type");
                self.put(None, &JobLine::Problem(problem));
            }
            Err(error) => {
                tracing::error!(error = error.to_string(), "a problem could not be written")
            }
        }
    }

    fn put(&self, id: Option<&str>, line: &JobLine) {
        self.outbox.put_written(Line::lasting(Form::Events, line.name(), id, line));
    }
}

/// Resolves when the service ends.
async fn ended(ending: &mut watch::Receiver<bool>) {
    // An error means that the service is gone altogether.
    drop(ending.wait_for(|is_ending| *is_ending).await);
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
    names_of(
        description,
        [JobStatus::Done, JobStatus::Failed, JobStatus::Gone].map(JobStatus::name),
    )
}
