//! The ranks of root moves.

use kibitzer::chess::{Game, Move, Position, parse_move};
use kibitzer::tablebase::{Category, RootOutcome, RootRanking};
use libtest_mimic::Failed;

use crate::Tables;
use crate::random::Random;
use crate::random_positions::{below, random_men, random_position};

fn rank(tables: &Tables, game: &Game) -> RootRanking {
    let moves: Vec<Move> = game.position().legal_moves().as_slice().to_vec();
    tables.tablebase.rank_root(game, &moves, true).expect("the tables are complete")
}

fn game(fen: &str, moves: &[&str]) -> Game {
    let mut game = Game::new(Position::from_fen(fen).expect(fen));
    for text in moves {
        let mv = parse_move(game.position(), text).expect(text);
        game.play(mv);
    }
    game
}

/// On random positions with random clocks the best rank has the outcome that lila-tablebase's rules
/// give the position.
pub(crate) fn the_best_rank_keeps_the_outcome(tables: &Tables) -> Result<(), Failed> {
    let random = &mut Random::new(3);
    for _ in 0..2_000 {
        let men = random_men(random);
        let mut setup = random_position(random, &men).to_setup();
        setup.halfmove_clock = below(random, 100) as u16;
        let Ok(position) = setup.validate() else { continue };
        if !position.has_moves() {
            continue;
        }
        let fen = position.fen();
        let expected = match tables.tablebase.lookup(&position)?.position.category {
            Category::Loss | Category::SyzygyLoss => RootOutcome::Loss,
            Category::BlessedLoss => RootOutcome::BlessedLoss,
            Category::Draw => RootOutcome::Draw,
            Category::CursedWin => RootOutcome::CursedWin,
            Category::Win | Category::SyzygyWin => RootOutcome::Win,
            Category::Unknown => return Err(fen.into()),
        };
        let ranking = rank(tables, &Game::new(position));
        assert!(ranking.by_dtz, "{fen}");
        assert_eq!(ranking.moves[0].outcome, expected, "{fen}");
        let sorted = ranking.moves.is_sorted_by_key(|ranked| std::cmp::Reverse(ranked.rank));
        assert!(sorted, "{fen}");
    }
    Ok(())
}

/// With clock 0 all ways to win with two bishops are equal. With 70 half-moves played, only fast
/// ones are left.
pub(crate) fn the_clock_decides_between_wins(tables: &Tables) -> Result<(), Failed> {
    let wins = |clock: u32| {
        let game = game(&format!("8/8/8/3k4/8/8/8/1KBB4 w - - {clock} 90"), &[]);
        let ranking = rank(tables, &game);
        let best = ranking.moves[0];
        assert_eq!(ranking.depends_on_history, clock > 0);
        (best.outcome, ranking.moves.iter().filter(|other| other.rank == best.rank).count())
    };
    let (outcome, at_start) = wins(0);
    assert_eq!(outcome, RootOutcome::Win);
    let late = (0..100).rev().find(|&clock| wins(clock).0 == RootOutcome::Win).expect("a win");
    assert!(wins(late).1 < at_start, "{late}: {} of {at_start}", wins(late).1);
    assert_eq!(wins(late + 1).0, RootOutcome::CursedWin);
    Ok(())
}

/// After a repetition only the moves with the shortest distance keep the best rank, and a third
/// occurrence counts as a draw.
pub(crate) fn a_repeated_position_forces_progress(tables: &Tables) -> Result<(), Failed> {
    let shuffle = ["Kb2", "Ke5", "Kb1", "Kd5"];
    let fen = "8/8/8/3k4/8/8/8/1KBB4 w - - 0 1";
    let fresh = rank(tables, &game(fen, &[]));
    let repeated = rank(tables, &game(fen, &shuffle));
    let equal = |ranking: &RootRanking| {
        ranking.moves.iter().filter(|other| other.rank == ranking.moves[0].rank).count()
    };
    assert!(equal(&repeated) < equal(&fresh));
    assert_eq!(repeated.moves[0].outcome, RootOutcome::Win);

    // Kb2 would lead to a position for the third time.
    let twice: Vec<&str> = shuffle.iter().chain(&shuffle).copied().collect();
    let game = game(fen, &twice[..8]);
    let back = parse_move(game.position(), "Kb2").expect("Kb2 is legal");
    let ranking = rank(tables, &game);
    let ranked = ranking.moves.iter().find(|ranked| ranked.mv == back).expect("Kb2");
    assert_eq!(ranked.outcome, RootOutcome::Draw);
    Ok(())
}
