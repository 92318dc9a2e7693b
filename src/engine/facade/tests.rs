use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::channel;
use std::time::Duration;

use super::*;
use crate::engine::entry::{Bound, Entry};
use crate::engine::line::Line;
use crate::engine::root::Deepened;

const MIDDLE_GAME: &str =
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";

fn game() -> Game {
    Game::new(Position::from_fen(MIDDLE_GAME).unwrap())
}

fn with_threads(threads: usize) -> Scope {
    Scope { threads, ..Scope::default() }
}

fn nodes(engine: &Engine, threads: usize) -> u64 {
    let limits = Limits { depth: Some(9), ..Limits::default() };
    let (memory, scope) = (&mut engine.memory(), with_threads(threads));
    engine.continue_game(memory, &game(), &limits, &scope, &StopFlag::default(), &mut |_| ()).nodes
}

#[test]
fn helpers_end_when_the_first_thread_panics() {
    let (told, ended) = channel();
    thread::spawn(move || {
        let engine = Engine::new(1);
        let stop = StopFlag::default();
        let search = || {
            let mut fault = |_: &Report| panic!("a scripted fault");
            engine.continue_game(
                &mut engine.memory(),
                &game(),
                &Limits::default(),
                &with_threads(3),
                &stop,
                &mut fault,
            );
        };
        told.send(catch_unwind(AssertUnwindSafe(search)).is_err())
    });
    assert_eq!(
        ended.recv_timeout(Duration::from_secs(20)),
        Ok(true),
        "the search goes on without its first thread"
    );
}

#[test]
fn a_history_from_the_shelf_is_as_good_as_new() {
    let engine = Engine::new(4);
    let first = nodes(&engine, 1);
    nodes(&engine, 3);
    for _ in 0..4 {
        let mut kept = engine.shelf.take().history;
        kept.freshen();
        assert!(kept == History::new(), "something is left of the search before");
        // So that the next one taken is another.
        kept.update_noisy(
            game().position(),
            crate::chess::Bitboard::EMPTY,
            game().position().legal_moves()[0],
            9,
        );
        assert!(kept != History::new());
    }
    engine.clear();
    assert_eq!(nodes(&engine, 1), first);
    engine.clear();
    assert_eq!(nodes(&engine, 1), first);
}

/// The line may be a helper's: then so are its depth and what it rests on.
#[test]
fn a_report_tells_of_the_deepest_thread_and_of_every_history_met() {
    let engine = Engine::new(1);
    let (stop, crew, game) = (StopFlag::default(), Crew::new(1), game());
    let limits = Limits { depth: Some(2), ..Limits::default() };
    let table = engine.table.begin(Sharing::Public);
    let run = |helper: Deepened| {
        let mut data = engine.shelf.take();
        let moves = root_moves(game.position(), &table, &data.history, &Scope::default());
        let budget = Budget::start(&limits, None, &stop, &crew);
        let mut search = engine.search(&table, &mut data, budget, &game, moves);
        let mut join = || vec![helper.clone()];
        search.run(game.position(), &limits, Goal::of(&limits, 1, None), &mut join, &mut |_| ())
    };
    let alone = run(Deepened::default());
    assert!(alone.context_free && alone.seldepth < 77);
    let helped = run(Deepened { seldepth: 77, leans_on_history: true, ..Deepened::default() });
    assert_eq!((helped.seldepth, helped.context_free), (77, false));
}

/// What the first thread says after a helper has come to depth 60, with what the helper had found
/// when it was joined.
fn after_an_arrival(joined: Vec<Deepened>, stop: &StopFlag) -> Report {
    let engine = Engine::new(1);
    let (crew, game) = (Crew::new(2), game());
    let table = engine.table.begin(Sharing::Public);
    let limits = Limits { depth: Some(60), nodes: Some(1_000_000), ..Limits::default() };
    let budget = Budget::start(&limits, None, stop, &crew);
    let mut data = engine.shelf.take();
    let moves = root_moves(game.position(), &table, &data.history, &Scope::default());
    let mut search = engine.search(&table, &mut data, budget.of(0), &game, moves);
    budget.of(1).arrive();
    let mut joined = Some(joined);
    let mut join = || joined.take().unwrap_or_default();
    search.run(game.position(), &limits, Goal::of(&limits, 1, None), &mut join, &mut |_| ())
}

fn at_depth_60(mv: Move) -> Deepened {
    Deepened { lines: vec![Line { value: 7, moves: vec![mv] }], depth: 60, ..Deepened::default() }
}

#[test]
fn the_first_thread_to_come_to_the_depth_answers() {
    let mv = game().position().legal_moves()[3];
    let report = after_an_arrival(vec![at_depth_60(mv)], &StopFlag::default());
    assert_eq!((report.depth, report.reason, &report.pv[..]), (60, StopReason::Depth, &[mv][..]));
    assert!(report.nodes < 10_000, "{} nodes", report.nodes);
}

