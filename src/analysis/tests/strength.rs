//! Limited strength: such requests share and keep nothing.

use super::*;
use crate::analysis::{CompletionReason, Source};
use crate::engine::{StrengthLimit, Variation};

/// A request for a move of the weakest player.
fn weak_request() -> AnalysisRequest {
    request(start_game(), Limits::default())
        .with_strength(StrengthLimit::new(*StrengthLimit::ELO.start()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn equal_requests_of_limited_strength_share_no_search() {
    let gate = Arc::default();
    let searcher = gated(&gate);
    let service = service(searcher.clone(), options(2, 8));
    let ask = || {
        let service = service.clone();
        tokio::spawn(async move { service.best_move(weak_request()).await })
    };
    let both = [ask(), ask()];
    wait_until("both search", || searcher.searches() == 2).await;
    gate.store(true, Ordering::SeqCst);
    for answer in both {
        assert!(!answer.await.unwrap().unwrap().shared);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limited_strength_uses_no_cache_and_starts_no_speculation() {
    let searcher = Scripted::new(at_once);
    let service = service(
        searcher.clone(),
        ServiceOptions { speculative_queue_capacity: 64, ..options(2, 8) },
    );
    for searches in 1..=2 {
        let answer = service.best_move(weak_request()).await.unwrap();
        assert_eq!(
            (answer.cache_verdict, answer.reason, answer.source),
            (CacheVerdict::NotAsked, CompletionReason::Nodes, Source::Search)
        );
        assert_eq!(searcher.searches(), searches);
    }
    let status = service.status();
    assert_eq!((status.cache_entries, status.speculative_length), (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limited_strength_answers_with_one_of_several_lines() {
    let searcher = Scripted::new(|game, limits, stop| {
        let second = game.position().legal_moves()[1..2].to_vec();
        let line = Variation { score: Score::Cp(7), wdl: Wdl::DRAWN, pv: second };
        Report { alternatives: vec![line], ..at_once(game, limits, stop) }
    });
    let service = service(searcher, options(1, 8));
    for is_batch in [false, true] {
        let mut moves = Vec::new();
        for _ in 0..64 {
            let answer = match is_batch {
                true => service.best_move_when_free(weak_request()).await,
                false => service.best_move(weak_request()).await,
            };
            let report = answer.unwrap().report;
            assert!(report.alternatives.is_empty());
            moves.push(report.pv[0]);
        }
        moves.sort_unstable_by_key(|mv| mv.code());
        moves.dedup();
        assert_eq!(moves.len(), 2, "both lines are equally good");
    }
}
