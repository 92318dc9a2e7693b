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

use super::entry::{JobEntry, JobStatus, Progress};
use super::positions::{self, PositionCursor, Step};
use super::service::{Jobs, run_blocking};
use super::{JobError, Schedule};
use crate::analysis::evaluation_cache::StoredAt;
use crate::analysis::{
    AnalysisError, AnalysisRequest, AnalysisStream, CompletionReason, PriorityClass,
};
use crate::chess::Game;
use crate::engine::{Limits, SearchScope};
use crate::store::StoreError;
use crate::store::jobs::{AppendError, JobEnd, MAX_PV_LEN, PositionEval, PositionLimits};

/// So many positions are searched, wait for one before them, or wait for the disk.
const LOOKAHEAD: usize = 128;

/// When the disk refuses, so long it takes before it is asked again.
const WRITE_RETRY_DELAY: Duration = Duration::from_secs(1);

/// A position whose search breaks off by a fault of ours is searched so often.
const MAX_ATTEMPTS: usize = 3;

/// Why nobody works at a job any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunOutcome {
    /// It is over.
    Finished,
    /// Another client's job has the next turn.
    Yielded,
    /// It is gone, or the service ends.
    Stopped,
}

/// What a search brings home.
type EvalResult = Result<PositionEval, AnalysisError>;

/// A search under way, or what was known without one. Dropping it is leaving.
enum PendingEval {
    Ready(PositionEval),
    Running(JoinHandle<EvalResult>),
}

impl Drop for PendingEval {
    fn drop(&mut self) {
        if let PendingEval::Running(task) = self {
            task.abort();
        }
    }
}

/// What happened.
enum RunnerEvent {
    JobGone,
    Evaluated(EvalResult),
    Committed(Result<(), AppendError>),
    PermitAcquired(OwnedSemaphorePermit),
}

pub(super) struct Runner {
    jobs: Jobs,
    entry: Arc<JobEntry>,
    progress: watch::Receiver<Progress>,
    schedule: Schedule,
    cursor: PositionCursor,
    /// Something was begun in this turn: it is not given away before.
    has_started: bool,
    /// In the order of their positions.
    in_flight: VecDeque<PendingEval>,
    /// Found, and behind all that was given to the disk.
    unwritten_evals: Vec<PositionEval>,
    commit: Option<PendingCommit>,
    /// Why no more is searched.
    halt_reason: Option<HaltReason>,
}

/// A commit under way.
struct PendingCommit {
    task: JoinHandle<Result<(), AppendError>>,
    evals: Arc<Vec<PositionEval>>,
    end: Option<JobEnd>,
}

/// Why no more is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HaltReason {
    /// What is found is kept, and then another job has its turn.
    Yield,
    /// The service ends: what is found is kept.
    Shutdown,
    /// A fault of ours: the job has failed.
    Failure,
}

impl Runner {
    /// The work on a job from where it is. Blocks.
    ///
    /// # Errors
    /// When the job cannot be read.
    pub(super) fn new(jobs: Jobs, entry: Arc<JobEntry>) -> Result<Runner, JobError> {
        let record = jobs.file().job(entry.id)?.ok_or(JobError::Gone)?;
        let (schedule, progress) = (Schedule::new(&record.plies), entry.progress.subscribe());
        let cursor = PositionCursor::starting_at(entry.progress().positions_done);
        let (in_flight, unwritten_evals) = (VecDeque::new(), Vec::new());
        Ok(Runner {
            jobs,
            entry,
            progress,
            schedule,
            cursor,
            has_started: false,
            in_flight,
            unwritten_evals,
            commit: None,
            halt_reason: None,
        })
    }

    /// Works until the job is over, or there is a reason to stop. All that was found by then and
    /// has no gap before it is kept.
    pub(super) async fn run(mut self) -> RunOutcome {
        self.entry.set_status(JobStatus::Running);
        loop {
            if self.commit.is_none() {
                if self.entry.progress().status.is_finished() {
                    return RunOutcome::Finished;
                }
                let end = self.job_end();
                if !self.unwritten_evals.is_empty() || end.is_some() {
                    self.start_commit(end);
                } else if self.in_flight.is_empty()
                    && let Some(reason) = self.halt_reason
                {
                    return if reason == HaltReason::Yield {
                        RunOutcome::Yielded
                    } else {
                        RunOutcome::Stopped
                    };
                }
            }
            match self.next_event().await {
                RunnerEvent::JobGone => return RunOutcome::Stopped,
                RunnerEvent::Evaluated(Ok(eval)) => self.unwritten_evals.push(eval),
                RunnerEvent::Evaluated(Err(error)) => self.on_search_failed(&error),
                RunnerEvent::Committed(written) => {
                    if self.on_committed(written).await == Some(RunOutcome::Stopped) {
                        return RunOutcome::Stopped;
                    }
                }
                RunnerEvent::PermitAcquired(permit) => self.start_search(permit).await,
            }
        }
    }

