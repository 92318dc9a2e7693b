//! Perft that can be stopped.

use std::time::Instant;

use crate::chess::{Move, Position, perft};
use crate::engine::StopFlag;

/// Below this many plies the count is not interrupted: at most some ten thousand nodes, well under a millisecond.
const WITHOUT_LOOKING_UP: u32 = 2;

/// What ends a count before its end.
pub(super) struct Leash<'a> {
    /// The asker left.
    pub(super) stop: &'a StopFlag,
    /// The service ends.
    pub(super) shutdown: &'a StopFlag,
    /// It may not take longer.
    pub(super) deadline: Instant,
}

/// Why a count did not come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    Stopped,
    Shutdown,
    Deadline,
}

impl Leash<'_> {
    fn check(&self) -> Result<(), Cut> {
        if self.stop.is_stopped() {
            Err(Cut::Stopped)
        } else if self.shutdown.is_stopped() {
            Err(Cut::Shutdown)
        } else if Instant::now() >= self.deadline {
            Err(Cut::Deadline)
        } else {
            Ok(())
        }
    }
}

/// The number of legal move sequences of `depth` plies, as [`perft::perft`] counts them.
pub(super) fn count(position: &Position, depth: u32, leash: &Leash<'_>) -> Result<u64, Cut> {
    leash.check()?;
    if depth <= WITHOUT_LOOKING_UP {
        return Ok(perft::perft(position, depth));
    }
    let moves = position.legal_moves();
    moves.into_iter().try_fold(0, |nodes, mv| Ok(nodes + count(&position.after(mv), depth - 1, leash)?))
}

/// The same, apart for each first move, in generation order. Depth 0 has no first move.
pub(super) fn divide(position: &Position, depth: u32, leash: &Leash<'_>) -> Result<Vec<(Move, u64)>, Cut> {
    leash.check()?;
    let Some(rest) = depth.checked_sub(1) else { return Ok(Vec::new()) };
    position.legal_moves().into_iter().map(|mv| Ok((mv, count(&position.after(mv), rest, leash)?))).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn leash<'a>(stop: &'a StopFlag, shutdown: &'a StopFlag) -> Leash<'a> {
        Leash { stop, shutdown, deadline: Instant::now() + Duration::from_secs(60) }
    }

    #[test]
    fn it_counts_what_perft_counts() {
        let (stop, shutdown) = (StopFlag::default(), StopFlag::default());
        let start = Position::startpos();
        for (depth, nodes) in [1, 20, 400, 8_902, 197_281, 4_865_609].into_iter().enumerate() {
            assert_eq!(count(&start, depth as u32, &leash(&stop, &shutdown)), Ok(nodes));
            let divided = divide(&start, depth as u32, &leash(&stop, &shutdown)).unwrap();
            assert_eq!(divided, perft::divide(&start, depth as u32));
        }
    }

    #[test]
    fn it_ends_within_milliseconds_of_its_deadline() {
        let (stop, shutdown) = (StopFlag::default(), StopFlag::default());
        let took = (0..9).map(|_| {
            let begun = Instant::now();
            let short = Leash { deadline: begun + Duration::from_millis(20), ..leash(&stop, &shutdown) };
            assert_eq!(count(&Position::startpos(), 12, &short), Err(Cut::Deadline));
            begun.elapsed()
        });
        let quickest = took.min().unwrap();
        assert!((Duration::from_millis(20)..Duration::from_millis(25)).contains(&quickest), "{quickest:?}");
    }

    #[test]
    fn it_ends_when_its_asker_leaves_or_the_service_ends() {
        let (stop, shutdown) = (StopFlag::default(), StopFlag::default());
        shutdown.stop();
        assert_eq!(count(&Position::startpos(), 12, &leash(&stop, &shutdown)), Err(Cut::Shutdown));
        stop.stop();
        assert_eq!(divide(&Position::startpos(), 12, &leash(&stop, &shutdown)), Err(Cut::Stopped));
    }
}
