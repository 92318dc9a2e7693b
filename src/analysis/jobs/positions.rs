//! The way through the positions of a job.

use super::Schedule;
use super::schedule::ScheduledPosition;
use crate::analysis::request::reversible_tail;
use crate::analysis::service::terminal_report;
use crate::chess::Game;
use crate::store::StoreError;
use crate::store::jobs::{JobFile, JobId, ParsedGame, PositionEval};

/// Where a job is. It holds one game at a time.
#[derive(Debug)]
pub(super) struct PositionCursor {
    /// The next position.
    next: u64,
    game: Option<(u32, Game)>,
}

/// What is to be done about a position.
#[derive(Debug)]
pub(super) enum Step {
    /// Nothing: the game is over there.
    Terminal(PositionEval),
    /// It has to be searched; what can come back of its history stands before it.
    Search(Box<Game>),
}

impl PositionCursor {
    /// A walk that goes on behind so many positions.
    pub(super) fn starting_at(positions_done: u64) -> PositionCursor {
        PositionCursor { next: positions_done, game: None }
    }

    /// The next position, if there is one.
    pub(super) fn next_position(&self, schedule: &Schedule) -> Option<ScheduledPosition> {
        schedule.position_at(self.next)
    }

    /// The game that has to be read before the next step, if one has.
    pub(super) fn game_to_load(&self, schedule: &Schedule) -> Option<u32> {
        let ScheduledPosition { game: number, .. } = self.next_position(schedule)?;
        let is_loaded = self.game.as_ref().is_some_and(|(loaded, _)| *loaded == number);
        (!is_loaded).then_some(number)
    }

    /// Goes into a game with all its moves.
    pub(super) fn set_game(&mut self, number: u32, game: Game) {
        self.game = Some((number, game));
    }

    /// Takes the next step, if there is one and its game was entered.
    pub(super) fn step(&mut self, schedule: &Schedule) -> Option<Step> {
        let ScheduledPosition { game: number, ply, .. } = self.next_position(schedule)?;
        let (_, game) = self.game.as_mut().filter(|(loaded, _)| *loaded == number)?;
        while game.moves().len() > ply && game.undo().is_some() {}
        self.next += 1;
        Some(match terminal_report(game) {
            Some(report) => Step::Terminal(PositionEval { score: report.score, pv: Vec::new() }),
            None => Step::Search(Box::new(reversible_tail(game))),
        })
    }
}

/// A game of a job with all its moves. Blocks.
///
/// # Errors
/// When it is not there, or cannot be read now.
pub(super) fn read_game(file: &JobFile, id: JobId, number: u32) -> Result<Game, StoreError> {
    let record = file.game_record(id, number)?;
    let Some(Ok(ParsedGame { start, moves })) = record.map(|sheet| sheet.parsed) else {
        return Err(StoreError::Failed(format!("game {number} of job {id} is not there")));
    };
    let mut game = Game::new(start);
    moves.into_iter().for_each(|mv| game.play(mv));
    Ok(game)
}
