//! Games that have nothing to do with each other: a few random moves, then the engine's own at few
//! nodes.

use kibitzer::chess::{Game, Position, splitmix};
use kibitzer::engine::{Engine, Limits, StopFlag};

/// Moves at random, before the engine plays.
const RANDOM_PLIES: usize = 8;
/// A game is left after this many plies, and up to as many more.
const MIN_PLIES: usize = 16;
const NODES: u64 = 200;

/// Every run plays the same games.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        let number = splitmix::nth(self.0, 1);
        self.0 = splitmix::state(self.0, 1);
        (number % bound as u64) as usize
    }
}

/// The middle of a game that goes on, with the moves that led there.
pub(crate) fn play(engine: &Engine, seed: u64) -> Game {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    loop {
        let plies = MIN_PLIES + random.below(64);
        if let Some(game) = try_play(engine, &mut random, plies) {
            return game;
        }
    }
}

/// `None` when the game ends before.
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
            true => moves[random.below(moves.len())],
            false => {
                engine.analyse(&game, &limits, &StopFlag::default(), &mut |_| ()).best_move()?
            }
        };
        game.play(mv);
    }
    (!game.outcome().is_over()).then_some(game)
}
