//! The players: the interface, and kibitzer's own engine.

use super::error::DatagenError;
use kibitzer::chess::{Game, Move};
use kibitzer::engine::{
    Engine, GameSearch, Limits, Network, RawScore, Report, SearchOptions, StopFlag, ThreadDataSet,
    TtAllocError,
};

/// A player of both sides of a game.
pub trait Player {
    /// Starts a new game.
    ///
    /// # Errors
    ///
    /// The player does not answer.
    fn new_game(&mut self, game: &Game) -> Result<(), DatagenError>;

    /// Chooses a move in a game that is not over.
    ///
    /// # Errors
    ///
    /// The player does not answer, or its answer is not a legal move.
    fn choose_move(&mut self, game: &Game) -> Result<ScoredMove, DatagenError>;
}

/// A move with the score of the position before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoredMove {
    /// A legal move.
    pub mv: Move,
    /// Score from the view of the side to move. Centipawns of another engine count as linear ones.
    pub score: RawScore,
}

/// Ratio of the hard node limit, which interrupts an iteration, to the soft one.
const HARD_LIMIT_FACTOR: u64 = 8;

/// A player with kibitzer's own engine.
pub struct KibitzerPlayer {
    engine: Engine,
    thread_data: ThreadDataSet,
    nodes: u64,
}

impl KibitzerPlayer {
    /// A player with a transposition table of `hash_mb` MiB. After `nodes` nodes it completes the
    /// iteration and chooses a move.
    ///
    /// # Errors
    ///
    /// There is not enough memory for the table.
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
        let options = &SearchOptions::default();
        let search = GameSearch { game, limits: &limits, options, stop: &stop };
        let report = self.engine.search_game(&mut self.thread_data, search, &mut |report| {
            // Results between the stop and the end of the search are not used.
            if !stop.is_stopped() {
                finished = best_scored_move(report);
            }
            if report.nodes >= self.nodes {
                stop.stop();
            }
        });
        finished.or(best_scored_move(&report)).ok_or_else(|| {
            DatagenError::engine("kibitzer", format!("no move in {}", game.position().fen()))
        })
    }
}

/// The best move of a report, with its score.
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
        // In an endgame more of the network's centipawns are needed to win half of the games.
        assert!(linear < -100 && linear < 5 * normalized / 4, "{linear} {normalized}");
    }
}
