//! Who leaves frees what they held: a listener its search, a waiter its place.

use std::thread;
use std::time::{Duration, Instant};

use super::*;
use crate::analysis::Reason;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_goes_on_until_its_last_listener_leaves_and_is_over_20_ms_later() {
    let searcher = Scripted::new(until_stopped);
    let service =
        service(searcher.clone(), ServiceOptions { dictionary_max_entries: 0, ..options(1, 8) });
    let freed = quickest(5, async || {
        let before = searcher.searches();
        let mut listeners: Vec<_> = (0..3)
            .map(|_| {
                let service = service.clone();
                tokio::spawn(
                    async move { service.best_move(question(start_game(), depth(9))).await },
                )
            })
            .collect();
        until("all listen to a search", || {
            service.listeners() == 3 && searcher.searches() > before
        })
        .await;
        let last = listeners.pop().unwrap();
        for listener in listeners {
            listener.abort();
            assert!(listener.await.unwrap_err().is_cancelled());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
        assert_eq!(service.status().running, 1);
        time_to_free_worker(&service, last).await
    });
    let freed = freed.await;
    assert!(freed < Duration::from_millis(20), "{freed:?}");
    assert_eq!(searcher.searches(), 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiter_that_leaves_frees_its_place_at_once_and_is_never_searched() {
    let searcher = Scripted::new(until_stopped);
    let service = service(searcher.clone(), options(1, 2));
    let ask = |number| {
        let service = service.clone();
        tokio::spawn(async move { service.best_move(own_question(number)).await })
    };
    let running = ask(0);
    until("the worker is busy", || searcher.searches() == 1).await;
    let waiting = [ask(1), ask(2)];
    until("the queue is full", || service.status().queue_length == 2).await;
    assert!(service.best_move(own_question(3)).await.is_err());
    for waiter in waiting {
        waiter.abort();
        let _ = waiter.await;
    }
    assert_eq!(service.status().queue_length, 0);
    running.abort();
    until("the worker is free", || service.status().running == 0).await;
    assert_eq!(searcher.searches(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn perft_ends_when_its_asker_leaves() {
    let searcher = Scripted::new(at_once);
    let service = service(searcher, options(1, 2));
    let freed = quickest(5, async || {
        let asker = service.clone();
        let counting = tokio::spawn(async move {
            asker
                .perft(
                    Client::new("ann"),
                    Position::startpos(),
                    13,
                    false,
                    Duration::from_secs(100),
                )
                .await
        });
        until("it counts", || service.status().running == 1).await;
        time_to_free_worker(&service, counting).await
    });
    let freed = freed.await;
    assert!(freed < Duration::from_millis(20), "{freed:?}");
}

/// Whoever stays gets an answer of a search that ran to its end: never one that was stopped because
/// others left.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nobody_joins_a_search_that_was_told_to_stop() {
    let searcher = Scripted::new(|_: &Game, limits: &Limits, stop: &StopFlag| {
        for _ in 0..20 {
            if stop.is_stopped() {
                return Report { reason: StopReason::Stopped, ..report(1, 10) };
            }
            thread::sleep(Duration::from_micros(50));
        }
        report(limits.depth.unwrap_or(1), 1_000)
    });
    // Without a dictionary every question goes through the flights.
    let service = service(
        searcher.clone(),
        ServiceOptions { dictionary_max_entries: 0, ..options(4, 1_000) },
    );
    let begun = Instant::now();
    let askers: Vec<_> = (0..64_u64)
        .map(|asker| {
            let service = service.clone();
            tokio::spawn(async move {
                let mut stayed = 0;
                for round in 0..400_u64 {
                    let roll =
                        (asker * 7_919 + round * 104_729).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
                    let asked =
                        service.best_move(question(start_game(), depth(8 + (roll & 1) as u8)));
                    if roll & 6 == 0 {
                        let answer = asked.await.unwrap();
                        assert_eq!(answer.reason, Reason::Depth);
                        assert_eq!(answer.report.depth, 8 + (roll & 1) as u8);
                        stayed += 1;
                    } else {
                        let patience = Duration::from_micros(roll % 1_500);
                        if let Ok(answer) = tokio::time::timeout(patience, asked).await {
                            assert_eq!(answer.unwrap().reason, Reason::Depth);
                        }
                    }
                    if begun.elapsed() > Duration::from_secs(4) {
                        break;
                    }
                }
                stayed
            })
        })
        .collect();
    let mut stayed = 0;
    for asker in askers {
        stayed += asker.await.unwrap();
    }
    assert!(stayed > 100, "{stayed}");
    until("all is quiet", || service.status().running == 0).await;
    assert_eq!(service.flights_in_the_air(), 0);
    assert_eq!(searcher.begun.load(Ordering::SeqCst), searcher.ended.load(Ordering::SeqCst));
}