    /// Waits for whatever comes first.
    async fn next_event(&mut self) -> RunnerEvent {
        let can_start_search = self.can_start_search();
        let Runner { jobs, progress, in_flight, commit, .. } = self;
        let written = async {
            match commit {
                Some(writing) => (&mut writing.task).await,
                None => pending().await,
            }
        };
        let found = async {
            match in_flight.front_mut() {
                Some(PendingEval::Ready(eval)) => Ok(eval.clone()),
                Some(PendingEval::Running(task)) => task.await.unwrap_or(Err(
                    AnalysisError::Internal("a search of a job ended without an answer"),
                )),
                None => pending().await,
            }
        };
        // The sender lives in the entry.
        let gone =
            async { drop(progress.wait_for(|progress| progress.status == JobStatus::Gone).await) };
        let place = jobs.search_permits().acquire_owned();
        tokio::select! {
            biased;
            () = gone => RunnerEvent::JobGone,
            written = written => {
                let broke_off = |error: tokio::task::JoinError| Err(StoreError::Failed(error.to_string()).into());
                RunnerEvent::Committed(written.unwrap_or_else(broke_off))
            }
            found = found => {
                in_flight.pop_front();
                RunnerEvent::Evaluated(found)
            }
            Ok(place) = place, if can_start_search => RunnerEvent::PermitAcquired(place),
        }
    }

    fn can_start_search(&mut self) -> bool {
        let is_between_games = self.has_started
            && self.cursor.next_position(&self.schedule).is_some_and(|spot| spot.is_first);
        if self.halt_reason.is_none() && is_between_games && self.jobs.should_yield() {
            self.halt_reason = Some(HaltReason::Yield);
        }
        let committing = self.commit.as_ref().map_or(0, |writing| writing.evals.len());
        let backlog = self.in_flight.len() + self.unwritten_evals.len() + committing;
        self.halt_reason.is_none()
            && backlog < LOOKAHEAD
            && self.cursor.next_position(&self.schedule).is_some()
    }

    /// Begins with the next position.
    async fn start_search(&mut self, permit: OwnedSemaphorePermit) {
        self.has_started = true;
        if let Some(number) = self.cursor.game_to_load(&self.schedule) {
            let (jobs, id) = (self.jobs.clone(), self.entry.id);
            match run_blocking(move || Ok(positions::read_game(jobs.file(), id, number)?)).await {
                Ok(game) => self.cursor.set_game(number, game),
                // Until the file is opened again there is nothing to read.
                Err(JobError::Store(StoreError::Closed | StoreError::Open(_))) => {
                    return sleep(WRITE_RETRY_DELAY).await;
                }
                Err(error) => {
                    tracing::error!(job = %self.entry.id, error = error.to_string(), "a job cannot be read");
                    self.halt_reason = Some(HaltReason::Failure);
                    return;
                }
            }
        }
        match self.cursor.step(&self.schedule) {
            Some(Step::Terminal(eval)) => self.in_flight.push_back(PendingEval::Ready(eval)),
            Some(Step::Search(game)) => {
                // Asked here, so that positions stand in the lane in their order.
                let stream_result = self
                    .jobs
                    .service()
                    .start_analysis(analysis_request(&self.entry, (*game).clone()));
                let task = evaluate_position(
                    stream_result,
                    self.jobs.clone(),
                    self.entry.clone(),
                    game,
                    permit,
                );
                self.in_flight.push_back(PendingEval::Running(tokio::spawn(task)));
            }
            None => {}
        }
    }

    fn on_search_failed(&mut self, error: &AnalysisError) {
        // What comes behind has a gap before it.
        self.in_flight.clear();
        self.halt_reason = Some(match error {
            AnalysisError::ShuttingDown { .. } => HaltReason::Shutdown,
            error => {
                tracing::error!(job = %self.entry.id, error = error.to_string(), "a job has failed");
                HaltReason::Failure
            }
        });
    }

