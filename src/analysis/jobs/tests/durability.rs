//! Tests of restarts and shutdown.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_resumes_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let other_games = "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 6. Nf3 h6 *\n\n\
                       1. c4 e5 2. Nc3 Nf6 3. g3 d5 4. cxd5 Nxd5 5. Bg2 Nb6 6. Nf3 Nc6 *";
    let text = format!("{GAME}{other_games}");
    // From the middle of the second game on, searches do not finish.
    let searches_started = AtomicUsize::new(0);
    let searcher = Scripted::new(move |game: &Game, limits: &Limits, stop: &StopFlag| {
        if searches_started.fetch_add(1, Ordering::SeqCst) >= 20 {
            while !stop.is_stopped() {
                std::thread::sleep(Duration::from_millis(1));
            }
            return Report { reason: StopReason::Stopped, ..report_from_key(game, limits, stop) };
        }
        report_from_key(game, limits, stop)
    });
    let limits = |number: u64| PositionLimits {
        depth: None,
        nodes: Some(1_000 + number),
        movetime: None,
        multipv: 1,
    };
    let first = start_jobs(searcher.clone(), 1, JobFile::open(folder.path()).unwrap(), RULES);
    let id = submit(&first, Submission { limits: limits(1), ..submission("ann", &text) }).await;
    let other = submit(&first, Submission { limits: limits(2), ..submission("ann", MATE) }).await;
    let deleted = submit(&first, submission("ann", MATE)).await;
    first.delete(deleted).await.unwrap();
    let before = first.find(id).await.unwrap();
    let mut progress = before.subscribe();
    drop(progress.wait_for(|progress| progress.positions_done >= 13).await.unwrap());
    shut_down(first.clone()).await;
    let stored = before.progress();
    assert!(stored.positions_done < 39 && stored.status == JobStatus::Running, "{stored:?}");
    let page_before = before.page(0, 13, 1, 100).await.unwrap();
    drop((before, progress, first));

    let searcher = Scripted::new(report_from_key);
    let second = start_jobs(searcher.clone(), 1, reopen(folder.path()), RULES);
    let resumed = second.find(id).await.unwrap();
    assert!(resumed.progress().positions_done >= stored.positions_done);
    let job = wait_finished(&second, id).await;
    assert_eq!((job.progress().status, job.progress().positions_done), (JobStatus::Done, 39));
    wait_finished(&second, other).await;
    assert!(
        matches!(second.find(deleted).await, Err(JobError::Gone)),
        "a deleted job stays deleted"
    );
    let moves = |page: &GamePage| {
        page.moves.iter().map(|reviewed_move| reviewed_move.review.clone()).collect::<Vec<_>>()
    };
    assert_eq!(moves(&full_page(&job, 0).await), moves(&page_before));
    assert!(
        searcher.searches() <= 39 - usize::try_from(stored.positions_done).unwrap() + 4,
        "stored evaluations are not searched again"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idempotency_key_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let keyed = |text: &str| Submission {
        idempotency_key: Some("mine".to_owned()),
        ..submission("ann", text)
    };
    let first =
        start_jobs(Scripted::new(report_from_key), 2, JobFile::open(folder.path()).unwrap(), RULES);
    let id = submit(&first, keyed(MATE)).await;
    wait_finished(&first, id).await;
    shut_down(first).await;

    let second = start_jobs(Scripted::new(report_from_key), 2, reopen(folder.path()), RULES);
    let (job, progress) = second.submit(keyed(MATE)).await.unwrap();
    assert_eq!((job.id(), progress.status), (id, JobStatus::Done));
    assert!(matches!(second.submit(keyed(GAME)).await, Err(JobError::IdempotencyConflict)));
    shut_down(second).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_stopped_by_shutdown_is_not_stored() {
    let folder = tempfile::tempdir().unwrap();
    let unfinished = |game: &Game, limits: &Limits, stop: &StopFlag| {
        while !stop.is_stopped() {
            std::thread::sleep(Duration::from_millis(1));
        }
        Report { reason: StopReason::Stopped, ..report_from_key(game, limits, stop) }
    };
    let first =
        start_jobs(Scripted::new(unfinished), 2, JobFile::open(folder.path()).unwrap(), RULES);
    let id = submit(&first, submission("ann", MATE)).await;
    let job = first.find(id).await.unwrap();
    drop(job.subscribe().wait_for(|progress| progress.positions_done == 1).await.unwrap());
    tokio::time::sleep(Duration::from_millis(30)).await;
    shut_down(first).await;
    assert_eq!(
        job.progress().positions_done,
        1,
        "only the checkmate is evaluated, because it needs no search"
    );
}
