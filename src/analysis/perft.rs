//! Interruptible perft on the worker threads. An interrupted count continues where it was.

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
    /// Stops the count when the client leaves, and interrupts it for a restart.
    pub(super) control: Arc<TaskControl>,
    pub(super) shutdown: Arc<StopFlag>,
    pub(super) result_sender: oneshot::Sender<Result<PerftResult, AnalysisError>>,
    pub(super) progress: Progress,
}

/// What a perft has counted so far.
#[derive(Default)]
pub(super) struct Progress {
    /// The first moves that are counted, in generation order.
    divide: Vec<(Move, u64)>,
    /// Where the count of the next first move was interrupted, from the last ply to the first.
    path: Vec<CountedMoves>,
    /// The time of earlier runs.
    elapsed: Duration,
}

/// The part of a position's count that is done.
#[derive(Default)]
struct CountedMoves {
    /// How many of its moves are counted.
    moves: usize,
    /// The sum of their counts.
    nodes: u64,
}

impl TaskBody for PerftTask {
    fn run(mut self: Box<Self>, admission: Admission) -> Option<Box<dyn TaskBody>> {
        let result = match admission {
            Admission::Admitted => {
                match run(&self.request, &mut self.progress, &self.control.flag(), &self.shutdown) {
                    Err(PerftAbort::Stopped) if self.control.end_run(true) => return Some(self),
                    result => self.answer(result),
                }
            }
            Admission::Rejected(error) => Err(error),
        };
        // The receiver is gone if the client has left.
        let _ = self.result_sender.send(result);
        None
    }
}

impl PerftTask {
    /// The answer to a count that has ended.
    fn answer(&mut self, end: Result<(), PerftAbort>) -> Result<PerftResult, AnalysisError> {
        match end {
            Ok(()) => {
                let divide = std::mem::take(&mut self.progress.divide);
                // Without a ply there is one sequence: the empty one.
                let nodes = match self.request.depth {
                    0 => 1,
                    _ => divide.iter().map(|(_, nodes)| nodes).sum(),
                };
                let divide = self.request.divide.then_some(divide);
                Ok(PerftResult { nodes, divide, elapsed: self.progress.elapsed })
            }
            Err(PerftAbort::Deadline) => {
                Err(AnalysisError::PerftTooLarge { max: self.request.max_time })
            }
            Err(PerftAbort::Shutdown) => Err(AnalysisError::shutting_down()),
            Err(PerftAbort::Stopped) => {
                Err(AnalysisError::Internal("the client of a perft has left"))
            }
        }
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

/// Counts until the end or a limit, from where the last run ended.
fn run(
    request: &PerftRequest,
    progress: &mut Progress,
    stop: &StopFlag,
    shutdown: &StopFlag,
) -> Result<(), PerftAbort> {
    let started = Instant::now();
    let rest = request.max_time.saturating_sub(progress.elapsed);
    let limits = PerftLimits { stop, shutdown, deadline: started + rest };
    let end = count_moves(&request.position, request.depth, &limits, progress);
    progress.elapsed += started.elapsed().saturating_sub(stop.ended_pauses());
    end
}

/// What ends a count early.
struct PerftLimits<'a> {
    /// The client has left, or the count restarts later.
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

/// Counts the sequences after each first move. Depth 0 has no first move.
fn count_moves(
    position: &Position,
    depth: u8,
    limits: &PerftLimits<'_>,
    progress: &mut Progress,
) -> Result<(), PerftAbort> {
    limits.check()?;
    let Some(rest) = depth.checked_sub(1) else { return Ok(()) };
    for mv in position.legal_moves().into_iter().skip(progress.divide.len()) {
        let nodes = count(&position.after(mv), rest, limits, &mut progress.path)?;
        progress.divide.push((mv, nodes));
    }
    Ok(())
}

/// The number of legal move sequences of `depth` plies, as [`perft::perft`] counts them. The count
/// begins where `path` says that it was interrupted, and leaves its place there at an interruption.
fn count(
    position: &Position,
    depth: u8,
    limits: &PerftLimits<'_>,
    path: &mut Vec<CountedMoves>,
) -> Result<u64, PerftAbort> {
    limits.check()?;
    if depth <= UNCHECKED_DEPTH {
        return Ok(perft::perft(position, depth));
    }
    let CountedMoves { moves, mut nodes } = path.pop().unwrap_or_default();
    for (number, mv) in position.legal_moves().into_iter().enumerate().skip(moves) {
        match count(&position.after(mv), depth - 1, limits, path) {
            Ok(more) => nodes += more,
            Err(abort) => {
                path.push(CountedMoves { moves: number, nodes });
                return Err(abort);
            }
        }
    }
    Ok(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits<'a>(stop: &'a StopFlag, shutdown: &'a StopFlag) -> PerftLimits<'a> {
        PerftLimits { stop, shutdown, deadline: Instant::now() + Duration::from_secs(60) }
    }

    /// A count that does not end by itself.
    fn count_deep(limits: &PerftLimits<'_>) -> Result<(), PerftAbort> {
        count_moves(&Position::startpos(), 12, limits, &mut Progress::default())
    }

    #[test]
    fn interruptible_counts_match_plain_perft() {
        let (stop, shutdown) = (StopFlag::default(), StopFlag::default());
        let start = Position::startpos();
        for depth in 0..=5 {
            let mut progress = Progress::default();
            count_moves(&start, depth, &limits(&stop, &shutdown), &mut progress).unwrap();
            assert_eq!(progress.divide, perft::divide(&start, depth));
        }
    }

    #[test]
    fn a_count_continues_where_it_was_interrupted() {
        let (stop, shutdown) = (StopFlag::default(), StopFlag::default());
        let start = Position::startpos();
        let mut progress = Progress::default();
        let mut interruptions = 0;
        loop {
            let deadline = Instant::now() + Duration::from_micros(300);
            let short_limits = PerftLimits { deadline, ..limits(&stop, &shutdown) };
            match count_moves(&start, 5, &short_limits, &mut progress) {
                Ok(()) => break,
                Err(abort) => assert_eq!(abort, PerftAbort::Deadline),
            }
            interruptions += 1;
            assert!(interruptions < 100_000, "the count makes no progress");
        }
        assert!(interruptions > 3, "{interruptions}");
        assert_eq!(progress.divide, perft::divide(&start, 5));
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
            assert_eq!(count_deep(&short_limits), Err(PerftAbort::Deadline));
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
        assert_eq!(count_deep(&limits(&stop, &shutdown)), Err(PerftAbort::Shutdown));
        stop.stop();
        assert_eq!(count_deep(&limits(&stop, &shutdown)), Err(PerftAbort::Stopped));
    }
}
