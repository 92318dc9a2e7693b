//! The way through the positions of a job.

use super::Plan;
use super::plan::Spot;
use crate::analysis::request::living_part;
use crate::analysis::service::terminal;
use crate::chess::Game;
use crate::store::StoreError;
use crate::store::jobs::{Finding, JobFile, JobId, Played};

/// Where a job is. It holds one game at a time.
#[derive(Debug)]
pub(super) struct Walk {
    /// The next position.
    next: u64,
    game: Option<(u32, Game)>,
}

/// What is to be done about a position.
#[derive(Debug)]
pub(super) enum Step {
    /// Nothing: the game is over there.
    Known(Finding),
    /// It has to be searched; what can come back of its history stands before it.
    Search(Box<Game>),
}

impl Walk {
    /// A walk that goes on behind so many positions.
    pub(super) fn from(found: u64) -> Walk {
        Walk { next: found, game: None }
    }

    /// The next position, if there is one.
    pub(super) fn spot(&self, plan: &Plan) -> Option<Spot> {
        plan.spot(self.next)
    }

    /// The game that has to be read before the next step, if one has.
    pub(super) fn wanted(&self, plan: &Plan) -> Option<u32> {
        let Spot { game: number, .. } = self.spot(plan)?;
        let is_there = self.game.as_ref().is_some_and(|(there, _)| *there == number);
        (!is_there).then_some(number)
    }

    /// Goes into a game with all its moves.
    pub(super) fn enter(&mut self, number: u32, game: Game) {
        self.game = Some((number, game));
    }

    /// Takes the next step, if there is one and its game was entered.
    pub(super) fn step(&mut self, plan: &Plan) -> Option<Step> {
        let Spot { game: number, ply, .. } = self.spot(plan)?;
        let (_, game) = self.game.as_mut().filter(|(there, _)| *there == number)?;
        while game.moves().len() > ply && game.undo().is_some() {}
        self.next += 1;
        Some(match terminal(game) {
            Some(report) => Step::Known(Finding { score: report.score, line: Vec::new() }),
            None => Step::Search(Box::new(living_part(game))),
        })
    }
}

/// A game of a job with all its moves. Blocks.
///
/// # Errors
/// When it is not there, or cannot be read now.
pub(super) fn read(file: &JobFile, id: JobId, number: u32) -> Result<Game, StoreError> {
    let sheet = file.sheet(id, number)?;
    let Some(Ok(Played { start, moves })) = sheet.map(|sheet| sheet.read) else {
        return Err(StoreError::Failed(format!("game {number} of job {id} is not there")));
    };
    let mut game = Game::new(start);
    moves.into_iter().for_each(|mv| game.play(mv));
    Ok(game)
}
