//! The rules of the evaluation cache: a cached answer is as good as the search that it saves, and
//! never wrong because of its history.

use super::*;
use crate::analysis::cache_key::{AnalysisKey, HistoryContext, HistoryHash};
use crate::analysis::evaluation_cache::{EvaluationCache, Origin};
use crate::analysis::{CacheVerdict, CompletionReason, Source};
use crate::engine::Variation;

/// A cache with one analysis.
fn cache_with(key: &AnalysisKey, limits: Limits, report: Report) -> EvaluationCache {
    let cache = EvaluationCache::new(100);
    cache.store(key, &limits, &Arc::new(report), Origin::Request);
    cache
}

/// The start position after both sides have moved a knight out and back: it has occurred before.
fn shuffled() -> Game {
    game_of("g1f3 g8f6 f3g1 f6g8")
}

#[test]
fn verdicts_tell_hit_shallow_and_unknown_apart() {
    let cache = cache_with(&bare_key(0), depth(10), report(10, 5_000));
    assert_eq!(verdict(&cache, &bare_key(0), depth(10)), CacheVerdict::Hit);
    assert_eq!(verdict(&cache, &bare_key(0), depth(3)), CacheVerdict::Hit);
    assert_eq!(verdict(&cache, &bare_key(0), depth(11)), CacheVerdict::Shallow);
    assert_eq!(verdict(&cache, &bare_key(0), movetime(6)), CacheVerdict::Shallow);
    let other = AnalysisKey::of(&game_of("e2e4"));
    assert_eq!(verdict(&cache, &other, depth(1)), CacheVerdict::Unknown);
}

#[test]
fn where_any_entry_suffices_the_deepest_one_answers() {
    let second = start_game().position().legal_moves()[1];
    let alternatives = vec![Variation {
        score: crate::engine::Score::Cp(0),
        wdl: crate::engine::Wdl::DRAWN,
        pv: vec![second],
    }];
    let two_lines = Report { reason: StopReason::Time, alternatives, ..report(12, 5_000) };
    let cache = cache_with(&bare_key(0), movetime(150), two_lines);
    let stopped = Report { reason: StopReason::Stopped, ..report(21, 90_000) };
    cache.store(&bare_key(0), &Limits::default(), &Arc::new(stopped), Origin::Request);
    let result = cache.lookup_uncounted(&bare_key(0), &movetime(150), 1);
    let (sufficient, reason) = result.sufficient.unwrap();
    assert_eq!(
        (sufficient.report.depth, reason, result.deepest.unwrap().report.depth),
        (21, CompletionReason::Time, 21)
    );
    let (sufficient, _) =
        cache.lookup_uncounted(&bare_key(0), &movetime(150), 2).sufficient.unwrap();
    assert_eq!(sufficient.report.depth, 12, "the deepest analysis with two lines");
}

#[test]
fn another_position_with_the_same_key_is_never_served() {
    let cache = cache_with(&bare_key(0), depth(10), report(10, 5_000));
    let collision = AnalysisKey { packed: AnalysisKey::of(&game_of("e2e4")).packed, ..bare_key(0) };
    assert_eq!(verdict(&cache, &collision, depth(1)), CacheVerdict::Unknown);
    cache.store(&collision, &depth(20), &Arc::new(report(20, 9)), Origin::Request);
    assert_eq!(verdict(&cache, &collision, depth(1)), CacheVerdict::Unknown);
    assert_eq!(
        cache.lookup_uncounted(&bare_key(0), &depth(1), 1).sufficient.unwrap().0.report.depth,
        10
    );
}

