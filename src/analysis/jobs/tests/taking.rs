//! What is taken, what is refused, and what goes.

use super::*;
use crate::analysis::tests::until_stopped;

fn keyed(client: &str, key: &str, text: &str) -> Submission {
    Submission { key: Some(key.to_owned()), ..submission(client, text) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_is_taken_with_its_games_and_moves() {
    let jobs = by_keys();
    let taken =
        jobs.submit(submission("ann", &format!("{GAME}1. e4 Ke5 *\n\n{MATE}"))).await.unwrap();
    assert_eq!((taken.games, taken.moves, taken.status), (3, 16, JobStatus::Queued));
    let job = over(&jobs, taken.id).await;
    assert_eq!((job.progress().status, job.progress().found), (JobStatus::Done, 13 + 5));
    assert_eq!((jobs.status().kept.jobs, jobs.status().unfinished.jobs), (1, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_text_without_a_game_is_no_job() {
    let jobs = by_keys();
    assert!(matches!(jobs.submit(submission("ann", "no game")).await, Err(JobError::NoGame(_))));
    assert_eq!(jobs.status().kept.jobs, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_without_moves_are_done_at_once() {
    let jobs = by_keys();
    let taken =
        jobs.submit(submission("ann", "[White \"A\"]\n\n1-0\n\n[White \"B\"]\n\n*")).await.unwrap();
    assert_eq!((taken.games, taken.moves, taken.status), (2, 0, JobStatus::Done));
    let job = jobs.find(taken.id).await.unwrap();
    assert_eq!(job.plan().events_done(0), 2);
    assert_eq!(job.events(1, 0, 10).await.unwrap().len(), 1, "of one game at a time");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_same_key_is_the_same_job_however_many_ask_at_once() {
    let jobs = by_keys();
    let asked: Vec<_> = (0..8)
        .map(|_| {
            let jobs = jobs.clone();
            tokio::spawn(async move { jobs.submit(keyed("ann", "mine", GAME)).await.unwrap().id })
        })
        .collect();
    let mut ids = Vec::new();
    for id in asked {
        ids.push(id.await.unwrap());
    }
    ids.dedup();
    assert_eq!((ids.len(), jobs.status().kept.jobs), (1, 1));
    assert!(matches!(jobs.submit(keyed("ann", "mine", MATE)).await, Err(JobError::KeyTaken)));
    let of_bob = jobs.submit(keyed("bob", "mine", MATE)).await.unwrap();
    assert_ne!(of_bob.id, ids[0], "a name is its client's own");
    jobs.delete(ids[0]).await.unwrap();
    let anew = jobs.submit(keyed("ann", "mine", MATE)).await.unwrap();
    assert_ne!(anew.id, ids[0], "with its job a name is free again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deleted_job_is_gone_for_good_and_its_searches_end() {
    let jobs = in_memory(Scripted::new(until_stopped));
    let taken = jobs.submit(submission("ann", GAME)).await.unwrap();
    let job = jobs.find(taken.id).await.unwrap();
    jobs.delete(taken.id).await.unwrap();
    assert_eq!(job.progress().status, JobStatus::Gone);
    assert!(matches!(jobs.find(taken.id).await, Err(JobError::Gone)));
    assert!(matches!(job.page(0, 0, 1, 1).await, Err(JobError::Gone)));
    jobs.delete(taken.id).await.unwrap();
    jobs.stopped().await;
    jobs.service().drained().await;
    let unknown = JobId::random().unwrap();
    assert!(matches!(jobs.delete(unknown).await, Err(JobError::Unknown)));
    assert!(matches!(jobs.find(unknown).await, Err(JobError::Unknown)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn those_that_are_done_make_way_and_those_that_are_not_do_not() {
    let rules = JobRules { room: Room { jobs: 2, ..RULES.room }, ..RULES };
    let searcher =
        Scripted::new(|game: &Game, limits: &Limits, stop: &StopFlag| match limits.depth {
            Some(3) => by_key(game, limits, stop),
            _ => until_stopped(game, limits, stop),
        });
    let jobs = jobs(searcher, 2, JobFile::in_memory().unwrap(), rules);
    let endless = |client: &str| {
        let asked = Asked { depth: Some(9), nodes: None, movetime: None, multipv: 1 };
        Submission { asked, ..submission(client, GAME) }
    };
    let first = jobs.submit(submission("ann", GAME)).await.unwrap().id;
    over(&jobs, first).await;
    jobs.submit(endless("bob")).await.unwrap();
    let third = jobs.submit(submission("cid", MATE)).await.unwrap().id;
    assert!(matches!(jobs.find(first).await, Err(JobError::Gone)));
    jobs.delete(third).await.unwrap();
    jobs.submit(endless("dan")).await.unwrap();
    assert!(matches!(
        jobs.submit(endless("eve")).await,
        Err(JobError::Full { unfinished: 2, scarce: Scarce::Jobs { most: 2 } })
    ));
    assert!(matches!(
        jobs.submit(endless("bob")).await,
        Err(JobError::ShareTaken { unfinished: 1, .. })
    ));
    end(jobs.clone()).await;
    assert!(matches!(jobs.submit(submission("ann", GAME)).await, Err(JobError::ShuttingDown)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_the_file_lacks_is_let_go_and_not_begun_without_end() {
    let jobs = jobs(Scripted::new(until_stopped), 1, JobFile::in_memory().unwrap(), RULES);
    let first = jobs.submit(submission("ann", GAME)).await.unwrap().id;
    let second = jobs.submit(submission("ann", MATE)).await.unwrap().id;
    jobs.file().remove(&[second]).unwrap();
    jobs.delete(first).await.unwrap();
    tokio::time::timeout(Duration::from_secs(20), jobs.stopped())
        .await
        .expect("nobody works at it");
    assert_eq!((jobs.status().kept, jobs.status().unfinished), (Room::default(), Room::default()));
    assert!(matches!(jobs.find(second).await, Err(JobError::Gone)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_would_take_more_than_one_client_may_is_refused() {
    let rules = JobRules { room: Room { bytes: 2_000, ..RULES.room }, ..RULES };
    let jobs = jobs(Scripted::new(by_key), 1, JobFile::in_memory().unwrap(), rules);
    assert!(matches!(
        jobs.submit(submission("ann", GAME)).await,
        Err(JobError::TooLarge { most: 1_000, .. })
    ));
    jobs.submit(submission("ann", MATE)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_has_been_over_for_long_enough_goes() {
    let rules = JobRules { keep: Duration::from_millis(300), ..RULES };
    let jobs = jobs(Scripted::new(by_key), 2, JobFile::in_memory().unwrap(), rules);
    let id = jobs.submit(submission("ann", MATE)).await.unwrap().id;
    let begun = Instant::now();
    while jobs.status().kept.jobs > 0 {
        assert!(begun.elapsed() < Duration::from_secs(10));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(matches!(jobs.find(id).await, Err(JobError::Gone)));
}
