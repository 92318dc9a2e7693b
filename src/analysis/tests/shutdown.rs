//! The shutdown: no new work starts, and running searches answer with their result so far.

use super::*;
use crate::analysis::{AnalysisError, CompletionReason};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn running_searches_answer_and_waiting_ones_are_refused() {
    let searcher = Scripted::new(until_stopped);
    let service = service(searcher.clone(), options(2, 8));
    let ask = |number| {
        let service = service.clone();
        tokio::spawn(async move { service.best_move(unique_request(number)).await })
    };
    let running = [ask(0), ask(1)];
    wait_until("both workers search", || searcher.searches() == 2).await;
    let waiting = [ask(2), ask(3)];
    wait_until("two wait", || service.status().queue_length == 2).await;

    service.shut_down();
    for answer in running {
        let answer = answer.await.unwrap().unwrap();
        assert_eq!((answer.reason, answer.report.depth), (CompletionReason::Shutdown, 6));
    }
    for refused in waiting {
        assert!(matches!(refused.await.unwrap(), Err(AnalysisError::ShuttingDown { .. })));
    }
    tokio::time::timeout(Duration::from_secs(1), service.drained()).await.expect("drained");
    assert_eq!(searcher.searches(), 2);
    let status = service.status();
    assert_eq!((status.busy_workers, status.queue_length, status.shutting_down), (0, 0, true));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn new_work_is_refused_even_if_it_is_cached() {
    let service = service(Scripted::new(at_once), options(1, 8));
    service.best_move(request(start_game(), depth(5))).await.unwrap();
    service.shut_down();
    for refused in [
        service.best_move(request(start_game(), depth(5))).await.map(drop),
        service.perft(perft_request(2, Duration::from_secs(1))).await.map(drop),
    ] {
        match refused {
            Err(AnalysisError::ShuttingDown { retry_after }) => {
                assert!(retry_after >= Duration::from_secs(1))
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_that_had_ended_by_itself_keeps_its_reason() {
    let searcher = Scripted::new(|game: &Game, limits: &Limits, stop: &StopFlag| {
        until_stopped(game, limits, stop);
        at_once(game, limits, stop)
    });
    let service = service(searcher.clone(), options(1, 8));
    let caller = service.clone();
    let pending =
        tokio::spawn(async move { caller.best_move(request(start_game(), depth(5))).await });
    wait_until("the search runs", || searcher.searches() == 1).await;
    service.shut_down();
    assert_eq!(pending.await.unwrap().unwrap().reason, CompletionReason::Depth);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn perft_ends_with_the_service() {
    let service = service(Scripted::new(at_once), options(1, 8));
    let caller = service.clone();
    let perft = perft_request(13, Duration::from_secs(100));
    let counting = tokio::spawn(async move { caller.perft(perft).await });
    wait_until("the perft runs", || service.status().busy_workers == 1).await;
    service.shut_down();
    assert!(matches!(counting.await.unwrap(), Err(AnalysisError::ShuttingDown { .. })));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_shutdown_answers_every_concurrent_request() {
    for _ in 0..50 {
        let searcher = Scripted::new(until_stopped);
        let service = service(searcher, options(2, 1_000));
        let requests: Vec<_> = (0..40)
            .map(|number| {
                let service = service.clone();
                tokio::spawn(async move { service.best_move(unique_request(number / 2)).await })
            })
            .collect();
        let stopper = service.clone();
        tokio::spawn(async move { stopper.shut_down() });
        for pending in requests {
            match tokio::time::timeout(Duration::from_secs(5), pending)
                .await
                .expect("an answer")
                .unwrap()
            {
                Ok(answer) => assert_eq!(answer.reason, CompletionReason::Shutdown),
                Err(error) => {
                    assert!(matches!(error, AnalysisError::ShuttingDown { .. }), "{error:?}")
                }
            }
        }
        service.drained().await;
        assert_eq!(service.searches_in_flight(), 0);
    }
}