#[test]
fn contexts_of_a_position_are_bounded_and_the_empty_one_is_always_cached() {
    let cache = EvaluationCache::new(1_000);
    for clock in 21..150 {
        cache.store(&bare_key(clock), &depth(5), &Arc::new(report(5, 500)), Origin::Request);
    }
    assert_eq!((cache.entries(), cache.recount_entries()), (64, 64));
    cache.store(&bare_key(0), &depth(5), &Arc::new(report(5, 500)), Origin::Request);
    assert_eq!(cache.entries(), 65);
    assert_eq!(verdict(&cache, &bare_key(0), depth(5)), CacheVerdict::Hit);
    assert_eq!(verdict(&cache, &bare_key(21), depth(5)), CacheVerdict::Hit);
    assert_eq!(verdict(&cache, &bare_key(149), depth(5)), CacheVerdict::FiftyMoves);
}

#[test]
fn an_analysis_of_a_game_with_history_is_not_that_of_the_bare_position() {
    let (with_history, clock) = (AnalysisKey::of(&shuffled()), 4);
    assert_ne!(with_history.history, HistoryHash::NONE);
    assert_eq!(with_history.packed, bare_key(clock).packed);

    let of_bare = cache_with(&bare_key(clock), depth(10), report(10, 5_000));
    assert_eq!(verdict(&of_bare, &with_history, depth(1)), CacheVerdict::History);
    let of_game = cache_with(&with_history, depth(10), report(10, 5_000));
    assert_eq!(verdict(&of_game, &with_history, depth(1)), CacheVerdict::Hit);
    assert_eq!(verdict(&of_game, &bare_key(clock), depth(1)), CacheVerdict::History);
}

#[test]
fn a_context_free_search_also_serves_the_bare_position() {
    let with_history = AnalysisKey::of(&shuffled());
    let free = Report { history_independent: true, ..report(10, 5_000) };
    let cache = cache_with(&with_history, depth(10), free.clone());
    assert_eq!(cache.entries(), 2);
    assert_eq!(verdict(&cache, &bare_key(0), depth(10)), CacheVerdict::Hit);
    assert_eq!(verdict(&cache, &with_history, depth(10)), CacheVerdict::Hit);
    let other_history = AnalysisKey {
        history: AnalysisKey::of(&game_of("b1c3 b8c6")).history,
        ..with_history.clone()
    };
    assert_ne!(other_history.history, with_history.history);
    assert_eq!(verdict(&cache, &other_history, depth(10)), CacheVerdict::History);

    let late = AnalysisKey { halfmove_clock: 95, ..with_history };
    assert_eq!(
        cache_with(&late, depth(10), free).entries(),
        1,
        "near the 50-move limit an analysis depends on the clock"
    );
}

#[test]
fn the_half_move_clock_matters_above_20() {
    let cache = cache_with(&bare_key(20), depth(10), report(10, 5_000));
    for clock in [0, 7, 20] {
        assert_eq!(verdict(&cache, &bare_key(clock), depth(10)), CacheVerdict::Hit);
    }
    for clock in [21, 60] {
        assert_eq!(verdict(&cache, &bare_key(clock), depth(10)), CacheVerdict::FiftyMoves);
    }
    let cache = cache_with(&bare_key(21), depth(10), report(10, 5_000));
    assert_eq!(verdict(&cache, &bare_key(21), depth(10)), CacheVerdict::Hit);
    for clock in [0, 20, 22] {
        assert_eq!(verdict(&cache, &bare_key(clock), depth(10)), CacheVerdict::FiftyMoves);
    }
}

#[test]
fn a_search_that_reaches_the_fifty_move_rule_serves_only_its_own_clock() {
    let far = |seldepth| Report { seldepth, ..report(10, 5_000) };
    let at_the_limit = cache_with(&bare_key(10), depth(10), far(90));
    assert_eq!(verdict(&at_the_limit, &bare_key(10), depth(10)), CacheVerdict::Hit);
    assert_eq!(verdict(&at_the_limit, &bare_key(9), depth(10)), CacheVerdict::FiftyMoves);

    // Stored with the 50-move limit out of reach, and requested with it in reach.
    let below = cache_with(&bare_key(10), depth(10), far(89));
    assert_eq!(verdict(&below, &bare_key(0), depth(10)), CacheVerdict::Hit);
    assert_eq!(verdict(&below, &bare_key(10), depth(10)), CacheVerdict::Hit);
    assert_eq!(verdict(&below, &bare_key(11), depth(10)), CacheVerdict::FiftyMoves);
}

