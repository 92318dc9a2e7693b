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
pub struct Plan {
    /// What all games before each one take; one entry more than there are games.
    starts: Vec<Start>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Start {
    moves: u64,
    positions: u64,
}

/// A position of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) game: u32,
    /// Moves that are played before it.
    pub(super) ply: usize,
    /// It is the first of its game that is searched.
    pub(super) is_first: bool,
}

/// Something that happens to a job. Events have numbers from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The move of that number, from 1, is reviewed.
    Move { game: u32, ply: usize },
    /// A game is.
    Game { game: u32 },
}

impl Plan {
    /// Of games with so many moves.
    pub fn new(plies: &[u32]) -> Plan {
        let mut start = Start::default();
        let mut starts = Vec::with_capacity(plies.len() + 1);
        starts.push(start);
        for &plies in plies {
            start.moves += u64::from(plies);
            start.positions += positions_of(plies);
            starts.push(start);
        }
        Plan { starts }
    }

    /// How many games there are.
    pub fn games(&self) -> usize {
        self.starts.len() - 1
    }

    /// The moves of all games.
    pub fn moves(&self) -> u64 {
        self.end().moves
    }

    /// The positions that are searched.
    pub(super) fn positions(&self) -> u64 {
        self.end().positions
    }

    /// The moves of a game; none of one that is not there.
    pub(super) fn plies(&self, game: u32) -> usize {
        let at = |place: usize| self.starts.get(place).map_or(0, |start| start.moves);
        let game = game as usize;
        usize::try_from(at(game + 1).saturating_sub(at(game))).unwrap_or(0)
    }

    /// The position of that number, from 0.
    pub(super) fn spot(&self, position: u64) -> Option<Spot> {
        let game =
            self.starts.partition_point(|start| start.positions <= position).checked_sub(1)?;
        let into = position - self.starts.get(game)?.positions;
        let game = u32::try_from(game).ok()?;
        let ply = self.plies(game).checked_sub(usize::try_from(into).ok()?)?;
        (position < self.positions()).then_some(Spot { game, ply, is_first: into == 0 })
    }

    /// The number of the position of a game that has so many moves before it.
    pub(super) fn number(&self, game: u32, ply: usize) -> u64 {
        self.starts[game as usize].positions + (self.plies(game) - ply) as u64
    }

    /// The moves of a game that are reviewed once so many positions are found: from its last one
    /// back, as numbers from 1.
    pub(super) fn reviewed(&self, game: u32, found: u64) -> Range<usize> {
        let plies = self.plies(game);
        let begun = found.saturating_sub(self.starts[game as usize].positions);
        let reviewed = usize::try_from(begun.saturating_sub(1)).unwrap_or(usize::MAX).min(plies);
        plies - reviewed + 1..plies + 1
    }

    /// Games that are done, and behind them so many moves of the next, once so many positions are
    /// found.
    fn reached(&self, found: u64) -> (usize, u64) {
        let done = self.starts[1..].partition_point(|end| end.positions <= found);
        (done, (found - self.starts[done].positions).saturating_sub(1))
    }

    /// The moves that are reviewed then.
    pub fn moves_done(&self, found: u64) -> u64 {
        let (games, moves) = self.reached(found);
        self.starts[games].moves + moves
    }

    /// The events that there have been then.
    pub fn events_done(&self, found: u64) -> u64 {
        self.moves_done(found) + self.reached(found).0 as u64
    }

    /// The event of that number.
    pub(super) fn event(&self, number: u64) -> Option<Event> {
        let index = number.checked_sub(1)?;
        // Before each game so many moves and games.
        let (mut first, mut behind) = (0, self.games());
        while first < behind {
            let middle = first + (behind - first) / 2;
            match self.starts[middle + 1].moves + (middle as u64) < index {
                true => first = middle + 1,
                false => behind = middle,
            }
        }
        let game = u32::try_from(first).ok().filter(|_| first < self.games())?;
        let into = usize::try_from(index - self.starts[first].moves - first as u64).ok()?;
        let ply = self.plies(game).checked_sub(into)?;
        Some(if ply == 0 { Event::Game { game } } else { Event::Move { game, ply } })
    }

    fn end(&self) -> Start {
        self.starts.last().copied().unwrap_or_default()
    }
}

/// The positions of a game of so many moves that are searched.
pub(super) const fn positions_of(plies: u32) -> u64 {
    if plies == 0 { 0 } else { plies as u64 + 1 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_game_is_walked_from_its_end() {
        let plan = Plan::new(&[0, 2, 0, 1, 0]);
        assert_eq!((plan.games(), plan.moves(), plan.positions()), (5, 3, 5));
        let spots: Vec<_> =
            (0..6).map(|n| plan.spot(n).map(|spot| (spot.game, spot.ply, spot.is_first))).collect();
        let expected = [
            Some((1, 2, true)),
            Some((1, 1, false)),
            Some((1, 0, false)),
            Some((3, 1, true)),
            Some((3, 0, false)),
            None,
        ];
        assert_eq!(spots, expected);
        let done: Vec<_> =
            (0..=5).map(|found| (plan.moves_done(found), plan.events_done(found))).collect();
        assert_eq!(done, [(0, 1), (0, 1), (1, 2), (2, 5), (2, 5), (3, 8)]);
        assert_eq!(plan.reviewed(1, 2), 2..3);
        assert_eq!(
            (plan.reviewed(1, 1), plan.reviewed(1, 5), plan.reviewed(3, 2)),
            (3..3, 1..3, 2..2)
        );
    }

    #[test]
    fn events_tell_moves_from_the_last_and_then_their_game() {
        let plan = Plan::new(&[0, 2, 1]);
        let moved = |game, ply| Some(Event::Move { game, ply });
        let game = |game| Some(Event::Game { game });
        let events: Vec<_> = (0..=7).map(|number| plan.event(number)).collect();
        assert_eq!(
            events,
            [None, game(0), moved(1, 2), moved(1, 1), game(1), moved(2, 1), game(2), None]
        );
    }

    proptest! {
        #[test]
        fn what_is_told_grows_with_what_is_found(plies in prop::collection::vec(0_u32..6, 0..12)) {
            let plan = Plan::new(&plies);
            let mut told = 0;
            for found in 0..=plan.positions() {
                let done = plan.events_done(found);
                prop_assert!(done >= told);
                for number in told + 1..=done {
                    match plan.event(number) {
                        Some(Event::Move { game, ply }) => {
                            prop_assert!(plan.reviewed(game, found).contains(&ply));
                            prop_assert!(plan.number(game, ply - 1) < found);
                        }
                        Some(Event::Game { game }) => prop_assert_eq!(plan.reviewed(game, found).start, 1),
                        None => prop_assert!(false, "event {} of {:?}", number, plies),
                    }
                }
                told = done;
                if let Some(spot) = plan.spot(found) {
                    prop_assert_eq!(plan.number(spot.game, spot.ply), found);
                }
            }
            prop_assert_eq!(told, plan.moves() + plan.games() as u64);
        }
    }
}
