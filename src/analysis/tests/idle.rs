//! What idle workers deepen, and how soon they are taken back.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use super::{
    Scripted, depth, game_of, options, own_question, question, report, service, start_game, until,
};
use crate::analysis::{AnalysisRequest, Class, MemoryVerdict, ServiceOptions, Source};
use crate::chess::Game;
use crate::engine::{Limits, Report, StopReason};

/// With so many wishes.
fn wishing(workers: usize, idle_positions: usize) -> ServiceOptions {
    ServiceOptions { idle_positions, ..options(workers, 8) }
}

/// What a search could have found that holds the first move for the best.
fn found(game: &Game, limits: &Limits) -> Report {
    let pv = game.position().legal_moves()[..1].to_vec();
    Report { pv, ..report(limits.depth.unwrap_or(1), 100) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_every_move_leads_to_is_known_soon_after_a_question() {
    let searcher = Scripted::new(|game, limits, _| found(game, limits));
    let service = service(searcher.clone(), wishing(1, 64));
    service.best_move(question(start_game(), depth(5))).await.unwrap();
    until("all children are known", || service.status().dictionary_entries == 21).await;
    assert_eq!((searcher.searches(), service.status().idle_length), (21, 0));
    for moves in ["e2e4", "g1f3"] {
        let answer = service.best_move(question(game_of(moves), depth(5))).await.unwrap();
        assert!(matches!(answer.source, Source::Memory { .. }), "{moves}");
    }
    let hits = service.status().dictionary_hits;
    assert_eq!((hits.idle, hits.memory, hits.misses), (2, 2, 1));
    until("the next positions are known too", || service.status().dictionary_entries == 23).await;
    service.best_move(question(start_game(), depth(5))).await.unwrap();
    assert_eq!(service.status().dictionary_hits.idle, 2, "this one was asked for before");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_is_known_with_the_history_that_leads_to_it() {
    let searcher = Scripted::new(|game, limits, _| found(game, limits));
    let service = service(searcher, wishing(1, 64));
    service.best_move(question(game_of("g1f3 g8f6"), depth(5))).await.unwrap();
    until("the children are known", || service.status().dictionary_entries > 20).await;
    let answer = service.best_move(question(game_of("g1f3 g8f6 b1c3"), depth(5))).await.unwrap();
    assert_eq!(answer.memory, MemoryVerdict::Hit);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_takes_its_worker_back_at_once_and_the_idle_work_goes_on_later() {
    let searcher = Scripted::new(|game, _, stop| {
        while !game.moves().is_empty() && !stop.is_stopped() {
            thread::sleep(Duration::from_millis(1));
        }
        let reason = if stop.is_stopped() { StopReason::Stopped } else { StopReason::Depth };
        Report { reason, ..found(game, &depth(5)) }
    });
    let service = service(searcher.clone(), wishing(1, 1));
    service.best_move(question(start_game(), depth(5))).await.unwrap();
    until("the idle search has begun", || searcher.searches() == 2).await;
    assert_eq!(service.status().running, 0, "it counts for nobody");
    let answer = service.best_move(own_question(1)).await.unwrap();
    assert_eq!(answer.report.reason, StopReason::Depth);
    until("the idle search goes on", || searcher.searches() >= 4).await;
    service.shut_down();
    service.drained().await;
    until("it ends with the service", || {
        searcher.ended.load(Ordering::SeqCst) == searcher.searches()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parts_of_a_batch_and_a_service_without_idle_work_wish_for_nothing() {
    let searcher = Scripted::new(|game, limits, _| found(game, limits));
    for (wishes, class) in [(64, Class::Batch), (0, Class::Interactive)] {
        let service = service(searcher.clone(), wishing(1, wishes));
        let before = searcher.searches();
        for number in 1..=2 {
            service.best_move(AnalysisRequest { class, ..own_question(number) }).await.unwrap();
        }
        assert_eq!((searcher.searches() - before, service.status().idle_length), (2, 0));
    }
}
