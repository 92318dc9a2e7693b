//! The dictionary's rules: an answer from memory is as good as the search it saves, and never wrong
//! by its history.

use super::*;
use crate::analysis::address::{Address, Context, History};
use crate::analysis::dictionary::Dictionary;
use crate::analysis::{MemoryVerdict, Reason, Source};
use crate::engine::Variation;

const MAKER: &str = "scripted 1";

/// A dictionary that knows one thing.
fn knowing(address: &Address, limits: Limits, report: Report) -> Dictionary {
    let dictionary = Dictionary::new(100);
    dictionary.store(address, &limits, &Arc::new(report), &MAKER.into());
    dictionary
}

fn bare(clock: u16) -> Address {
    Address { clock, ..Address::of(&start_game()) }
}

fn verdict(dictionary: &Dictionary, address: &Address, limits: Limits) -> MemoryVerdict {
    dictionary.look_up(address, &limits, 1, MAKER).verdict
}

/// The start position with knights out and back: known to have occurred before.
fn shuffled() -> Game {
    game_of("g1f3 g8f6 f3g1 f6g8")
}

#[test]
fn hit_shallow_and_unknown() {
    let dictionary = knowing(&bare(0), depth(10), report(10, 5_000));
    assert_eq!(verdict(&dictionary, &bare(0), depth(10)), MemoryVerdict::Hit);
    assert_eq!(verdict(&dictionary, &bare(0), depth(3)), MemoryVerdict::Hit);
    assert_eq!(verdict(&dictionary, &bare(0), depth(11)), MemoryVerdict::Shallow);
    assert_eq!(verdict(&dictionary, &bare(0), movetime(6)), MemoryVerdict::Shallow);
    let other = Address::of(&game_of("e2e4"));
    assert_eq!(verdict(&dictionary, &other, depth(1)), MemoryVerdict::Unknown);
}

#[test]
fn where_something_is_enough_the_answer_is_the_deepest_that_is_known() {
    let second = start_game().position().legal_moves()[1];
    let alternatives = vec![Variation {
        score: crate::engine::Score::Cp(0),
        wdl: crate::engine::Wdl::DRAWN,
        pv: vec![second],
    }];
    let two_lines = Report { reason: StopReason::Time, alternatives, ..report(12, 5_000) };
    let dictionary = knowing(&bare(0), movetime(150), two_lines);
    let cut_short = Report { reason: StopReason::Stopped, ..report(21, 90_000) };
    dictionary.store(&bare(0), &Limits::default(), &Arc::new(cut_short), &MAKER.into());
    let memory = dictionary.look_up(&bare(0), &movetime(150), 1, MAKER);
    let (enough, reason) = memory.enough.unwrap();
    assert_eq!(
        (enough.report.depth, reason, memory.known.unwrap().report.depth),
        (21, Reason::Time, 21)
    );
    let (enough, _) = dictionary.look_up(&bare(0), &movetime(150), 2, MAKER).enough.unwrap();
    assert_eq!(enough.report.depth, 12, "with two lines this is the deepest");
}

#[test]
fn another_position_with_the_same_key_is_never_served() {
    let dictionary = knowing(&bare(0), depth(10), report(10, 5_000));
    let collision = Address { packed: Address::of(&game_of("e2e4")).packed, ..bare(0) };
    assert_eq!(verdict(&dictionary, &collision, depth(1)), MemoryVerdict::Unknown);
    dictionary.store(&collision, &depth(20), &Arc::new(report(20, 9)), &MAKER.into());
    assert_eq!(verdict(&dictionary, &collision, depth(1)), MemoryVerdict::Unknown);
    assert_eq!(
        dictionary.look_up(&bare(0), &depth(1), 1, MAKER).enough.unwrap().0.report.depth,
        10
    );
}

