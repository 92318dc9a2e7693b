//! Sharing: equal requests share one search.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use super::*;
use crate::analysis::{CacheVerdict, CompletionReason, Source};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn equal_requests_in_flight_share_one_search() {
    let gate = Arc::default();
    let searcher = gated(&gate);
    let service = service(searcher.clone(), options(2, 8));
    let ask = || {
        let service = service.clone();
        tokio::spawn(async move { service.best_move(request(start_game(), depth(9))).await })
    };
    let first = ask();
    wait_until("the first search runs", || searcher.searches() == 1).await;
    let others: Vec<_> = (0..50).map(|_| ask()).collect();
    wait_until("all subscribe", || service.subscribers() == 51).await;
    assert_eq!(
        (service.status().busy_workers, service.status().queue_length),
        (1, 0),
        "joining takes no place in the queue"
    );
    gate.store(true, Ordering::SeqCst);

    let first = first.await.unwrap().unwrap();
    assert!(!first.shared);
    assert_eq!(
        (first.source, first.cache_verdict, first.reason),
        (Source::Search, CacheVerdict::Unknown, CompletionReason::Depth)
    );
    for other in others {
        let other = other.await.unwrap().unwrap();
        assert!(other.shared);
        assert!(Arc::ptr_eq(&other.report, &first.report));
        assert!(other.searched <= first.searched);
    }
    assert_eq!(searcher.searches(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_that_differ_run_separate_searches() {
    let searcher = Scripted::new(until_stopped);
    let service = service(searcher.clone(), options(8, 8));
    let fresh = AnalysisRequest { fresh: true, ..request(start_game(), depth(9)) };
    let returned = game_of("g1f3 g8f6 f3g1 f6g8");
    let different = [
        request(start_game(), depth(9)),
        request(start_game(), depth(10)),
        request(start_game(), Limits { nodes: Some(9), ..depth(9) }),
        request(returned, depth(9)),
        fresh,
        with_threads(2, request(start_game(), depth(9))),
    ];
    let pending: Vec<_> = different
        .into_iter()
        .map(|request| {
            let service = service.clone();
            tokio::spawn(async move { service.best_move(request).await })
        })
        .collect();
    wait_until("six searches run", || searcher.searches() == 6).await;
    service.shut_down();
    for answer in pending {
        assert!(!answer.await.unwrap().unwrap().shared);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fresh_requests_share_only_with_fresh_ones() {
    let gate = Arc::default();
    let searcher = gated(&gate);
    let service = service(searcher, options(2, 8));
    let ask = |fresh| {
        let service = service.clone();
        tokio::spawn(async move {
            service
                .best_move(AnalysisRequest { fresh, ..request(start_game(), depth(9)) })
                .await
                .unwrap()
        })
    };
    let pending = [ask(true), ask(true), ask(false), ask(false)];
    wait_until("all subscribe", || service.subscribers() == 4).await;
    assert_eq!(service.status().busy_workers, 2);
    gate.store(true, Ordering::SeqCst);
    let mut answers = Vec::new();
    for answer in pending {
        answers.push(answer.await.unwrap());
    }
    assert_eq!(answers.iter().filter(|answer| answer.shared).count(), 2);
    assert!(Arc::ptr_eq(&answers[0].report, &answers[1].report));
    assert!(Arc::ptr_eq(&answers[2].report, &answers[3].report));
    assert!(!Arc::ptr_eq(&answers[0].report, &answers[2].report));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_equal_requests_cost_one_search() {
    let searcher = Scripted::new(|game: &Game, limits: &Limits, stop: &StopFlag| {
        thread::sleep(Duration::from_micros(300));
        at_once(game, limits, stop)
    });
    let service = service(searcher.clone(), options(2, 8));
    for round in 0..100 {
        let callers: Vec<_> = (0..16)
            .map(|_| {
                let service = service.clone();
                tokio::spawn(async move { service.best_move(unique_request(round)).await.unwrap() })
            })
            .collect();
        for answer in callers {
            assert_eq!(answer.await.unwrap().report.nodes, 1_000_000 + round as u64);
        }
        assert_eq!(searcher.searches(), round + 1);
    }
}
