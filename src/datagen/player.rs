//! Who plays.

use super::DatagenError;
use crate::chess::{Game, Move};
use crate::engine::{Engine, Limits, Memory, Scope, Score, StopFlag};

/// Plays both sides of games.
pub trait Player {
    /// A new game begins.
    ///
    /// # Errors
    ///
    /// When the player can't be reached any more.
    fn begin(&mut self, game: &Game) -> Result<(), DatagenError>;

    /// Chooses a move. The game is not over.
    ///
    /// # Errors
    ///
    /// When the player can't be reached any more, or answers something that is no move.
    fn choose(&mut self, game: &Game) -> Result<Judged, DatagenError>;
}

/// A move with what the player thinks of the position before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// A legal move.
    pub mv: Move,
    /// From the view of the side that moves.
    pub score: Score,
}

/// After so many times the soft limit an iteration is not finished any more.
const HARD: u64 = 8;

/// kibitzer's own engine.
pub struct Own {
    engine: Engine,
    memory: Memory,
    nodes: u64,
}

impl Own {
    /// With a table of so many MiB. Once it has made so many moves it finishes the iteration and chooses.
    pub fn new(hash_mb: usize, nodes: u64) -> Own {
        let engine = Engine::new(hash_mb);
        let memory = engine.memory();
        Own { engine, memory, nodes }
    }
}

impl Player for Own {
    fn begin(&mut self, _: &Game) -> Result<(), DatagenError> {
        self.engine.clear();
        self.memory = self.engine.memory();
        Ok(())
    }

    fn choose(&mut self, game: &Game) -> Result<Judged, DatagenError> {
        let limits = Limits { nodes: Some(self.nodes.saturating_mul(HARD)), ..Limits::default() };
        let stop = StopFlag::default();
        let mut finished = None;
        let report = self.engine.continue_game(&mut self.memory, game, &limits, &Scope::default(), &stop, &mut |report| {
            // What a search finds between this order and its end is not used.
            if !stop.is_stopped() {
                finished = report.best_move().map(|mv| Judged { mv, score: report.score });
            }
            if report.nodes >= self.nodes {
                stop.stop();
            }
        });
        let last = report.best_move().map(|mv| Judged { mv, score: report.score });
        finished.or(last).ok_or_else(|| DatagenError::engine("kibitzer", format!("no move in {}", game.position().fen())))
    }
}
