//! The use cases of the job service: resume, submit, find, delete and run.

use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use super::entry::{JobEntry, Progress};
use super::error::JobError;
use super::log;
use super::maintenance;
use super::reader::JobReader;
use super::runner::{RunOutcome, Runner};
use super::state::{JobRules, Jobs, run_blocking};
use super::submission::{ParsedSubmission, Submission};
use crate::analysis::Service;
use crate::store::StoreError;
use crate::store::jobs::{
    CLAIM_LIFETIME, Claim, EncodedGame, InsertError, JobBook, JobEnd, JobId, JobRecord, NewJob,
};

/// Delay before a job restarts after an error.
const RESTART_DELAY: Duration = Duration::from_secs(1);

/// Further delay of a job that other nodes may run, too.
const SHARED_RESTART_DELAY: Duration = Duration::from_secs(30);

/// The time between two renewals of a claim. Several may fail before it ends.
const RENEW_INTERVAL: Duration = Duration::from_millis(CLAIM_LIFETIME.as_millis() as u64 / 4);

/// Maximum number of attempts to insert a job while other nodes insert theirs.
const MAX_INSERT_ATTEMPTS: usize = 50;

impl Jobs {
    /// Starts the job service and resumes the stored jobs. Must be called within a tokio runtime,
    /// which runs the jobs. A shared book is read in the background.
    ///
    /// # Errors
    /// Fails when the store of this server cannot be read.
    pub fn start(
        service: Service,
        book: Arc<dyn JobBook>,
        rules: JobRules,
    ) -> Result<Jobs, StoreError> {
        let is_shared = book.is_shared();
        let jobs = Jobs::new(service, book, rules);
        if !is_shared {
            jobs.load()?;
        }
        jobs.start_waiting_jobs();
        tokio::spawn(maintenance::expire_jobs(jobs.clone()));
        tokio::spawn(maintenance::retry_writes(jobs.clone()));
        if is_shared {
            jobs.count_started_task();
            tokio::spawn(log::follow(jobs.clone()));
        }
        Ok(jobs)
    }

    /// Fills the index with the jobs of this server.
    fn load(&self) -> Result<(), StoreError> {
        let snapshot = self.book().snapshot()?;
        *self.log() = Some(snapshot.position);
        self.reconcile(snapshot);
        let index = self.index();
        if index.total_usage().jobs > 0 {
            tracing::info!(
                jobs = index.total_usage().jobs,
                unfinished = index.unfinished_usage().jobs,
                "jobs loaded from the store"
            );
        }
        Ok(())
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
        let found = self.index().find(id);
        let may_be_new = matches!(found, Err(JobError::NotFound)) && self.book().is_shared();
        if !may_be_new {
            found?;
        }
        let jobs = self.clone();
        run_blocking(move || jobs.reader(jobs.find_entry(id)?)).await
    }

    /// Deletes a job in any status. When this returns, the deletion is durable. Deleting a removed
    /// job succeeds.
    ///
    /// # Errors
    /// Fails when there was never such a job, and when the store cannot be written.
    pub async fn delete(&self, id: JobId) -> Result<(), JobError> {
        let jobs = self.clone();
        let deleted = run_blocking(move || {
            jobs.find_entry(id)?;
            Ok(jobs.remove(&[id])?)
        });
        match deleted.await {
            Err(JobError::Gone) if self.are_shared() => {
                // The first deletion may not have reached the replicas.
                let jobs = self.clone();
                run_blocking(move || Ok(jobs.book().check_writable()?)).await
            }
            Err(JobError::Gone) => Ok(()),
            deleted => deleted,
        }
    }

    /// Reads the record of a job. Blocks.
    fn reader(&self, entry: Arc<JobEntry>) -> Result<JobReader, JobError> {
        let record = self.book().job(entry.id)?.ok_or(JobError::Gone)?;
        if self.book().is_shared() {
            self.observe(&entry, &record);
        }
        Ok(JobReader::new(self.clone(), entry, &record))
    }

