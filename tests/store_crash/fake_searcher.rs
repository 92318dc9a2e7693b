//! A searcher whose reports follow from the position, and games by number.

use std::time::Duration;

use kibitzer::analysis::Searcher;
use kibitzer::chess::{Game, Position, splitmix};
use kibitzer::engine::{GameSearch, Report, Score, StopReason, Wdl};

/// A pseudo-random number, the same in both processes.
pub(crate) fn random(number: u64) -> u64 {
    splitmix::nth(5, number)
}

/// The game with this number.
pub(crate) fn game(number: u64) -> Game {
    let mut position = Position::startpos();
    for step in 1..=10 {
        let moves = position.legal_moves();
        let next = position.after(moves[splitmix::nth(number, step) as usize % moves.len()]);
        if !next.has_moves() {
            break;
        }
        position = next;
    }
    Game::new(position)
}

/// The report of a position, which follows from the position's key alone.
pub(crate) fn expected_report(game: &Game) -> Report {
    let position = game.position();
    let number = random(position.key());
    let pv_length = 1 + number as usize % 200;
    Report {
        score: Score::Cp(number as i32 % 10_000),
        wdl: Wdl { win: 500, draw: 300, loss: 200 },
        raw_score: None,
        pv: position.legal_moves().iter().copied().cycle().take(pv_length).collect(),
        depth: 1 + (number % 60) as u8,
        seldepth: 70,
        nodes: number >> 30,
        elapsed: Duration::from_nanos(number >> 20),
        reason: StopReason::Depth,
        history_independent: true,
        tb_hits: 0,
        is_ranked_by_tablebase: false,
        alternatives: Vec::new(),
    }
}

/// Returns [`expected_report`] at once.
pub(crate) struct DeterministicSearcher;

impl Searcher for DeterministicSearcher {
    fn analyse(
        &self,
        GameSearch { game, .. }: GameSearch<'_>,
        _: &mut dyn FnMut(&Report),
    ) -> Report {
        expected_report(game)
    }

    fn engine_id(&self) -> String {
        "numbered 1".to_owned()
    }
}
