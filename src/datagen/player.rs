//! Who plays.

use super::DatagenError;
use crate::chess::{Game, Move};
use crate::engine::{
    Engine, Limits, LinearScore, Memory, Network, NoMemory, Report, Scope, StopFlag,
};

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
    /// From the view of the side that moves. Of another engine its own centipawns, taken for linear
    /// ones.
    pub score: LinearScore,
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
    /// With a table of so many MiB. Once it has made so many moves it finishes the iteration and
    /// chooses.
    ///
    /// # Errors
    ///
    /// When there is no memory for the table.
    pub fn new(hash_mb: usize, nodes: u64) -> Result<Own, NoMemory> {
        let engine = Engine::of_player(hash_mb, Network::embedded())?;
        let memory = engine.memory();
        Ok(Own { engine, memory, nodes })
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
        let report = self.engine.continue_game(
            &mut self.memory,
            game,
            &limits,
            &Scope::default(),
            &stop,
            &mut |report| {
                // What a search finds between this order and its end is not used.
                if !stop.is_stopped() {
                    finished = judged(report);
                }
                if report.nodes >= self.nodes {
                    stop.stop();
                }
            },
        );
        finished.or(judged(&report)).ok_or_else(|| {
            DatagenError::engine("kibitzer", format!("no move in {}", game.position().fen()))
        })
    }
}

/// The move that a search of our own engine chooses.
fn judged(report: &Report) -> Option<Judged> {
    Some(Judged { mv: report.best_move()?, score: report.linear? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Position;
    use crate::engine::Score;

    #[test]
    fn games_keep_the_score_that_does_not_depend_on_what_is_on_the_board() {
        let game =
            Game::new(Position::from_fen("8/5pk1/4p1p1/7p/7P/4PKP1/5P2/R7 b - - 0 1").unwrap());
        let mut player = Own::new(1, 500).unwrap();
        player.begin(&game).unwrap();
        let judged = player.choose(&game).unwrap();
        let mut told = Vec::new();
        let limits = Limits { nodes: Some(4_000), ..Limits::default() };
        Engine::of_player(1, Network::embedded()).unwrap().analyse(
            &game,
            &limits,
            &StopFlag::default(),
            &mut |report| told.push((report.linear, report.score)),
        );
        let (_, score) = *told.iter().find(|(linear, _)| *linear == Some(judged.score)).unwrap();
        let (LinearScore::Cp(linear), Score::Cp(told)) = (judged.score, score) else {
            panic!("{judged:?}: a mate")
        };
        // In an ending it takes more of the network's centipawns to win half of the games.
        assert!(linear < -100 && linear < 5 * told / 4, "{linear} {told}");
    }
}
