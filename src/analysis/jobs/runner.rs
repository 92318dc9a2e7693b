//! The execution of one job: concurrent searches whose evaluations are stored in position order.
//!
//! Searches continue during a commit, and their results form the next commit. A disk that takes
//! 10 ms per commit therefore does not slow the searches down. An evaluation is shown only after
//! its commit.

use std::collections::VecDeque;
use std::future::pending;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::entry::{JobEntry, JobStatus, Progress};
use super::error::JobError;
use super::positions::{PositionCursor, Step};
use super::schedule::Schedule;
use super::state::{Jobs, run_blocking};
use crate::analysis::{
    AnalysisError, AnalysisRequest, AnalysisStream, CompletionReason, PriorityClass,
};
use crate::chess::Game;
use crate::engine::{Limits, SearchOptions};
use crate::store::StoreError;
use crate::store::jobs::{
    AppendError, Claim, JobEnd, JobId, MAX_PV_LEN, PositionEval, PositionLimits,
};

/// Maximum number of positions between the start of their search and the end of their commit.
const LOOKAHEAD: usize = 128;

/// Delay before a retry when the store fails.
const WRITE_RETRY_DELAY: Duration = Duration::from_secs(1);

/// Maximum number of searches of a position that end with an internal error.
const MAX_ATTEMPTS: usize = 3;

/// The reason why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunOutcome {
    /// The job is finished.
    Finished,
    /// A job of another client has the next turn.
    Yielded,
    /// The job was removed, or the service is shutting down.
    Stopped,
    /// Another node has claimed the job.
    ClaimLost,
}

/// The outcome of the search of a position.
type EvalResult = Result<PositionEval, AnalysisError>;

/// A running search, or an evaluation that needs none. Dropping it cancels the search.
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

/// What the run loop waits for.
enum RunnerEvent {
    JobGone,
    Evaluated(EvalResult),
    Committed(Result<(), AppendError>),
    PermitAcquired(OwnedSemaphorePermit),
}

/// The run of one job.
pub(super) struct Runner {
    jobs: Jobs,
    entry: Arc<JobEntry>,
    claim: Claim,
    progress: watch::Receiver<Progress>,
    /// Number of evaluations that are stored.
    stored: u64,
    schedule: Schedule,
    cursor: PositionCursor,
    /// Whether this run has started a search. It does not yield before.
    has_started: bool,
    /// Searches in position order.
    in_flight: VecDeque<PendingEval>,
    /// Evaluations behind those of the pending commit.
    unwritten_evals: Vec<PositionEval>,
    commit: Option<PendingCommit>,
    /// Set when no further search may start.
    halt_reason: Option<HaltReason>,
}

/// A running commit.
struct PendingCommit {
    task: JoinHandle<Result<(), AppendError>>,
    evals: Arc<Vec<PositionEval>>,
    end: Option<JobEnd>,
}

/// The reason why no further search starts. Results without a gap before them are still stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HaltReason {
    /// A job of another client has the next turn.
    Yield,
    /// The service is shutting down.
    Shutdown,
    /// An internal error: the job fails.
    Failure,
}

impl Runner {
    /// Prepares a run of a claimed job that continues behind the evaluated positions. Blocks.
    ///
    /// # Errors
    /// Fails when the job cannot be read.
    pub(super) fn new(jobs: Jobs, entry: Arc<JobEntry>, claim: Claim) -> Result<Runner, JobError> {
        let record = jobs.book().job(entry.id)?.ok_or(JobError::Gone)?;
        let (schedule, progress) = (Schedule::new(&record.plies), entry.progress.subscribe());
        let stored = record.positions_done;
        let cursor = PositionCursor::starting_at(stored);
        let (in_flight, unwritten_evals) = (VecDeque::new(), Vec::new());
        Ok(Runner {
            jobs,
            entry,
            claim,
            progress,
            stored,
            schedule,
            cursor,
            has_started: false,
            in_flight,
            unwritten_evals,
            commit: None,
            halt_reason: None,
        })
    }

    /// Logs the start. A job that another node has begun may have lost that node.
    pub(super) fn log_start(&self) {
        let (id, positions) = (self.entry.id, self.stored);
        if positions > 0 && self.jobs.are_shared() {
            tracing::info!(job = %id, positions, "a job goes on here");
        } else {
            tracing::debug!(job = %id, positions, "a job starts");
        }
    }

