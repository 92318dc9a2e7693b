//! All jobs that are known, who waits for a turn, and who has to go when room is wanted.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use super::JobError;
use super::entry::{JobEntry, JobStatus};
use super::quota::{UsageTotals, select_victims};
use super::usage::Usage;
use crate::analysis::Client;
use crate::store::jobs::{JobId, MAX_TOMBSTONES};

/// So many jobs are worked at, each of another client. More of them would not be done sooner.
pub(super) const MAX_ACTIVE: usize = 8;

/// What is known of jobs.
#[derive(Debug, Default)]
pub(super) struct Index {
    jobs: HashMap<JobId, IndexedJob>,
    /// Those that are not over and that nobody works at, in the order of their turns.
    waiting: BTreeMap<u64, Arc<JobEntry>>,
    next_turn: u64,
    /// Whose jobs are worked at.
    active: HashSet<Client>,
    totals: UsageTotals,
    /// What each client has who has any.
    client_totals: HashMap<Client, UsageTotals>,
    tombstones: VecDeque<JobId>,
    tombstone_ids: HashSet<JobId>,
}

/// A job that is there.
#[derive(Debug)]
struct IndexedJob {
    entry: Arc<JobEntry>,
    /// When it ended, if it has.
    ended_ms: Option<u64>,
}

impl Index {
    /// The job of that name.
    pub(super) fn find(&self, id: JobId) -> Result<Arc<JobEntry>, JobError> {
        match self.jobs.get(&id) {
            Some(indexed) => Ok(indexed.entry.clone()),
            None if self.tombstone_ids.contains(&id) => Err(JobError::Gone),
            None => Err(JobError::NotFound),
        }
    }

    /// Takes a job in; one that is over, with the time of its end.
    pub(super) fn add(&mut self, entry: Arc<JobEntry>, ended_ms: Option<u64>) {
        let (id, usage) = (entry.id, Usage::of(&entry));
        self.totals.add(id, usage, ended_ms);
        self.client_totals.entry(entry.client.clone()).or_default().add(id, usage, ended_ms);
        if ended_ms.is_none() {
            self.enqueue(entry.clone());
        }
        self.jobs.insert(id, IndexedJob { entry, ended_ms });
    }

    /// Notes the name of a job that was gone before.
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

    fn enqueue(&mut self, entry: Arc<JobEntry>) {
        self.waiting.insert(self.next_turn, entry);
        self.next_turn += 1;
    }

    /// The next job that is to be worked at, if there is one and a place for it: its client has
    /// one.
    pub(super) fn start_next(&mut self) -> Option<Arc<JobEntry>> {
        if self.active.len() >= MAX_ACTIVE {
            return None;
        }
        let turn = self
            .waiting
            .iter()
            .find(|(_, entry)| !self.active.contains(&entry.client))
            .map(|(&turn, _)| turn)?;
        let entry = self.waiting.remove(&turn)?;
        self.active.insert(entry.client.clone());
        Some(entry)
    }

    /// `true` when the place of a job would serve another client's.
    pub(super) fn should_yield(&self) -> bool {
        self.active.len() >= MAX_ACTIVE
            && self.waiting.values().any(|entry| !self.active.contains(&entry.client))
    }

    /// Nobody works at the job any more. It waits for its next turn, unless it is over or gone.
    pub(super) fn release(&mut self, entry: &Arc<JobEntry>) {
        self.active.remove(&entry.client);
        if self.jobs.contains_key(&entry.id) && !entry.progress().status.is_finished() {
            self.enqueue(entry.clone());
        }
    }

    /// The job is over.
    pub(super) fn mark_finished(&mut self, entry: &JobEntry, ended_ms: u64) {
        if let Some(indexed) = self.jobs.get_mut(&entry.id)
            && indexed.ended_ms.is_none()
        {
            indexed.ended_ms = Some(ended_ms);
            let usage = Usage::of(entry);
            self.totals.mark_finished(entry.id, usage, indexed.ended_ms);
            self.client_totals.entry(entry.client.clone()).or_default().mark_finished(
                entry.id,
                usage,
                indexed.ended_ms,
            );
        }
    }

    /// The job is gone.
    pub(super) fn remove(&mut self, id: JobId) {
        let Some(IndexedJob { entry, ended_ms }) = self.jobs.remove(&id) else { return };
        let usage = Usage::of(&entry);
        self.totals.remove(id, usage, ended_ms);
        if let Some(totals) = self.client_totals.get_mut(&entry.client) {
            totals.remove(id, usage, ended_ms);
            if totals.total == Usage::default() {
                self.client_totals.remove(&entry.client);
            }
        }
        if ended_ms.is_none() {
            self.waiting.retain(|_, waiting| waiting.id != id);
        }
        entry.set_status(JobStatus::Gone);
        self.add_tombstone(id);
    }

