//! The limits of whole searches: depth, nodes, time and the stop flag.

use std::thread;
use std::time::{Duration, Instant};

use super::*;

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn analyse(engine: &Engine, game: &Game, limits: Limits) -> Report {
    engine.analyse(game, &limits, &StopFlag::default(), &mut |_| ())
}

#[test]
fn every_iteration_up_to_the_depth_is_reported() {
    let mut reported = Vec::new();
    let limits = Limits { depth: Some(7), ..Limits::default() };
    let game = game(KIWIPETE, "");
    let last = Engine::new(4).analyse(&game, &limits, &StopFlag::default(), &mut |report| {
        assert_valid_pv(&game, report);
        reported.push((report.depth, report.nodes));
    });
    assert_eq!((last.depth, last.reason), (7, StopReason::Depth));
    assert_eq!(reported.iter().map(|&(depth, _)| depth).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7]);
    assert!(reported.is_sorted_by_key(|&(_, nodes)| nodes));
    assert!(last.seldepth >= last.depth);
}

#[test]
fn a_node_limit_is_exact() {
    for nodes in [1, 2, 63, 64, 1000, 1023, 1024, 1025, 50_000] {
        let game = game(KIWIPETE, "");
        let report =
            analyse(&Engine::new(4), &game, Limits { nodes: Some(nodes), ..Limits::default() });
        assert_eq!((report.nodes, report.reason), (nodes, StopReason::Nodes));
        assert_valid_pv(&game, &report);
    }
}

#[test]
fn the_same_nodes_from_a_cleared_table_give_the_same_answer() {
    let engine = Engine::new(4);
    let game = game(KIWIPETE, "");
    let limits = Limits { nodes: Some(100_000), ..Limits::default() };
    let mut first = analyse(&engine, &game, limits);
    for _ in 0..2 {
        engine.clear_tt();
        let again = analyse(&engine, &game, limits);
        first.elapsed = again.elapsed;
        assert_eq!(again, first);
    }
}

#[test]
fn the_time_limit_is_kept_within_a_few_milliseconds() {
    for millis in [1, 30, 120] {
        let limits = Limits { movetime: Some(Duration::from_millis(millis)), ..Limits::default() };
        let game = game(KIWIPETE, "");
        let report = analyse(&Engine::new(4), &game, limits);
        assert_eq!(report.reason, StopReason::Time);
        assert_valid_pv(&game, &report);
        let late = report.elapsed.saturating_sub(Duration::from_millis(millis));
        assert!(
            late < Duration::from_millis(250),
            "{late:?} late; the bound allows for other load on the machine"
        );
    }
}

/// The time between setting the flag and the end of the search. It is the best of a few tries,
/// since other load on the machine delays a search too.
fn time_to_stop(game: &Game, limits: Limits) -> Duration {
    let engine = Engine::new(4);
    let tries = (0..5).map(|_| {
        let flag = StopFlag::default();
        thread::scope(|scope| {
            let running = scope.spawn(|| {
                let report = engine.analyse(game, &limits, &flag, &mut |_| ());
                (Instant::now(), report)
            });
            thread::sleep(Duration::from_millis(80));
            let stopped_at = Instant::now();
            flag.stop();
            let (ended, report) = running.join().unwrap();
            assert_eq!(report.reason, StopReason::Stopped);
            assert_valid_pv(game, &report);
            ended.saturating_duration_since(stopped_at)
        })
    });
    tries.min().unwrap()
}

#[test]
fn a_search_without_limits_stops_within_five_milliseconds() {
    assert!(time_to_stop(&game(KIWIPETE, ""), Limits::default()) < Duration::from_millis(5));
}

#[test]
fn a_mate_search_stops_within_five_milliseconds() {
    let limits = Limits { mate: Some(9), ..Limits::default() };
    assert!(time_to_stop(&game(KIWIPETE, ""), limits) < Duration::from_millis(5));
}

#[test]
fn a_search_stopped_before_it_begins_completes_one_iteration() {
    let flag = StopFlag::default();
    flag.stop();
    let game = game(KIWIPETE, "");
    for mate in [None, Some(3)] {
        let report = Engine::new(1).analyse(
            &game,
            &Limits { mate, ..Limits::default() },
            &flag,
            &mut |_| (),
        );
        assert_eq!((report.reason, report.depth), (StopReason::Stopped, 1), "{mate:?}");
        assert_valid_pv(&game, &report);
    }
}

