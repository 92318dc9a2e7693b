//! Speculative searches: which positions idle workers search, and when requests preempt them.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use super::{
    Scripted, depth, game_of, options, report, request, service, start_game, unique_request,
    wait_until,
};
use crate::analysis::{AnalysisRequest, CacheVerdict, PriorityClass, ServiceOptions, Source};
use crate::chess::Game;
use crate::engine::{Limits, Report, StopReason};

/// Options with this many candidates.
fn speculative_options(workers: usize, speculative_queue_capacity: usize) -> ServiceOptions {
    ServiceOptions { speculative_queue_capacity, ..options(workers, 8) }
}

/// A report whose best move is the first legal one.
fn report_of_first_move(game: &Game, limits: &Limits) -> Report {
    let pv = game.position().legal_moves()[..1].to_vec();
    Report { pv, ..report(limits.depth.unwrap_or(1), 100) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child_positions_are_cached_soon_after_a_request() {
    let searcher = Scripted::new(|game, limits, _| report_of_first_move(game, limits));
    let service = service(searcher.clone(), speculative_options(1, 64));
    service.best_move(request(start_game(), depth(5))).await.unwrap();
    wait_until("all children are cached", || service.status().cache_entries == 21).await;
    assert_eq!((searcher.searches(), service.status().speculative_length), (21, 0));
    for moves in ["e2e4", "g1f3"] {
        let answer = service.best_move(request(game_of(moves), depth(5))).await.unwrap();
        assert!(matches!(answer.source, Source::Cache { .. }), "{moves}");
    }
    let hits = service.status().cache_lookups;
    assert_eq!((hits.speculative, hits.memory, hits.misses), (2, 2, 1));
    wait_until("the next positions are cached too", || service.status().cache_entries == 23).await;
    service.best_move(request(start_game(), depth(5))).await.unwrap();
    assert_eq!(service.status().cache_lookups.speculative, 2, "this position was requested before");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_is_cached_with_its_history() {
    let searcher = Scripted::new(|game, limits, _| report_of_first_move(game, limits));
    let service = service(searcher, speculative_options(1, 64));
    service.best_move(request(game_of("g1f3 g8f6"), depth(5))).await.unwrap();
    wait_until("the children are cached", || service.status().cache_entries > 20).await;
    let answer = service.best_move(request(game_of("g1f3 g8f6 b1c3"), depth(5))).await.unwrap();
    assert_eq!(answer.cache_verdict, CacheVerdict::Hit);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_preempts_speculation_which_resumes_later() {
    let searcher = Scripted::new(|game, _, stop| {
        while !game.moves().is_empty() && !stop.is_stopped() {
            thread::sleep(Duration::from_millis(1));
        }
        let reason = if stop.is_stopped() { StopReason::Stopped } else { StopReason::Depth };
        Report { reason, ..report_of_first_move(game, &depth(5)) }
    });
    let service = service(searcher.clone(), speculative_options(1, 1));
    service.best_move(request(start_game(), depth(5))).await.unwrap();
    wait_until("the speculative search has started", || searcher.searches() == 2).await;
    assert_eq!(service.status().busy_workers, 0, "a speculative search makes no worker busy");
    let answer = service.best_move(unique_request(1)).await.unwrap();
    assert_eq!(answer.report.reason, StopReason::Depth);
    wait_until("the speculative search is resumed", || searcher.searches() >= 4).await;
    service.shut_down();
    service.drained().await;
    wait_until("the speculative search ends with the service", || {
        searcher.finished.load(Ordering::SeqCst) == searcher.searches()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_and_disabled_speculation_enqueue_no_candidates() {
    let searcher = Scripted::new(|game, limits, _| report_of_first_move(game, limits));
    for (speculative_queue_capacity, class) in
        [(64, PriorityClass::Batch), (0, PriorityClass::Interactive)]
    {
        let service = service(searcher.clone(), speculative_options(1, speculative_queue_capacity));
        let before = searcher.searches();
        for number in 1..=2 {
            service.best_move(AnalysisRequest { class, ..unique_request(number) }).await.unwrap();
        }
        assert_eq!((searcher.searches() - before, service.status().speculative_length), (2, 0));
    }
}
