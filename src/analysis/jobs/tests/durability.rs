//! What outlasts the service.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let others = "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 6. Nf3 h6 *\n\n1. c4 e5 2. Nc3 Nf6 3. g3 d5 4. cxd5 Nxd5 5. Bg2 Nb6 6. Nf3 Nc6 *";
    let text = format!("{GAME}{others}");
    // From the second game's middle on nothing is found.
    let begun = AtomicUsize::new(0);
    let searcher = Scripted::new(move |game: &Game, limits: &Limits, stop: &StopFlag| {
        if begun.fetch_add(1, Ordering::SeqCst) >= 20 {
            while !stop.is_stopped() {
                std::thread::sleep(Duration::from_millis(1));
            }
            return Report { reason: StopReason::Stopped, ..by_key(game, limits, stop) };
        }
        by_key(game, limits, stop)
    });
    let asked = |number: u64| Asked {
        depth: None,
        nodes: Some(1_000 + number),
        movetime: None,
        multipv: 1,
    };
    let first = jobs(searcher.clone(), 1, JobFile::open(folder.path()).unwrap(), RULES);
    let id =
        first.submit(Submission { asked: asked(1), ..submission("ann", &text) }).await.unwrap().id;
    let other =
        first.submit(Submission { asked: asked(2), ..submission("ann", MATE) }).await.unwrap().id;
    let deleted = first.submit(submission("ann", MATE)).await.unwrap().id;
    first.delete(deleted).await.unwrap();
    let before = first.find(id).await.unwrap();
    let mut progress = before.follow();
    drop(progress.wait_for(|progress| progress.found >= 13).await.unwrap());
    end(first.clone()).await;
    let kept = before.progress();
    assert!(kept.found < 39 && kept.status == JobStatus::Running, "{kept:?}");
    let shown = before.page(0, 13, 1, 100).await.unwrap();
    drop((before, progress, first));

    let searcher = Scripted::new(by_key);
    let second = jobs(searcher.clone(), 1, reopened(folder.path()), RULES);
    let again = second.find(id).await.unwrap();
    assert!(again.progress().found >= kept.found);
    let job = over(&second, id).await;
    assert_eq!((job.progress().status, job.progress().found), (JobStatus::Done, 39));
    over(&second, other).await;
    assert!(matches!(second.find(deleted).await, Err(JobError::Gone)), "who was deleted stays so");
    let moves =
        |page: &GamePage| page.moves.iter().map(|moved| moved.review.clone()).collect::<Vec<_>>();
    assert_eq!(moves(&whole(&job, 0).await), moves(&shown));
    assert!(
        searcher.searches() <= 39 - usize::try_from(kept.found).unwrap() + 4,
        "what was kept is not searched again"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_outlasts_the_process_with_its_job() {
    let folder = tempfile::tempdir().unwrap();
    let keyed = |text: &str| Submission { key: Some("mine".to_owned()), ..submission("ann", text) };
    let first = jobs(Scripted::new(by_key), 2, JobFile::open(folder.path()).unwrap(), RULES);
    let id = first.submit(keyed(MATE)).await.unwrap().id;
    over(&first, id).await;
    end(first).await;

    let second = jobs(Scripted::new(by_key), 2, reopened(folder.path()), RULES);
    let again = second.submit(keyed(MATE)).await.unwrap();
    assert_eq!((again.id, again.status), (id, JobStatus::Done));
    assert!(matches!(second.submit(keyed(GAME)).await, Err(JobError::KeyTaken)));
    end(second).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_that_the_end_of_the_service_cut_short_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let cut_short = |game: &Game, limits: &Limits, stop: &StopFlag| {
        while !stop.is_stopped() {
            std::thread::sleep(Duration::from_millis(1));
        }
        Report { reason: StopReason::Stopped, ..by_key(game, limits, stop) }
    };
    let first = jobs(Scripted::new(cut_short), 2, JobFile::open(folder.path()).unwrap(), RULES);
    let id = first.submit(submission("ann", MATE)).await.unwrap().id;
    let job = first.find(id).await.unwrap();
    drop(job.follow().wait_for(|progress| progress.found == 1).await.unwrap());
    tokio::time::sleep(Duration::from_millis(30)).await;
    end(first).await;
    assert_eq!(job.progress().found, 1, "the mate alone is known, which nobody had to search");
}