#[test]
fn the_deeper_of_two_valid_analyses_answers() {
    let cache = cache_with(&bare_key(10), depth(10), Report { seldepth: 95, ..report(10, 5_000) });
    cache.store(&bare_key(0), &depth(12), &Arc::new(report(12, 9_000)), Origin::Request);
    assert_eq!(cache.entries(), 2);
    assert_eq!(
        cache.lookup_uncounted(&bare_key(10), &depth(5), 1).sufficient.unwrap().0.report.depth,
        12
    );
}

#[test]
fn only_an_analysis_at_least_as_deep_replaces() {
    let cache = cache_with(&bare_key(0), depth(10), report(10, 5_000));
    cache.store(&bare_key(0), &depth(9), &Arc::new(report(9, 7_000)), Origin::Request);
    assert_eq!(
        cache.lookup_uncounted(&bare_key(0), &depth(1), 1).sufficient.unwrap().0.report.nodes,
        5_000
    );
    cache.store(&bare_key(0), &depth(10), &Arc::new(report(10, 4_000)), Origin::Request);
    assert_eq!(
        cache.lookup_uncounted(&bare_key(0), &depth(1), 1).sufficient.unwrap().0.report.nodes,
        4_000
    );
    assert_eq!(cache.entries(), 1);
}

#[test]
fn a_shallower_timed_search_extends_the_time_of_the_cached_one() {
    let cache = cache_with(&bare_key(0), depth(20), report(20, 5_000));
    assert_eq!(verdict(&cache, &bare_key(0), movetime(100)), CacheVerdict::Shallow);
    let timed = Report { reason: StopReason::Time, ..report(18, 9_000) };
    cache.store(&bare_key(0), &movetime(100), &Arc::new(timed), Origin::Request);
    let (cached, reason) =
        cache.lookup_uncounted(&bare_key(0), &movetime(100), 1).sufficient.unwrap();
    assert_eq!((cached.report.depth, reason), (20, CompletionReason::Time));
}

#[test]
fn a_stopped_search_is_cached_if_it_finished_an_iteration() {
    let stopped = |depth| Report { reason: StopReason::Stopped, ..report(depth, 5_000) };
    assert_eq!(cache_with(&bare_key(0), depth(10), stopped(6)).entries(), 1);
    assert_eq!(cache_with(&bare_key(0), depth(10), stopped(0)).entries(), 0);
}

#[test]
fn mate_searches_and_finished_games_are_not_cached() {
    let mate = Limits { mate: Some(3), ..Limits::default() };
    assert_eq!(cache_with(&bare_key(0), mate, report(10, 5_000)).entries(), 0);
    let over = Report { reason: StopReason::Terminal, ..report(1, 1) };
    assert_eq!(cache_with(&bare_key(0), depth(10), over).entries(), 0);
}

#[test]
fn contexts_sort_so_that_the_empty_one_is_found() {
    let cache = EvaluationCache::new(100);
    for clock in (21..60).rev().chain([0]) {
        cache.store(
            &bare_key(clock),
            &depth(clock as u8 + 1),
            &Arc::new(report(clock as u8 + 1, 9)),
            Origin::Request,
        );
    }
    assert_eq!(bare_key(0).context(1, false), HistoryContext::EMPTY);
    for clock in (21..60).chain([0]) {
        assert_eq!(
            cache
                .lookup_uncounted(&bare_key(clock), &depth(1), 1)
                .sufficient
                .unwrap()
                .0
                .report
                .depth,
            clock as u8 + 1
        );
    }
}

