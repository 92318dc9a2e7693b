//! The use cases themselves: a job is taken, looked up, deleted, and worked at.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::entry::JobEntry;
use super::index::Index;
use super::runner::{RunOutcome, Runner};
use super::submission::{NewGame, ParsedSubmission, Submission};
use super::usage::Usage;
use super::{JobError, JobReader, JobStatus, maintenance};
use crate::analysis::Service;
use crate::analysis::evaluation_cache::StoredAt;
use crate::store::StoreError;
use crate::store::jobs::{JobEnd, JobFile, JobId, JobRecord, StoredJob};

/// A job that could not be begun is tried again after so long.
const RESTART_DELAY: Duration = Duration::from_secs(1);

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobRules {
    /// What all jobs together may take, those that are over among them.
    pub max_usage: Usage,
    /// How long a job is kept that is over.
    pub retention: Duration,
}

/// Takes jobs and works at them. Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct Jobs(Arc<Inner>);

struct Inner {
    service: Service,
    file: JobFile,
    rules: JobRules,
    index: Mutex<Index>,
    /// One text is read at a time: its games take several times its length in memory.
    parse_permit: Arc<Semaphore>,
    /// One for each search under way or next: all workers are busy, and no job crowds the lane.
    search_permits: Arc<Semaphore>,
    /// Positions whose findings were kept since the start.
    positions_evaluated: AtomicU64,
    /// `true` while the disk refuses.
    failing: watch::Sender<bool>,
    /// `true` once the service was told to end.
    shutdown: watch::Sender<bool>,
    /// Jobs that are worked at.
    running_jobs: watch::Sender<usize>,
}

/// What is answered to a job that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobSummary {
    /// Its name.
    pub id: JobId,
    /// Games of the text, those that cannot be read among them.
    pub games: usize,
    /// Moves that are reviewed.
    pub moves: u64,
    /// Whether anything is done about it.
    pub status: JobStatus,
}

/// How many jobs there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobsStatus {
    /// All that are kept.
    pub total: Usage,
    /// Those among them that are not over.
    pub unfinished: Usage,
    /// The most that may be kept.
    pub max: Usage,
    /// Positions whose findings were kept since the start.
    pub positions_evaluated: u64,
    /// What they take on disk, in bytes; 0 in memory.
    pub disk_bytes: u64,
    /// `true` while the disk refuses.
    pub failing: bool,
}

