//! Tests of the service with the real engine.

use super::*;
use crate::analysis::{AnalysisUpdate, CacheVerdict, CompletionReason, Source};
use crate::engine::Engine;

fn engine_service(workers: usize) -> Service {
    service(Arc::new(Engine::new(8)), options(workers, 8))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_is_searched_once_and_then_cached() {
    let service = engine_service(1);
    for limits in [depth(6), movetime(30), Limits { nodes: Some(20_000), ..Limits::default() }] {
        for fen in [
            "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
            "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1",
            "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1",
        ] {
            let ask = async |fresh| {
                let answer = service
                    .best_move(AnalysisRequest { fresh, ..request(game_at(fen), limits) })
                    .await;
                answer.unwrap()
            };
            let searched = ask(true).await;
            assert_eq!(
                (searched.source, searched.cache_verdict),
                (Source::Search, CacheVerdict::NotAsked)
            );
            assert!(searched.report.best_move().is_some());
            let cached = ask(false).await;
            assert_eq!(
                cached.cache_verdict,
                CacheVerdict::Hit,
                "{fen} {limits:?} after {searched:?}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_search_stops_within_20_ms_of_its_subscriber_leaving() {
    let service = engine_service(1);
    let freed = quickest(9, async || {
        let caller = service.clone();
        let pending =
            tokio::spawn(
                async move { caller.best_move(request(start_game(), movetime(60_000))).await },
            );
        wait_until("the search runs", || service.status().busy_workers == 1).await;
        tokio::time::sleep(Duration::from_millis(30)).await;
        time_to_free_worker(&service, pending).await
    });
    let freed = freed.await;
    assert!(freed < Duration::from_millis(20), "{freed:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unreachable_depth_stops_at_max_movetime() {
    let max_movetime = Duration::from_millis(50);
    let service =
        service(Arc::new(Engine::new(8)), ServiceOptions { max_movetime, ..options(1, 8) });
    let answer = service.best_move(request(start_game(), depth(100))).await.unwrap();
    assert_eq!(answer.reason, CompletionReason::Time);
    assert!(answer.report.depth < 100 && answer.searched >= max_movetime, "{answer:?}");
    let again = service.best_move(request(start_game(), depth(100))).await.unwrap();
    assert_eq!(
        again.cache_verdict,
        CacheVerdict::Shallow,
        "the requested depth is still not reached"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shutdown_returns_the_best_move_so_far() {
    let service = engine_service(2);
    let mut analyses = ["e2e4", "d2d4"]
        .map(|first| service.start_analysis(request(game_of(first), movetime(60_000))).unwrap());
    for analysis in &mut analyses {
        while !matches!(analysis.next().await.unwrap(), Some(AnalysisUpdate::Iteration(_))) {}
    }
    let stopped_at = Instant::now();
    service.shut_down();
    for mut analysis in analyses {
        let answer = analysis.wait_for_end().await.unwrap();
        assert_eq!(answer.reason, CompletionReason::Shutdown);
        assert!(answer.report.best_move().is_some() && answer.report.depth > 0);
    }
    assert!(stopped_at.elapsed() < Duration::from_secs(1), "{:?}", stopped_at.elapsed());
}