    /// The job that the client has submitted under the same idempotency key. Blocks.
    ///
    /// # Errors
    /// Fails when the client has used the key for another job.
    fn find_submitted(
        &self,
        idempotency_key: Option<&[u8; 32]>,
        request_digest: [u8; 32],
    ) -> Result<Option<(JobReader, Progress)>, JobError> {
        let Some(key) = idempotency_key else { return Ok(None) };
        let Some((stored_digest, id)) = self.book().find_by_idempotency_key(key)? else {
            return Ok(None);
        };
        if stored_digest != request_digest {
            return Err(JobError::IdempotencyConflict);
        }
        let entry = self.find_entry(id)?;
        let progress = entry.progress();
        Ok(Some((self.reader(entry)?, progress)))
    }

    /// Parses, stores and indexes a submission. Blocks. The parse permit admits one at a time.
    fn admit(&self, submission: &Submission) -> Result<(JobReader, Progress), JobError> {
        let (idempotency_key, request_digest) =
            (submission.idempotency_digest(), submission.request_digest());
        if let Some(found) = self.find_submitted(idempotency_key.as_ref(), request_digest)? {
            return Ok(found);
        }
        let parsed = ParsedSubmission::parse(&submission.text)?;
        let rules = self.rules();
        let limits = submission.position_limits(parsed.position_count(), &rules)?;
        let now_ms = self.now_ms();
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
        self.insert(submission, &job)
    }

