//! The positions and events of a job in their order.
//!
//! Games follow the order of the text. The positions of a game run from the last to the first, so
//! each search fills the transposition table for the next one. A game of n moves has n + 1
//! positions; a game without moves has none. Evaluations are stored in this order without gaps.
//! Therefore the number of evaluated positions determines the progress and the events so far, and
//! events are the same on every read.

#[cfg(test)]
mod tests;

use std::ops::Range;

/// The numbers of moves and positions of a job, by game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Moves and positions before each game, followed by the totals.
    offsets: Vec<GameOffset>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct GameOffset {
    moves: u64,
    positions: u64,
}

/// A position of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScheduledPosition {
    pub(super) game: u32,
    /// Number of moves before the position.
    pub(super) ply: usize,
    /// Whether the position is the first of its game in search order.
    pub(super) is_first: bool,
}

/// An event of a job. Events are numbered from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScheduledEvent {
    /// The half-move `ply`, from 1, is reviewed.
    Move { game: u32, ply: usize },
    /// A whole game is reviewed, or cannot be.
    Game { game: u32 },
}

impl Schedule {
    /// A schedule of games with these numbers of half-moves.
    pub fn new(plies: &[u32]) -> Schedule {
        let mut offset = GameOffset::default();
        let mut offsets = Vec::with_capacity(plies.len() + 1);
        offsets.push(offset);
        for &plies in plies {
            offset.moves += u64::from(plies);
            offset.positions += position_count(plies);
            offsets.push(offset);
        }
        Schedule { offsets }
    }

    /// Number of games.
    pub fn games(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of half-moves of all games.
    pub fn moves(&self) -> u64 {
        self.totals().moves
    }

    /// Number of positions to evaluate.
    pub(super) fn positions(&self) -> u64 {
        self.totals().positions
    }

    /// Number of half-moves of a game; 0 for an unknown game.
    pub(super) fn plies(&self, game: u32) -> usize {
        let moves_before = |index: usize| self.offsets.get(index).map_or(0, |offset| offset.moves);
        let game = game as usize;
        usize::try_from(moves_before(game + 1).saturating_sub(moves_before(game))).unwrap_or(0)
    }

    /// The position with this number, from 0.
    pub(super) fn position_at(&self, position: u64) -> Option<ScheduledPosition> {
        let game =
            self.offsets.partition_point(|offset| offset.positions <= position).checked_sub(1)?;
        let offset_in_game = position - self.offsets.get(game)?.positions;
        let game = u32::try_from(game).ok()?;
        let ply = self.plies(game).checked_sub(usize::try_from(offset_in_game).ok()?)?;
        (position < self.positions()).then_some(ScheduledPosition {
            game,
            ply,
            is_first: offset_in_game == 0,
        })
    }

    /// The number of the position after `ply` half-moves of a game.
    pub(super) fn position_index(&self, game: u32, ply: usize) -> u64 {
        self.offsets[game as usize].positions + (self.plies(game) - ply) as u64
    }

    /// The reviewed half-moves of a game, numbered from 1, once `positions_done` positions are
    /// evaluated. They are the last ones of the game.
    pub(super) fn reviewed_moves(&self, game: u32, positions_done: u64) -> Range<usize> {
        let plies = self.plies(game);
        let searched = positions_done.saturating_sub(self.offsets[game as usize].positions);
        let reviewed = usize::try_from(searched.saturating_sub(1)).unwrap_or(usize::MAX).min(plies);
        plies - reviewed + 1..plies + 1
    }

    /// The number of reviewed games, and of reviewed moves of the next game.
    fn games_and_moves_done(&self, positions_done: u64) -> (usize, u64) {
        let done = self.offsets[1..].partition_point(|offset| offset.positions <= positions_done);
        (done, (positions_done - self.offsets[done].positions).saturating_sub(1))
    }

    /// Number of reviewed moves of all games once `positions_done` positions are evaluated.
    pub fn moves_done(&self, positions_done: u64) -> u64 {
        let (games, moves) = self.games_and_moves_done(positions_done);
        self.offsets[games].moves + moves
    }

    /// Number of events so far once `positions_done` positions are evaluated.
    pub fn events_done(&self, positions_done: u64) -> u64 {
        self.moves_done(positions_done) + self.games_and_moves_done(positions_done).0 as u64
    }

    /// The event with this number.
    pub(super) fn event(&self, number: u64) -> Option<ScheduledEvent> {
        let index = number.checked_sub(1)?;
        // Binary search for the game: the events before it are its preceding moves and games.
        let (mut low, mut high) = (0, self.games());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.offsets[middle + 1].moves + (middle as u64) < index {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        let game = u32::try_from(low).ok().filter(|_| low < self.games())?;
        let offset_in_game = usize::try_from(index - self.offsets[low].moves - low as u64).ok()?;
        let ply = self.plies(game).checked_sub(offset_in_game)?;
        Some(if ply == 0 {
            ScheduledEvent::Game { game }
        } else {
            ScheduledEvent::Move { game, ply }
        })
    }

    fn totals(&self) -> GameOffset {
        self.offsets.last().copied().unwrap_or_default()
    }
}

/// The number of positions to evaluate in a game of `plies` half-moves.
pub(super) const fn position_count(plies: u32) -> u64 {
    if plies == 0 { 0 } else { plies as u64 + 1 }
}
