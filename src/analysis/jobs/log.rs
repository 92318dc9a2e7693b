//! The changes that other nodes make to the jobs of a shared book.
//!
//! The index follows the book's log, one entry after the other. When it has lost its place, it
//! starts over from a snapshot.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::timeout;

use super::entry::{JobEntry, JobStatus};
use super::error::JobError;
use super::state::{Jobs, LogGuard, run_blocking};
use crate::store::StoreError;
use crate::store::jobs::{Changes, JobChange, JobId, JobRecord, LogEntry, LogPosition, Snapshot};

/// The longest wait for a change, and the least time between two checks of claims.
const WAIT: Duration = Duration::from_millis(500);

/// Delay before the next attempt when the log cannot be read.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// Follows the log until shutdown.
pub(super) async fn follow(jobs: Jobs) {
    let mut shutdown = jobs.subscribe_shutdown();
    let mut last_check = Instant::now();
    while !jobs.is_shutting_down() {
        jobs.adapt_search_permits();
        let followed = {
            let jobs = jobs.clone();
            let checks_claims = last_check.elapsed() >= WAIT;
            if checks_claims {
                last_check = Instant::now();
            }
            run_blocking(move || Ok(jobs.follow_once(checks_claims)?)).await
        };
        let Err(error) = followed else {
            jobs.start_waiting_jobs();
            continue;
        };
        match error {
            JobError::Store(error) => jobs.set_write_status(Some(&error)),
            error => tracing::error!(error = error.to_string(), "the jobs' log was not followed"),
        }
        // `jobs` owns the sender, so `wait_for` cannot fail.
        let _ = timeout(RETRY_DELAY, shutdown.wait_for(|shutting_down| *shutting_down)).await;
    }
    jobs.count_stopped_task();
}

impl Jobs {
    /// Waits for the next changes and applies them. With `checks_claims`, also looks for jobs whose
    /// node has stopped to renew its claim. Blocks.
    fn follow_once(&self, checks_claims: bool) -> Result<(), StoreError> {
        let since = *self.log();
        let changes = self.changes(since, WAIT)?;
        self.apply(&mut self.log(), changes)?;
        if checks_claims {
            self.compare_clocks()?;
            self.find_abandoned_jobs()?;
        }
        Ok(())
    }

    /// Makes the jobs of other nodes available whose claims have ended. Blocks.
    fn find_abandoned_jobs(&self) -> Result<(), StoreError> {
        let elsewhere = self.index().jobs_elsewhere();
        if !elsewhere.is_empty() {
            for id in self.book().unclaimed(&elsewhere)? {
                self.index().set_runs_elsewhere(id, false);
            }
        }
        Ok(())
    }

    /// The changes after a position of the log; without one, all of it counts as lost.
    fn changes(&self, since: Option<LogPosition>, wait: Duration) -> Result<Changes, StoreError> {
        since.map_or(Ok(Changes::Lost), |since| self.book().changes(since, wait))
    }

    /// Applies all changes so far to the index. Blocks.
    ///
    /// # Errors
    /// Fails when the store cannot be read now.
    pub(super) fn catch_up(&self, log: &mut LogGuard<'_>) -> Result<(), StoreError> {
        let changes = self.changes(**log, Duration::ZERO)?;
        self.apply(log, changes)
    }

    fn apply(&self, log: &mut LogGuard<'_>, changes: Changes) -> Result<(), StoreError> {
        match changes {
            Changes::Next(entries) => {
                for LogEntry { position, change } in entries {
                    // Others may have applied some of the entries meanwhile.
                    if log.is_some_and(|last| last.is_followed_by(position)) {
                        **log = Some(position);
                        change.into_iter().for_each(|change| self.apply_change(change));
                    }
                }
            }
            Changes::Lost => {
                // If the snapshot fails, the place in the log stays lost.
                **log = None;
                self.compare_clocks()?;
                let snapshot = self.book().snapshot()?;
                **log = Some(snapshot.position);
                self.reconcile(snapshot);
            }
        }
        Ok(())
    }

    fn apply_change(&self, change: JobChange) {
        match change {
            JobChange::Added(record) => self.add(&record),
            JobChange::Running { id, positions_done } => {
                self.index().set_runs_elsewhere(id, true);
                if let Ok(entry) = self.entry(id) {
                    entry.advance(positions_done, JobStatus::Running);
                }
            }
            JobChange::Released(id) => self.index().set_runs_elsewhere(id, false),
            JobChange::Ended { id, positions_done, end } => {
                if let Ok(entry) = self.entry(id) {
                    // The index must know the end before subscribers are notified.
                    self.index().mark_finished(&entry, end.at_ms);
                    entry.advance(positions_done, JobStatus::from_end(end));
                }
            }
            JobChange::Removed(id) => {
                let mut index = self.index();
                index.remove(id);
                index.add_tombstone(id);
            }
        }
    }

    /// Brings the index into agreement with a snapshot.
    pub(super) fn reconcile(&self, Snapshot { mut jobs, tombstones, .. }: Snapshot) {
        let stored: HashSet<JobId> = jobs.iter().map(|record| record.id).collect();
        {
            let mut index = self.index();
            for id in index.ids().into_iter().filter(|id| !stored.contains(id)) {
                index.drop_job(id);
            }
            tombstones.into_iter().for_each(|id| index.add_tombstone(id));
        }
        jobs.sort_by_key(|record| (record.created_ms, record.id));
        for record in &jobs {
            match self.entry(record.id) {
                Ok(entry) => self.observe(&entry, record),
                Err(_) => self.add(record),
            }
        }
    }

    /// Adds a job of another node, unless it is known or was removed.
    fn add(&self, record: &JobRecord) {
        let mut index = self.index();
        if matches!(index.find(record.id), Err(JobError::NotFound)) {
            index.add(Arc::new(JobEntry::from(record)), record.end.map(|end| end.at_ms));
        }
    }

    /// Publishes what a record says of the job's progress on another node.
    pub(super) fn observe(&self, entry: &JobEntry, record: &JobRecord) {
        let status = match record.end {
            Some(end) => {
                self.index().mark_finished(entry, end.at_ms);
                JobStatus::from_end(end)
            }
            None if record.positions_done > 0 => JobStatus::Running,
            None => JobStatus::Queued,
        };
        entry.advance(record.positions_done, status);
    }

    fn entry(&self, id: JobId) -> Result<Arc<JobEntry>, JobError> {
        self.index().find(id)
    }

    /// Finds a job that this node may not know yet. Blocks.
    ///
    /// # Errors
    /// Fails when there is no such job, when it was removed, and when the store cannot be read now.
    pub(super) fn find_entry(&self, id: JobId) -> Result<Arc<JobEntry>, JobError> {
        match self.entry(id) {
            // First without the log, for which all others wait. A job that this version cannot
            // decode is an error, and not unknown.
            Err(JobError::NotFound)
                if self.book().is_shared() && self.book().job(id)?.is_some() =>
            {
                let mut log = self.log();
                self.catch_up(&mut log)?;
                match self.entry(id) {
                    Err(JobError::NotFound) => {
                        self.apply(&mut log, Changes::Lost)?;
                        self.entry(id)
                    }
                    found => found,
                }
            }
            found => found,
        }
    }
}
