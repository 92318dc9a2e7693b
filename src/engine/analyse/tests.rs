//! Tests of the engine: helper threads, thread data, and root moves.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::channel;
use std::time::Duration;

use super::*;
use crate::chess::Move;
use crate::engine::history::HistoryTables;
use crate::engine::pv::PvLine;
use crate::engine::score::{RawScore, UNITS_PER_PAWN, Value, mate_in, mated_in};
use crate::engine::tt::{Bound, TtEntry, tt_key};

const MIDDLE_GAME: &str =
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";

fn game() -> Game {
    Game::new(Position::from_fen(MIDDLE_GAME).unwrap())
}

fn nodes_with_private_table(engine: &Engine) -> u64 {
    let options = SearchOptions { private_table: true, ..SearchOptions::default() };
    let search = GameSearch {
        game: &Game::new(Position::startpos()),
        limits: &Limits { depth: Some(8), ..Limits::default() },
        options: &options,
        stop: &StopFlag::default(),
    };
    engine.search_game(&mut engine.thread_data_set(), search, &mut |_| ()).nodes
}

#[test]
fn a_search_with_a_private_table_does_not_touch_the_shared_one() {
    let engine = Engine::new(1);
    let nodes = nodes_with_private_table(&engine);
    assert_eq!(engine.hashfull_permille(), 0);
    let limits = Limits { depth: Some(9), ..Limits::default() };
    let game = Game::new(Position::startpos());
    engine.analyse(&game, &limits, &StopFlag::default(), &mut |_| ());
    assert!(engine.hashfull_permille() > 0);
    assert_eq!(nodes_with_private_table(&engine), nodes, "the shared table helped");
}

fn with_threads(threads: usize) -> SearchOptions {
    SearchOptions { threads, ..SearchOptions::default() }
}

/// Searches without a stop and without updates.
fn search(
    engine: &Engine,
    thread_data: &mut ThreadDataSet,
    limits: &Limits,
    options: &SearchOptions,
) -> Report {
    let (game, stop) = (&game(), &StopFlag::default());
    engine.search_game(thread_data, GameSearch { game, limits, options, stop }, &mut |_| ())
}

fn nodes(engine: &Engine, threads: usize) -> u64 {
    let limits = Limits { depth: Some(9), ..Limits::default() };
    search(engine, &mut engine.thread_data_set(), &limits, &with_threads(threads)).nodes
}

#[test]
fn helpers_stop_when_the_main_thread_panics() {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let engine = Engine::new(1);
        let stop = StopFlag::default();
        let search = || {
            let mut panics = |_: &Report| panic!("a deliberate panic");
            let search = GameSearch {
                game: &game(),
                limits: &Limits::default(),
                options: &with_threads(3),
                stop: &stop,
            };
            engine.search_game(&mut engine.thread_data_set(), search, &mut panics);
        };
        sender.send(catch_unwind(AssertUnwindSafe(search)).is_err())
    });
    assert_eq!(
        receiver.recv_timeout(Duration::from_secs(20)),
        Ok(true),
        "the helpers continue without the main thread"
    );
}

#[test]
fn pooled_thread_data_has_a_clean_history() {
    let engine = Engine::new(4);
    let first = nodes(&engine, 1);
    nodes(&engine, 3);
    for _ in 0..4 {
        let mut pooled = engine.thread_data_pool.acquire().history;
        pooled.prepare_for_search();
        assert!(pooled == HistoryTables::new(), "the history of the previous search remains");
        // The comparison must see an update.
        pooled.update_noisy(
            game().position(),
            crate::chess::Bitboard::EMPTY,
            game().position().legal_moves()[0],
            9,
        );
        assert!(pooled != HistoryTables::new());
    }
    engine.clear_tt();
    assert_eq!(nodes(&engine, 1), first);
    engine.clear_tt();
    assert_eq!(nodes(&engine, 1), first);
}

