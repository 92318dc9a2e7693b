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

    /// Takes the next step, if there is one. After an error it may be tried again.
    ///
    /// # Errors
    /// When the game cannot be read.
    pub(super) fn step(&mut self, plan: &Plan, file: &JobFile, id: JobId) -> Result<Option<Step>, StoreError> {
        let Some(Spot { game: number, ply, .. }) = self.spot(plan) else { return Ok(None) };
        let mut game = match self.game.take() {
            Some((there, game)) if there == number => game,
            _ => read(file, id, number)?,
        };
        while game.moves().len() > ply && game.undo().is_some() {}
        let step = match terminal(&game) {
            Some(report) => Step::Known(Finding { score: report.score, line: Vec::new() }),
            None => Step::Search(Box::new(living_part(&game))),
        };
        self.game = Some((number, game));
        self.next += 1;
        Ok(Some(step))
    }
}

/// A game of a job with all its moves.
fn read(file: &JobFile, id: JobId, number: u32) -> Result<Game, StoreError> {
    let sheet = file.sheet(id, number)?;
    let Some(Ok(Played { start, moves })) = sheet.map(|sheet| sheet.read) else {
        return Err(StoreError::Failed(format!("game {number} of job {id} is not there")));
    };
    let mut game = Game::new(start);
    moves.into_iter().for_each(|mv| game.play(mv));
    Ok(game)
}
