//! Tests of whole searches.

mod draws;
mod limits;
mod mates;
mod random_positions;
mod shared_table;

use super::*;
use crate::chess::{Game, Position, parse_move};

/// A game from a FEN and space-separated moves in any notation.
fn game(fen: &str, moves: &str) -> Game {
    let mut game = Game::new(Position::from_fen(fen).unwrap());
    for text in moves.split_whitespace() {
        let mv = parse_move(game.position(), text).unwrap();
        game.play(mv);
    }
    game
}

/// The report of a normal search to a depth.
fn search(engine: &Engine, game: &Game, depth: u8) -> Report {
    engine.analyse(
        game,
        &Limits { depth: Some(depth), ..Limits::default() },
        &StopFlag::default(),
        &mut |_| (),
    )
}

fn best_move_is(game: &Game, report: &Report, mv: &str) -> bool {
    report.best_move() == parse_move(game.position(), mv).ok()
}

/// The raw centipawns of a report; ±100,000 for a mate.
fn raw_centipawns(report: &Report) -> i32 {
    match report.raw_score.unwrap() {
        RawScore::Cp(value) => value,
        RawScore::Mate(moves) if moves > 0 => 100_000,
        RawScore::Mate(_) => -100_000,
    }
}

/// Panics unless the line is legal, and the line of a mate ends in checkmate after exactly as many
/// plies as the score says.
#[track_caller]
fn assert_valid_pv(game: &Game, report: &Report) {
    let fen = game.position().fen();
    assert!(!report.pv.is_empty(), "{fen}: no move");
    let mut position = game.position().clone();
    for &mv in &report.pv {
        assert!(position.is_legal(mv), "{fen}: {:?} in {report:?}", mv);
        position.play(mv);
    }
    if let Score::Mate(moves) = report.score {
        let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
        assert_eq!(report.pv.len() as i32, plies, "{fen}: {report:?}");
        assert!(position.in_check() && !position.has_moves(), "{fen}: {report:?}");
    }
}