#[test]
fn a_position_is_remembered_in_a_bounded_number_of_contexts_and_always_in_the_empty_one() {
    let dictionary = Dictionary::new(1_000);
    for clock in 21..150 {
        dictionary.store(&bare(clock), &depth(5), &Arc::new(report(5, 500)), &MAKER.into());
    }
    assert_eq!((dictionary.entries(), dictionary.count_anew()), (64, 64));
    dictionary.store(&bare(0), &depth(5), &Arc::new(report(5, 500)), &MAKER.into());
    assert_eq!(dictionary.entries(), 65);
    assert_eq!(verdict(&dictionary, &bare(0), depth(5)), MemoryVerdict::Hit);
    assert_eq!(verdict(&dictionary, &bare(21), depth(5)), MemoryVerdict::Hit);
    assert_eq!(verdict(&dictionary, &bare(149), depth(5)), MemoryVerdict::FiftyMoves);
}

#[test]
fn another_engine_version_is_never_served() {
    let dictionary = knowing(&bare(0), depth(10), report(10, 5_000));
    assert_eq!(
        dictionary.look_up(&bare(0), &depth(10), 1, "scripted 2").verdict,
        MemoryVerdict::Unknown
    );
    dictionary.store(&bare(0), &depth(3), &Arc::new(report(3, 50)), &"scripted 2".into());
    assert_eq!(
        dictionary.look_up(&bare(0), &depth(3), 1, "scripted 2").enough.unwrap().0.report.depth,
        3
    );
    assert_eq!(verdict(&dictionary, &bare(0), depth(3)), MemoryVerdict::Unknown);
}

#[test]
fn an_analysis_of_a_game_with_history_is_not_that_of_the_bare_position() {
    let (with_history, clock) = (Address::of(&shuffled()), 4);
    assert_ne!(with_history.history, History::NONE);
    assert_eq!(with_history.packed, bare(clock).packed);

    let of_bare = knowing(&bare(clock), depth(10), report(10, 5_000));
    assert_eq!(verdict(&of_bare, &with_history, depth(1)), MemoryVerdict::History);
    let of_game = knowing(&with_history, depth(10), report(10, 5_000));
    assert_eq!(verdict(&of_game, &with_history, depth(1)), MemoryVerdict::Hit);
    assert_eq!(verdict(&of_game, &bare(clock), depth(1)), MemoryVerdict::History);
}

#[test]
fn a_search_that_met_nothing_of_its_history_serves_the_bare_position_too() {
    let with_history = Address::of(&shuffled());
    let free = Report { context_free: true, ..report(10, 5_000) };
    let dictionary = knowing(&with_history, depth(10), free.clone());
    assert_eq!(dictionary.entries(), 2);
    assert_eq!(verdict(&dictionary, &bare(0), depth(10)), MemoryVerdict::Hit);
    assert_eq!(verdict(&dictionary, &with_history, depth(10)), MemoryVerdict::Hit);
    let other_history =
        Address { history: Address::of(&game_of("b1c3 b8c6")).history, ..with_history.clone() };
    assert_ne!(other_history.history, with_history.history);
    assert_eq!(verdict(&dictionary, &other_history, depth(10)), MemoryVerdict::History);

    let late = Address { clock: 95, ..with_history };
    assert_eq!(
        knowing(&late, depth(10), free).entries(),
        1,
        "so near the 50-move limit nothing is free of it"
    );
}

#[test]
fn the_half_move_clock_matters_above_20() {
    let dictionary = knowing(&bare(20), depth(10), report(10, 5_000));
    for clock in [0, 7, 20] {
        assert_eq!(verdict(&dictionary, &bare(clock), depth(10)), MemoryVerdict::Hit);
    }
    for clock in [21, 60] {
        assert_eq!(verdict(&dictionary, &bare(clock), depth(10)), MemoryVerdict::FiftyMoves);
    }
    let dictionary = knowing(&bare(21), depth(10), report(10, 5_000));
    assert_eq!(verdict(&dictionary, &bare(21), depth(10)), MemoryVerdict::Hit);
    for clock in [0, 20, 22] {
        assert_eq!(verdict(&dictionary, &bare(clock), depth(10)), MemoryVerdict::FiftyMoves);
    }
}

