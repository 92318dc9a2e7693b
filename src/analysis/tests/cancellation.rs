//! Cancellation: a client that leaves frees its search or its place in the queue.

use std::thread;
use std::time::{Duration, Instant};

use super::*;
use crate::analysis::CompletionReason;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_stops_within_20_ms_of_its_last_subscriber_leaving() {
    let searcher = Scripted::new(until_stopped);
    let service =
        service(searcher.clone(), ServiceOptions { cache_max_entries: 0, ..options(1, 8) });
    let freed = quickest(5, async || {
        let before = searcher.searches();
        let mut subscribers: Vec<_> = (0..3)
            .map(|_| {
                let service = service.clone();
                tokio::spawn(
                    async move { service.best_move(request(start_game(), depth(9))).await },
                )
            })
            .collect();
        wait_until("all subscribe to a search", || {
            service.subscribers() == 3 && searcher.searches() > before
        })
        .await;
        let last = subscribers.pop().unwrap();
        for subscriber in subscribers {
            subscriber.abort();
            assert!(subscriber.await.unwrap_err().is_cancelled());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
        assert_eq!(service.status().busy_workers, 1);
        time_to_free_worker(&service, last).await
    });
    let freed = freed.await;
    assert!(freed < Duration::from_millis(20), "{freed:?}");
    assert_eq!(searcher.searches(), 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiting_request_that_leaves_frees_its_place_and_is_never_searched() {
    let searcher = Scripted::new(until_stopped);
    let service = service(searcher.clone(), options(1, 2));
    let ask = |number| {
        let service = service.clone();
        tokio::spawn(async move { service.best_move(unique_request(number)).await })
    };
    let running = ask(0);
    wait_until("the worker is busy", || searcher.searches() == 1).await;
    let waiting = [ask(1), ask(2)];
    wait_until("the queue is full", || service.status().queue_length == 2).await;
    assert!(service.best_move(unique_request(3)).await.is_err());
    for waiter in waiting {
        waiter.abort();
        let _ = waiter.await;
    }
    assert_eq!(service.status().queue_length, 0);
    running.abort();
    wait_until("the worker is free", || service.status().busy_workers == 0).await;
    assert_eq!(searcher.searches(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn perft_stops_when_its_client_leaves() {
    let searcher = Scripted::new(at_once);
    let service = service(searcher, options(1, 2));
    let freed = quickest(5, async || {
        let caller = service.clone();
        let perft = perft_request(13, Duration::from_secs(100));
        let counting = tokio::spawn(async move { caller.perft(perft).await });
        wait_until("the perft runs", || service.status().busy_workers == 1).await;
        time_to_free_worker(&service, counting).await
    });
    let freed = freed.await;
    assert!(freed < Duration::from_millis(20), "{freed:?}");
}

/// A client that stays gets the result of a search that ran to its end, never of one that stopped
/// because others left.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_request_joins_a_search_that_is_stopping() {
    let searcher = Scripted::new(|_: &Game, limits: &Limits, stop: &StopFlag| {
        for _ in 0..20 {
            if stop.is_stopped() {
                return Report { reason: StopReason::Stopped, ..report(1, 10) };
            }
            thread::sleep(Duration::from_micros(50));
        }
        report(limits.depth.unwrap_or(1), 1_000)
    });
    // Without a cache every request goes through the in-flight searches.
    let service =
        service(searcher.clone(), ServiceOptions { cache_max_entries: 0, ..options(4, 1_000) });
    let started = Instant::now();
    let callers: Vec<_> = (0..64_u64)
        .map(|caller_number| {
            let service = service.clone();
            tokio::spawn(async move {
                let mut stayed = 0;
                for round in 0..400_u64 {
                    let roll = (caller_number * 7_919 + round * 104_729)
                        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                        >> 40;
                    let pending =
                        service.best_move(request(start_game(), depth(8 + (roll & 1) as u8)));
                    if roll & 6 == 0 {
                        let answer = pending.await.unwrap();
                        assert_eq!(answer.reason, CompletionReason::Depth);
                        assert_eq!(answer.report.depth, 8 + (roll & 1) as u8);
                        stayed += 1;
                    } else {
                        let patience = Duration::from_micros(roll % 1_500);
                        if let Ok(answer) = tokio::time::timeout(patience, pending).await {
                            assert_eq!(answer.unwrap().reason, CompletionReason::Depth);
                        }
                    }
                    if started.elapsed() > Duration::from_secs(4) {
                        break;
                    }
                }
                stayed
            })
        })
        .collect();
    let mut stayed = 0;
    for caller in callers {
        stayed += caller.await.unwrap();
    }
    assert!(stayed > 100, "{stayed}");
    wait_until("all workers are idle", || service.status().busy_workers == 0).await;
    assert_eq!(service.searches_in_flight(), 0);
    assert_eq!(searcher.started.load(Ordering::SeqCst), searcher.finished.load(Ordering::SeqCst));
}