#[test]
fn a_depth_that_was_reached_counts_also_when_the_search_was_stopped_meanwhile() {
    let mv = game().position().legal_moves()[3];
    let stop = StopFlag::default();
    stop.stop();
    let report = after_an_arrival(vec![at_depth_60(mv)], &stop);
    assert_eq!((report.depth, report.reason, &report.pv[..]), (60, StopReason::Depth, &[mv][..]));
}

/// It would be taken for all there is to find.
#[test]
fn an_answer_below_the_depth_is_not_told_as_one_of_that_depth_when_the_helper_that_came_there_is_lost()
 {
    let report = after_an_arrival(Vec::new(), &StopFlag::default());
    assert!(report.depth < 60 && !report.pv.is_empty());
    assert_eq!(report.reason, StopReason::Stopped);
}

#[test]
fn a_helper_ends_the_search_at_the_depth_for_one_line_and_leaves_several_to_the_first_thread() {
    let engine = Engine::new(1);
    let (stop, game) = (StopFlag::default(), game());
    let limits = Limits { depth: Some(3), ..Limits::default() };
    let table = engine.table.begin(Sharing::Public);
    for (lines, ended) in [(1, Some(StopReason::Depth)), (2, None)] {
        let crew = Crew::new(2);
        let budget = Budget::start(&limits, None, &stop, &crew);
        let mut data = engine.shelf.take();
        let moves = root_moves(game.position(), &table, &data.history, &Scope::default());
        let mut helper = engine.search(&table, &mut data, budget.of(1), &game, moves);
        let mut dismiss = |report: &Report| {
            if report.depth > 3 {
                crew.dismissal().give();
            }
        };
        helper.deepen(game.position(), Goal::of(&limits, lines, None).of_helper(), &mut dismiss);
        let of_the_first = Budget::start(&limits, None, &stop, &crew);
        assert_eq!(of_the_first.reason(), ended, "{lines} lines");
    }
}

#[test]
fn with_threads_a_depth_is_reached_whichever_of_them_comes_there_first() {
    let engine = Engine::new(4);
    for depth in 6..=14 {
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let told = &mut |_: &Report| ();
        engine.clear();
        let report = engine.continue_game(
            &mut engine.memory(),
            &game(),
            &limits,
            &with_threads(3),
            &StopFlag::default(),
            told,
        );
        assert!(report.depth >= depth && report.reason == StopReason::Depth, "{depth}: {report:?}");
        assert!(!report.pv.is_empty());
    }
}

/// Another search would take it for the value of the best move.
#[test]
fn what_some_of_the_moves_are_worth_is_not_kept_as_what_the_position_is_worth() {
    let engine = Engine::new(4);
    let game = game();
    let kept = || {
        let entry = engine.table.begin(Sharing::Public).probe(table_key(game.position()));
        entry.is_some_and(|entry| entry.bound != Bound::None)
    };
    let legal = game.position().legal_moves();
    let within = |moves: &[Move], threads: usize| {
        let limits = Limits { depth: Some(6), ..Limits::default() };
        let scope = Scope { moves: moves.to_vec(), ..with_threads(threads) };
        engine.continue_game(
            &mut engine.memory(),
            &game,
            &limits,
            &scope,
            &StopFlag::default(),
            &mut |_| (),
        );
    };
    within(&legal[..3], 1);
    within(&legal[1..], 2);
    assert!(!kept());
    within(&legal, 1);
    assert!(kept());
}

#[test]
fn a_search_of_some_moves_is_as_deep_whether_the_table_knows_a_move_or_not() {
    let game = game();
    let only = game.position().legal_moves()[0];
    let nodes = |known: bool| {
        let engine = Engine::new(4);
        if known {
            engine
                .table
                .begin(Sharing::Public)
                .store(table_key(game.position()), Entry::without_value(only, None, true));
        }
        let limits = Limits { depth: Some(7), ..Limits::default() };
        let scope = Scope { moves: vec![only], ..Scope::default() };
        engine
            .continue_game(
                &mut engine.memory(),
                &game,
                &limits,
                &scope,
                &StopFlag::default(),
                &mut |_| (),
            )
            .nodes
    };
    assert_eq!(nodes(false), nodes(true));
}

#[test]
fn a_memory_of_another_engine_is_emptied() {
    let (one, other) = (Engine::new(1), Engine::new(1));
    let limits = Limits { depth: Some(7), ..Limits::default() };
    let nodes = |engine: &Engine, memory: &mut Memory| {
        engine.clear();
        engine
            .continue_game(
                memory,
                &game(),
                &limits,
                &Scope::default(),
                &StopFlag::default(),
                &mut |_| (),
            )
            .nodes
    };
    let mut memory = one.memory();
    let new = nodes(&one, &mut memory);
    assert!(nodes(&one, &mut memory) != new, "nothing was kept in mind");
    assert_eq!(nodes(&other, &mut memory), new);
}
