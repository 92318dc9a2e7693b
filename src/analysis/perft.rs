//! Interruptible perft on the worker threads.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::answer::{AnalysisError, PerftResult};
use super::queue::{Admission, Queue, TaskBody, TaskControl};
use super::session::Client;
use crate::chess::{Move, Position, perft};
use crate::engine::StopFlag;

/// Up to this depth a count is not interrupted: at most some ten thousand nodes, well under a
/// millisecond.
const UNCHECKED_DEPTH: u8 = 2;

/// A request for a perft.
#[derive(Clone, Debug)]
pub struct PerftRequest {
    /// The client, which shares the queue with the others.
    pub client: Client,
    /// The position.
    pub position: Position,
    /// The length of the move sequences, in plies.
    pub depth: u8,
    /// Count each first move separately.
    pub divide: bool,
    /// The longest that the count may run, without the time in the queue.
    pub max_time: Duration,
}

/// A perft as a task of the queue.
pub(super) struct PerftTask {
    pub(super) request: PerftRequest,
    /// Stops the count when the client leaves.
    pub(super) control: Arc<TaskControl>,
    pub(super) shutdown: Arc<StopFlag>,
    pub(super) result_sender: oneshot::Sender<Result<PerftResult, AnalysisError>>,
}

impl TaskBody for PerftTask {
    fn run(self: Box<Self>, admission: Admission) -> Option<Box<dyn TaskBody>> {
        let result = match admission {
            Admission::Admitted => run(&self.request, &self.control.flag(), &self.shutdown),
            Admission::Rejected(error) => Err(error),
        };
        // The receiver is gone if the client has left.
        let _ = self.result_sender.send(result);
        None
    }
}

/// The client's side of a queued perft. Dropping it cancels the perft.
pub(super) struct PerftHandle {
    control: Arc<TaskControl>,
    queue: Arc<Queue>,
}

impl PerftHandle {
    pub(super) fn new(control: Arc<TaskControl>, queue: Arc<Queue>) -> PerftHandle {
        PerftHandle { control, queue }
    }

    /// Waits for the result, and at most `max_wait` for the start.
    pub(super) async fn wait(
        self,
        max_wait: Duration,
        mut result: oneshot::Receiver<Result<PerftResult, AnalysisError>>,
    ) -> Result<PerftResult, AnalysisError> {
        let no_answer = |_| AnalysisError::Internal("perft ended without a result");
        match timeout(max_wait, &mut result).await {
            Ok(answer) => answer.map_err(no_answer)?,
            Err(_late) if self.queue.is_unstarted(&self.control) => {
                Err(self.queue.time_out(&self.control, max_wait))
            }
            // The count has started, and ends by its own time limit.
            Err(_late) => result.await.map_err(no_answer)?,
        }
    }
}

impl Drop for PerftHandle {
    fn drop(&mut self) {
        self.control.stop();
        self.queue.remove(&self.control);
    }
}

/// Counts until the end or a limit.
fn run(
    request: &PerftRequest,
    stop: &StopFlag,
    shutdown: &StopFlag,
) -> Result<PerftResult, AnalysisError> {
    let &PerftRequest { ref position, depth, divide, max_time, .. } = request;
    let started = Instant::now();
    let limits = PerftLimits { stop, shutdown, deadline: started + max_time };
    let result = if divide && depth > 0 {
        divide_moves(position, depth, &limits)
            .map(|moves| (moves.iter().map(|(_, nodes)| nodes).sum(), Some(moves)))
    } else {
        count(position, depth, &limits).map(|nodes| (nodes, divide.then(Vec::new)))
    };
    match result {
        Ok((nodes, divide)) => {
            let elapsed = started.elapsed().saturating_sub(stop.ended_pauses());
            Ok(PerftResult { nodes, divide, elapsed })
        }
        Err(PerftAbort::Deadline) => Err(AnalysisError::PerftTooLarge { max: max_time }),
        Err(PerftAbort::Shutdown) => Err(AnalysisError::shutting_down()),
        Err(PerftAbort::Stopped) => Err(AnalysisError::Internal("the client of a perft has left")),
    }
}