/// The line may come from a helper, and depend on what the helper searched.
#[test]
fn a_report_merges_seldepth_and_history_dependence_of_all_threads() {
    let engine = Engine::new(1);
    let (stop, thread_group, game) = (StopFlag::default(), ThreadGroup::new(1), game());
    let limits = Limits { depth: Some(2), ..Limits::default() };
    let tt_view = engine.tt.begin_search(TtSharing::Shared);
    let run = |helper: ThreadResult| {
        let mut data = engine.thread_data_pool.acquire();
        let moves =
            ordered_root_moves(game.position(), &tt_view, &data.history, &SearchOptions::default());
        let budget = SearchBudget::start(&limits, None, &stop, &thread_group);
        let mut worker =
            engine.new_worker(&tt_view, &mut data, budget, SearchRoot::new(&game, moves, None));
        let mut join = || vec![helper.clone()];
        worker.run(
            game.position(),
            &limits,
            DeepeningGoal::new(&limits, 1, None),
            &mut join,
            &mut |_| (),
        )
    };
    let alone = run(ThreadResult::default());
    assert!(alone.history_independent && alone.seldepth < 77);
    let helped = run(ThreadResult {
        seldepth: 77,
        depends_on_game_history: true,
        ..ThreadResult::default()
    });
    assert_eq!((helped.seldepth, helped.history_independent), (77, false));
}

/// The main thread's report after a helper has completed depth 60, when `joined` are the results of
/// the helpers.
fn report_after_depth_signal(joined: Vec<ThreadResult>, stop: &StopFlag) -> Report {
    let engine = Engine::new(1);
    let (thread_group, game) = (ThreadGroup::new(2), game());
    let tt_view = engine.tt.begin_search(TtSharing::Shared);
    let limits = Limits { depth: Some(60), nodes: Some(1_000_000), ..Limits::default() };
    let budget = SearchBudget::start(&limits, None, stop, &thread_group);
    let mut data = engine.thread_data_pool.acquire();
    let moves =
        ordered_root_moves(game.position(), &tt_view, &data.history, &SearchOptions::default());
    let mut worker = engine.new_worker(
        &tt_view,
        &mut data,
        budget.for_thread(0),
        SearchRoot::new(&game, moves, None),
    );
    budget.for_thread(1).signal_depth_reached();
    let mut joined = Some(joined);
    let mut join = || joined.take().unwrap_or_default();
    worker.run(
        game.position(),
        &limits,
        DeepeningGoal::new(&limits, 1, None),
        &mut join,
        &mut |_| (),
    )
}

fn at_depth_60(mv: Move) -> ThreadResult {
    ThreadResult {
        lines: vec![PvLine { value: 7, moves: vec![mv] }],
        depth: 60,
        ..ThreadResult::default()
    }
}

#[test]
fn the_first_thread_to_reach_the_depth_answers() {
    let mv = game().position().legal_moves()[3];
    let report = report_after_depth_signal(vec![at_depth_60(mv)], &StopFlag::default());
    assert_eq!((report.depth, report.reason, &report.pv[..]), (60, StopReason::Depth, &[mv][..]));
    assert!(report.nodes < 10_000, "{} nodes", report.nodes);
}

#[test]
fn a_reached_depth_counts_even_if_the_search_was_stopped() {
    let mv = game().position().legal_moves()[3];
    let stop = StopFlag::default();
    stop.stop();
    let report = report_after_depth_signal(vec![at_depth_60(mv)], &stop);
    assert_eq!((report.depth, report.reason, &report.pv[..]), (60, StopReason::Depth, &[mv][..]));
}

/// A report with the requested depth would be taken as complete.
#[test]
fn a_lost_helper_result_is_not_reported_as_the_requested_depth() {
    let report = report_after_depth_signal(Vec::new(), &StopFlag::default());
    assert!(report.depth < 60 && !report.pv.is_empty());
    assert_eq!(report.reason, StopReason::Stopped);
}

#[test]
fn a_helper_ends_the_search_at_the_depth_only_without_multipv() {
    let engine = Engine::new(1);
    let (stop, game) = (StopFlag::default(), game());
    let limits = Limits { depth: Some(3), ..Limits::default() };
    let tt_view = engine.tt.begin_search(TtSharing::Shared);
    for (lines, ended) in [(1, Some(StopReason::Depth)), (2, None)] {
        let thread_group = ThreadGroup::new(2);
        let budget = SearchBudget::start(&limits, None, &stop, &thread_group);
        let mut data = engine.thread_data_pool.acquire();
        let moves =
            ordered_root_moves(game.position(), &tt_view, &data.history, &SearchOptions::default());
        let mut helper = engine.new_worker(
            &tt_view,
            &mut data,
            budget.for_thread(1),
            SearchRoot::new(&game, moves, None),
        );
        let mut stop_helpers = |report: &Report| {
            if report.depth > 3 {
                thread_group.stop_on_drop(&stop).stop_helpers();
            }
        };
        helper.iterative_deepening(
            game.position(),
            DeepeningGoal::new(&limits, lines, None).for_helper(),
            &mut stop_helpers,
        );
        let main_budget = SearchBudget::start(&limits, None, &stop, &thread_group);
        assert_eq!(main_budget.stop_reason(), ended, "{lines} lines");
    }
}

