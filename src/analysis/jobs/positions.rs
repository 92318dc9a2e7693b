//! Iteration over the positions of a job in search order.

use super::schedule::{Schedule, ScheduledPosition};
use crate::analysis::request::reversible_tail;
use crate::analysis::service::terminal_report;
use crate::chess::Game;
use crate::store::jobs::PositionEval;

/// The current place in a job. It holds one game at a time.
#[derive(Debug)]
pub(super) struct PositionCursor {
    /// The number of the next position.
    next: u64,
    game: Option<(u32, Game)>,
}

/// What a position needs.
#[derive(Debug)]
pub(super) enum Step {
    /// No search: the game is over in this position.
    Terminal(PositionEval),
    /// A search. The game contains the history that can be repeated.
    Search(Box<Game>),
}

impl PositionCursor {
    /// A cursor behind the evaluated positions.
    pub(super) fn starting_at(positions_done: u64) -> PositionCursor {
        PositionCursor { next: positions_done, game: None }
    }

    /// The next position; `None` at the end.
    pub(super) fn next_position(&self, schedule: &Schedule) -> Option<ScheduledPosition> {
        schedule.position_at(self.next)
    }

    /// The number of the game that must be loaded before the next step; `None` when it is loaded.
    pub(super) fn game_to_load(&self, schedule: &Schedule) -> Option<u32> {
        let ScheduledPosition { game: number, .. } = self.next_position(schedule)?;
        let is_loaded = self.game.as_ref().is_some_and(|(loaded, _)| *loaded == number);
        (!is_loaded).then_some(number)
    }

    /// Sets the current game, with all its moves.
    pub(super) fn set_game(&mut self, number: u32, game: Game) {
        self.game = Some((number, game));
    }

    /// Moves to the next position. Returns `None` at the end, and when its game is not loaded.
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