    /// Stores a job within the limits, and indexes it. When another node has changed the set of
    /// jobs meanwhile, it tries again. Blocks.
    fn insert(
        &self,
        submission: &Submission,
        job: &NewJob<'_>,
    ) -> Result<(JobReader, Progress), JobError> {
        let (record, rules) = (job.record, self.rules());
        let (client, bytes) = (&submission.client, record.reserved_bytes);
        let plan = || {
            let quota = submission.quota(&rules);
            self.index().plan_evictions(client, bytes, rules.max_usage, quota)
        };
        let is_shared = self.book().is_shared();
        if is_shared {
            self.catch_up(&mut self.log())?;
            plan()?;
        }
        // Others wait for the log, and an upload may take long.
        self.track_write(self.book().upload_games(job))?;
        for _ in 0..MAX_INSERT_ATTEMPTS {
            let mut log = self.log();
            if is_shared {
                self.catch_up(&mut log)?;
                // A job that comes after this look makes the insertion stale.
                let key = record.idempotency_key.as_ref();
                let stored = key.map(|key| self.book().find_by_idempotency_key(key));
                if stored.transpose()?.flatten().is_some() {
                    drop(log);
                    if let Some(found) = self.find_submitted(key, job.request_digest)? {
                        return Ok(found);
                    }
                    continue;
                }
            }
            let evicted = plan()?;
            match self.book().insert(job, &evicted, log.unwrap_or_default()) {
                Ok(()) => {
                    self.set_write_status(None);
                    return Ok(self.register(record, evicted));
                }
                Err(InsertError::Stale) => {}
                Err(InsertError::Store(error)) => self.track_write(Err(error))?,
            }
        }
        let reason = format!("other nodes changed the jobs {MAX_INSERT_ATTEMPTS} times meanwhile");
        Err(StoreError::Unreachable(reason).into())
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
    pub(super) fn start_waiting_jobs(&self) {
        while let Some(entry) =
            (!self.is_shutting_down()).then(|| self.index().start_next()).flatten()
        {
            self.count_started_task();
            tokio::spawn(self.clone().run_job(entry));
        }
    }

    async fn run_job(self, entry: Arc<JobEntry>) {
        let runs_elsewhere = match self.claim(&entry).await {
            Ok(Some(runner)) => self.run_claimed(runner, &entry).await,
            Ok(None) => true,
            Err(error) => {
                self.on_interrupted(&entry, error).await;
                false
            }
        };
        self.index().release(&entry, runs_elsewhere);
        self.start_waiting_jobs();
        self.count_stopped_task();
    }

    /// Claims a job and prepares its run; `None` when another node runs it.
    async fn claim(&self, entry: &Arc<JobEntry>) -> Result<Option<Runner>, JobError> {
        let (jobs, entry) = (self.clone(), entry.clone());
        run_blocking(move || {
            let Some(claim) = jobs.book().claim(entry.id)? else { return Ok(None) };
            let runner = Runner::new(jobs.clone(), entry, claim);
            match &runner {
                Ok(runner) => runner.log_start(),
                // If this fails, too, the claim ends by itself.
                Err(_) => drop(jobs.book().release(claim)),
            }
            runner.map(Some)
        })
        .await
    }

    /// Runs a claimed job. Returns whether another node runs it afterwards.
    async fn run_claimed(&self, runner: Runner, entry: &Arc<JobEntry>) -> bool {
        let claim = runner.claim();
        // A separate task, so that a panic does not skip the release of the job.
        let mut run = tokio::spawn(runner.run());
        let ended = tokio::select! {
            ended = &mut run => ended,
            never = renew_claim(self.clone(), claim) => match never {},
        };
        match ended {
            Ok(RunOutcome::Finished) => return false,
            Ok(RunOutcome::ClaimLost) => {
                tracing::info!(job = %entry.id, "another node runs the job now");
                return true;
            }
            Ok(RunOutcome::Yielded) => {
                tracing::debug!(job = %entry.id, "job paused for a job of another client")
            }
            Ok(RunOutcome::Stopped) => {}
            Err(error) => {
                self.on_interrupted(entry, JobError::Internal(error.to_string())).await;
            }
        }
        if !self.are_shared() {
            return false;
        }
        let jobs = self.clone();
        if let Err(error) = run_blocking(move || Ok(jobs.book().release(claim)?)).await {
            tracing::debug!(job = %entry.id, error = error.to_string(), "a claim was not released");
        }
        false
    }

    /// Waits before a job whose run has failed may start again.
    async fn on_interrupted(&self, entry: &JobEntry, error: JobError) {
        match error {
            JobError::Gone => return self.drop_missing(entry).await,
            error if error.is_unreachable() => {
                tracing::debug!(job = %entry.id, error = error.to_string(), "a job waits");
            }
            error => {
                tracing::error!(
                    job = %entry.id,
                    error = error.to_string(),
                    "a job was interrupted; it restarts after a delay"
                );
                if self.are_shared() {
                    // Another node may be able to run it.
                    sleep(SHARED_RESTART_DELAY).await;
                }
            }
        }
        sleep(RESTART_DELAY).await;
    }

    /// Drops a job that is missing in the store, because it is being deleted or the file was
    /// damaged. Otherwise it would restart forever.
    async fn drop_missing(&self, entry: &JobEntry) {
        let (jobs, id) = (self.clone(), entry.id);
        // A deletion removes the job from the store before it removes it from the index.
        let is_deleted =
            run_blocking(move || Ok(jobs.book().snapshot()?.tombstones.contains(&id))).await;
        if is_deleted.unwrap_or(false) {
            tracing::debug!(job = %id, "a job was deleted before its run");
        } else {
            tracing::warn!(job = %id, "a job is missing in the store and was dropped");
        }
        self.index().remove(id);
    }
}

/// Renews a claim until it is dropped.
async fn renew_claim(jobs: Jobs, claim: Claim) -> Infallible {
    if !jobs.book().is_shared() {
        return pending().await;
    }
    loop {
        sleep(RENEW_INTERVAL).await;
        let jobs = jobs.clone();
        if let Err(error) = run_blocking(move || Ok(jobs.book().renew(claim)?)).await {
            tracing::debug!(job = %claim.id, error = error.to_string(), "a claim was not renewed");
        }
    }
}