impl Jobs {
    /// Goes on with the jobs that a store keeps. To be called within a tokio runtime, which works
    /// at them.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn start(service: Service, file: JobFile, rules: JobRules) -> Result<Jobs, StoreError> {
        let mut index = Index::default();
        file.tombstones()?.into_iter().for_each(|id| index.add_tombstone(id));
        let mut stored = file.jobs()?;
        stored.sort_by_key(|kept| (kept.record.created_ms, kept.id));
        stored.iter().for_each(|kept| {
            index.add(Arc::new(JobEntry::new(kept)), kept.record.end.map(|ending| ending.at_ms))
        });
        if index.total_usage().jobs > 0 {
            tracing::info!(
                jobs = index.total_usage().jobs,
                unfinished = index.unfinished_usage().jobs,
                "jobs found"
            );
        }
        let search_permits = Arc::new(Semaphore::new(2 * service.status().workers));
        let jobs = Jobs(Arc::new(Inner {
            service,
            file,
            rules,
            index: Mutex::new(index),
            parse_permit: Arc::new(Semaphore::new(1)),
            search_permits,
            positions_evaluated: AtomicU64::new(0),
            failing: watch::Sender::new(false),
            shutdown: watch::Sender::new(false),
            running_jobs: watch::Sender::new(0),
        }));
        jobs.start_waiting_jobs();
        tokio::spawn(maintenance::expire_jobs(jobs.clone()));
        tokio::spawn(maintenance::retry_writes(jobs.clone()));
        Ok(jobs)
    }

    /// Takes a job. When this returns the job outlasts the process, if anything does. Given again
    /// under the same key, it is the same job.
    ///
    /// # Errors
    /// When the text has no game or too many, when another job has the key, when there is no room,
    /// and when it cannot be written.
    pub async fn submit(&self, submission: Submission) -> Result<JobSummary, JobError> {
        if self.is_shutting_down() {
            return Err(JobError::ShuttingDown);
        }
        let Ok(permit) = self.parse_permit().acquire_owned().await else {
            return Err(JobError::ShuttingDown);
        };
        let jobs = self.clone();
        run_blocking(move || {
            let admitted = jobs.admit(submission);
            drop(permit);
            admitted
        })
        .await
    }

    /// The job of that name.
    ///
    /// # Errors
    /// When there is none, or none any more, or it cannot be read now.
    pub async fn find(&self, id: JobId) -> Result<JobReader, JobError> {
        let entry = self.index().find(id)?;
        let jobs = self.clone();
        run_blocking(move || {
            let record = jobs.file().job(id)?.ok_or(JobError::Gone)?;
            Ok(JobReader::new(jobs, entry, &record))
        })
        .await
    }

    /// Deletes a job, done or not. When this returns that outlasts the process, if anything does.
    /// One that is gone is gone.
    ///
    /// # Errors
    /// When there has never been such a job, and when it cannot be written.
    pub async fn delete(&self, id: JobId) -> Result<(), JobError> {
        match self.index().find(id) {
            Err(JobError::Gone) => return Ok(()),
            found => drop(found?),
        }
        let jobs = self.clone();
        run_blocking(move || Ok(jobs.remove(&[id])?)).await
    }

    /// How many jobs there are.
    pub fn status(&self) -> JobsStatus {
        let (total, unfinished) = {
            let index = self.index();
            (index.total_usage(), index.unfinished_usage())
        };
        let positions_evaluated = self.0.positions_evaluated.load(Ordering::Relaxed);
        JobsStatus {
            total,
            unfinished,
            max: self.0.rules.max_usage,
            positions_evaluated,
            disk_bytes: self.0.file.disk_bytes(),
            failing: self.is_failing(),
        }
    }

    /// `true` while the disk refuses.
    pub fn is_failing(&self) -> bool {
        *self.0.failing.borrow()
    }

    /// Takes no new job and stops the work; all of it goes on with the next start, where it can.
    /// Returns at once.
    pub fn shut_down(&self) {
        self.0.shutdown.send_replace(true);
    }

    /// Resolves when nobody works at a job, after [`Jobs::shut_down`] and that of the [`Service`]:
    /// what was found by then is kept.
    pub async fn stopped(&self) {
        // The sender lives in `self`, so that the only error, its end, cannot come.
        let _ = self.0.running_jobs.subscribe().wait_for(|&at_work| at_work == 0).await;
    }

    /// Changes to `true` when the service is told to end.
    pub fn subscribe_shutdown(&self) -> watch::Receiver<bool> {
        self.0.shutdown.subscribe()
    }

    /// Changes to `true` when the disk refuses, and back.
    pub(super) fn subscribe_failing(&self) -> watch::Receiver<bool> {
        self.0.failing.subscribe()
    }

    pub(super) fn is_shutting_down(&self) -> bool {
        *self.0.shutdown.borrow()
    }

    pub(super) fn service(&self) -> &Service {
        &self.0.service
    }

    pub(super) fn file(&self) -> &JobFile {
        &self.0.file
    }

    /// How much is kept.
    pub(super) fn rules(&self) -> JobRules {
        self.0.rules
    }

    pub(super) fn parse_permit(&self) -> Arc<Semaphore> {
        self.0.parse_permit.clone()
    }

    pub(super) fn search_permits(&self) -> Arc<Semaphore> {
        self.0.search_permits.clone()
    }

    /// Those that were over for long enough at that time, in milliseconds since 1970.
    pub(super) fn expired(&self, now_ms: u64) -> Vec<JobId> {
        let retention_ms = u64::try_from(self.0.rules.retention.as_millis()).unwrap_or(u64::MAX);
        self.index().finished_before(now_ms.saturating_sub(retention_ms))
    }

    /// Lets jobs go. Blocks.
    ///
    /// # Errors
    /// When that cannot be written.
    pub(super) fn remove(&self, ids: &[JobId]) -> Result<(), StoreError> {
        self.recorded_write(self.file().remove(ids))?;
        ids.iter().for_each(|id| self.index().remove(*id));
        Ok(())
    }

    /// `true` when the place of a job would serve another client's.
    pub(super) fn should_yield(&self) -> bool {
        self.index().should_yield()
    }

    /// So many more findings are kept.
    pub(super) fn count_evaluated(&self, count: usize) {
        self.0.positions_evaluated.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// A job is over: that is on disk.
    pub(super) fn on_job_finished(&self, entry: &JobEntry, end: JobEnd) {
        self.index().mark_finished(entry, end.at_ms);
        let status = JobStatus::from_end(end).name();
        tracing::info!(job = %entry.id, games = entry.games, moves = entry.moves, status, "job ended");
    }

    /// Passes on what became of a write, and notes it.
    pub(super) fn recorded_write<T>(
        &self,
        written: Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.record_write(written.as_ref().err());
        written
    }

    /// Notes whether the disk takes what it is given; the log says so when that changes.
    pub(super) fn record_write(&self, error: Option<&StoreError>) {
        let changed = self.0.failing.send_if_modified(|failing| {
            std::mem::replace(failing, error.is_some()) != error.is_some()
        });
        match error {
            Some(error) if changed => {
                let error = error.to_string();
                tracing::error!(
                    error,
                    "the jobs cannot be written; nothing new of them is shown, and it is tried again and again"
                );
            }
            None if changed => tracing::info!("the jobs are written again"),
            _ => {}
        }
    }

    /// Blocks; one at a time.
    fn admit(&self, submission: Submission) -> Result<JobSummary, JobError> {
        let (idempotency_key, digest) =
            (submission.idempotency_digest(), submission.request_digest());
        if let Some(key) = &idempotency_key
            && let Some((stored_digest, id)) = self.file().find_by_idempotency_key(key)?
        {
            return if stored_digest == digest {
                self.index().find(id).map(|entry| summary(&entry))
            } else {
                Err(JobError::IdempotencyConflict)
            };
        }
        let parsed = ParsedSubmission::parse(&submission.text)?;
        let evicted = self.index().plan_evictions(
            &submission.client,
            parsed.reserved_bytes,
            self.0.rules.max_usage,
        )?;
        let (id, now) = (
            JobId::random().map_err(|error| JobError::Internal(error.to_string()))?,
            StoredAt::now().unix_ms,
        );
        let has_work = parsed.plies.iter().any(|&plies| plies > 0);
        let record = JobRecord {
            client: submission.client.to_string(),
            limits: submission.limits,
            created_ms: now,
            end: (!has_work).then_some(JobEnd { at_ms: now, failed: false }),
            reserved_bytes: parsed.reserved_bytes,
            idempotency_key,
            plies: parsed.plies,
        };
        let text = |game: &NewGame| submission.text.get(game.text_range.clone()?);
        let games = parsed.games.iter().map(|game| (game.record_bytes.as_slice(), text(game)));
        self.recorded_write(self.file().insert(id, &record, &digest, games, &evicted))?;
        let entry = Arc::new(JobEntry::new(&StoredJob { id, record, positions_done: 0 }));
        let summary = summary(&entry);
        {
            let mut index = self.index();
            evicted.into_iter().for_each(|id| index.remove(id));
            index.add(entry, (!has_work).then_some(now));
        }
        let JobSummary { games, moves, .. } = summary;
        tracing::info!(job = %id, games, moves, "job taken");
        self.start_waiting_jobs();
        Ok(summary)
    }

    /// Begins to work at those whose turn it is.
    fn start_waiting_jobs(&self) {
        while let Some(entry) =
            (!self.is_shutting_down()).then(|| self.index().start_next()).flatten()
        {
            self.0.running_jobs.send_modify(|at_work| *at_work += 1);
            tokio::spawn(self.clone().run_job(entry));
        }
    }

    async fn run_job(self, entry: Arc<JobEntry>) {
        let (jobs, job_entry) = (self.clone(), entry.clone());
        // A task of its own, so that whatever becomes of it the place is given back.
        let outcome = match run_blocking(move || Runner::new(jobs, job_entry)).await {
            Ok(runner) => tokio::spawn(runner.run())
                .await
                .map_err(|error| JobError::Internal(error.to_string())),
            Err(error) => Err(error),
        };
        match outcome {
            Ok(RunOutcome::Yielded) => {
                tracing::debug!(job = %entry.id, "job waits for another client's")
            }
            Ok(RunOutcome::Finished | RunOutcome::Stopped) => {}
            Err(JobError::Gone) => self.drop_missing(&entry),
            Err(error) => {
                tracing::error!(job = %entry.id, error = error.to_string(), "the work at a job broke off; it is tried again");
                sleep(RESTART_DELAY).await;
            }
        }
        self.index().release(&entry);
        self.start_waiting_jobs();
        self.0.running_jobs.send_modify(|at_work| *at_work -= 1);
    }

    /// The file has no such job any more, be it that somebody deletes it now or that the file was
    /// damaged: it would be begun without end.
    fn drop_missing(&self, entry: &JobEntry) {
        tracing::warn!(job = %entry.id, "a job is not in the file any more");
        self.index().remove(entry.id);
    }

    /// No code of others runs under the lock, so that a panic cannot have left it half done.
    fn index(&self) -> MutexGuard<'_, Index> {
        self.0.index.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads or writes without holding up the async threads.
pub(super) async fn run_blocking<T: Send + 'static>(
    operation: impl FnOnce() -> Result<T, JobError> + Send + 'static,
) -> Result<T, JobError> {
    // Whatever is begun is brought to its end, also when nobody waits for it any more.
    spawn_blocking(operation)
        .await
        .unwrap_or_else(|error| Err(JobError::Internal(error.to_string())))
}

fn summary(entry: &JobEntry) -> JobSummary {
    JobSummary {
        id: entry.id,
        games: entry.games,
        moves: entry.moves,
        status: entry.progress().status,
    }
}
