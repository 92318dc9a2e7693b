//! The service with the real engine.

use super::*;
use crate::analysis::{MemoryVerdict, Reason, Source};
use crate::engine::Engine;

fn engine_service(workers: usize) -> Service {
    service(Arc::new(Engine::new(8)), options(workers, 8))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_is_searched_once_and_remembered_then() {
    let service = engine_service(1);
    for limits in [depth(6), movetime(30), Limits { nodes: Some(20_000), ..Limits::default() }] {
        for fen in [
            "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
            "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1",
            "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1",
        ] {
            let ask = async |fresh| {
                let answer = service
                    .best_move(AnalysisRequest { fresh, ..question(game_at(fen), limits) })
                    .await;
                answer.unwrap()
            };
            let searched = ask(true).await;
            assert_eq!(
                (searched.source, searched.memory),
                (Source::Search, MemoryVerdict::NotAsked)
            );
            assert!(searched.report.best_move().is_some());
            let remembered = ask(false).await;
            assert_eq!(
                remembered.memory,
                MemoryVerdict::Hit,
                "{fen} {limits:?} after {searched:?}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_without_end_is_over_20_ms_after_its_listener_left() {
    let service = engine_service(1);
    let freed = quickest(9, async || {
        let asker = service.clone();
        let asked =
            tokio::spawn(
                async move { asker.best_move(question(start_game(), movetime(60_000))).await },
            );
        until("it searches", || service.status().running == 1).await;
        tokio::time::sleep(Duration::from_millis(30)).await;
        time_to_free_worker(&service, asked).await
    });
    let freed = freed.await;
    assert!(freed < Duration::from_millis(20), "{freed:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_depth_out_of_reach_holds_a_worker_no_longer_than_a_search_may_take() {
    let max_movetime = Duration::from_millis(50);
    let service =
        service(Arc::new(Engine::new(8)), ServiceOptions { max_movetime, ..options(1, 8) });
    let answer = service.best_move(question(start_game(), depth(100))).await.unwrap();
    assert_eq!(answer.reason, Reason::Time);
    assert!(answer.report.depth < 100 && answer.searched >= max_movetime, "{answer:?}");
    let again = service.best_move(question(start_game(), depth(100))).await.unwrap();
    assert_eq!(again.memory, MemoryVerdict::Shallow, "the depth that was asked is still not there");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shutdown_gets_the_best_move_so_far() {
    let service = engine_service(2);
    let asked: Vec<_> = ["e2e4", "d2d4"]
        .map(|first| {
            let service = service.clone();
            tokio::spawn(async move {
                service.best_move(question(game_of(first), movetime(60_000))).await
            })
        })
        .into();
    until("both search", || service.status().running == 2).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    let told = Instant::now();
    service.shut_down();
    for answer in asked {
        let answer = answer.await.unwrap().unwrap();
        assert_eq!(answer.reason, Reason::Shutdown);
        assert!(answer.report.best_move().is_some() && answer.report.depth > 0);
    }
    assert!(told.elapsed() < Duration::from_secs(1), "{:?}", told.elapsed());
}
