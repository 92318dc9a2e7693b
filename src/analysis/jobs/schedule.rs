//! What a job consists of, and in which order it is done.
//!
//! Games come in the order of the text, the positions of each from the last to the first, so that
//! what a search finds warms the table for the one before it. A game of n moves has n + 1
//! positions, one without moves none. Findings are kept in this order without a gap, so one number
//! says how far a job is, and which events there have been: they are the same each time that
//! somebody asks.

use std::ops::Range;

/// The games of a job, and what each takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// What all games before each one take; one entry more than there are games.
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
    /// Moves that are played before it.
    pub(super) ply: usize,
    /// It is the first of its game that is searched.
    pub(super) is_first: bool,
}

/// Something that happens to a job. Events have numbers from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScheduledEvent {
    /// The move of that number, from 1, is reviewed.
    Move { game: u32, ply: usize },
    /// A game is.
    Game { game: u32 },
}

impl Schedule {
    /// Of games with so many moves.
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

    /// How many games there are.
    pub fn games(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The moves of all games.
    pub fn moves(&self) -> u64 {
        self.totals().moves
    }

    /// The positions that are searched.
    pub(super) fn positions(&self) -> u64 {
        self.totals().positions
    }

    /// The moves of a game; none of one that is not there.
    pub(super) fn plies(&self, game: u32) -> usize {
        let moves_before = |index: usize| self.offsets.get(index).map_or(0, |offset| offset.moves);
        let game = game as usize;
        usize::try_from(moves_before(game + 1).saturating_sub(moves_before(game))).unwrap_or(0)
    }

    /// The position of that number, from 0.
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

    /// The number of the position of a game that has so many moves before it.
    pub(super) fn position_index(&self, game: u32, ply: usize) -> u64 {
        self.offsets[game as usize].positions + (self.plies(game) - ply) as u64
    }

    /// The moves of a game that are reviewed once so many positions are found: from its last one
    /// back, as numbers from 1.
    pub(super) fn reviewed_moves(&self, game: u32, positions_done: u64) -> Range<usize> {
        let plies = self.plies(game);
        let searched = positions_done.saturating_sub(self.offsets[game as usize].positions);
        let reviewed = usize::try_from(searched.saturating_sub(1)).unwrap_or(usize::MAX).min(plies);
        plies - reviewed + 1..plies + 1
    }

    /// Games that are done, and behind them so many moves of the next, once so many positions are
    /// found.
    fn games_and_moves_done(&self, positions_done: u64) -> (usize, u64) {
        let done = self.offsets[1..].partition_point(|offset| offset.positions <= positions_done);
        (done, (positions_done - self.offsets[done].positions).saturating_sub(1))
    }

    /// The moves that are reviewed then.
    pub fn moves_done(&self, positions_done: u64) -> u64 {
        let (games, moves) = self.games_and_moves_done(positions_done);
        self.offsets[games].moves + moves
    }

    /// The events that there have been then.
    pub fn events_done(&self, positions_done: u64) -> u64 {
        self.moves_done(positions_done) + self.games_and_moves_done(positions_done).0 as u64
    }

    /// The event of that number.
    pub(super) fn event(&self, number: u64) -> Option<ScheduledEvent> {
        let index = number.checked_sub(1)?;
        // Before each game so many moves and games.
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

/// The positions of a game of so many moves that are searched.
pub(super) const fn position_count(plies: u32) -> u64 {
    if plies == 0 { 0 } else { plies as u64 + 1 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn positions_of_a_game_run_from_last_to_first() {
        let schedule = Schedule::new(&[0, 2, 0, 1, 0]);
        assert_eq!((schedule.games(), schedule.moves(), schedule.positions()), (5, 3, 5));
        let positions: Vec<_> = (0..6)
            .map(|n| schedule.position_at(n).map(|spot| (spot.game, spot.ply, spot.is_first)))
            .collect();
        let expected = [
            Some((1, 2, true)),
            Some((1, 1, false)),
            Some((1, 0, false)),
            Some((3, 1, true)),
            Some((3, 0, false)),
            None,
        ];
        assert_eq!(positions, expected);
        let done: Vec<_> = (0..=5)
            .map(|found| (schedule.moves_done(found), schedule.events_done(found)))
            .collect();
        assert_eq!(done, [(0, 1), (0, 1), (1, 2), (2, 5), (2, 5), (3, 8)]);
        assert_eq!(schedule.reviewed_moves(1, 2), 2..3);
        assert_eq!(
            (
                schedule.reviewed_moves(1, 1),
                schedule.reviewed_moves(1, 5),
                schedule.reviewed_moves(3, 2)
            ),
            (3..3, 1..3, 2..2)
        );
    }

    #[test]
    fn events_list_moves_from_last_to_first_then_the_game() {
        let schedule = Schedule::new(&[0, 2, 1]);
        let moved = |game, ply| Some(ScheduledEvent::Move { game, ply });
        let game = |game| Some(ScheduledEvent::Game { game });
        let events: Vec<_> = (0..=7).map(|number| schedule.event(number)).collect();
        assert_eq!(
            events,
            [None, game(0), moved(1, 2), moved(1, 1), game(1), moved(2, 1), game(2), None]
        );
    }

    proptest! {
        #[test]
        fn events_grow_with_positions_done(plies in prop::collection::vec(0_u32..6, 0..12)) {
            let schedule = Schedule::new(&plies);
            let mut events_seen = 0;
            for positions_done in 0..=schedule.positions() {
                let done = schedule.events_done(positions_done);
                prop_assert!(done >= events_seen);
                for number in events_seen + 1..=done {
                    match schedule.event(number) {
                        Some(ScheduledEvent::Move { game, ply }) => {
                            prop_assert!(schedule.reviewed_moves(game, positions_done).contains(&ply));
                            prop_assert!(schedule.position_index(game, ply - 1) < positions_done);
                        }
                        Some(ScheduledEvent::Game { game }) => prop_assert_eq!(schedule.reviewed_moves(game, positions_done).start, 1),
                        None => prop_assert!(false, "event {} of {:?}", number, plies),
                    }
                }
                events_seen = done;
                if let Some(position) = schedule.position_at(positions_done) {
                    prop_assert_eq!(schedule.position_index(position.game, position.ply), positions_done);
                }
            }
            prop_assert_eq!(events_seen, schedule.moves() + schedule.games() as u64);
        }
    }
}