#[tokio::test]
async fn the_second_request_is_served_from_the_cache() {
    let searcher = Scripted::new(at_once);
    let service = service(searcher.clone(), options(1, 8));
    let first = service.best_move(request(start_game(), depth(9))).await.unwrap();
    assert_eq!(
        (first.source, first.cache_verdict, first.reason),
        (Source::Search, CacheVerdict::Unknown, CompletionReason::Depth)
    );
    let both = Limits { nodes: Some(1_000), ..depth(30) };
    let second = service.best_move(request(start_game(), both)).await.unwrap();
    assert!(matches!(second.source, Source::Cache { .. }));
    assert_eq!(
        (second.cache_verdict, second.reason, second.shared),
        (CacheVerdict::Hit, CompletionReason::Nodes, false)
    );
    assert!(Arc::ptr_eq(&first.report, &second.report));
    assert_eq!(searcher.searches(), 1);
}

#[tokio::test]
async fn a_fresh_request_skips_the_lookup_but_is_stored() {
    let searcher = Scripted::new(at_once);
    let service = service(searcher.clone(), options(1, 8));
    let fresh = |limit| AnalysisRequest { fresh: true, ..request(start_game(), depth(limit)) };
    for searches in 1..=3 {
        let answer = service.best_move(fresh(9)).await.unwrap();
        assert_eq!((answer.source, answer.cache_verdict), (Source::Search, CacheVerdict::NotAsked));
        assert_eq!(searcher.searches(), searches);
    }
    let answer = service.best_move(request(start_game(), depth(9))).await.unwrap();
    assert_eq!(answer.cache_verdict, CacheVerdict::Hit);
}

#[tokio::test]
async fn a_mate_request_neither_reads_nor_writes_the_cache() {
    let searcher = Scripted::new(at_once);
    let service = service(searcher.clone(), options(1, 8));
    let mate = Limits { mate: Some(2), depth: Some(9), ..Limits::default() };
    for searches in 1..=2 {
        assert_eq!(
            service.best_move(request(start_game(), mate)).await.unwrap().cache_verdict,
            CacheVerdict::NotAsked
        );
        assert_eq!(searcher.searches(), searches);
    }
    assert_eq!(service.status().cache_entries, 0);
}

#[tokio::test]
async fn the_history_of_a_position_decides_which_entries_apply() {
    let service = service(Scripted::new(at_once), options(1, 8));
    let fen = |clock| game_at(&format!("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - {clock} 80"));
    let play = |mut game: Game, moves: &[&str]| {
        for text in moves {
            let mv = parse_move(game.position(), text).unwrap();
            game.play(mv);
        }
        game
    };
    let ask =
        async |game: Game| service.best_move(request(game, depth(9))).await.unwrap().cache_verdict;

    assert_eq!(ask(fen(0)).await, CacheVerdict::Unknown);
    assert_eq!(ask(fen(20)).await, CacheVerdict::Hit);
    assert_eq!(ask(fen(21)).await, CacheVerdict::FiftyMoves);
    assert_eq!(ask(fen(21)).await, CacheVerdict::Hit);
    assert_eq!(ask(fen(90)).await, CacheVerdict::FiftyMoves);

    // The king's first move loses the castling rights, so no earlier position can recur. Its second
    // move is reversible.
    let king_moved = play(fen(0), &["e1e2"]);
    assert_eq!(ask(king_moved.clone()).await, CacheVerdict::Unknown);
    assert_eq!(ask(game_at(&king_moved.position().fen())).await, CacheVerdict::Hit);
    let wandering = play(king_moved, &["e8e7", "e2e3"]);
    assert_eq!(ask(wandering.clone()).await, CacheVerdict::Unknown);
    assert_eq!(ask(game_at(&wandering.position().fen())).await, CacheVerdict::History);
    assert_eq!(ask(wandering).await, CacheVerdict::Hit);
}

