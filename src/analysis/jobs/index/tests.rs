//! Tests of the index of jobs.

use super::*;
use crate::analysis::jobs::usage::ExceededLimit;
use crate::store::jobs::{JobRecord, PositionLimits};

fn entry(client: &str) -> Arc<JobEntry> {
    entry_of_size(client, 100)
}

fn entry_of_size(client: &str, bytes: u64) -> Arc<JobEntry> {
    let limits = PositionLimits { depth: Some(1), nodes: None, movetime: None, multipv: 1 };
    let record = JobRecord {
        id: JobId::random().unwrap(),
        client: client.to_owned(),
        limits,
        created_ms: 0,
        end: None,
        reserved_bytes: bytes,
        idempotency_key: None,
        plies: vec![3],
        positions_done: 0,
    };
    Arc::new(JobEntry::from(&record))
}

fn evictions_for_new_client(
    index: &Index,
    bytes: u64,
    max_usage: Usage,
) -> Result<Vec<JobId>, JobError> {
    index.plan_evictions(&Client::new("new"), bytes, max_usage, Quota::Half)
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
    assert!(!index.should_yield(), "a job does not yield to the next job of its own client");
    index.release(&a1, false);
    assert_eq!((start(&mut index), start(&mut index)), (Some(a2.id), None));
    a2.set_status(JobStatus::Done);
    index.mark_finished(&a2, 7);
    index.release(&a2, false);
    assert_eq!(start(&mut index), Some(a1.id), "the released job runs again");
}

#[test]
fn a_running_job_yields_to_a_waiting_client() {
    let mut index = Index::default();
    (0..=MAX_ACTIVE).for_each(|number| index.add(entry(&number.to_string()), None));
    let started: Vec<_> = std::iter::from_fn(|| index.start_next()).collect();
    assert_eq!(started.len(), MAX_ACTIVE);
    assert!(index.should_yield());
    index.release(&started[0], false);
    assert_eq!(index.start_next().unwrap().client, Client::new(&MAX_ACTIVE.to_string()));
}

#[test]
fn the_job_that_finished_first_is_evicted_first() {
    let mut index = Index::default();
    let [early, late, unfinished] = ["a", "b", "c"].map(entry);
    index.add(late.clone(), Some(20));
    index.add(early.clone(), Some(10));
    index.add(unfinished.clone(), None);
    assert_eq!(evictions_for_new_client(&index, 100, MAX_USAGE).unwrap(), [early.id]);
    assert_eq!(
        evictions_for_new_client(&index, 100, Usage { jobs: 10, bytes: 250 }).unwrap(),
        [early.id, late.id]
    );
    assert_eq!((index.finished_before(10), index.finished_before(11)), (vec![], vec![early.id]));
    index.remove(early.id);
    assert!(matches!(index.find(early.id), Err(JobError::Gone)));
    assert!(matches!(index.find(entry("d").id), Err(JobError::NotFound)));
    assert_eq!(
        (index.total_usage(), index.unfinished_usage()),
        (Usage { jobs: 2, bytes: 200 }, Usage { jobs: 1, bytes: 100 })
    );
    assert_eq!(evictions_for_new_client(&index, 100, MAX_USAGE).unwrap(), []);
    index.remove(late.id);
    index.remove(unfinished.id);
    assert_eq!(
        (index.total_usage(), index.unfinished_usage(), index.client_totals.len()),
        (Usage::default(), Usage::default(), 0)
    );
}

#[test]
fn unfinished_jobs_use_at_most_half_per_client_and_are_never_evicted() {
    let mut index = Index::default();
    let ann = Client::new("ann");
    let evictions = |index: &Index, client: &Client, bytes| {
        index.plan_evictions(client, bytes, Usage { jobs: 5, bytes: 1_001 }, Quota::Half)
    };
    assert!(matches!(
        evictions(&index, &ann, 502),
        Err(JobError::TooLarge { bytes: 502, max: 501, is_anonymous: false })
    ));
    assert_eq!(evictions(&index, &ann, 501).unwrap(), []);
    let [first, second, third] = [300, 100, 1].map(|bytes| entry_of_size("ann", bytes));
    index.add(first.clone(), None);
    assert!(matches!(
        evictions(&index, &ann, 202),
        Err(JobError::QuotaExceeded { unfinished: 1, exceeded: ExceededLimit::Bytes { max: 501 } })
    ));
    index.add(second, None);
    index.add(third, None);
    assert!(matches!(
        evictions(&index, &ann, 1),
        Err(JobError::QuotaExceeded { unfinished: 3, exceeded: ExceededLimit::Jobs { max: 3 } })
    ));
    let bob = Client::new("bob");
    assert_eq!(evictions(&index, &bob, 501).unwrap(), [], "another client has its own quota");
    index.add(entry_of_size("bob", 501), None);
    let cid = Client::new("cid");
    assert!(matches!(
        evictions(&index, &cid, 100),
        Err(JobError::Full { unfinished: 4, exceeded: ExceededLimit::Bytes { max: 1_001 } })
    ));
    index.add(entry_of_size("cid", 1), None);
    assert!(matches!(
        evictions(&index, &cid, 1),
        Err(JobError::Full { unfinished: 5, exceeded: ExceededLimit::Jobs { max: 5 } })
    ));
    index.mark_finished(&first, 7);
    assert_eq!(
        evictions(&index, &ann, 100).unwrap(),
        [first.id],
        "a finished job does not count for the quota"
    );
}