#[test]
fn a_multithreaded_search_reaches_the_requested_depth() {
    let engine = Engine::new(4);
    for depth in 6..=14 {
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        engine.clear_tt();
        let report = search(&engine, &mut engine.thread_data_set(), &limits, &with_threads(3));
        assert!(report.depth >= depth && report.reason == StopReason::Depth, "{depth}: {report:?}");
        assert!(!report.pv.is_empty());
    }
}

/// Another search would take the score as the value of the best move.
#[test]
fn a_score_of_restricted_root_moves_is_not_stored_in_the_tt() {
    let engine = Engine::new(4);
    let game = game();
    let has_tt_score = || {
        let entry = engine.tt.begin_search(TtSharing::Shared).probe(tt_key(game.position()));
        entry.is_some_and(|entry| entry.bound != Bound::None)
    };
    let legal = game.position().legal_moves();
    let search_only = |moves: &[Move], threads: usize| {
        let limits = Limits { depth: Some(6), ..Limits::default() };
        let options = SearchOptions { search_moves: moves.to_vec(), ..with_threads(threads) };
        search(&engine, &mut engine.thread_data_set(), &limits, &options);
    };
    search_only(&legal[..3], 1);
    search_only(&legal[1..], 2);
    assert!(!has_tt_score());
    search_only(&legal, 1);
    assert!(has_tt_score());
}

#[test]
fn a_restricted_search_is_independent_of_the_tt_move() {
    let game = game();
    let only = game.position().legal_moves()[0];
    let nodes = |has_tt_move: bool| {
        let engine = Engine::new(4);
        if has_tt_move {
            engine
                .tt
                .begin_search(TtSharing::Shared)
                .store(tt_key(game.position()), TtEntry::without_value(only, None, true));
        }
        let limits = Limits { depth: Some(7), ..Limits::default() };
        let options = SearchOptions { search_moves: vec![only], ..SearchOptions::default() };
        search(&engine, &mut engine.thread_data_set(), &limits, &options).nodes
    };
    assert_eq!(nodes(false), nodes(true));
}

#[test]
fn thread_data_of_another_engine_is_cleared() {
    let (one, other) = (Engine::new(1), Engine::new(1));
    let limits = Limits { depth: Some(7), ..Limits::default() };
    let nodes = |engine: &Engine, thread_data: &mut ThreadDataSet| {
        engine.clear_tt();
        search(engine, thread_data, &limits, &SearchOptions::default()).nodes
    };
    let mut thread_data = one.thread_data_set();
    let new = nodes(&one, &mut thread_data);
    assert!(
        nodes(&one, &mut thread_data) != new,
        "the second search must use the history of the first"
    );
    assert_eq!(nodes(&other, &mut thread_data), new);
}

impl Engine {
    /// Stores the report's score as the exact value of a position, searched to a depth, for any
    /// game history.
    pub(crate) fn insert_tt_entry(&self, position: &Position, depth: u8, report: &Report) {
        let mv = report.pv.first().copied().unwrap_or(Move::NULL);
        let value = value_from_raw_score(report.raw_score.unwrap_or(RawScore::Cp(0)));
        let entry = TtEntry {
            mv,
            value,
            raw_eval: None,
            depth,
            bound: Bound::Exact,
            is_pv: true,
            path_dependent: false,
        };
        self.tt.begin_search(self.options.sharing).store(tt_key(position), entry);
    }
}

fn value_from_raw_score(score: RawScore) -> Value {
    match score {
        RawScore::Cp(centipawns) => centipawns * UNITS_PER_PAWN / 100,
        RawScore::Mate(moves) if moves > 0 => mate_in(2 * moves as usize - 1),
        RawScore::Mate(moves) => mated_in(2 * moves.unsigned_abs() as usize),
    }
}
