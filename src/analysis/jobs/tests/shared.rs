//! Tests of several nodes with one book.

use std::sync::atomic::{AtomicBool, Ordering};

use super::shared_book::{SharedBook, SharedServer};
use super::*;
use crate::analysis::tests::until_stopped;
use crate::store::StoreError;
use crate::store::jobs::JobBook;

/// A node of a test.
struct Node {
    jobs: Jobs,
    book: Arc<SharedBook>,
}

fn node_with_rules(
    server: &Arc<SharedServer>,
    number: usize,
    searcher: Arc<impl Searcher>,
    rules: JobRules,
) -> Node {
    let book = server.book(number);
    let service = Service::start(searcher, options(2, 64)).expect("threads");
    Node { jobs: Jobs::start(service, book.clone(), rules).expect("a book"), book }
}

/// A node whose searches answer at once.
fn node(server: &Arc<SharedServer>, number: usize) -> Node {
    node_with_rules(server, number, Scripted::new(report_from_key), RULES)
}

/// A node whose searches never end.
fn slow_node(server: &Arc<SharedServer>, number: usize) -> Node {
    node_with_rules(server, number, Scripted::new(until_stopped), RULES)
}

impl Node {
    fn set_cut_off(&self, is_cut_off: bool) {
        self.book.is_cut_off.store(is_cut_off, Ordering::SeqCst);
    }

    fn finished_jobs(&self) -> usize {
        let status = self.jobs.status();
        status.total.jobs - status.unfinished.jobs
    }
}

