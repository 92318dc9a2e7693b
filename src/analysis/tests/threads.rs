//! Searches with several threads: each thread takes a worker, and no mix of large and small
//! searches gets stuck.

use super::*;
use crate::analysis::{CacheVerdict, CompletionReason};

/// A script that takes a millisecond.
fn a_moment(game: &Game, limits: &Limits, stop: &StopFlag) -> Report {
    thread::sleep(Duration::from_millis(1));
    at_once(game, limits, stop)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_of_two_threads_takes_two_workers() {
    let searcher = Scripted::new(until_stopped);
    let service = service(searcher.clone(), options(3, 8));
    let ask = |threads, number| {
        let service = service.clone();
        tokio::spawn(async move {
            service.best_move(with_threads(threads, unique_request(number))).await
        })
    };
    let double = ask(2, 0);
    wait_until("two workers are busy", || service.status().busy_workers == 2).await;
    let other = ask(2, 1);
    wait_until("the second waits", || service.status().queue_length == 1).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(searcher.searches(), 1);
    double.abort();
    wait_until("the second search runs", || searcher.searches() == 2).await;
    let single = ask(1, 2);
    wait_until("the small search runs on the third worker", || searcher.searches() == 3).await;
    assert_eq!((service.status().busy_workers, service.status().queue_length), (3, 0));
    service.shut_down();
    for pending in [other, single] {
        assert_eq!(pending.await.unwrap().unwrap().reason, CompletionReason::Shutdown);
    }
    assert_eq!(searcher.max_threads(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_of_two_threads_is_not_starved_by_single_ones() {
    let searcher = Scripted::new(a_moment);
    // Without a cache every request waits for its workers.
    let service =
        service(searcher.clone(), ServiceOptions { cache_max_entries: 0, ..options(2, 64) });
    let stream: Vec<_> = (0..4)
        .map(|caller_number| {
            let service = service.clone();
            tokio::spawn(async move {
                for number in 0.. {
                    if service
                        .best_move(unique_request(1_000_000 * caller_number + number))
                        .await
                        .is_err()
                    {
                        return number;
                    }
                }
                0
            })
        })
        .collect();
    for number in 0..50 {
        let double = service.best_move(with_threads(2, unique_request(9_000_000 + number)));
        let answer = tokio::time::timeout(Duration::from_secs(5), double)
            .await
            .expect("the large search runs")
            .unwrap();
        assert_eq!(answer.reason, CompletionReason::Nodes);
    }
    service.shut_down();
    for caller in stream {
        assert!(caller.await.unwrap() > 10, "the small searches run too");
    }
    assert_eq!(searcher.max_threads(), 2, "never more threads than workers");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn any_mix_of_large_and_small_searches_completes() {
    let searcher = Scripted::new(at_once);
    let service =
        service(searcher.clone(), ServiceOptions { cache_max_entries: 0, ..options(4, 1_000) });
    let mut callers = Vec::new();
    for caller_number in 0..64_usize {
        let service = service.clone();
        callers.push(tokio::spawn(async move {
            for round in 0..100_usize {
                let roll = (caller_number * 7_919 + round * 104_729)
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    >> 40;
                let pending = service.best_move(with_threads(
                    1 + roll % 4,
                    unique_request(caller_number * 100 + round),
                ));
                if roll & 0x30 == 0 {
                    // Some clients leave while they wait or search.
                    let _ = tokio::time::timeout(Duration::from_micros(roll as u64 % 500), pending)
                        .await;
                } else {
                    pending.await.unwrap();
                }
            }
        }));
    }
    for caller in callers {
        tokio::time::timeout(Duration::from_secs(30), caller)
            .await
            .expect("no request is stuck")
            .unwrap();
    }
    wait_until("all workers are idle", || service.status().busy_workers == 0).await;
    assert_eq!((service.searches_in_flight(), service.status().queue_length), (0, 0));
    assert!((2..=4).contains(&searcher.max_threads()), "{}", searcher.max_threads());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn threads_are_capped_at_the_workers_and_a_mate_search_uses_one() {
    let searcher = Scripted::new(at_once);
    let service = service(searcher.clone(), options(2, 8));
    let mate = Limits { mate: Some(3), ..depth(5) };
    service.best_move(with_threads(2, request(start_game(), mate))).await.unwrap();
    assert_eq!(searcher.max_threads(), 1);
    service.best_move(with_threads(100, request(start_game(), depth(5)))).await.unwrap();
    assert_eq!(searcher.max_threads(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_of_several_threads_that_panics_gives_all_its_workers_back() {
    let searcher = Scripted::new(|game: &Game, limits: &Limits, stop: &StopFlag| {
        assert_ne!(limits.depth, Some(13), "a scripted panic");
        at_once(game, limits, stop)
    });
    let service = service(searcher, options(2, 8));
    for _ in 0..3 {
        assert!(
            service.best_move(with_threads(2, request(start_game(), depth(13)))).await.is_err()
        );
        service.best_move(with_threads(2, request(start_game(), depth(12)))).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_cache_answers_for_any_number_of_threads() {
    let service = service(Scripted::new(at_once), options(2, 8));
    service.best_move(with_threads(2, request(start_game(), depth(9)))).await.unwrap();
    let cached = service.best_move(request(start_game(), depth(9))).await.unwrap();
    assert_eq!(cached.cache_verdict, CacheVerdict::Hit);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_restricted_to_some_moves_bypasses_the_cache() {
    let searcher = Scripted::new(at_once);
    let service = service(searcher.clone(), options(1, 8));
    let all = || request(start_game(), depth(9));
    let some = || SearchOptions {
        search_moves: game_of("e2e4").moves().to_vec(),
        ..SearchOptions::default()
    };
    for _ in 0..2 {
        let answer = service.best_move(AnalysisRequest { options: some(), ..all() }).await.unwrap();
        assert_eq!(answer.cache_verdict, CacheVerdict::NotAsked);
    }
    assert_eq!(service.best_move(all()).await.unwrap().cache_verdict, CacheVerdict::Unknown);
    assert_eq!(service.best_move(all()).await.unwrap().cache_verdict, CacheVerdict::Hit);
    assert_eq!(searcher.searches(), 3);
}
