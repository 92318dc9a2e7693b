//! The deadline of a remote search.

use std::time::{Duration, Instant};

use crate::engine::{GameClock, Limits, StopFlag};

/// Interval of polling the stop flag.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Most time of a fixed move time that is reserved for the network; at most a fifth of it is.
const NETWORK_OVERHEAD: Duration = Duration::from_millis(20);

/// Shortest time in which an answer can arrive.
const MIN_MOVE_TIME: Duration = Duration::from_millis(10);

/// Assumed number of remaining moves when the clock does not give it.
const MOVES_TO_GO_ESTIMATE: u32 = 25;

/// The time of one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TimeAllocation {
    /// Time that the server gets.
    server_time: Duration,
    /// Time after which the move is played, with or without an answer.
    hard_limit: Duration,
}

impl TimeAllocation {
    fn new(limits: &Limits) -> Option<TimeAllocation> {
        let fixed = limits.movetime.map(|time| TimeAllocation {
            server_time: time.saturating_sub(NETWORK_OVERHEAD.min(time / 5)),
            hard_limit: time,
        });
        let from_clock = limits.clock.map(TimeAllocation::from_clock);
        match (fixed, from_clock) {
            (Some(fixed), Some(from_clock)) => {
                Some(if fixed.hard_limit < from_clock.hard_limit { fixed } else { from_clock })
            }
            (one, other) => one.or(other),
        }
    }

    /// Allocates an even share of the remaining time and most of the increment.
    fn from_clock(clock: GameClock) -> TimeAllocation {
        let usable = clock.remaining.saturating_sub(clock.overhead);
        let moves = clock.moves_to_go.map_or(MOVES_TO_GO_ESTIMATE, |moves| {
            u32::from(moves.max(1)).min(MOVES_TO_GO_ESTIMATE)
        });
        let share = usable / moves + clock.increment * 3 / 4;
        let server_time = share.min(usable * 4 / 5);
        TimeAllocation {
            server_time: server_time.max(MIN_MOVE_TIME / 2),
            hard_limit: (server_time + clock.overhead).min(usable).max(MIN_MOVE_TIME),
        }
    }
}

/// The end of a search by time or by `stop`.
pub(super) struct Deadline<'a> {
    stop: &'a StopFlag,
    allocation: Option<TimeAllocation>,
    /// Start of the time. There is none while pondering: unlike a local engine, a server may not
    /// have searched meanwhile.
    started_at: Option<Instant>,
}

impl<'a> Deadline<'a> {
    /// A deadline whose time starts now, or when pondering ends.
    pub(super) fn new(limits: &Limits, stop: &'a StopFlag) -> Deadline<'a> {
        let mut deadline =
            Deadline { stop, allocation: TimeAllocation::new(limits), started_at: None };
        deadline.start_unless_pondering();
        deadline
    }

    fn start_unless_pondering(&mut self) {
        if self.started_at.is_none() && !self.stop.is_pondering() {
            self.started_at = Some(Instant::now());
        }
    }

    /// `true` when no time limit ends the search, now or later.
    pub(super) fn is_unlimited(&self) -> bool {
        self.allocation.is_none()
    }

    /// `true` once the move must be sent, whether the server has finished or not.
    ///
    /// A server that knows its time has a little longer, for the network. A server that was asked
    /// while pondering has no time limit, so waiting longer is useless.
    fn is_over(&mut self, is_server_timed: bool) -> bool {
        self.start_unless_pondering();
        let left = self.time_left(|allocation| {
            if is_server_timed { allocation.hard_limit } else { allocation.server_time }
        });
        self.stop.is_stopped() || left.is_some_and(|left| left.is_zero())
    }

    /// `true` when too little time is left for another request.
    pub(super) fn is_too_late_to_retry(&mut self) -> bool {
        self.start_unless_pondering();
        self.time_left(|allocation| allocation.server_time / 2).is_some_and(|left| left.is_zero())
    }

    /// Time that the server has left; `None` while no time limit counts.
    pub(super) fn server_time(&mut self) -> Option<Duration> {
        self.start_unless_pondering();
        self.time_left(|allocation| allocation.server_time)
    }

    fn time_left(&self, limit: impl Fn(TimeAllocation) -> Duration) -> Option<Duration> {
        self.allocation
            .zip(self.started_at)
            .map(|(allocation, from)| limit(allocation).saturating_sub(from.elapsed()))
    }

    /// Waits until the move must be sent. A server that knows its time gets a little longer.
    pub(super) async fn wait_until_over(&mut self, is_server_timed: bool) {
        while !self.is_over(is_server_timed) {
            tokio::time::sleep(STOP_POLL_INTERVAL).await;
        }
    }

    /// Sleeps for a duration. Returns `false` when the move must be sent earlier.
    pub(super) async fn sleep_unless_over(&mut self, duration: Duration) -> bool {
        tokio::time::timeout(duration, self.wait_until_over(true)).await.is_err()
    }
}

#[cfg(test)]
mod tests;
