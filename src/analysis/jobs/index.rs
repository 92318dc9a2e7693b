//! The index of all jobs: lookup, the order of turns, limits and eviction.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use super::entry::{JobEntry, JobStatus};
use super::error::JobError;
use super::usage::{Quota, Usage, UsageTotals, select_victims};
use crate::analysis::Client;
use crate::store::jobs::{JobId, MAX_TOMBSTONES};

/// Maximum number of running jobs, each of another client. More would not finish sooner.
pub(super) const MAX_ACTIVE: usize = 8;

/// All jobs and tombstones.
#[derive(Debug, Default)]
pub(super) struct Index {
    jobs: HashMap<JobId, IndexedJob>,
    /// Unfinished jobs that this node does not run, in the order of their turns.
    waiting: BTreeMap<u64, WaitingJob>,
    next_turn: u64,
    /// The clients of running jobs.
    active: HashSet<Client>,
    totals: UsageTotals,
    /// Totals of each client that has jobs.
    client_totals: HashMap<Client, UsageTotals>,
    tombstones: VecDeque<JobId>,
    tombstone_ids: HashSet<JobId>,
}

/// A job and the time of its end.
///
/// The index keeps the time under its own lock, so the totals always agree with it.
#[derive(Debug)]
struct IndexedJob {
    entry: Arc<JobEntry>,
    /// In milliseconds since 1970; `None` while the job is unfinished.
    ended_ms: Option<u64>,
}

/// An unfinished job that this node does not run.
#[derive(Debug)]
struct WaitingJob {
    entry: Arc<JobEntry>,
    /// Whether another node runs it.
    runs_elsewhere: bool,
}

impl Index {
    /// Finds a job.
    ///
    /// # Errors
    /// [`JobError::Gone`] for a removed job and [`JobError::NotFound`] for an unknown one.
    pub(super) fn find(&self, id: JobId) -> Result<Arc<JobEntry>, JobError> {
        match self.jobs.get(&id) {
            Some(indexed) => Ok(indexed.entry.clone()),
            None if self.tombstone_ids.contains(&id) => Err(JobError::Gone),
            None => Err(JobError::NotFound),
        }
    }

    /// Adds a job; a finished one with the time of its end.
    pub(super) fn add(&mut self, entry: Arc<JobEntry>, ended_ms: Option<u64>) {
        let (id, usage) = (entry.id, entry.usage());
        self.totals.add(id, usage, ended_ms);
        self.client_totals.entry(entry.client.clone()).or_default().add(id, usage, ended_ms);
        if ended_ms.is_none() {
            self.enqueue(entry.clone(), false);
        }
        self.jobs.insert(id, IndexedJob { entry, ended_ms });
    }

    /// Adds a tombstone of a job that is not in the index.
    pub(super) fn add_tombstone(&mut self, id: JobId) {
        if self.tombstone_ids.insert(id) {
            self.tombstones.push_back(id);
        }
        if self.tombstones.len() > MAX_TOMBSTONES
            && let Some(oldest) = self.tombstones.pop_front()
        {
            self.tombstone_ids.remove(&oldest);
        }
    }

    fn enqueue(&mut self, entry: Arc<JobEntry>, runs_elsewhere: bool) {
        self.waiting.insert(self.next_turn, WaitingJob { entry, runs_elsewhere });
        self.next_turn += 1;
    }

    /// Starts the next waiting job if a slot is free. Each client runs at most one job.
    pub(super) fn start_next(&mut self) -> Option<Arc<JobEntry>> {
        if self.active.len() >= MAX_ACTIVE {
            return None;
        }
        let turn = self
            .waiting
            .iter()
            .find(|(_, waiting)| self.can_start(waiting))
            .map(|(&turn, _)| turn)?;
        let WaitingJob { entry, .. } = self.waiting.remove(&turn)?;
        self.active.insert(entry.client.clone());
        Some(entry)
    }

    /// `true` when a running job must make room for a job of another client.
    pub(super) fn should_yield(&self) -> bool {
        self.active.len() >= MAX_ACTIVE
            && self.waiting.values().any(|waiting| self.can_start(waiting))
    }

    fn can_start(&self, waiting: &WaitingJob) -> bool {
        !waiting.runs_elsewhere && !self.active.contains(&waiting.entry.client)
    }

    /// Ends the run of a job on this node. An unfinished job then waits for its next turn.
    pub(super) fn release(&mut self, entry: &Arc<JobEntry>, runs_elsewhere: bool) {
        self.active.remove(&entry.client);
        if self.jobs.contains_key(&entry.id) && !entry.progress().status.is_finished() {
            self.enqueue(entry.clone(), runs_elsewhere);
        }
    }

