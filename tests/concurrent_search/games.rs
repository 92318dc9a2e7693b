//! Unrelated games: a few random moves, then the engine's own moves with few nodes.

use kibitzer::chess::{Game, Position};
use kibitzer::engine::{Engine, Limits, StopFlag};

use crate::random::Random;

/// Random moves before the engine plays.
const RANDOM_PLIES: usize = 8;
/// The shortest game, in plies.
const MIN_PLIES: usize = 16;
/// A game has from [`MIN_PLIES`] up to but not including `MIN_PLIES + PLIES_RANGE` plies.
const PLIES_RANGE: usize = 64;
const NODES: u64 = 200;

/// An unfinished game with the moves that led to its position. The same seed gives the same game.
pub(crate) fn play(engine: &Engine, seed: u64) -> Game {
    let mut random = Random::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    loop {
        let plies = MIN_PLIES + remainder(&mut random, PLIES_RANGE);
        if let Some(game) = try_play(engine, &mut random, plies) {
            return game;
        }
    }
}

/// `None` if the game ends earlier.
fn try_play(engine: &Engine, random: &mut Random, plies: usize) -> Option<Game> {
    engine.clear_tt();
    let limits = Limits { nodes: Some(NODES), ..Limits::default() };
    let mut game = Game::new(Position::startpos());
    for ply in 0..plies {
        if game.outcome().is_over() {
            return None;
        }
        let moves = game.position().legal_moves();
        let mv = match ply < RANDOM_PLIES {
            true => moves[remainder(random, moves.len())],
            false => {
                engine.analyse(&game, &limits, &StopFlag::default(), &mut |_| ()).best_move()?
            }
        };
        game.play(mv);
    }
    (!game.outcome().is_over()).then_some(game)
}

/// A random number below `bound`. The games, and so the measured figures, depend on this formula.
fn remainder(random: &mut Random, bound: usize) -> usize {
    (random.next() % bound as u64) as usize
}
