//! Who plays.

use super::error::DatagenError;
use kibitzer::chess::{Game, Move};
use kibitzer::engine::{
    Engine, Limits, Network, RawScore, Report, SearchScope, StopFlag, ThreadDataSet, TtAllocError,
};

/// Plays both sides of games.
pub trait Player {
    /// A new game begins.
    ///
    /// # Errors
    ///
    /// When the player can't be reached any more.
    fn new_game(&mut self, game: &Game) -> Result<(), DatagenError>;

    /// Chooses a move. The game is not over.
    ///
    /// # Errors
    ///
    /// When the player can't be reached any more, or answers something that is no move.
    fn choose_move(&mut self, game: &Game) -> Result<ScoredMove, DatagenError>;
}

/// A move with what the player thinks of the position before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoredMove {
    /// A legal move.
    pub mv: Move,
    /// From the view of the side that moves. Of another engine its own centipawns, taken for linear
    /// ones.
    pub score: RawScore,
}

/// After so many times the soft limit an iteration is not finished any more.
const HARD_LIMIT_FACTOR: u64 = 8;

/// kibitzer's own engine.
pub struct KibitzerPlayer {
    engine: Engine,
    thread_data: ThreadDataSet,
    nodes: u64,
}

impl KibitzerPlayer {
    /// With a table of so many MiB. Once it has made so many moves it finishes the iteration and
    /// chooses.
    ///
    /// # Errors
    ///
    /// When there is no memory for the table.
    pub fn new(hash_mb: usize, nodes: u64) -> Result<KibitzerPlayer, TtAllocError> {
        let engine = Engine::for_player(hash_mb, Network::embedded())?;
        let thread_data = engine.thread_data_set();
        Ok(KibitzerPlayer { engine, thread_data, nodes })
    }
}

impl Player for KibitzerPlayer {
    fn new_game(&mut self, _: &Game) -> Result<(), DatagenError> {
        self.engine.clear_tt();
        self.thread_data = self.engine.thread_data_set();
        Ok(())
    }

    fn choose_move(&mut self, game: &Game) -> Result<ScoredMove, DatagenError> {
        let limits = Limits {
            nodes: Some(self.nodes.saturating_mul(HARD_LIMIT_FACTOR)),
            ..Limits::default()
        };
        let stop = StopFlag::default();
        let mut finished = None;
        let report = self.engine.search_game(
            &mut self.thread_data,
            game,
            &limits,
            &SearchScope::default(),
            &stop,
            &mut |report| {
                // What a search finds between this order and its end is not used.
                if !stop.is_stopped() {
                    finished = best_scored_move(report);
                }
                if report.nodes >= self.nodes {
                    stop.stop();
                }
            },
        );
        finished.or(best_scored_move(&report)).ok_or_else(|| {
            DatagenError::engine("kibitzer", format!("no move in {}", game.position().fen()))
        })
    }
}

/// The move that a search of our own engine chooses.
fn best_scored_move(report: &Report) -> Option<ScoredMove> {
    Some(ScoredMove { mv: report.best_move()?, score: report.raw_score? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kibitzer::chess::Position;
    use kibitzer::engine::Score;

    #[test]
    fn recorded_scores_do_not_depend_on_material() {
        let game =
            Game::new(Position::from_fen("8/5pk1/4p1p1/7p/7P/4PKP1/5P2/R7 b - - 0 1").unwrap());
        let mut player = KibitzerPlayer::new(1, 500).unwrap();
        player.new_game(&game).unwrap();
        let scored = player.choose_move(&game).unwrap();
        let mut reports = Vec::new();
        let limits = Limits { nodes: Some(4_000), ..Limits::default() };
        Engine::for_player(1, Network::embedded()).unwrap().analyse(
            &game,
            &limits,
            &StopFlag::default(),
            &mut |report| reports.push((report.raw_score, report.score)),
        );
        let (_, score) = *reports.iter().find(|(linear, _)| *linear == Some(scored.score)).unwrap();
        let (RawScore::Cp(linear), Score::Cp(normalized)) = (scored.score, score) else {
            panic!("{scored:?}: a mate")
        };
        // In an ending it takes more of the network's centipawns to win half of the games.
        assert!(linear < -100 && linear < 5 * normalized / 4, "{linear} {normalized}");
    }
}
