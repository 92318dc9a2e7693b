//! Games of the engine from endgames against a defender that loses latest.
//!
//! `KIBITZER_FULL` plays the full number of games.

use std::sync::Arc;

use kibitzer::chess::{Color, Game, Piece, Role};
use kibitzer::engine::{Engine, Score, SearchOptions, TablebaseOptions};
use kibitzer::tablebase::{Category, Tablebase};
use libtest_mimic::Failed;

use crate::Tables;
use crate::full_run::is_full_run;
use crate::random::Random;
use crate::random_positions::{below, random_men, random_position};
use crate::search::{engine, search};

/// The result of a game that one side should win.
struct Played {
    is_won: bool,
    /// The least score of the winner's searches, in centipawns; a mate counts 30,000.
    least_score: i32,
}

/// Plays a won game with `nodes` nodes a move. It ends without a winner when a draw can be claimed.
fn play(engine: &Engine, tables: &Tables, mut game: Game, nodes: u64) -> Result<Played, Failed> {
    let winner = game.position().turn();
    let mut least_score = i32::MAX;
    while !game.outcome().is_over() && game.claims().is_empty() {
        let mv = if game.position().turn() == winner {
            let report = search(engine, &game, nodes, &SearchOptions::default());
            least_score = least_score.min(match report.score {
                Score::Cp(centipawns) => centipawns,
                Score::Mate(moves) => moves.signum() * 30_000,
            });
            report.best_move()
        } else {
            tables.tablebase.best_move(game.position())?.map(|best| best.mv)
        };
        game.play(mv.ok_or("a game that is not over has a move")?);
    }
    Ok(Played { is_won: game.outcome().winner() == Some(winner), least_score })
}

/// Won positions of four men with random clocks are won with tables and 10,000 nodes a move, in
/// time for the 50-move rule.
pub(crate) fn won_positions_are_won(tables: &Tables) -> Result<(), Failed> {
    let engine = engine(tables);
    let random = &mut Random::new(6);
    let games = if is_full_run() { 500 } else { 20 };
    let mut won = 0;
    while won < games {
        let men = random_men(random);
        let mut setup = random_position(random, &men).to_setup();
        setup.halfmove_clock = below(random, 100) as u16;
        let Ok(position) = setup.validate() else { continue };
        let is_won = tables.tablebase.lookup(&position)?.position.category == Category::Win;
        if men.len() != 2 || !is_won || !position.has_moves() {
            continue;
        }
        won += 1;
        let fen = position.fen();
        assert!(play(&engine, tables, Game::new(position), 10_000)?.is_won, "{fen}");
    }
    Ok(())
}

/// A drawn position of four men is never lost, whatever the opponent plays.
pub(crate) fn draws_are_never_spoiled(tables: &Tables) -> Result<(), Failed> {
    let engine = engine(tables);
    let random = &mut Random::new(12);
    let games = if is_full_run() { 500 } else { 20 };
    let (mut played, mut moves) = (0, 0);
    while played < games {
        let men = random_men(random);
        let position = random_position(random, &men);
        let is_drawn = tables.tablebase.lookup(&position)?.position.category == Category::Draw;
        if men.len() != 2 || !is_drawn {
            continue;
        }
        let fen = position.fen();
        let mut game = Game::new(position);
        let engine_side = game.position().turn();
        while !game.outcome().is_over() && game.claims().is_empty() {
            let position = game.position();
            let mv = if position.turn() == engine_side {
                moves += 1;
                search(&engine, &game, 10_000, &SearchOptions::default()).best_move()
            } else {
                let lookup = tables.tablebase.lookup(position)?;
                assert!(!is_won(lookup.position.category), "{fen}: lost at {}", position.fen());
                // Any move that keeps the draw, so that the games differ.
                let best = lookup.position.category;
                let kept: Vec<_> =
                    lookup.moves.iter().filter(|entry| -entry.after.category == best).collect();
                Some(kept[below(random, kept.len())].mv)
            };
            game.play(mv.ok_or("a game that is not over has a move")?);
        }
        assert_ne!(game.outcome().winner(), Some(!engine_side), "{fen}");
        played += 1;
    }
    println!("{games} draws, {moves} moves of the engine");
    Ok(())
}

fn is_won(category: Category) -> bool {
    matches!(category, Category::Win | Category::SyzygyWin)
}

/// With outcomes alone the search wins, too: it makes the progress itself.
pub(crate) fn outcomes_alone_keep_a_win(tables: &Tables) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    for table in ["KQvK", "KRvK", "KPvK", "KBvK", "KNvK"] {
        let name = format!("{table}.rtbw");
        std::fs::copy(tables.path(&name), folder.path().join(&name))?;
    }
    let engine = Engine::new(4);
    let wdl_only = Arc::new(Tablebase::open(&[folder.path()], 0)?);
    engine.set_tablebase(Some(TablebaseOptions::new(wdl_only)));
    let men = [Piece::new(Color::White, Role::Rook)];
    mates(&engine, tables, &men, if is_full_run() { 200 } else { 10 }, i32::MIN)
}

/// Without tables the elementary mates are given within 50 moves with 20,000 nodes a move, and
/// their scores say a win.
pub(crate) fn elementary_mates_need_no_tables(tables: &Tables) -> Result<(), Failed> {
    let engine = Engine::new(16);
    let bishop_and_knight = [Role::Bishop, Role::Knight];
    for roles in
        [&[Role::Queen][..], &[Role::Rook], &[Role::Bishop, Role::Bishop], &bishop_and_knight]
    {
        let men: Vec<Piece> = roles.iter().map(|&role| Piece::new(Color::White, role)).collect();
        mates(&engine, tables, &men, if is_full_run() { 200 } else { 5 }, 500)?;
    }
    Ok(())
}

/// Plays won positions of White's men against the bare king.
fn mates(
    engine: &Engine,
    tables: &Tables,
    men: &[Piece],
    games: usize,
    least_score: i32,
) -> Result<(), Failed> {
    let random = &mut Random::new(7);
    let mut played = 0;
    let mut failures = Vec::new();
    while played < games {
        let position = random_position(random, men);
        let is_won = tables.tablebase.lookup(&position)?.position.category == Category::Win;
        if !is_won || position.turn() != Color::White {
            continue;
        }
        played += 1;
        let fen = position.fen();
        engine.clear_tt();
        let result = play(engine, tables, Game::new(position), 20_000)?;
        if !result.is_won || result.least_score < least_score {
            failures.push(format!("{fen}: won {}, score {}", result.is_won, result.least_score));
        }
    }
    println!("{men:?}: {} of {games} failed", failures.len());
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n").into()) }
}