#[tokio::test]
async fn a_finished_game_is_answered_without_a_search() {
    let searcher = Scripted::new(until_stopped);
    let service = service(searcher.clone(), options(1, 0));
    let over = [
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", Score::Mate(0)),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Score::Cp(0)),
        ("8/8/4k3/8/8/3NK3/8/8 w - - 0 1", Score::Cp(0)),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 150 200", Score::Cp(0)),
    ];
    for (fen, score) in over {
        let answer = service.best_move(request(game_at(fen), depth(9))).await.unwrap();
        assert_eq!((answer.report.score, answer.report.best_move()), (score, None));
        assert_eq!(
            (answer.reason, answer.cache_verdict),
            (CompletionReason::Terminal, CacheVerdict::NotAsked)
        );
    }
    assert_eq!((searcher.searches(), service.status().cache_entries), (0, 0));
}

#[tokio::test]
async fn repeated_hits_take_microseconds() {
    let service = service(Scripted::new(at_once), options(1, 8));
    service.best_move(request(shuffled(), depth(9))).await.unwrap();
    let mut times = Vec::new();
    for _ in 0..1_000 {
        let request = request(shuffled(), depth(9));
        let started = Instant::now();
        assert_eq!(service.best_move(request).await.unwrap().cache_verdict, CacheVerdict::Hit);
        times.push(started.elapsed());
    }
    times.sort_unstable();
    println!("hit: median {:?}, p99 {:?}", times[500], times[990]);
    assert!(times[990] < Duration::from_millis(1), "{:?}", times[990]);
}

/// A report with this many lines; all but the first have this many plies.
fn with_lines(lines: usize, plies: usize, report: Report) -> Report {
    let line = |rank: usize| Variation {
        score: Score::Cp(-(rank as i32)),
        wdl: Wdl::DRAWN,
        pv: vec![Position::startpos().legal_moves()[rank]; plies],
    };
    Report { alternatives: (1..lines).map(line).collect(), ..report }
}

#[test]
fn an_analysis_answers_for_as_many_lines_as_it_has_and_for_fewer() {
    let cache = cache_with(&bare_key(0), depth(10), with_lines(3, 8, report(10, 5_000)));
    for lines in 1..=3 {
        let (cached, _) =
            cache.lookup_uncounted(&bare_key(0), &depth(10), lines).sufficient.unwrap();
        assert_eq!(cached.report.alternatives.len() + 1, lines);
    }
    let result = cache.lookup_uncounted(&bare_key(0), &depth(10), 4);
    assert_eq!((result.verdict, result.deepest.is_none()), (CacheVerdict::Shallow, true));
}

#[test]
fn a_deeper_analysis_of_one_line_does_not_replace_one_with_more_lines() {
    let cache = cache_with(&bare_key(0), depth(10), with_lines(3, 8, report(10, 5_000)));
    cache.store(&bare_key(0), &depth(20), &Arc::new(report(20, 90_000)), Origin::Request);
    let depth_of = |lines| {
        cache.lookup_uncounted(&bare_key(0), &depth(10), lines).sufficient.unwrap().0.report.depth
    };
    assert_eq!((depth_of(1), depth_of(2), depth_of(3)), (20, 10, 10));
    cache.store(
        &bare_key(0),
        &depth(9),
        &Arc::new(with_lines(2, 8, report(9, 900))),
        Origin::Request,
    );
    assert_eq!(
        cache.entries(),
        2,
        "a deeper analysis with more lines makes the new one superfluous"
    );
}

#[test]
fn lines_beyond_the_limits_are_not_cached() {
    let many = cache_with(&bare_key(0), depth(10), with_lines(9, 8, report(10, 5_000)));
    assert!(many.lookup_uncounted(&bare_key(0), &depth(10), 5).sufficient.is_some());
    assert!(many.lookup_uncounted(&bare_key(0), &depth(10), 6).sufficient.is_none());
    let long = cache_with(&bare_key(0), depth(10), with_lines(3, 33, report(10, 5_000)));
    assert!(long.lookup_uncounted(&bare_key(0), &depth(10), 2).sufficient.is_none());
    assert!(long.lookup_uncounted(&bare_key(0), &depth(10), 1).sufficient.is_some());
}
