//! The use cases of the job service: resume, submit, find, delete and run.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use super::entry::{JobEntry, Progress};
use super::error::JobError;
use super::index::Index;
use super::maintenance;
use super::reader::JobReader;
use super::runner::{RunOutcome, Runner};
use super::state::{JobRules, Jobs, run_blocking};
use super::submission::{ParsedSubmission, Submission};
use crate::analysis::Service;
use crate::analysis::evaluation_cache::StoredAt;
use crate::store::StoreError;
use crate::store::jobs::{EncodedGame, JobEnd, JobFile, JobId, JobRecord, NewJob};

/// Delay before a job restarts after an error.
const RESTART_DELAY: Duration = Duration::from_secs(1);

impl Jobs {
    /// Starts the job service and resumes the stored jobs. Must be called within a tokio runtime,
    /// which runs the jobs.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn start(service: Service, file: JobFile, rules: JobRules) -> Result<Jobs, StoreError> {
        let mut index = Index::default();
        file.tombstones()?.into_iter().for_each(|id| index.add_tombstone(id));
        let mut records = file.jobs()?;
        records.sort_by_key(|record| (record.created_ms, record.id));
        for record in &records {
            index.add(Arc::new(JobEntry::from(record)), record.end.map(|end| end.at_ms));
        }
        if index.total_usage().jobs > 0 {
            tracing::info!(
                jobs = index.total_usage().jobs,
                unfinished = index.unfinished_usage().jobs,
                "jobs loaded from the store"
            );
        }
        let jobs = Jobs::new(service, file, rules, index);
        jobs.start_waiting_jobs();
        tokio::spawn(maintenance::expire_jobs(jobs.clone()));
        tokio::spawn(maintenance::retry_writes(jobs.clone()));
        Ok(jobs)
    }

    /// Accepts a job and returns it with its progress at that time. When this returns, the job is
    /// durable. The same submission with the same idempotency key returns the existing job.
    ///
    /// # Errors
    /// Fails when the text contains no game or too many, when another job has the idempotency key,
    /// when a limit would be exceeded, and when the store cannot be written.
    pub async fn submit(&self, submission: Submission) -> Result<(JobReader, Progress), JobError> {
        if self.is_shutting_down() {
            return Err(JobError::ShuttingDown);
        }
        let Ok(permit) = self.parse_permit().acquire_owned().await else {
            return Err(JobError::ShuttingDown);
        };
        let jobs = self.clone();
        run_blocking(move || {
            let admitted = jobs.admit(&submission);
            drop(permit);
            admitted
        })
        .await
    }

    /// Returns a job.
    ///
    /// # Errors
    /// Fails when there is no such job, when it was removed, and when the store cannot be read now.
    pub async fn find(&self, id: JobId) -> Result<JobReader, JobError> {
        let entry = self.index().find(id)?;
        let jobs = self.clone();
        run_blocking(move || jobs.reader(entry)).await
    }

    /// Deletes a job in any status. When this returns, the deletion is durable. Deleting a removed
    /// job succeeds.
    ///
    /// # Errors
    /// Fails when there was never such a job, and when the store cannot be written.
    pub async fn delete(&self, id: JobId) -> Result<(), JobError> {
        match self.index().find(id) {
            Err(JobError::Gone) => return Ok(()),
            found => drop(found?),
        }
        let jobs = self.clone();
        run_blocking(move || Ok(jobs.remove(&[id])?)).await
    }

    /// Reads the record of a job. Blocks.
    fn reader(&self, entry: Arc<JobEntry>) -> Result<JobReader, JobError> {
        let record = self.file().job(entry.id)?.ok_or(JobError::Gone)?;
        Ok(JobReader::new(self.clone(), entry, &record))
    }

    /// Parses, stores and indexes a submission. Blocks. The parse permit admits one at a time.
    fn admit(&self, submission: &Submission) -> Result<(JobReader, Progress), JobError> {
        let (idempotency_key, request_digest) =
            (submission.idempotency_digest(), submission.request_digest());
        if let Some(key) = &idempotency_key
            && let Some((stored_digest, id)) = self.file().find_by_idempotency_key(key)?
        {
            if stored_digest != request_digest {
                return Err(JobError::IdempotencyConflict);
            }
            let entry = self.index().find(id)?;
            let progress = entry.progress();
            return Ok((self.reader(entry)?, progress));
        }
        let parsed = ParsedSubmission::parse(&submission.text)?;
        let rules = self.rules();
        let limits = submission.position_limits(parsed.position_count(), &rules)?;
        let evicted = self.index().plan_evictions(
            &submission.client,
            parsed.reserved_bytes,
            rules.max_usage,
            submission.quota(&rules),
        )?;
        let now_ms = StoredAt::now().unix_ms;
        let has_work = parsed.plies.iter().any(|&plies| plies > 0);
        let record = JobRecord {
            id: JobId::random().map_err(|error| JobError::Internal(error.to_string()))?,
            client: submission.client.to_string(),
            limits,
            created_ms: now_ms,
            end: (!has_work).then_some(JobEnd { at_ms: now_ms, failed: false }),
            reserved_bytes: parsed.reserved_bytes,
            idempotency_key,
            plies: parsed.plies,
            positions_done: 0,
        };
        let games = parsed.games.iter().map(|game| EncodedGame {
            record: &game.record_bytes,
            text: game.text_range.clone().and_then(|range| submission.text.get(range)),
        });
        let job = NewJob { record: &record, request_digest, games: games.collect() };
        self.track_write(self.file().insert(&job, &evicted))?;
        Ok(self.register(&record, evicted))
    }

    /// Adds a stored job to the index in place of the evicted ones, and starts it when possible.
    fn register(&self, record: &JobRecord, evicted: Vec<JobId>) -> (JobReader, Progress) {
        let entry = Arc::new(JobEntry::from(record));
        let progress = entry.progress();
        {
            let mut index = self.index();
            evicted.into_iter().for_each(|id| index.remove(id));
            index.add(entry.clone(), record.end.map(|end| end.at_ms));
        }
        tracing::info!(job = %entry.id, games = entry.games, moves = entry.moves, "job accepted");
        self.start_waiting_jobs();
        (JobReader::new(self.clone(), entry, record), progress)
    }

    /// Starts waiting jobs while there are free slots.
    fn start_waiting_jobs(&self) {
        while let Some(entry) =
            (!self.is_shutting_down()).then(|| self.index().start_next()).flatten()
        {
            self.count_started_job();
            tokio::spawn(self.clone().run_job(entry));
        }
    }

    async fn run_job(self, entry: Arc<JobEntry>) {
        let (jobs, job_entry) = (self.clone(), entry.clone());
        // A separate task, so that a panic does not skip the release below.
        let outcome = match run_blocking(move || Runner::new(jobs, job_entry)).await {
            Ok(runner) => tokio::spawn(runner.run())
                .await
                .map_err(|error| JobError::Internal(error.to_string())),
            Err(error) => Err(error),
        };
        match outcome {
            Ok(RunOutcome::Yielded) => {
                tracing::debug!(job = %entry.id, "job paused for a job of another client")
            }
            Ok(RunOutcome::Finished | RunOutcome::Stopped) => {}
            Err(JobError::Gone) => self.drop_missing(&entry).await,
            Err(error) => {
                tracing::error!(
                    job = %entry.id,
                    error = error.to_string(),
                    "a job was interrupted; it restarts after a delay"
                );
                sleep(RESTART_DELAY).await;
            }
        }
        self.index().release(&entry);
        self.start_waiting_jobs();
        self.count_stopped_job();
    }

    /// Drops a job that is missing in the store, because it is being deleted or the file was
    /// damaged. Otherwise it would restart forever.
    async fn drop_missing(&self, entry: &JobEntry) {
        let (jobs, id) = (self.clone(), entry.id);
        // A deletion removes the job from the store before it removes it from the index.
        let is_deleted = run_blocking(move || Ok(jobs.file().tombstones()?.contains(&id))).await;
        if is_deleted.unwrap_or(false) {
            tracing::debug!(job = %id, "a job was deleted before its run");
        } else {
            tracing::warn!(job = %id, "a job is missing in the store and was dropped");
        }
        self.index().remove(id);
    }
}