#[test]
fn the_first_limit_that_is_reached_ends_the_search() {
    let limits = Limits {
        depth: Some(3),
        nodes: Some(10_000_000),
        movetime: Some(Duration::from_secs(60)),
        mate: None,
        clock: None,
    };
    assert_eq!(analyse(&Engine::new(4), &game(KIWIPETE, ""), limits).reason, StopReason::Depth);
    let limits = Limits { depth: Some(60), nodes: Some(5_000), ..limits };
    assert_eq!(analyse(&Engine::new(4), &game(KIWIPETE, ""), limits).reason, StopReason::Nodes);
}

#[test]
fn a_search_with_nothing_deeper_to_find_ends_by_itself() {
    let limits = Limits { movetime: Some(Duration::from_secs(60)), ..Limits::default() };
    let report = analyse(&Engine::new(1), &game("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", ""), limits);
    assert_eq!((report.score, report.reason), (Score::Mate(1), StopReason::Depth));
    assert!(report.elapsed < Duration::from_secs(5));
}

/// Searches with this many threads while another thread pauses the search four times.
fn analyse_with_pauses(engine: &Engine, game: &Game, limits: Limits, threads: usize) -> Report {
    let flag = StopFlag::default();
    let options = SearchOptions { threads, ..SearchOptions::default() };
    thread::scope(|scope| {
        let search = GameSearch { game, limits: &limits, options: &options, stop: &flag };
        let running = scope
            .spawn(move || engine.search_game(&mut engine.thread_data_set(), search, &mut |_| ()));
        for _ in 0..4 {
            thread::sleep(Duration::from_millis(5));
            flag.pause();
            thread::sleep(Duration::from_millis(20));
            let nodes = flag.nodes();
            thread::sleep(Duration::from_millis(60));
            assert_eq!(flag.nodes(), nodes, "a paused search makes no moves");
            flag.resume();
        }
        running.join().unwrap()
    })
}

#[test]
fn a_paused_search_continues_where_it_was() {
    let game = game(KIWIPETE, "");
    let limits = Limits { nodes: Some(400_000), ..Limits::default() };
    let mut unpaused = analyse(&Engine::new(4), &game, limits);
    let paused = analyse_with_pauses(&Engine::new(4), &game, limits, 1);
    unpaused.elapsed = paused.elapsed;
    assert_eq!(paused, unpaused);
}

#[test]
fn a_pause_counts_for_no_time_limit() {
    let limits = Limits { movetime: Some(Duration::from_millis(200)), ..Limits::default() };
    for threads in [1, 2] {
        let started = Instant::now();
        let report = analyse_with_pauses(&Engine::new(4), &game(KIWIPETE, ""), limits, threads);
        let wall_time = started.elapsed();
        assert_eq!(report.reason, StopReason::Time);
        assert!(report.elapsed >= Duration::from_millis(200));
        assert!(wall_time >= report.elapsed + Duration::from_millis(4 * 80), "{wall_time:?}");
    }
}

#[test]
fn a_stop_ends_a_paused_search() {
    for threads in [1, 2] {
        let engine = Engine::new(4);
        let (game, flag) = (game(KIWIPETE, ""), StopFlag::default());
        let options = SearchOptions { threads, ..SearchOptions::default() };
        let (game, limits) = (&game, Limits::default());
        let search = GameSearch { game, limits: &limits, options: &options, stop: &flag };
        thread::scope(|scope| {
            let running = scope
                .spawn(|| engine.search_game(&mut engine.thread_data_set(), search, &mut |_| ()));
            thread::sleep(Duration::from_millis(30));
            flag.pause();
            thread::sleep(Duration::from_millis(30));
            assert!(!running.is_finished());
            flag.stop();
            assert_eq!(running.join().unwrap().reason, StopReason::Stopped);
        });
    }
}

#[test]
fn a_search_that_ends_during_a_pause_does_not_wait_for_its_helpers() {
    let (engine, game, flag) = (Engine::new(4), game(KIWIPETE, ""), StopFlag::default());
    let limits = Limits { depth: Some(6), ..Limits::default() };
    let options = SearchOptions { threads: 2, ..SearchOptions::default() };
    let search = GameSearch { game: &game, limits: &limits, options: &options, stop: &flag };
    // The main thread pauses the search itself and does not check the flag again.
    let report = engine.search_game(&mut engine.thread_data_set(), search, &mut |report| {
        if report.depth == 6 {
            flag.pause();
            thread::sleep(Duration::from_millis(20));
        }
    });
    assert!(report.depth >= 6, "a helper may have got deeper");
}