    /// Who has to go so that a client's job of this size has room. What is not over stays; of that
    /// each client may have half of the room.
    ///
    /// # Errors
    /// When the job is larger than that half, when the client has taken it, and when there is no
    /// room, however many go.
    pub(super) fn plan_evictions(
        &self,
        client: &Client,
        bytes: u64,
        max_usage: Usage,
    ) -> Result<Vec<JobId>, JobError> {
        let quota = max_usage.half();
        if bytes > quota.bytes {
            return Err(JobError::TooLarge { bytes, most: quota.bytes });
        }
        let client_usage =
            self.client_totals.get(client).map_or(Usage::default(), |totals| totals.unfinished);
        if let Some(shortage) = quota.shortage_for(client_usage, bytes) {
            return Err(JobError::QuotaExceeded { unfinished: client_usage.jobs, shortage });
        }
        let Usage { jobs: unfinished, .. } = self.totals.unfinished;
        if let Some(shortage) = max_usage.shortage_for(self.totals.unfinished, bytes) {
            return Err(JobError::Full { unfinished, shortage });
        }
        let target = Usage { jobs: max_usage.jobs - 1, bytes: max_usage.bytes - bytes };
        let bytes_of = |id| self.jobs.get(&id).map_or(0, |indexed| indexed.entry.reserved_bytes);
        Ok(select_victims(self.client_totals.values(), self.totals.total, target, bytes_of))
    }

    /// Those that were over before that time.
    pub(super) fn finished_before(&self, ms: u64) -> Vec<JobId> {
        self.totals.finished.range(..(ms, JobId::default())).map(|(_, id)| *id).collect()
    }

    /// What all take.
    pub(super) fn total_usage(&self) -> Usage {
        self.totals.total
    }