#[test]
fn a_search_that_reaches_the_fifty_move_rule_is_its_clocks_own() {
    let far = |seldepth| Report { seldepth, ..report(10, 5_000) };
    let at_the_limit = knowing(&bare(10), depth(10), far(90));
    assert_eq!(verdict(&at_the_limit, &bare(10), depth(10)), MemoryVerdict::Hit);
    assert_eq!(verdict(&at_the_limit, &bare(9), depth(10)), MemoryVerdict::FiftyMoves);

    // Stored where the limit was out of reach, and asked where it is not.
    let below = knowing(&bare(10), depth(10), far(89));
    assert_eq!(verdict(&below, &bare(0), depth(10)), MemoryVerdict::Hit);
    assert_eq!(verdict(&below, &bare(10), depth(10)), MemoryVerdict::Hit);
    assert_eq!(verdict(&below, &bare(11), depth(10)), MemoryVerdict::FiftyMoves);
}

#[test]
fn of_two_analyses_that_hold_the_deeper_one_answers() {
    let dictionary = knowing(&bare(10), depth(10), Report { seldepth: 95, ..report(10, 5_000) });
    dictionary.store(&bare(0), &depth(12), &Arc::new(report(12, 9_000)), &MAKER.into());
    assert_eq!(dictionary.entries(), 2);
    assert_eq!(
        dictionary.look_up(&bare(10), &depth(5), 1, MAKER).enough.unwrap().0.report.depth,
        12
    );
}

#[test]
fn only_what_is_deeper_or_as_deep_replaces() {
    let dictionary = knowing(&bare(0), depth(10), report(10, 5_000));
    dictionary.store(&bare(0), &depth(9), &Arc::new(report(9, 7_000)), &MAKER.into());
    assert_eq!(
        dictionary.look_up(&bare(0), &depth(1), 1, MAKER).enough.unwrap().0.report.nodes,
        5_000
    );
    dictionary.store(&bare(0), &depth(10), &Arc::new(report(10, 4_000)), &MAKER.into());
    assert_eq!(
        dictionary.look_up(&bare(0), &depth(1), 1, MAKER).enough.unwrap().0.report.nodes,
        4_000
    );
    assert_eq!(dictionary.entries(), 1);
}

#[test]
fn a_timed_search_that_found_less_than_is_known_need_not_be_repeated() {
    let dictionary = knowing(&bare(0), depth(20), report(20, 5_000));
    assert_eq!(verdict(&dictionary, &bare(0), movetime(100)), MemoryVerdict::Shallow);
    let timed = Report { reason: StopReason::Time, ..report(18, 9_000) };
    dictionary.store(&bare(0), &movetime(100), &Arc::new(timed), &MAKER.into());
    let (remembered, reason) =
        dictionary.look_up(&bare(0), &movetime(100), 1, MAKER).enough.unwrap();
    assert_eq!((remembered.report.depth, reason), (20, Reason::Time));
}

#[test]
fn a_stopped_search_is_remembered_if_it_finished_an_iteration() {
    let stopped = |depth| Report { reason: StopReason::Stopped, ..report(depth, 5_000) };
    assert_eq!(knowing(&bare(0), depth(10), stopped(6)).entries(), 1);
    assert_eq!(knowing(&bare(0), depth(10), stopped(0)).entries(), 0);
}

#[test]
fn mates_that_were_asked_for_and_finished_games_are_not_remembered() {
    let mate = Limits { mate: Some(3), ..Limits::default() };
    assert_eq!(knowing(&bare(0), mate, report(10, 5_000)).entries(), 0);
    let over = Report { reason: StopReason::Terminal, ..report(1, 1) };
    assert_eq!(knowing(&bare(0), depth(10), over).entries(), 0);
}

