//! Perft that can be stopped.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::queue::{Place, Queue};
use super::{AnalysisError, PerftAnswer};
use crate::chess::{Move, Position, perft};
use crate::engine::StopFlag;

/// Below this many plies the count is not interrupted: at most some ten thousand nodes, well under
/// a millisecond.
const WITHOUT_LOOKING_UP: u8 = 2;

/// A perft's asker. Dropping it is leaving.
pub(super) struct Seat {
    stop: Arc<StopFlag>,
    place: Place,
    queue: Arc<Queue>,
}

impl Seat {
    pub(super) fn new(stop: Arc<StopFlag>, place: Place, queue: Arc<Queue>) -> Seat {
        Seat { stop, place, queue }
    }

    /// Waits for the answer, and for its turn at most so long.
    pub(super) async fn wait(
        self,
        max_wait: Duration,
        mut answered: oneshot::Receiver<Result<PerftAnswer, AnalysisError>>,
    ) -> Result<PerftAnswer, AnalysisError> {
        let no_answer = |_| AnalysisError::Internal("perft ended without an answer");
        match timeout(max_wait, &mut answered).await {
            Ok(answer) => answer.map_err(no_answer)?,
            Err(_late) if self.queue.position(self.place).is_some() => {
                Err(self.queue.late(self.place.class(), max_wait))
            }
            // It has begun, and ends by its own limit.
            Err(_late) => answered.await.map_err(no_answer)?,
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.stop.stop();
        self.queue.leave(self.place);
    }
}

/// Counts for an asker, for at most so long, and says when it began.
pub(super) fn answer(
    position: &Position,
    depth: u8,
    divide: bool,
    max: Duration,
    stop: &StopFlag,
    shutdown: &StopFlag,
) -> Result<PerftAnswer, AnalysisError> {
    let started = Instant::now();
    let leash = Leash { stop, shutdown, deadline: started + max };
    let counted = if divide && depth > 0 {
        divide_moves(position, depth, &leash)
            .map(|moves| (moves.iter().map(|(_, nodes)| nodes).sum(), Some(moves)))
    } else {
        count(position, depth, &leash).map(|nodes| (nodes, divide.then(Vec::new)))
    };
    match counted {
        Ok((nodes, divide)) => Ok(PerftAnswer { nodes, divide, elapsed: started.elapsed() }),
        Err(Cut::Deadline) => Err(AnalysisError::PerftTooLarge { max }),
        Err(Cut::Shutdown) => Err(AnalysisError::shutting_down()),
        Err(Cut::Stopped) => Err(AnalysisError::Internal("a count that nobody waits for")),
    }
}

/// What ends a count before its end.
struct Leash<'a> {
    /// The asker left.
    stop: &'a StopFlag,
    /// The service ends.
    shutdown: &'a StopFlag,
    /// It may not take longer.
    deadline: Instant,
}

/// Why a count did not come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
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
fn count(position: &Position, depth: u8, leash: &Leash<'_>) -> Result<u64, Cut> {
    leash.check()?;
    if depth <= WITHOUT_LOOKING_UP {
        return Ok(perft::perft(position, depth));
    }
    let moves = position.legal_moves();
    moves
        .into_iter()
        .try_fold(0, |nodes, mv| Ok(nodes + count(&position.after(mv), depth - 1, leash)?))
}

/// The same, apart for each first move, in generation order. Depth 0 has no first move.
fn divide_moves(
    position: &Position,
    depth: u8,
    leash: &Leash<'_>,
) -> Result<Vec<(Move, u64)>, Cut> {
    leash.check()?;
    let Some(rest) = depth.checked_sub(1) else { return Ok(Vec::new()) };
    position
        .legal_moves()
        .into_iter()
        .map(|mv| Ok((mv, count(&position.after(mv), rest, leash)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leash<'a>(stop: &'a StopFlag, shutdown: &'a StopFlag) -> Leash<'a> {
        Leash { stop, shutdown, deadline: Instant::now() + Duration::from_secs(60) }
    }

    #[test]
    fn it_counts_what_perft_counts() {
        let (stop, shutdown) = (StopFlag::default(), StopFlag::default());
        let start = Position::startpos();
        for (depth, nodes) in [1, 20, 400, 8_902, 197_281, 4_865_609].into_iter().enumerate() {
            assert_eq!(count(&start, depth as u8, &leash(&stop, &shutdown)), Ok(nodes));
            let divided = divide_moves(&start, depth as u8, &leash(&stop, &shutdown)).unwrap();
            assert_eq!(divided, perft::divide(&start, depth as u8));
        }
    }

    #[test]
    fn it_ends_within_milliseconds_of_its_deadline() {
        let (stop, shutdown) = (StopFlag::default(), StopFlag::default());
        let took = (0..9).map(|_| {
            let begun = Instant::now();
            let short =
                Leash { deadline: begun + Duration::from_millis(20), ..leash(&stop, &shutdown) };
            assert_eq!(count(&Position::startpos(), 12, &short), Err(Cut::Deadline));
            begun.elapsed()
        });
        let quickest = took.min().unwrap();
        assert!(
            (Duration::from_millis(20)..Duration::from_millis(25)).contains(&quickest),
            "{quickest:?}"
        );
    }

    #[test]
    fn it_ends_when_its_asker_leaves_or_the_service_ends() {
        let (stop, shutdown) = (StopFlag::default(), StopFlag::default());
        shutdown.stop();
        assert_eq!(count(&Position::startpos(), 12, &leash(&stop, &shutdown)), Err(Cut::Shutdown));
        stop.stop();
        assert_eq!(
            divide_moves(&Position::startpos(), 12, &leash(&stop, &shutdown)),
            Err(Cut::Stopped)
        );
    }
}
