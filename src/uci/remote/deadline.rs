//! When a search has to be over.

use std::time::{Duration, Instant};

use crate::engine::{GameClock, Limits, StopFlag};

/// So often the order to stop is looked for.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(2);

/// What the way to the server and back may take of a fixed time.
const NETWORK_OVERHEAD: Duration = Duration::from_millis(20);

/// An answer of any kind needs this long.
const MIN_MOVE_TIME: Duration = Duration::from_millis(10);

/// A clock without moves to go is divided as if so many were left.
const MOVES_TO_GO_ESTIMATE: u32 = 25;

/// How long to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TimeAllocation {
    /// What the server is given.
    server_time: Duration,
    /// When the move is played, whether an answer has come or not.
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

    /// An even share of what is left and most of the increment, never all of it.
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

/// Watches a search's time and the order to stop.
pub(super) struct Deadline<'a> {
    stop: &'a StopFlag,
    allocation: Option<TimeAllocation>,
    /// On the opponent's time nothing counts yet: unlike an engine of our own a server may have
    /// thought nothing meanwhile.
    started_at: Option<Instant>,
}

impl<'a> Deadline<'a> {
    /// Time counts from now on, or from the moment when pondering ends.
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

    /// `true` when the search has no end of its own in time, now or later.
    pub(super) fn is_unlimited(&self) -> bool {
        self.allocation.is_none()
    }

    /// `true` once the move has to be told, whether the server has come to an end or not.
    ///
    /// A server that was given its time has a little longer, for the way of its answer. One that
    /// was asked before time counted knows of none, so there is nothing to wait for.
    fn is_over(&mut self, is_server_timed: bool) -> bool {
        self.start_unless_pondering();
        let left = self.time_left(|allocation| {
            if is_server_timed { allocation.hard_limit } else { allocation.server_time }
        });
        self.stop.is_stopped() || left.is_some_and(|left| left.is_zero())
    }

    /// `true` when so little is left that to ask once more is not worth it.
    pub(super) fn is_too_late_to_retry(&mut self) -> bool {
        self.start_unless_pondering();
        self.time_left(|allocation| allocation.server_time / 2).is_some_and(|left| left.is_zero())
    }

    /// What the server may take for its answer; `None` while time does not count.
    pub(super) fn server_time(&mut self) -> Option<Duration> {
        self.start_unless_pondering();
        self.time_left(|allocation| allocation.server_time)
    }

    fn time_left(&self, limit: impl Fn(TimeAllocation) -> Duration) -> Option<Duration> {
        self.allocation
            .zip(self.started_at)
            .map(|(allocation, from)| limit(allocation).saturating_sub(from.elapsed()))
    }

    /// Waits until the move has to be told: later where the server was told its time and an answer
    /// is on its way.
    pub(super) async fn wait_until_over(&mut self, is_server_timed: bool) {
        while !self.is_over(is_server_timed) {
            tokio::time::sleep(STOP_POLL_INTERVAL).await;
        }
    }

    /// Waits so long; `false` when the move has to be told before.
    pub(super) async fn sleep_unless_over(&mut self, duration: Duration) -> bool {
        tokio::time::timeout(duration, self.wait_until_over(true)).await.is_err()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn allocate(remaining: u64, increment: u64, moves_to_go: Option<u16>) -> TimeAllocation {
        TimeAllocation::from_clock(GameClock {
            remaining: ms(remaining),
            increment: ms(increment),
            moves_to_go,
            overhead: ms(20),
        })
    }

    #[test]
    fn a_clock_is_never_used_up() {
        for remaining in [50, 100, 1_000, 60_000, 3_600_000] {
            for increment in [0, 10, 5_000] {
                for moves_to_go in [None, Some(1), Some(40)] {
                    let allocation = allocate(remaining, increment, moves_to_go);
                    assert!(
                        allocation.server_time <= allocation.hard_limit
                            && allocation.hard_limit + ms(20) <= ms(remaining),
                        "{remaining} {increment}: {allocation:?}"
                    );
                }
            }
        }
        assert_eq!(allocate(0, 0, None).hard_limit, MIN_MOVE_TIME);
    }

    #[test]
    fn a_move_gets_a_share_of_the_remaining_time() {
        let allocation = allocate(60_020, 0, None);
        assert_eq!((allocation.server_time, allocation.hard_limit), (ms(2_400), ms(2_420)));
    }

    #[test]
    fn time_does_not_count_while_pondering() {
        let limits = Limits { movetime: Some(ms(0)), ..Limits::default() };
        let stop = StopFlag::pondering();
        let mut deadline = Deadline::new(&limits, &stop);
        assert!(!deadline.is_over(true) && deadline.server_time().is_none());
        stop.ponder_hit();
        assert!(deadline.is_over(true));
    }

    #[tokio::test]
    async fn an_untimed_server_gets_no_extra_time() {
        let limits = Limits { movetime: Some(ms(40)), ..Limits::default() };
        let stop = StopFlag::default();
        let mut deadline = Deadline::new(&limits, &stop);
        deadline.wait_until_over(false).await;
        assert!(deadline.server_time() == Some(Duration::ZERO));
    }

    #[test]
    fn without_a_time_limit_only_stop_ends_the_search() {
        let stop = StopFlag::default();
        let mut deadline = Deadline::new(&Limits { depth: Some(3), ..Limits::default() }, &stop);
        assert!(
            deadline.is_unlimited() && !deadline.is_over(true) && !deadline.is_too_late_to_retry()
        );
        stop.stop();
        assert!(deadline.is_over(true));
    }
}
