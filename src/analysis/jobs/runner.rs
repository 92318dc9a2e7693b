//! The work on one job: positions are searched, several at once, and what is found is kept in their
//! order.
//!
//! While a commit is under way searches go on, and what they find meanwhile becomes the next
//! commit: so a disk that takes 10 ms for each slows nothing down, and nothing is shown before it
//! is kept.

use std::collections::VecDeque;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::entry::{Entry, JobStatus, Progress};
use super::service::{Jobs, blocking};
use super::walk::{self, Step, Walk};
use super::{JobError, Plan};
use crate::analysis::known::Stored;
use crate::analysis::{AnalysisError, AnalysisRequest, Class, Following, Reason};
use crate::chess::Game;
use crate::engine::{Limits, Scope};
use crate::store::StoreError;
use crate::store::jobs::{Asked, Ending, Finding, LONGEST_LINE, Refusal};

/// So many positions are searched, wait for one before them, or wait for the disk.
const AHEAD: usize = 128;

/// When the lane is full or the disk refuses, so long it takes before they are asked again.
const ASK_AGAIN: Duration = Duration::from_millis(20);
const WRITE_AGAIN: Duration = Duration::from_secs(1);

/// A position whose search breaks off by a fault of ours is searched so often.
const TRIES: usize = 3;

/// Why nobody works at a job any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// It is over.
    Over,
    /// Another client's job has the next turn.
    Parked,
    /// It is gone, or the service ends.
    Left,
}

/// What a search brings home.
type Found = Result<Finding, AnalysisError>;

/// A search under way, or what was known without one. Dropping it is leaving.
enum Search {
    Known(Finding),
    UnderWay(JoinHandle<Found>),
}

impl Drop for Search {
    fn drop(&mut self) {
        if let Search::UnderWay(search) = self {
            search.abort();
        }
    }
}

/// What happened.
enum Event {
    Gone,
    Found(Found),
    Written(Result<(), Refusal>),
    Place(OwnedSemaphorePermit),
}

pub(super) struct Runner {
    jobs: Jobs,
    entry: Arc<Entry>,
    progress: watch::Receiver<Progress>,
    plan: Plan,
    walk: Walk,
    /// Something was begun in this turn: it is not given away before.
    has_begun: bool,
    /// In the order of their positions.
    ahead: VecDeque<Search>,
    /// Found, and behind all that was given to the disk.
    found: Vec<Finding>,
    writing: Option<Writing>,
    /// Why no more is searched.
    halt: Option<Halt>,
}

/// A commit under way.
struct Writing {
    task: JoinHandle<Result<(), Refusal>>,
    findings: Arc<Vec<Finding>>,
    ending: Option<Ending>,
}

/// Why no more is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Halt {
    /// What is found is kept, and then another job has its turn.
    Park,
    /// The service ends: what is found is kept.
    Shutdown,
    /// A fault of ours: the job has failed.
    Fault,
}

impl Runner {
    /// The work on a job from where it is. Blocks.
    ///
    /// # Errors
    /// When the job cannot be read.
    pub(super) fn new(jobs: Jobs, entry: Arc<Entry>) -> Result<Runner, JobError> {
        let record = jobs.file().job(entry.id)?.ok_or(JobError::Gone)?;
        let (plan, progress) = (Plan::new(&record.plies), entry.progress.subscribe());
        let walk = Walk::from(entry.progress().found);
        let (ahead, found) = (VecDeque::new(), Vec::new());
        Ok(Runner {
            jobs,
            entry,
            progress,
            plan,
            walk,
            has_begun: false,
            ahead,
            found,
            writing: None,
            halt: None,
        })
    }