#[test]
fn contexts_sort_so_that_the_empty_one_is_found() {
    let dictionary = Dictionary::new(100);
    for clock in (21..60).rev().chain([0]) {
        dictionary.store(
            &bare(clock),
            &depth(clock as u8 + 1),
            &Arc::new(report(clock as u8 + 1, 9)),
            &MAKER.into(),
        );
    }
    assert_eq!(bare(0).context(1), Context::EMPTY);
    for clock in (21..60).chain([0]) {
        assert_eq!(
            dictionary.look_up(&bare(clock), &depth(1), 1, MAKER).enough.unwrap().0.report.depth,
            clock as u8 + 1
        );
    }
}

#[tokio::test]
async fn the_second_asker_is_served_from_memory() {
    let searcher = Scripted::new(at_once);
    let service = service(searcher.clone(), options(1, 8));
    let first = service.best_move(question(start_game(), depth(9))).await.unwrap();
    assert_eq!(
        (first.source, first.memory, first.reason),
        (Source::Search, MemoryVerdict::Unknown, Reason::Depth)
    );
    let both = Limits { nodes: Some(1_000), ..depth(30) };
    let second = service.best_move(question(start_game(), both)).await.unwrap();
    assert!(matches!(second.source, Source::Memory { .. }));
    assert_eq!(
        (second.memory, second.reason, second.shared),
        (MemoryVerdict::Hit, Reason::Nodes, false)
    );
    assert!(Arc::ptr_eq(&first.report, &second.report));
    assert_eq!(searcher.searches(), 1);
}

#[tokio::test]
async fn fresh_does_not_ask_but_is_stored() {
    let searcher = Scripted::new(at_once);
    let service = service(searcher.clone(), options(1, 8));
    let fresh =
        |depth_asked| AnalysisRequest { fresh: true, ..question(start_game(), depth(depth_asked)) };
    for searches in 1..=3 {
        let answer = service.best_move(fresh(9)).await.unwrap();
        assert_eq!((answer.source, answer.memory), (Source::Search, MemoryVerdict::NotAsked));
        assert_eq!(searcher.searches(), searches);
    }
    let answer = service.best_move(question(start_game(), depth(9))).await.unwrap();
    assert_eq!(answer.memory, MemoryVerdict::Hit);
}

#[tokio::test]
async fn a_mate_question_neither_asks_nor_tells_memory() {
    let searcher = Scripted::new(at_once);
    let service = service(searcher.clone(), options(1, 8));
    let mate = Limits { mate: Some(2), depth: Some(9), ..Limits::default() };
    for searches in 1..=2 {
        assert_eq!(
            service.best_move(question(start_game(), mate)).await.unwrap().memory,
            MemoryVerdict::NotAsked
        );
        assert_eq!(searcher.searches(), searches);
    }
    assert_eq!(service.status().dictionary_entries, 0);
}

#[tokio::test]
async fn the_way_a_position_came_about_decides_what_memory_may_say() {
    let service = service(Scripted::new(at_once), options(1, 8));
    let fen = |clock| game_at(&format!("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - {clock} 80"));
    let play = |mut game: Game, moves: &[&str]| {
        for text in moves {
            let mv = read_move(game.position(), text).unwrap();
            game.play(mv);
        }
        game
    };
    let ask = async |game: Game| service.best_move(question(game, depth(9))).await.unwrap().memory;

    assert_eq!(ask(fen(0)).await, MemoryVerdict::Unknown);
    assert_eq!(ask(fen(20)).await, MemoryVerdict::Hit);
    assert_eq!(ask(fen(21)).await, MemoryVerdict::FiftyMoves);
    assert_eq!(ask(fen(21)).await, MemoryVerdict::Hit);
    assert_eq!(ask(fen(90)).await, MemoryVerdict::FiftyMoves);

    // A king's first move loses the castling rights: nothing before it can come back. A second one
    // can be taken back.
    let castled_out = play(fen(0), &["e1e2"]);
    assert_eq!(ask(castled_out.clone()).await, MemoryVerdict::Unknown);
    assert_eq!(ask(game_at(&castled_out.position().fen())).await, MemoryVerdict::Hit);
    let wandering = play(castled_out, &["e8e7", "e2e3"]);
    assert_eq!(ask(wandering.clone()).await, MemoryVerdict::Unknown);
    assert_eq!(ask(game_at(&wandering.position().fen())).await, MemoryVerdict::History);
    assert_eq!(ask(wandering).await, MemoryVerdict::Hit);
}