/// What ends a count early.
struct PerftLimits<'a> {
    /// The client has left.
    stop: &'a StopFlag,
    /// The service shuts down.
    shutdown: &'a StopFlag,
    /// The time limit. Pauses move it.
    deadline: Instant,
}

/// Why a count ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PerftAbort {
    Stopped,
    Shutdown,
    Deadline,
}

impl PerftLimits<'_> {
    fn check(&self) -> Result<(), PerftAbort> {
        if self.stop.is_paused() {
            self.stop.wait_while_paused();
        }
        if self.stop.is_stopped() {
            Err(PerftAbort::Stopped)
        } else if self.shutdown.is_stopped() {
            Err(PerftAbort::Shutdown)
        } else if Instant::now() >= self.deadline + self.stop.ended_pauses() {
            Err(PerftAbort::Deadline)
        } else {
            Ok(())
        }
    }
}

/// The number of legal move sequences of `depth` plies, as [`perft::perft`] counts them.
fn count(position: &Position, depth: u8, limits: &PerftLimits<'_>) -> Result<u64, PerftAbort> {
    limits.check()?;
    if depth <= UNCHECKED_DEPTH {
        return Ok(perft::perft(position, depth));
    }
    let moves = position.legal_moves();
    moves
        .into_iter()
        .try_fold(0, |nodes, mv| Ok(nodes + count(&position.after(mv), depth - 1, limits)?))
}

/// The same count for each first move, in generation order. Depth 0 has no first move.
fn divide_moves(
    position: &Position,
    depth: u8,
    limits: &PerftLimits<'_>,
) -> Result<Vec<(Move, u64)>, PerftAbort> {
    limits.check()?;
    let Some(rest) = depth.checked_sub(1) else { return Ok(Vec::new()) };
    position
        .legal_moves()
        .into_iter()
        .map(|mv| Ok((mv, count(&position.after(mv), rest, limits)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits<'a>(stop: &'a StopFlag, shutdown: &'a StopFlag) -> PerftLimits<'a> {
        PerftLimits { stop, shutdown, deadline: Instant::now() + Duration::from_secs(60) }
    }

    #[test]
    fn interruptible_counts_match_plain_perft() {
        let (stop, shutdown) = (StopFlag::default(), StopFlag::default());
        let start = Position::startpos();
        for (depth, nodes) in [1, 20, 400, 8_902, 197_281, 4_865_609].into_iter().enumerate() {
            assert_eq!(count(&start, depth as u8, &limits(&stop, &shutdown)), Ok(nodes));
            let divided = divide_moves(&start, depth as u8, &limits(&stop, &shutdown)).unwrap();
            assert_eq!(divided, perft::divide(&start, depth as u8));
        }
    }

    #[test]
    fn perft_stops_within_milliseconds_of_its_deadline() {
        let (stop, shutdown) = (StopFlag::default(), StopFlag::default());
        let took = (0..9).map(|_| {
            let started = Instant::now();
            let short_limits = PerftLimits {
                deadline: started + Duration::from_millis(20),
                ..limits(&stop, &shutdown)
            };
            assert_eq!(count(&Position::startpos(), 12, &short_limits), Err(PerftAbort::Deadline));
            started.elapsed()
        });
        let quickest = took.min().unwrap();
        assert!(
            (Duration::from_millis(20)..Duration::from_millis(25)).contains(&quickest),
            "{quickest:?}"
        );
    }

    #[test]
    fn perft_stops_when_its_client_leaves_or_the_service_shuts_down() {
        let (stop, shutdown) = (StopFlag::default(), StopFlag::default());
        shutdown.stop();
        assert_eq!(
            count(&Position::startpos(), 12, &limits(&stop, &shutdown)),
            Err(PerftAbort::Shutdown)
        );
        stop.stop();
        assert_eq!(
            divide_moves(&Position::startpos(), 12, &limits(&stop, &shutdown)),
            Err(PerftAbort::Stopped)
        );
    }
}