    /// Works until the job is over, or there is a reason to stop. All that was found by then and
    /// has no gap before it is kept.
    pub(super) async fn run(mut self) -> Rest {
        self.entry.becomes(JobStatus::Running);
        loop {
            if self.writing.is_none() {
                if self.entry.progress().status.is_over() {
                    return Rest::Over;
                }
                let ending = self.ending();
                if !self.found.is_empty() || ending.is_some() {
                    self.write(ending);
                } else if self.ahead.is_empty()
                    && let Some(halt) = self.halt
                {
                    return if halt == Halt::Park { Rest::Parked } else { Rest::Left };
                }
            }
            match self.hear().await {
                Event::Gone => return Rest::Left,
                Event::Found(Ok(finding)) => self.found.push(finding),
                Event::Found(Err(error)) => self.broke_off(&error),
                Event::Written(written) => {
                    if self.written(written).await == Some(Rest::Left) {
                        return Rest::Left;
                    }
                }
                Event::Place(place) => self.take_up(place).await,
            }
        }
    }

    /// Waits for whatever comes first.
    async fn hear(&mut self) -> Event {
        let may_take_up = self.may_take_up();
        let Runner { jobs, progress, ahead, writing, .. } = self;
        let written = async {
            match writing {
                Some(writing) => (&mut writing.task).await,
                None => pending().await,
            }
        };
        let found = async {
            match ahead.front_mut() {
                Some(Search::Known(finding)) => Ok(finding.clone()),
                Some(Search::UnderWay(search)) => search.await.unwrap_or(Err(
                    AnalysisError::Internal("a search of a job ended without an answer"),
                )),
                None => pending().await,
            }
        };
        // The sender lives in the entry.
        let gone =
            async { drop(progress.wait_for(|progress| progress.status == JobStatus::Gone).await) };
        let place = jobs.places().acquire_owned();
        tokio::select! {
            biased;
            () = gone => Event::Gone,
            written = written => {
                let broke_off = |error: tokio::task::JoinError| Err(StoreError::Failed(error.to_string()).into());
                Event::Written(written.unwrap_or_else(broke_off))
            }
            found = found => {
                ahead.pop_front();
                Event::Found(found)
            }
            Ok(place) = place, if may_take_up => Event::Place(place),
        }
    }

    fn may_take_up(&mut self) -> bool {
        let is_between_games =
            self.has_begun && self.walk.spot(&self.plan).is_some_and(|spot| spot.is_first);
        if self.halt.is_none() && is_between_games && self.jobs.wants_place() {
            self.halt = Some(Halt::Park);
        }
        let under_way = self.writing.as_ref().map_or(0, |writing| writing.findings.len());
        let ahead = self.ahead.len() + self.found.len() + under_way;
        self.halt.is_none() && ahead < AHEAD && self.walk.spot(&self.plan).is_some()
    }

    /// Begins with the next position.
    async fn take_up(&mut self, place: OwnedSemaphorePermit) {
        self.has_begun = true;
        if let Some(number) = self.walk.wanted(&self.plan) {
            let (jobs, id) = (self.jobs.clone(), self.entry.id);
            match blocking(move || Ok(walk::read(jobs.file(), id, number)?)).await {
                Ok(game) => self.walk.enter(number, game),
                // Until the file is opened again there is nothing to read.
                Err(JobError::Store(StoreError::Closed | StoreError::Open(_))) => {
                    return sleep(WRITE_AGAIN).await;
                }
                Err(error) => {
                    tracing::error!(job = %self.entry.id, error = error.to_string(), "a job cannot be read");
                    self.halt = Some(Halt::Fault);
                    return;
                }
            }
        }
        match self.walk.step(&self.plan) {
            Some(Step::Known(finding)) => self.ahead.push_back(Search::Known(finding)),
            Some(Step::Search(game)) => {
                // Asked here, so that positions stand in the lane in their order.
                let asked = self.jobs.service().follow(question(&self.entry, (*game).clone()));
                let search = search(asked, self.jobs.clone(), self.entry.clone(), game, place);
                self.ahead.push_back(Search::UnderWay(tokio::spawn(search)));
            }
            None => {}
        }
    }

    fn broke_off(&mut self, error: &AnalysisError) {
        // What comes behind has a gap before it.
        self.ahead.clear();
        self.halt = Some(match error {
            AnalysisError::ShuttingDown { .. } => Halt::Shutdown,
            error => {
                tracing::error!(job = %self.entry.id, error = error.to_string(), "a job has failed");
                Halt::Fault
            }
        });
    }