#[tokio::test]
async fn where_the_game_is_over_there_is_nothing_to_ask() {
    let searcher = Scripted::new(until_stopped);
    let service = service(searcher.clone(), options(1, 0));
    let over = [
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", Score::Mate(0)),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Score::Cp(0)),
        ("8/8/4k3/8/8/3NK3/8/8 w - - 0 1", Score::Cp(0)),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 150 200", Score::Cp(0)),
    ];
    for (fen, score) in over {
        let answer = service.best_move(question(game_at(fen), depth(9))).await.unwrap();
        assert_eq!((answer.report.score, answer.report.best_move()), (score, None));
        assert_eq!((answer.reason, answer.memory), (Reason::Terminal, MemoryVerdict::NotAsked));
    }
    assert_eq!((searcher.searches(), service.status().dictionary_entries), (0, 0));
}

#[tokio::test]
async fn repeated_hits_take_microseconds() {
    let service = service(Scripted::new(at_once), options(1, 8));
    service.best_move(question(shuffled(), depth(9))).await.unwrap();
    let mut times = Vec::new();
    for _ in 0..1_000 {
        let question = question(shuffled(), depth(9));
        let begun = Instant::now();
        assert_eq!(service.best_move(question).await.unwrap().memory, MemoryVerdict::Hit);
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    println!("hit: median {:?}, p99 {:?}", times[500], times[990]);
    assert!(times[990] < Duration::from_millis(1), "{:?}", times[990]);
}

/// A report with so many lines, the second and on with so many plies.
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
    let dictionary = knowing(&bare(0), depth(10), with_lines(3, 8, report(10, 5_000)));
    for lines in 1..=3 {
        let (remembered, _) =
            dictionary.look_up(&bare(0), &depth(10), lines, MAKER).enough.unwrap();
        assert_eq!(remembered.report.alternatives.len() + 1, lines);
    }
    let memory = dictionary.look_up(&bare(0), &depth(10), 4, MAKER);
    assert_eq!((memory.verdict, memory.known.is_none()), (MemoryVerdict::Shallow, true));
}

#[test]
fn a_deeper_analysis_of_one_line_does_not_drive_out_the_one_with_more_lines() {
    let dictionary = knowing(&bare(0), depth(10), with_lines(3, 8, report(10, 5_000)));
    dictionary.store(&bare(0), &depth(20), &Arc::new(report(20, 90_000)), &MAKER.into());
    let depth_of = |lines| {
        dictionary.look_up(&bare(0), &depth(10), lines, MAKER).enough.unwrap().0.report.depth
    };
    assert_eq!((depth_of(1), depth_of(2), depth_of(3)), (20, 10, 10));
    dictionary.store(
        &bare(0),
        &depth(9),
        &Arc::new(with_lines(2, 8, report(9, 900))),
        &MAKER.into(),
    );
    assert_eq!(dictionary.entries(), 2, "what is known better, with as many lines, is not stored");
}

#[test]
fn lines_that_there_is_no_room_for_are_not_remembered() {
    let many = knowing(&bare(0), depth(10), with_lines(9, 8, report(10, 5_000)));
    assert!(many.look_up(&bare(0), &depth(10), 5, MAKER).enough.is_some());
    assert!(many.look_up(&bare(0), &depth(10), 6, MAKER).enough.is_none());
    let long = knowing(&bare(0), depth(10), with_lines(3, 33, report(10, 5_000)));
    assert!(long.look_up(&bare(0), &depth(10), 2, MAKER).enough.is_none());
    assert!(long.look_up(&bare(0), &depth(10), 1, MAKER).enough.is_some());
}