    /// How the job ends with what is found, if it does.
    fn job_end(&self) -> Option<JobEnd> {
        let is_complete = self.entry.progress().positions_done + self.unwritten_evals.len() as u64
            == self.schedule.positions();
        let failed = self.halt_reason == Some(HaltReason::Failure)
            && self.in_flight.is_empty()
            && !is_complete;
        (is_complete || failed).then(|| JobEnd { at_ms: StoredAt::now().unix_ms, failed })
    }

    fn start_commit(&mut self, end: Option<JobEnd>) {
        let evals = Arc::new(std::mem::take(&mut self.unwritten_evals));
        let task = self.spawn_commit(evals.clone(), end);
        self.commit = Some(PendingCommit { task, evals, end });
    }

    fn spawn_commit(
        &self,
        evals: Arc<Vec<PositionEval>>,
        end: Option<JobEnd>,
    ) -> JoinHandle<Result<(), AppendError>> {
        let (jobs, id, first) =
            (self.jobs.clone(), self.entry.id, self.entry.progress().positions_done);
        let in_flight = self.in_flight.len();
        tokio::task::spawn_blocking(move || {
            tracing::debug!(job = %id, first, count = evals.len(), in_flight, "writing");
            let written = jobs.file().append(id, first, &evals, end);
            tracing::debug!(job = %id, first, count = evals.len(), done = written.is_ok(), "written");
            written
        })
    }

    async fn on_committed(&mut self, written: Result<(), AppendError>) -> Option<RunOutcome> {
        let PendingCommit { evals, end, .. } = self.commit.take()?;
        match written {
            Ok(()) => {
                self.jobs.record_write(None);
                self.jobs.count_evaluated(evals.len());
                // Before anybody hears of it.
                if let Some(end) = end {
                    self.jobs.on_job_finished(&self.entry, end);
                }
                self.entry.progress.send_modify(|progress| {
                    progress.positions_done += evals.len() as u64;
                    if let Some(end) = end
                        && !progress.status.is_finished()
                    {
                        progress.status = JobStatus::from_end(end);
                    }
                });
                None
            }
            Err(AppendError::Gone) => {
                self.jobs.record_write(None);
                Some(RunOutcome::Stopped)
            }
            Err(AppendError::Store(error)) => {
                self.jobs.record_write(Some(&error));
                if self.jobs.is_shutting_down() {
                    return Some(RunOutcome::Stopped);
                }
                sleep(WRITE_RETRY_DELAY).await;
                let task = self.spawn_commit(evals.clone(), end);
                self.commit = Some(PendingCommit { task, evals, end });
                None
            }
        }
    }
}

/// Follows the search of a position to its end, and asks again where that is worth it. It holds a
/// place meanwhile.
async fn evaluate_position(
    stream_result: Result<AnalysisStream, AnalysisError>,
    jobs: Jobs,
    entry: Arc<JobEntry>,
    game: Box<Game>,
    permit: OwnedSemaphorePermit,
) -> EvalResult {
    let mut attempts = 0;
    let mut answer = match stream_result {
        Ok(stream) => stream.final_answer().await,
        Err(error) => Err(error),
    };
    let result = loop {
        match answer {
            Ok(answer)
                if matches!(
                    answer.reason,
                    CompletionReason::Shutdown | CompletionReason::Replaced
                ) =>
            {
                break Err(AnalysisError::shutting_down());
            }
            Ok(answer) if answer.has_result() => {
                let line = &answer.report.pv[..answer.report.pv.len().min(MAX_PV_LEN)];
                break Ok(PositionEval { score: answer.report.score, pv: line.to_vec() });
            }
            Err(error @ AnalysisError::ShuttingDown { .. }) => break Err(error),
            Err(AnalysisError::QueueFull { .. } | AnalysisError::Deadline { .. }) => {}
            answer => {
                attempts += 1;
                if attempts >= MAX_ATTEMPTS {
                    break Err(answer.err().unwrap_or(AnalysisError::Internal(
                        "a search of a job has found nothing",
                    )));
                }
            }
        }
        let request = analysis_request(&entry, (*game).clone());
        answer = jobs.service().best_move_when_free(request).await;
    };
    drop(permit);
    result
}

fn analysis_request(entry: &JobEntry, game: Game) -> AnalysisRequest {
    let PositionLimits { depth, nodes, movetime, multipv } = entry.limits;
    AnalysisRequest {
        game,
        limits: Limits { depth, nodes, movetime, ..Limits::default() },
        scope: SearchScope { multipv: usize::from(multipv), ..SearchScope::default() },
        fresh: false,
        client: entry.client.clone(),
        class: PriorityClass::Batch,
        session: None,
    }
}
