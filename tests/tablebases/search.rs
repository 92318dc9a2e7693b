//! The search with tables.

use std::sync::Arc;

use kibitzer::chess::{Game, Position, parse_move};
use kibitzer::engine::{
    Engine, GameSearch, Limits, Report, Score, SearchOptions, StopFlag, StopReason,
    TablebaseOptions, Wdl,
};
use kibitzer::tablebase::Category;
use libtest_mimic::Failed;

use crate::Tables;
use crate::random::Random;
use crate::random_positions::{below, random_men, random_position};

pub(crate) fn engine(tables: &Tables) -> Engine {
    let engine = Engine::new(4);
    engine.set_tablebase(Some(TablebaseOptions::new(Arc::clone(&tables.tablebase))));
    engine
}

pub(crate) fn search(engine: &Engine, game: &Game, nodes: u64, options: &SearchOptions) -> Report {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let search = GameSearch { game, limits: &limits, options, stop: &StopFlag::default() };
    engine.search_game(&mut engine.thread_data_set(), search, &mut |_| ())
}

fn game(fen: &str) -> Game {
    Game::new(Position::from_fen(fen).expect(fen))
}

/// A search of positions of three and four men with random clocks gives the outcome of the tables,
/// and its move keeps it.
pub(crate) fn a_search_keeps_the_outcome_of_the_tables(tables: &Tables) -> Result<(), Failed> {
    let engine = engine(tables);
    let random = &mut Random::new(4);
    for _ in 0..200 {
        let men = random_men(random);
        let mut setup = random_position(random, &men).to_setup();
        setup.halfmove_clock = below(random, 100) as u16;
        let Ok(position) = setup.validate() else { continue };
        let lookup = tables.tablebase.lookup(&position)?;
        let fen = position.fen();
        let game = Game::new(position);
        if game.outcome().is_over() {
            continue;
        }
        let report = search(&engine, &game, 2_000, &SearchOptions::default());
        let (centipawns, wdl) = match lookup.position.category {
            Category::Win | Category::SyzygyWin => (20_000, Wdl::WON),
            Category::CursedWin => (1, Wdl::DRAWN),
            Category::Draw => (0, Wdl::DRAWN),
            Category::BlessedLoss => (-1, Wdl::DRAWN),
            Category::Loss | Category::SyzygyLoss => (-20_000, Wdl::LOST),
            Category::Unknown => return Err(fen.into()),
        };
        match report.score {
            Score::Cp(score) => assert_eq!(score, centipawns, "{fen}"),
            Score::Mate(moves) => assert_eq!(moves.signum(), centipawns / 20_000, "{fen}"),
        }
        assert_eq!(report.wdl, wdl, "{fen}");
        assert!(report.tb_hits >= game.position().legal_moves().len() as u64, "{fen}");
        let best = report.best_move().expect("the game is not over");
        let entry = lookup.moves.iter().find(|entry| entry.mv == best).expect("a legal move");
        let kept = -entry.after.category;
        let is_kept = kept == lookup.position.category
            || kept == Category::SyzygyWin && lookup.position.category == Category::Win;
        assert!(is_kept, "{fen}: {best:?} leads to {kept:?}");
    }
    Ok(())
}

/// The line of a won position goes on to checkmate, with legal moves.
pub(crate) fn a_won_line_ends_in_checkmate(tables: &Tables) -> Result<(), Failed> {
    let engine = engine(tables);
    let game = game("8/8/8/3k4/8/8/8/1KBN4 w - - 0 1");
    let report = search(&engine, &game, 1_000, &SearchOptions::default());
    let mut position = game.position().clone();
    for &mv in &report.pv {
        assert!(position.is_legal(mv));
        position.play(mv);
    }
    assert!(position.in_check() && !position.has_moves(), "{} plies", report.pv.len());
    assert!(report.is_ranked_by_tablebase);
    Ok(())
}

/// With several lines, moves of a worse outcome follow those of the best one.
pub(crate) fn several_lines_are_sorted_by_outcome(tables: &Tables) -> Result<(), Failed> {
    let engine = engine(tables);
    // The rook is won or lost, and other moves draw.
    let game = game("8/8/8/8/4k3/8/1r6/K6R w - - 0 1");
    let options = SearchOptions { multipv: 5, ..SearchOptions::default() };
    let report = search(&engine, &game, 2_000, &options);
    let scores: Vec<Score> = std::iter::once(report.score)
        .chain(report.alternatives.iter().map(|line| line.score))
        .collect();
    assert!(scores.len() > 2, "{scores:?}");
    let value = |score: &Score| match *score {
        Score::Cp(centipawns) => centipawns,
        Score::Mate(moves) => moves.signum() * 30_000,
    };
    assert!(scores.is_sorted_by_key(|score| std::cmp::Reverse(value(score))), "{scores:?}");
    Ok(())
}

/// A root whose only drawing move the tables know needs no search.
pub(crate) fn a_single_drawing_move_needs_no_search(tables: &Tables) -> Result<(), Failed> {
    let engine = engine(tables);
    // Only Kd2 stops the pawn.
    let game = game("8/8/8/8/3k4/3p4/8/3K4 w - - 0 1");
    let report = search(&engine, &game, 1_000_000, &SearchOptions::default());
    assert_eq!((report.reason, report.nodes), (StopReason::Tablebase, 0));
    let only_move = parse_move(game.position(), "Kd2").expect("Kd2 is legal");
    assert_eq!((report.pv, report.score), (vec![only_move], Score::Cp(0)));
    let options = SearchOptions { multipv: 2, ..SearchOptions::default() };
    assert_eq!(search(&engine, &game, 1_000, &options).alternatives.len(), 1);
    Ok(())
}

/// A position with one man more than the tables is won by the capture that leads into them.
pub(crate) fn the_tree_is_probed_after_captures(tables: &Tables) -> Result<(), Failed> {
    let engine = engine(tables);
    // Five men: after Qxb7 the ending of queen against king is in the tables.
    let game = game("8/1r6/8/4k3/8/8/8/KQ5R w - - 0 1");
    let report = search(&engine, &game, 3_000, &SearchOptions::default());
    assert!(report.tb_hits > 0);
    assert!(!report.is_ranked_by_tablebase);
    match report.score {
        Score::Cp(centipawns) => assert!((19_900..20_000).contains(&centipawns), "{centipawns}"),
        Score::Mate(moves) => assert!(moves > 0),
    }
    let options = SearchOptions { use_tablebase: false, ..SearchOptions::default() };
    assert_eq!(search(&engine, &game, 3_000, &options).tb_hits, 0);
    let limits = Limits { mate: Some(1), nodes: Some(3_000), ..Limits::default() };
    assert_eq!(engine.analyse(&game, &limits, &StopFlag::default(), &mut |_| ()).tb_hits, 0);
    Ok(())
}

/// The game history decides about repetitions at the root.
pub(crate) fn repetitions_of_the_game_count(tables: &Tables) -> Result<(), Failed> {
    let engine = engine(tables);
    let mut game = game("8/8/8/3k4/8/8/8/1KBB4 w - - 0 1");
    assert!(search(&engine, &game, 500, &SearchOptions::default()).history_independent);
    for text in ["Kb2", "Ke5", "Kb1", "Kd5"] {
        let mv = parse_move(game.position(), text).expect(text);
        game.play(mv);
    }
    assert!(!search(&engine, &game, 500, &SearchOptions::default()).history_independent);
    Ok(())
}