    /// The claim of the job.
    pub(super) fn claim(&self) -> Claim {
        self.claim
    }

    /// Runs until the job is finished or must stop. By then the contiguous prefix of evaluations is
    /// stored.
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
            self.yield_if_wanted();
            match self.next_event().await {
                RunnerEvent::JobGone => return RunOutcome::Stopped,
                RunnerEvent::Evaluated(Ok(eval)) => self.unwritten_evals.push(eval),
                RunnerEvent::Evaluated(Err(error)) => self.on_search_failed(&error),
                RunnerEvent::Committed(result) => {
                    if let ControlFlow::Break(outcome) = self.on_committed(result).await {
                        return outcome;
                    }
                }
                RunnerEvent::PermitAcquired(permit) => {
                    if self.start_search(permit).await.is_break() {
                        return RunOutcome::Stopped;
                    }
                }
            }
        }
    }

    /// Waits for the next event.
    async fn next_event(&mut self) -> RunnerEvent {
        let can_start_search = self.can_start_search();
        let Runner { jobs, progress, in_flight, commit, .. } = self;
        let committed = async {
            match commit {
                Some(pending_commit) => (&mut pending_commit.task).await,
                None => pending().await,
            }
        };
        let evaluated = async {
            match in_flight.front_mut() {
                Some(PendingEval::Ready(eval)) => Ok(eval.clone()),
                Some(PendingEval::Running(task)) => task.await.unwrap_or(Err(
                    AnalysisError::Internal("the search task of a job panicked or was cancelled"),
                )),
                None => pending().await,
            }
        };
        // `entry` owns the sender, so `wait_for` cannot fail.
        let gone =
            async { drop(progress.wait_for(|progress| progress.status == JobStatus::Gone).await) };
        let permit = jobs.search_permits().acquire_owned();
        tokio::select! {
            biased;
            () = gone => RunnerEvent::JobGone,
            result = committed => {
                let result = result
                    .unwrap_or_else(|error| Err(StoreError::Failed(error.to_string()).into()));
                RunnerEvent::Committed(result)
            }
            result = evaluated => {
                in_flight.pop_front();
                RunnerEvent::Evaluated(result)
            }
            Ok(permit) = permit, if can_start_search => RunnerEvent::PermitAcquired(permit),
        }
    }

    /// Between two games, makes room for a job of another client when one waits.
    fn yield_if_wanted(&mut self) {
        let is_between_games = self.has_started
            && self.cursor.next_position(&self.schedule).is_some_and(|next| next.is_first);
        if self.halt_reason.is_none() && is_between_games && self.jobs.should_yield() {
            self.halt_reason = Some(HaltReason::Yield);
        }
    }

    fn can_start_search(&self) -> bool {
        let committing = self.commit.as_ref().map_or(0, |commit| commit.evals.len());
        let backlog = self.in_flight.len() + self.unwritten_evals.len() + committing;
        self.halt_reason.is_none()
            && backlog < LOOKAHEAD
            && self.cursor.next_position(&self.schedule).is_some()
    }

    /// Starts the search of the next position. The run stops here if the job was removed.
    async fn start_search(&mut self, permit: OwnedSemaphorePermit) -> ControlFlow<()> {
        self.has_started = true;
        if let Some(number) = self.cursor.game_to_load(&self.schedule) {
            let (jobs, id) = (self.jobs.clone(), self.entry.id);
            match run_blocking(move || read_game(&jobs, id, number)).await {
                Ok(game) => self.cursor.set_game(number, game),
                Err(JobError::Gone) => return ControlFlow::Break(()),
                // The store cannot be read for now.
                Err(JobError::Store(error)) if error.is_temporary() => {
                    if self.jobs.is_shutting_down() {
                        return ControlFlow::Break(());
                    }
                    sleep(WRITE_RETRY_DELAY).await;
                    return ControlFlow::Continue(());
                }
                Err(error) => {
                    let error = error.to_string();
                    tracing::error!(job = %self.entry.id, error, "a game of a job cannot be read");
                    self.halt_reason = Some(HaltReason::Failure);
                    return ControlFlow::Continue(());
                }
            }
        }
        match self.cursor.step(&self.schedule) {
            Some(Step::Terminal(eval)) => self.in_flight.push_back(PendingEval::Ready(eval)),
            Some(Step::Search(game)) => {
                // The search is requested here, so positions enter the queue in their order.
                let stream_result = self
                    .jobs
                    .service()
                    .follow(analysis_request(&self.entry, (*game).clone()))
                    .await;
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
        ControlFlow::Continue(())
    }

    fn on_search_failed(&mut self, error: &AnalysisError) {
        // Later evaluations would leave a gap.
        self.in_flight.clear();
        self.halt_reason = Some(match error {
            AnalysisError::ShuttingDown { .. } => HaltReason::Shutdown,
            error => {
                tracing::error!(job = %self.entry.id, error = error.to_string(), "a job failed");
                HaltReason::Failure
            }
        });
    }

    /// The end of the job after the next commit; `None` while it is unfinished.
    fn job_end(&self) -> Option<JobEnd> {
        let is_complete =
            self.stored + self.unwritten_evals.len() as u64 == self.schedule.positions();
        let failed = self.halt_reason == Some(HaltReason::Failure)
            && self.in_flight.is_empty()
            && !is_complete;
        (is_complete || failed).then(|| JobEnd { at_ms: self.jobs.now_ms(), failed })
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
        let (jobs, id, claim, first) = (self.jobs.clone(), self.entry.id, self.claim, self.stored);
        let in_flight = self.in_flight.len();
        tokio::task::spawn_blocking(move || {
            let count = evals.len();
            tracing::debug!(job = %id, first, count, in_flight, "writing");
            let result = jobs.book().append(claim, first, &evals, end);
            tracing::debug!(job = %id, first, count, done = result.is_ok(), "written");
            result
        })
    }

    /// Publishes what was committed, or repeats the commit. The run stops here if the job was
    /// removed or claimed by another node, and if the commit fails during a shutdown.
    async fn on_committed(&mut self, result: Result<(), AppendError>) -> ControlFlow<RunOutcome> {
        let Some(PendingCommit { evals, end, .. }) = self.commit.take() else {
            return ControlFlow::Continue(());
        };
        match result {
            Ok(()) => {
                self.jobs.set_write_status(None);
                self.jobs.count_evaluated(evals.len());
                self.stored += evals.len() as u64;
                // The index must know the end before subscribers are notified.
                if let Some(end) = end {
                    self.jobs.on_job_finished(&self.entry, end);
                }
                let status = end.map_or(JobStatus::Running, JobStatus::from_end);
                self.entry.advance(self.stored, status);
            }
            Err(AppendError::Gone) => {
                self.jobs.set_write_status(None);
                return ControlFlow::Break(RunOutcome::Stopped);
            }
            Err(AppendError::ClaimLost) => {
                self.jobs.set_write_status(None);
                return ControlFlow::Break(RunOutcome::ClaimLost);
            }
            Err(AppendError::Store(error)) => {
                self.jobs.set_write_status(Some(&error));
                if self.jobs.is_shutting_down() {
                    return ControlFlow::Break(RunOutcome::Stopped);
                }
                sleep(WRITE_RETRY_DELAY).await;
                let task = self.spawn_commit(evals.clone(), end);
                self.commit = Some(PendingCommit { task, evals, end });
            }
        }
        ControlFlow::Continue(())
    }
}

/// Reads a game of a job. Blocks.
///
/// # Errors
/// [`JobError::Gone`] when the job was removed. A deletion removes it from the store before it ends
/// the run.
pub(super) fn read_game(jobs: &Jobs, id: JobId, number: u32) -> Result<Game, JobError> {
    jobs.book().game(id, number).map_err(|error| match jobs.book().job(id) {
        Ok(None) => JobError::Gone,
        _ => error.into(),
    })
}

/// Waits for the search of a position and repeats it after a temporary failure. It holds a search
/// permit meanwhile.
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
                        "a search of a job returned no result",
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
        options: SearchOptions { multipv: usize::from(multipv), ..SearchOptions::default() },
        fresh: false,
        client: entry.client.clone(),
        class: PriorityClass::Batch,
        session: None,
        strength: None,
    }
}