async fn until(what: &str, condition: impl Fn() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < Duration::from_secs(20), "{what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn is_gone(node: &Node, id: JobId) -> bool {
    matches!(node.jobs.find(id).await, Err(JobError::Gone))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_node_answers_for_any_job() {
    let server = SharedServer::new();
    let (first, second) = (node(&server, 1), node(&server, 2));
    let id = submit(&first.jobs, submission("ann", GAME)).await;
    second.jobs.find(id).await.expect("known at once");
    let there = wait_finished(&second.jobs, id).await;
    let here = wait_finished(&first.jobs, id).await;
    assert_eq!(there.progress(), here.progress());
    let reviews =
        |page: GamePage| page.moves.into_iter().map(|reviewed| reviewed.review).collect::<Vec<_>>();
    assert_eq!(reviews(full_page(&there, 0).await), reviews(full_page(&here, 0).await));
    second.jobs.delete(id).await.unwrap();
    assert!(is_gone(&first, id).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn progress_on_one_node_is_seen_on_another() {
    let server = SharedServer::new();
    let (first, second) = (slow_node(&server, 1), slow_node(&server, 2));
    let id = submit(&first.jobs, submission("ann", MATE)).await;
    let there = second.jobs.find(id).await.unwrap();
    let mut progress = there.subscribe();
    let running = progress.wait_for(|progress| progress.positions_done == 1);
    drop(tokio::time::timeout(Duration::from_secs(20), running).await.expect("one checkmate"));
    assert_eq!(there.progress().status, JobStatus::Running);
    first.jobs.delete(id).await.unwrap();
    let gone = progress.wait_for(|progress| progress.status == JobStatus::Gone);
    drop(tokio::time::timeout(Duration::from_secs(20), gone).await.expect("its deletion"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deletion_on_one_node_stops_the_run_on_another() {
    let server = SharedServer::new();
    let (first, second) = (slow_node(&server, 1), slow_node(&server, 2));
    let id = submit(&first.jobs, submission("ann", GAME)).await;
    second.jobs.delete(id).await.unwrap();
    until("no search", || first.jobs.service().status().busy_workers == 0).await;
    assert!(is_gone(&first, id).await && is_gone(&second, id).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_hold_for_all_nodes_together() {
    let server = SharedServer::new();
    let rules = JobRules { max_usage: Usage { jobs: 2, ..RULES.max_usage }, ..RULES };
    let slow = || Scripted::new(until_stopped);
    let first = node_with_rules(&server, 1, slow(), rules);
    let second = node_with_rules(&server, 2, slow(), rules);
    submit(&first.jobs, submission("ann", GAME)).await;
    assert!(matches!(
        second.jobs.submit(submission("ann", MATE)).await,
        Err(JobError::QuotaExceeded { unfinished: 1, .. })
    ));
    submit(&second.jobs, submission("bob", GAME)).await;
    for node in [&first, &second] {
        assert!(matches!(
            node.jobs.submit(submission("cid", MATE)).await,
            Err(JobError::Full { unfinished: 2, .. })
        ));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_submissions_on_two_nodes_stay_within_the_limit() {
    let server = SharedServer::new();
    let rules = JobRules { max_usage: Usage { jobs: 10, ..RULES.max_usage }, ..RULES };
    let slow = || Scripted::new(until_stopped);
    let nodes = [1, 2].map(|number| node_with_rules(&server, number, slow(), rules));
    let submissions: Vec<_> = (0..24)
        .map(|number| {
            let jobs = nodes[number % 2].jobs.clone();
            let submission = submission(&format!("client {number}"), MATE);
            tokio::spawn(async move { jobs.submit(submission).await.is_ok() })
        })
        .collect();
    let mut accepted = 0;
    for submission in submissions {
        accepted += usize::from(submission.await.unwrap());
    }
    assert_eq!((accepted, server.book(3).snapshot().unwrap().jobs.len()), (10, 10));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_idempotency_key_is_one_job_on_all_nodes() {
    let server = SharedServer::new();
    let nodes = [1, 2].map(|number| node(&server, number));
    let keyed = |text: &str| Submission {
        idempotency_key: Some("mine".to_owned()),
        ..submission("ann", text)
    };
    let submissions: Vec<_> = (0..8)
        .map(|number| {
            let (jobs, submission) = (nodes[number % 2].jobs.clone(), keyed(GAME));
            tokio::spawn(async move { submit(&jobs, submission).await })
        })
        .collect();
    let mut ids = Vec::new();
    for id in submissions {
        ids.push(id.await.unwrap());
    }
    ids.dedup();
    assert_eq!(ids.len(), 1);
    for node in &nodes {
        let refused = node.jobs.submit(keyed(MATE)).await;
        assert!(matches!(refused, Err(JobError::IdempotencyConflict)));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_of_a_lost_node_goes_on_elsewhere() {
    let server = SharedServer::new();
    // After some searches of its own the first node hangs.
    let may_search = Arc::new(AtomicBool::new(true));
    let allowed = may_search.clone();
    let searcher = Scripted::new(move |game: &Game, limits: &Limits, stop: &StopFlag| {
        if game.position().fullmove_number() <= 4 {
            while !allowed.load(Ordering::SeqCst) && !stop.is_stopped() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        report_from_key(game, limits, stop)
    });
    may_search.store(false, Ordering::SeqCst);
    let first = node_with_rules(&server, 1, searcher, RULES);
    let id = submit(&first.jobs, submission("ann", GAME)).await;
    let here = first.jobs.find(id).await.unwrap();
    until("some are evaluated", || here.progress().positions_done >= 3).await;
    let second = node(&server, 2);
    first.set_cut_off(true);
    server.expire_claims();
    let there = wait_finished(&second.jobs, id).await;
    assert_eq!((there.progress().status, there.progress().positions_done), (JobStatus::Done, 13));
    assert!(matches!(first.jobs.find(id).await, Err(JobError::Store(StoreError::Unreachable(_)))));
    // It goes on without knowing that its claim is lost.
    may_search.store(true, Ordering::SeqCst);
    first.set_cut_off(false);
    until("the first node knows the end", || here.progress().status == JobStatus::Done).await;
    assert_eq!(here.progress().positions_done, 13);
    first.jobs.shut_down();
    tokio::time::timeout(Duration::from_secs(20), first.jobs.stopped()).await.expect("no run");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_shuts_down_hands_its_jobs_over() {
    let server = SharedServer::new();
    let first = slow_node(&server, 1);
    let id = submit(&first.jobs, submission("ann", GAME)).await;
    until("it runs", || first.jobs.service().status().busy_workers > 0).await;
    let second = node(&server, 2);
    shut_down(first.jobs.clone()).await;
    let there = wait_finished(&second.jobs, id).await;
    assert_eq!(there.progress().positions_done, 13);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_was_cut_off_learns_what_has_changed() {
    let server = SharedServer::new();
    let (first, second) = (node(&server, 1), node(&server, 2));
    let removed = submit(&first.jobs, submission("ann", MATE)).await;
    wait_finished(&second.jobs, removed).await;
    second.set_cut_off(true);
    let refused = second.jobs.submit(submission("ann", GAME)).await;
    assert!(matches!(refused, Err(JobError::Store(StoreError::Unreachable(_)))));
    until("it notices", || second.jobs.is_failing()).await;
    first.jobs.delete(removed).await.unwrap();
    let added = submit(&first.jobs, submission("bob", GAME)).await;
    wait_finished(&first.jobs, added).await;
    server.trim_log();
    second.set_cut_off(false);
    until("it follows again", || !second.jobs.is_failing()).await;
    until("both agree", || second.jobs.status().total == first.jobs.status().total).await;
    assert!(is_gone(&second, removed).await);
    assert_eq!(second.jobs.find(added).await.unwrap().progress().status, JobStatus::Done);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_starts_while_the_book_cannot_be_read() {
    let server = SharedServer::new();
    let first = node(&server, 1);
    let id = submit(&first.jobs, submission("ann", GAME)).await;
    let book = server.book(2);
    book.is_cut_off.store(true, Ordering::SeqCst);
    let service = Service::start(Scripted::new(report_from_key), options(2, 64)).unwrap();
    let jobs = Jobs::start(service, book.clone(), RULES).unwrap();
    let unknown = JobId::random().unwrap();
    for id in [id, unknown] {
        let found = jobs.find(id).await;
        assert!(matches!(found, Err(JobError::Store(StoreError::Unreachable(_)))));
    }
    book.is_cut_off.store(false, Ordering::SeqCst);
    wait_finished(&jobs, id).await;
    assert!(matches!(jobs.find(unknown).await, Err(JobError::NotFound)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_of_a_server_that_lost_its_data_are_unknown() {
    let server = SharedServer::new();
    let (first, second) = (slow_node(&server, 1), slow_node(&server, 2));
    let lost = submit(&first.jobs, submission("ann", GAME)).await;
    second.jobs.find(lost).await.unwrap();
    for node in [&first, &second] {
        let has_followed = || node.jobs.log().is_some_and(|position| position.version == 1);
        until("it has followed the log", has_followed).await;
    }
    server.lose_data();
    for node in [&first, &second] {
        until("it is forgotten", || node.jobs.status().total.jobs == 0).await;
    }
    let next = submit(&second.jobs, submission("ann", GAME)).await;
    first.jobs.find(next).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn late_repeated_and_missing_messages_do_no_harm() {
    let server = SharedServer::new();
    let nodes = [1, 2, 3].map(|number| node(&server, number));
    for node in &nodes {
        node.book.is_unreliable.store(true, Ordering::SeqCst);
    }
    let mut ids = Vec::new();
    for number in 0..30 {
        let submission = submission(&format!("client {}", number % 4), GAME);
        ids.push(submit(&nodes[number % 3].jobs, submission).await);
        if number % 5 == 4 {
            nodes[(number + 1) % 3].jobs.delete(ids.swap_remove(number % ids.len())).await.unwrap();
        }
    }
    for node in &nodes {
        let all_done = || node.finished_jobs() == ids.len();
        until("all jobs are done on all nodes", all_done).await;
        for &id in &ids {
            let job = node.jobs.find(id).await.unwrap();
            assert_eq!(job.progress().positions_done, 13);
            assert_eq!(full_page(&job, 0).await.moves.len(), 12);
        }
        assert_eq!(node.jobs.status().total, nodes[0].jobs.status().total);
    }
}