    /// What those take that are not over.
    pub(super) fn unfinished_usage(&self) -> Usage {
        self.totals.unfinished
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::jobs::usage::Shortage;
    use crate::store::jobs::{JobRecord, PositionLimits, StoredJob};

    fn entry(client: &str) -> Arc<JobEntry> {
        entry_of_size(client, 100)
    }

    fn entry_of_size(client: &str, bytes: u64) -> Arc<JobEntry> {
        let limits = PositionLimits { depth: Some(1), nodes: None, movetime: None, multipv: 1 };
        let (client, plies) = (client.to_owned(), vec![3]);
        let record = JobRecord {
            client,
            limits,
            created_ms: 0,
            end: None,
            reserved_bytes: bytes,
            idempotency_key: None,
            plies,
        };
        Arc::new(JobEntry::new(&StoredJob {
            id: JobId::random().unwrap(),
            record,
            positions_done: 0,
        }))
    }

    fn evictions_for_new_client(
        index: &Index,
        bytes: u64,
        max_usage: Usage,
    ) -> Result<Vec<JobId>, JobError> {
        index.plan_evictions(&Client::new("new"), bytes, max_usage)
    }

    const MAX_USAGE: Usage = Usage { jobs: 3, bytes: 1_000 };

    #[test]
    fn each_client_runs_one_job_at_a_time_in_order() {
        let mut index = Index::default();
        let [a1, a2, b1] = ["a", "a", "b"].map(entry);
        [&a1, &a2, &b1].into_iter().for_each(|entry| index.add(entry.clone(), None));
        let start = |index: &mut Index| index.start_next().map(|entry| entry.id);
        assert_eq!(
            (start(&mut index), start(&mut index), start(&mut index)),
            (Some(a1.id), Some(b1.id), None)
        );
        assert!(!index.should_yield(), "its own client's next job waits for the whole of it");
        index.release(&a1);
        assert_eq!((start(&mut index), start(&mut index)), (Some(a2.id), None));
        a2.set_status(JobStatus::Done);
        index.mark_finished(&a2, 7);
        index.release(&a2);
        assert_eq!(start(&mut index), Some(a1.id), "who rested comes again");
    }

    #[test]
    fn a_running_job_yields_to_a_waiting_client() {
        let mut index = Index::default();
        (0..=MAX_ACTIVE).for_each(|number| index.add(entry(&number.to_string()), None));
        let started: Vec<_> = std::iter::from_fn(|| index.start_next()).collect();
        assert_eq!(started.len(), MAX_ACTIVE);
        assert!(index.should_yield());
        index.release(&started[0]);
        assert_eq!(index.start_next().unwrap().client, Client::new(&MAX_ACTIVE.to_string()));
    }

    #[test]
    fn the_job_that_finished_first_is_evicted_first() {
        let mut index = Index::default();
        let [early, late, working] = ["a", "b", "c"].map(entry);
        index.add(late.clone(), Some(20));
        index.add(early.clone(), Some(10));
        index.add(working.clone(), None);
        assert_eq!(evictions_for_new_client(&index, 100, MAX_USAGE).unwrap(), [early.id]);
        assert_eq!(
            evictions_for_new_client(&index, 100, Usage { jobs: 10, bytes: 250 }).unwrap(),
            [early.id, late.id]
        );
        assert_eq!(
            (index.finished_before(10), index.finished_before(11)),
            (vec![], vec![early.id])
        );
        index.remove(early.id);
        assert!(matches!(index.find(early.id), Err(JobError::Gone)));
        assert!(matches!(index.find(entry("d").id), Err(JobError::NotFound)));
        assert_eq!(
            (index.total_usage(), index.unfinished_usage()),
            (Usage { jobs: 2, bytes: 200 }, Usage { jobs: 1, bytes: 100 })
        );
        assert_eq!(evictions_for_new_client(&index, 100, MAX_USAGE).unwrap(), []);
        index.remove(late.id);
        index.remove(working.id);
        assert_eq!(
            (index.total_usage(), index.unfinished_usage(), index.client_totals.len()),
            (Usage::default(), Usage::default(), 0)
        );
    }

    #[test]
    fn a_client_may_use_half_and_unfinished_jobs_are_never_evicted() {
        let mut index = Index::default();
        let ann = Client::new("ann");
        let evictions = |index: &Index, client: &Client, bytes| {
            index.plan_evictions(client, bytes, Usage { jobs: 5, bytes: 1_001 })
        };
        assert!(matches!(
            evictions(&index, &ann, 502),
            Err(JobError::TooLarge { bytes: 502, most: 501 })
        ));
        assert_eq!(evictions(&index, &ann, 501).unwrap(), []);
        let [first, second, third] = [300, 100, 1].map(|bytes| entry_of_size("ann", bytes));
        index.add(first.clone(), None);
        let shortage = Shortage::Bytes { max: 501 };
        assert!(
            matches!(evictions(&index, &ann, 202), Err(JobError::QuotaExceeded { unfinished: 1, shortage: s }) if s == shortage)
        );
        index.add(second, None);
        index.add(third, None);
        let shortage = Shortage::Jobs { max: 3 };
        assert!(
            matches!(evictions(&index, &ann, 1), Err(JobError::QuotaExceeded { unfinished: 3, shortage: s }) if s == shortage)
        );
        let bob = Client::new("bob");
        assert_eq!(evictions(&index, &bob, 501).unwrap(), [], "another client has its own half");
        index.add(entry_of_size("bob", 501), None);
        let shortage = Shortage::Bytes { max: 1_001 };
        let cid = Client::new("cid");
        assert!(
            matches!(evictions(&index, &cid, 100), Err(JobError::Full { unfinished: 4, shortage: s }) if s == shortage)
        );
        index.add(entry_of_size("cid", 1), None);
        let shortage = Shortage::Jobs { max: 5 };
        assert!(
            matches!(evictions(&index, &cid, 1), Err(JobError::Full { unfinished: 5, shortage: s }) if s == shortage)
        );
        index.mark_finished(&first, 7);
        assert_eq!(
            evictions(&index, &ann, 100).unwrap(),
            [first.id],
            "a job that is over is no part of the half"
        );
    }

    #[test]
    fn the_client_with_the_most_usage_is_evicted_from() {
        let mut index = Index::default();
        let (small, large): (Vec<_>, Vec<_>) = (
            (0..4).map(|_| entry_of_size("ann", 10)).collect(),
            (0..2).map(|_| entry_of_size("bob", 300)).collect(),
        );
        let (oldest, working) = (entry_of_size("cid", 20), entry_of_size("bob", 100));
        index.add(oldest.clone(), Some(1));
        large.iter().zip(5..).for_each(|(job, ended)| index.add(job.clone(), Some(ended)));
        small.iter().zip(10..).for_each(|(job, ended)| index.add(job.clone(), Some(ended)));
        index.add(working, None);
        let ids = |jobs: &[&Arc<JobEntry>]| jobs.iter().map(|job| job.id).collect::<Vec<_>>();
        let by_job_count =
            evictions_for_new_client(&index, 10, Usage { jobs: 7, bytes: 10_000 }).unwrap();
        assert_eq!(
            by_job_count,
            ids(&[&small[0], &large[0]]),
            "four of ann's, and then three against three: the oldest"
        );
        let by_bytes =
            evictions_for_new_client(&index, 100, Usage { jobs: 100, bytes: 260 }).unwrap();
        assert_eq!(
            by_bytes,
            ids(&[&large[0], &large[1]]),
            "what is not over counts as bob's, and stays"
        );
        let by_both = evictions_for_new_client(&index, 10, Usage { jobs: 8, bytes: 500 }).unwrap();
        assert_eq!(by_both, ids(&[&small[0], &large[0]]));
    }

    #[test]
    fn tombstones_are_bounded() {
        let mut index = Index::default();
        let first = JobId::random().unwrap();
        index.add_tombstone(first);
        (0..MAX_TOMBSTONES).for_each(|_| index.add_tombstone(JobId::random().unwrap()));
        assert!(matches!(index.find(first), Err(JobError::NotFound)));
        assert_eq!(
            (index.tombstones.len(), index.tombstone_ids.len()),
            (MAX_TOMBSTONES, MAX_TOMBSTONES)
        );
    }
}