    /// Notes whether another node runs a job. A job that this node runs stays as it is.
    pub(super) fn set_runs_elsewhere(&mut self, id: JobId, runs_elsewhere: bool) {
        if let Some(waiting) = self.waiting.values_mut().find(|waiting| waiting.entry.id == id) {
            waiting.runs_elsewhere = runs_elsewhere;
        }
    }

    /// The unfinished jobs that other nodes run, as far as is known.
    pub(super) fn jobs_elsewhere(&self) -> Vec<JobId> {
        let elsewhere = self.waiting.values().filter(|waiting| waiting.runs_elsewhere);
        elsewhere.map(|waiting| waiting.entry.id).collect()
    }

    /// The ids of all jobs.
    pub(super) fn ids(&self) -> Vec<JobId> {
        self.jobs.keys().copied().collect()
    }

    /// Marks a job as finished.
    pub(super) fn mark_finished(&mut self, entry: &JobEntry, ended_ms: u64) {
        if let Some(indexed) = self.jobs.get_mut(&entry.id)
            && indexed.ended_ms.is_none()
        {
            indexed.ended_ms = Some(ended_ms);
            self.waiting.retain(|_, waiting| waiting.entry.id != entry.id);
            let usage = entry.usage();
            self.totals.mark_finished(entry.id, usage, indexed.ended_ms);
            self.client_totals.entry(entry.client.clone()).or_default().mark_finished(
                entry.id,
                usage,
                indexed.ended_ms,
            );
        }
    }

    /// Removes a job and adds a tombstone.
    pub(super) fn remove(&mut self, id: JobId) {
        if self.drop_job(id) {
            self.add_tombstone(id);
        }
    }

    /// Removes a job without a tombstone. Returns whether there was one.
    pub(super) fn drop_job(&mut self, id: JobId) -> bool {
        let Some(IndexedJob { entry, ended_ms }) = self.jobs.remove(&id) else { return false };
        let usage = entry.usage();
        self.totals.remove(id, usage, ended_ms);
        if let Some(totals) = self.client_totals.get_mut(&entry.client) {
            totals.remove(id, usage, ended_ms);
            if totals.total == Usage::default() {
                self.client_totals.remove(&entry.client);
            }
        }
        if ended_ms.is_none() {
            self.waiting.retain(|_, waiting| waiting.entry.id != id);
        }
        entry.set_status(JobStatus::Gone);
        true
    }

    /// Selects the finished jobs to evict before a client's job of `bytes` fits into `max_usage`.
    /// Unfinished jobs are never evicted. Those of a client may use its quota.
    ///
    /// # Errors
    /// Fails when the job is larger than the quota, when it exceeds what is left of the quota, and
    /// when evictions cannot free enough.
    pub(super) fn plan_evictions(
        &self,
        client: &Client,
        bytes: u64,
        max_usage: Usage,
        quota: Quota,
    ) -> Result<Vec<JobId>, JobError> {
        let Usage { bytes: max, .. } = quota.limit(max_usage, Usage::default());
        if bytes > max {
            let is_anonymous = matches!(quota, Quota::ShareOfRest { .. });
            return Err(JobError::TooLarge { bytes, max, is_anonymous });
        }
        let own =
            self.client_totals.get(client).map_or(Usage::default(), |totals| totals.unfinished);
        let all = self.totals.unfinished;
        let over_quota = quota.limit(max_usage, all.without(own)).exceeded_limit(own, bytes);
        match (over_quota, max_usage.exceeded_limit(all, bytes)) {
            // The quota of a client without unfinished jobs is used up by the others.
            (Some(exceeded), full) if own.jobs > 0 || full.is_none() => {
                return Err(JobError::QuotaExceeded { unfinished: own.jobs, exceeded });
            }
            (_, Some(exceeded)) => {
                return Err(JobError::Full { unfinished: all.jobs, exceeded });
            }
            (_, None) => {}
        }
        let target = Usage { jobs: max_usage.jobs - 1, bytes: max_usage.bytes - bytes };
        let bytes_of = |id| self.jobs.get(&id).map_or(0, |indexed| indexed.entry.reserved_bytes);
        Ok(select_victims(self.client_totals.values(), self.totals.total, target, bytes_of))
    }

    /// Jobs that finished before `ms`, in milliseconds since 1970.
    pub(super) fn finished_before(&self, ms: u64) -> Vec<JobId> {
        self.totals.finished.range(..(ms, JobId::default())).map(|(_, id)| *id).collect()
    }

    /// Usage of all jobs.
    pub(super) fn total_usage(&self) -> Usage {
        self.totals.total
    }

    /// Usage of the unfinished jobs.
    pub(super) fn unfinished_usage(&self) -> Usage {
        self.totals.unfinished
    }
}