    /// How the job ends with what is found, if it does.
    fn ending(&self) -> Option<Ending> {
        let all = self.entry.progress().found + self.found.len() as u64 == self.plan.positions();
        let failed = self.halt == Some(Halt::Fault) && self.ahead.is_empty() && !all;
        (all || failed).then(|| Ending { at_ms: Stored::now().milliseconds, failed })
    }

    fn write(&mut self, ending: Option<Ending>) {
        let findings = Arc::new(std::mem::take(&mut self.found));
        let task = self.writing_task(findings.clone(), ending);
        self.writing = Some(Writing { task, findings, ending });
    }

    fn writing_task(
        &self,
        findings: Arc<Vec<Finding>>,
        ending: Option<Ending>,
    ) -> JoinHandle<Result<(), Refusal>> {
        let (jobs, id, first) = (self.jobs.clone(), self.entry.id, self.entry.progress().found);
        let in_flight = self.ahead.len();
        tokio::task::spawn_blocking(move || {
            tracing::debug!(job = %id, first, count = findings.len(), in_flight, "writing");
            let written = jobs.file().append(id, first, &findings, ending);
            tracing::debug!(job = %id, first, count = findings.len(), done = written.is_ok(), "written");
            written
        })
    }

    async fn written(&mut self, written: Result<(), Refusal>) -> Option<Rest> {
        let Writing { findings, ending, .. } = self.writing.take()?;
        match written {
            Ok(()) => {
                self.jobs.note_write(None);
                self.jobs.note_found(findings.len());
                // Before anybody hears of it.
                if let Some(ending) = ending {
                    self.jobs.note_end(&self.entry, ending);
                }
                self.entry.progress.send_modify(|progress| {
                    progress.found += findings.len() as u64;
                    if let Some(ending) = ending
                        && !progress.status.is_over()
                    {
                        progress.status = JobStatus::of(ending);
                    }
                });
                None
            }
            Err(Refusal::Gone) => {
                self.jobs.note_write(None);
                Some(Rest::Left)
            }
            Err(Refusal::Store(error)) => {
                self.jobs.note_write(Some(&error));
                if self.jobs.is_ending() {
                    return Some(Rest::Left);
                }
                sleep(WRITE_AGAIN).await;
                let task = self.writing_task(findings.clone(), ending);
                self.writing = Some(Writing { task, findings, ending });
                None
            }
        }
    }
}

/// Follows the search of a position to its end, and asks again where that is worth it. It holds a
/// place meanwhile.
async fn search(
    mut asked: Result<Following, AnalysisError>,
    jobs: Jobs,
    entry: Arc<Entry>,
    game: Box<Game>,
    place: OwnedSemaphorePermit,
) -> Found {
    let mut tries = 0;
    let found = loop {
        let answer = match asked {
            Ok(following) => following.own_end().await,
            Err(error) => Err(error),
        };
        match answer {
            Ok(answer) if matches!(answer.reason, Reason::Shutdown | Reason::Replaced) => {
                break Err(AnalysisError::shutting_down());
            }
            Ok(answer) if answer.has_found() => {
                let line = &answer.report.pv[..answer.report.pv.len().min(LONGEST_LINE)];
                break Ok(Finding { score: answer.report.score, line: line.to_vec() });
            }
            Err(error @ AnalysisError::ShuttingDown { .. }) => break Err(error),
            Err(AnalysisError::QueueFull { .. } | AnalysisError::Deadline { .. }) => {
                sleep(ASK_AGAIN).await
            }
            answer => {
                tries += 1;
                if tries >= TRIES {
                    break Err(answer.err().unwrap_or(AnalysisError::Internal(
                        "a search of a job has found nothing",
                    )));
                }
            }
        }
        asked = jobs.service().follow(question(&entry, (*game).clone()));
    };
    drop(place);
    found
}

fn question(entry: &Entry, game: Game) -> AnalysisRequest {
    let Asked { depth, nodes, movetime, multipv } = entry.asked;
    AnalysisRequest {
        game,
        limits: Limits { depth, nodes, movetime, ..Limits::default() },
        scope: Scope { multipv: usize::from(multipv), ..Scope::default() },
        fresh: false,
        client: entry.client.clone(),
        class: Class::Batch,
        session: None,
    }
}