/// Adds unfinished jobs of an anonymous client until one is refused. Returns how many fitted.
fn fill(index: &mut Index, client: &str, bytes: u64) -> usize {
    let quota = Quota::ShareOfRest { permille: 125 };
    let capacity = Usage { jobs: 1_000, bytes: 1_000_000 };
    let mut count = 0;
    while index.plan_evictions(&Client::new(client), bytes, capacity, quota).is_ok() {
        index.add(entry_of_size(client, bytes), None);
        count += 1;
    }
    count
}

#[test]
fn however_many_anonymous_clients_use_their_share_a_further_one_finds_a_place() {
    for bytes in [1, 10_000] {
        let mut index = Index::default();
        let counts: Vec<_> =
            (0..16).map(|number| fill(&mut index, &number.to_string(), bytes)).collect();
        assert_eq!(counts[0], if bytes == 1 { 125 } else { 12 }, "an eighth for the first client");
        assert!(counts.is_sorted_by(|earlier, later| earlier >= later), "{counts:?}");
        assert!(*counts.last().unwrap() >= 1, "{counts:?}");
    }
}

#[test]
fn a_refusal_names_the_share_of_the_client_or_the_capacity_of_all() {
    let quota = Quota::ShareOfRest { permille: 125 };
    let capacity = Usage { jobs: 16, bytes: 1_000 };
    let refusal = |index: &Index, client: &str, bytes| {
        index.plan_evictions(&Client::new(client), bytes, capacity, quota).unwrap_err()
    };
    let mut index = Index::default();
    assert!(matches!(
        refusal(&index, "ann", 126),
        JobError::TooLarge { bytes: 126, max: 125, is_anonymous: true }
    ));
    index.add(entry_of_size("ann", 10), None);
    index.add(entry_of_size("ann", 10), None);
    assert!(matches!(
        refusal(&index, "ann", 10),
        JobError::QuotaExceeded { unfinished: 2, exceeded: ExceededLimit::Jobs { max: 2 } }
    ));
    (0..14).for_each(|_| index.add(entry_of_size("a key", 10), None));
    assert!(matches!(
        refusal(&index, "bob", 10),
        JobError::Full { unfinished: 16, exceeded: ExceededLimit::Jobs { max: 16 } }
    ));
}

#[test]
fn the_client_with_the_highest_usage_loses_jobs_first() {
    let mut index = Index::default();
    let (small, large): (Vec<_>, Vec<_>) = (
        (0..4).map(|_| entry_of_size("ann", 10)).collect(),
        (0..2).map(|_| entry_of_size("bob", 300)).collect(),
    );
    let (oldest, unfinished) = (entry_of_size("cid", 20), entry_of_size("bob", 100));
    index.add(oldest.clone(), Some(1));
    large.iter().zip(5..).for_each(|(job, ended)| index.add(job.clone(), Some(ended)));
    small.iter().zip(10..).for_each(|(job, ended)| index.add(job.clone(), Some(ended)));
    index.add(unfinished, None);
    let ids = |jobs: &[&Arc<JobEntry>]| jobs.iter().map(|job| job.id).collect::<Vec<_>>();
    let by_job_count =
        evictions_for_new_client(&index, 10, Usage { jobs: 7, bytes: 10_000 }).unwrap();
    assert_eq!(
        by_job_count,
        ids(&[&small[0], &large[0]]),
        "first ann with four jobs, then of two clients with three jobs the oldest"
    );
    let by_bytes = evictions_for_new_client(&index, 100, Usage { jobs: 100, bytes: 260 }).unwrap();
    assert_eq!(
        by_bytes,
        ids(&[&large[0], &large[1]]),
        "bob's unfinished job counts but is not evicted"
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
