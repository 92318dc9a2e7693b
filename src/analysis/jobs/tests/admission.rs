//! Tests of admission, refusal, eviction and expiry.

use std::sync::atomic::{AtomicUsize, Ordering};

use tracing::subscriber::DefaultGuard;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

use super::super::entry::JobEntry;
use super::*;
use crate::analysis::tests::until_stopped;
use crate::store::jobs::JobRecord;

fn keyed(client: &str, key: &str, text: &str) -> Submission {
    Submission { idempotency_key: Some(key.to_owned()), ..submission(client, text) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_submitted_job_counts_its_games_and_moves() {
    let jobs = jobs_by_key();
    let text = format!("{GAME}1. e4 Ke5 *\n\n{MATE}");
    let (job, progress) = jobs.submit(submission("ann", &text)).await.unwrap();
    assert_eq!((job.schedule().games(), job.schedule().moves()), (3, 16));
    assert_eq!(progress, Progress { positions_done: 0, status: JobStatus::Queued });
    let job = wait_finished(&jobs, job.id()).await;
    assert_eq!((job.progress().status, job.progress().positions_done), (JobStatus::Done, 13 + 5));
    assert_eq!((jobs.status().total.jobs, jobs.status().unfinished.jobs), (1, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_text_without_games_is_refused() {
    let jobs = jobs_by_key();
    assert!(matches!(jobs.submit(submission("ann", "not a game")).await, Err(JobError::NoGame(_))));
    assert_eq!(jobs.status().total.jobs, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_without_moves_are_done_at_once() {
    let jobs = jobs_by_key();
    let text = "[White \"A\"]\n\n1-0\n\n[White \"B\"]\n\n*";
    let (job, progress) = jobs.submit(submission("ann", text)).await.unwrap();
    assert_eq!((job.schedule().games(), job.schedule().moves()), (2, 0));
    assert_eq!(progress.status, JobStatus::Done);
    let job = jobs.find(job.id()).await.unwrap();
    assert_eq!(job.schedule().events_done(0), 2);
    assert_eq!(job.events(1, 0, 10).await.unwrap().len(), 1, "a read returns events of one game");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_submissions_with_one_key_are_one_job() {
    let jobs = jobs_by_key();
    let submissions: Vec<_> = (0..8)
        .map(|_| {
            let jobs = jobs.clone();
            tokio::spawn(async move { submit(&jobs, keyed("ann", "mine", GAME)).await })
        })
        .collect();
    let mut ids = Vec::new();
    for id in submissions {
        ids.push(id.await.unwrap());
    }
    ids.dedup();
    assert_eq!((ids.len(), jobs.status().total.jobs), (1, 1));
    assert!(matches!(
        jobs.submit(keyed("ann", "mine", MATE)).await,
        Err(JobError::IdempotencyConflict)
    ));
    let other_client = submit(&jobs, keyed("bob", "mine", MATE)).await;
    assert_ne!(other_client, ids[0], "each client has its own idempotency keys");
    jobs.delete(ids[0]).await.unwrap();
    let resubmitted = submit(&jobs, keyed("ann", "mine", MATE)).await;
    assert_ne!(resubmitted, ids[0], "deleting a job frees its idempotency key");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deleted_job_stays_gone_and_its_searches_stop() {
    let jobs = jobs_in_memory(Scripted::new(until_stopped));
    let id = submit(&jobs, submission("ann", GAME)).await;
    let job = jobs.find(id).await.unwrap();
    jobs.delete(id).await.unwrap();
    assert_eq!(job.progress().status, JobStatus::Gone);
    assert!(matches!(jobs.find(id).await, Err(JobError::Gone)));
    assert!(matches!(job.page(0, 0, 1, 1).await, Err(JobError::Gone)));
    jobs.delete(id).await.unwrap();
    jobs.stopped().await;
    jobs.service().drained().await;
    let unknown = JobId::random().unwrap();
    assert!(matches!(jobs.delete(unknown).await, Err(JobError::NotFound)));
    assert!(matches!(jobs.find(unknown).await, Err(JobError::NotFound)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn finished_jobs_are_evicted_and_unfinished_jobs_are_not() {
    let rules = JobRules { max_usage: Usage { jobs: 2, ..RULES.max_usage }, ..RULES };
    let searcher =
        Scripted::new(|game: &Game, limits: &Limits, stop: &StopFlag| match limits.depth {
            Some(3) => report_from_key(game, limits, stop),
            _ => until_stopped(game, limits, stop),
        });
    let jobs = start_jobs(searcher, 2, JobFile::in_memory().unwrap(), rules);
    let endless = |client: &str| {
        let limits = PositionLimits { depth: Some(9), nodes: None, movetime: None, multipv: 1 };
        Submission { limits, ..submission(client, GAME) }
    };
    let first = submit(&jobs, submission("ann", GAME)).await;
    wait_finished(&jobs, first).await;
    jobs.submit(endless("bob")).await.unwrap();
    let third = submit(&jobs, submission("cid", MATE)).await;
    assert!(matches!(jobs.find(first).await, Err(JobError::Gone)));
    jobs.delete(third).await.unwrap();
    jobs.submit(endless("dan")).await.unwrap();
    assert!(matches!(
        jobs.submit(endless("eve")).await,
        Err(JobError::Full { unfinished: 2, exceeded: ExceededLimit::Jobs { max: 2 } })
    ));
    assert!(matches!(
        jobs.submit(endless("bob")).await,
        Err(JobError::QuotaExceeded { unfinished: 1, .. })
    ));
    shut_down(jobs.clone()).await;
    assert!(matches!(jobs.submit(submission("ann", GAME)).await, Err(JobError::ShuttingDown)));
}

/// Counts the warnings and errors that are logged on this thread.
#[derive(Clone, Default)]
struct WarningCount(Arc<AtomicUsize>);

impl<S: Subscriber> Layer<S> for WarningCount {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() <= Level::WARN {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl WarningCount {
    fn start() -> (WarningCount, DefaultGuard) {
        let count = WarningCount::default();
        let subscriber = tracing_subscriber::registry().with(count.clone());
        (count, tracing::subscriber::set_default(subscriber))
    }

    fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

#[tokio::test]
async fn a_job_that_is_deleted_before_its_run_gives_no_warning() {
    let (warnings, _guard) = WarningCount::start();
    let jobs = start_jobs(Scripted::new(until_stopped), 1, JobFile::in_memory().unwrap(), RULES);
    let first = submit(&jobs, submission("ann", GAME)).await;
    let second = submit(&jobs, submission("ann", MATE)).await;
    // A deletion removes the job from the store first. Its turn comes before it leaves the index.
    jobs.book().remove(&[second]).unwrap();
    jobs.delete(first).await.unwrap();
    tokio::time::timeout(Duration::from_secs(20), jobs.stopped()).await.expect("no job runs");
    assert!(matches!(jobs.find(second).await, Err(JobError::Gone)));
    assert_eq!(warnings.get(), 0);
}

#[tokio::test]
async fn a_job_that_is_lost_without_a_deletion_gives_a_warning() {
    let (warnings, _guard) = WarningCount::start();
    let jobs = start_jobs(Scripted::new(until_stopped), 1, JobFile::in_memory().unwrap(), RULES);
    let first = submit(&jobs, submission("ann", GAME)).await;
    let record = jobs.book().job(first).unwrap().unwrap();
    let lost = JobRecord { id: JobId::random().unwrap(), ..record };
    jobs.index().add(Arc::new(JobEntry::from(&lost)), None);
    jobs.delete(first).await.unwrap();
    tokio::time::timeout(Duration::from_secs(20), jobs.stopped()).await.expect("no job runs");
    assert!(matches!(jobs.find(lost.id).await, Err(JobError::Gone)));
    assert_eq!(
        (jobs.status().total, jobs.status().unfinished),
        (Usage::default(), Usage::default())
    );
    assert_eq!(warnings.get(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_of_a_job_that_is_being_deleted_is_gone() {
    let jobs = start_jobs(Scripted::new(until_stopped), 1, JobFile::in_memory().unwrap(), RULES);
    let id = submit(&jobs, submission("ann", GAME)).await;
    assert!(runner::read_game(&jobs, id, 0).is_ok());
    assert!(matches!(runner::read_game(&jobs, id, 1), Err(JobError::Store(_))));
    // A deletion removes the job from the store first, then from the index.
    jobs.book().remove(&[id]).unwrap();
    assert!(matches!(runner::read_game(&jobs, id, 0), Err(JobError::Gone)));
    jobs.delete(id).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_over_the_client_quota_is_refused() {
    let rules = JobRules { max_usage: Usage { bytes: 2_000, ..RULES.max_usage }, ..RULES };
    let jobs = start_jobs(Scripted::new(report_from_key), 1, JobFile::in_memory().unwrap(), rules);
    assert!(matches!(
        jobs.submit(submission("ann", GAME)).await,
        Err(JobError::TooLarge { max: 1_000, .. })
    ));
    jobs.submit(submission("ann", MATE)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn finished_jobs_expire() {
    let rules = JobRules { retention: Duration::from_millis(300), ..RULES };
    let jobs = start_jobs(Scripted::new(report_from_key), 2, JobFile::in_memory().unwrap(), rules);
    let id = submit(&jobs, submission("ann", MATE)).await;
    let started = Instant::now();
    while jobs.status().total.jobs > 0 {
        assert!(started.elapsed() < Duration::from_secs(10));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(matches!(jobs.find(id).await, Err(JobError::Gone)));
}
