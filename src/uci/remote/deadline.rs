//! When a search has to be over.

use std::time::{Duration, Instant};

use crate::engine::{Clock, Limits, StopFlag};

/// So often the order to stop is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// What the way to the server and back may take of a fixed time.
const WAY: Duration = Duration::from_millis(20);

/// An answer of any kind needs this long.
const LEAST: Duration = Duration::from_millis(10);

/// A clock without moves to go is divided as if so many were left.
const MOVES_LEFT: u32 = 25;

/// How long to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plan {
    /// What the server is given.
    ask: Duration,
    /// When the move is played, whether an answer has come or not.
    cut: Duration,
}

impl Plan {
    fn new(limits: &Limits) -> Option<Plan> {
        let fixed = limits
            .movetime
            .map(|time| Plan { ask: time.saturating_sub(WAY.min(time / 5)), cut: time });
        let divided = limits.clock.map(Plan::of_clock);
        match (fixed, divided) {
            (Some(fixed), Some(divided)) => {
                Some(if fixed.cut < divided.cut { fixed } else { divided })
            }
            (one, other) => one.or(other),
        }
    }

    /// An even share of what is left and most of the increment, never all of it.
    fn of_clock(clock: Clock) -> Plan {
        let usable = clock.remaining.saturating_sub(clock.overhead);
        let moves =
            clock.moves_to_go.map_or(MOVES_LEFT, |moves| u32::from(moves.max(1)).min(MOVES_LEFT));
        let share = usable / moves + clock.increment * 3 / 4;
        let ask = share.min(usable * 4 / 5);
        Plan { ask: ask.max(LEAST / 2), cut: (ask + clock.overhead).min(usable).max(LEAST) }
    }
}

/// Watches a search's time and the order to stop.
pub(super) struct Deadline<'a> {
    stop: &'a StopFlag,
    plan: Option<Plan>,
    /// On the opponent's time nothing counts yet: unlike an engine of our own a server may have
    /// thought nothing meanwhile.
    counts_from: Option<Instant>,
}

impl<'a> Deadline<'a> {
    /// Time counts from now on, or from the moment when pondering ends.
    pub(super) fn new(limits: &Limits, stop: &'a StopFlag) -> Deadline<'a> {
        let mut deadline = Deadline { stop, plan: Plan::new(limits), counts_from: None };
        deadline.look();
        deadline
    }

    fn look(&mut self) {
        if self.counts_from.is_none() && !self.stop.is_pondering() {
            self.counts_from = Some(Instant::now());
        }
    }

    /// `true` when the search has no end of its own in time, now or later.
    pub(super) fn is_open(&self) -> bool {
        self.plan.is_none()
    }

    /// `true` once the move has to be told, whether the server has come to an end or not.
    ///
    /// A server that was given its time has a little longer, for the way of its answer. One that
    /// was asked before time counted knows of none, so there is nothing to wait for.
    fn is_over(&mut self, is_server_timed: bool) -> bool {
        self.look();
        let left = self.left(|plan| if is_server_timed { plan.cut } else { plan.ask });
        self.stop.is_stopped() || left.is_some_and(|left| left.is_zero())
    }

    /// `true` when so little is left that to ask once more is not worth it.
    pub(super) fn is_late(&mut self) -> bool {
        self.look();
        self.left(|plan| plan.ask / 2).is_some_and(|left| left.is_zero())
    }

    /// What the server may take for its answer; `None` while time does not count.
    pub(super) fn server_time(&mut self) -> Option<Duration> {
        self.look();
        self.left(|plan| plan.ask)
    }

    fn left(&self, of: impl Fn(Plan) -> Duration) -> Option<Duration> {
        self.plan.zip(self.counts_from).map(|(plan, from)| of(plan).saturating_sub(from.elapsed()))
    }

    /// Waits until the move has to be told: later where the server was told its time and an answer
    /// is on its way.
    pub(super) async fn passed(&mut self, is_server_timed: bool) {
        while !self.is_over(is_server_timed) {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Waits so long; `false` when the move has to be told before.
    pub(super) async fn wait(&mut self, time: Duration) -> bool {
        tokio::time::timeout(time, self.passed(true)).await.is_err()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn plan(remaining: u64, increment: u64, moves_to_go: Option<u16>) -> Plan {
        Plan::of_clock(Clock {
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
                    let plan = plan(remaining, increment, moves_to_go);
                    assert!(
                        plan.ask <= plan.cut && plan.cut + ms(20) <= ms(remaining),
                        "{remaining} {increment}: {plan:?}"
                    );
                }
            }
        }
        assert_eq!(plan(0, 0, None).cut, LEAST);
    }

    #[test]
    fn of_a_minute_a_move_gets_a_share() {
        let plan = plan(60_020, 0, None);
        assert_eq!((plan.ask, plan.cut), (ms(2_400), ms(2_420)));
    }

    #[test]
    fn on_the_opponents_time_nothing_counts() {
        let limits = Limits { movetime: Some(ms(0)), ..Limits::default() };
        let stop = StopFlag::pondering();
        let mut deadline = Deadline::new(&limits, &stop);
        assert!(!deadline.is_over(true) && deadline.server_time().is_none());
        stop.ponder_hit();
        assert!(deadline.is_over(true));
    }

    #[tokio::test]
    async fn who_was_asked_while_pondering_ends_when_its_time_would_have() {
        let limits = Limits { movetime: Some(ms(40)), ..Limits::default() };
        let stop = StopFlag::default();
        let mut deadline = Deadline::new(&limits, &stop);
        deadline.passed(false).await;
        assert!(deadline.server_time() == Some(Duration::ZERO));
    }

    #[test]
    fn without_a_time_only_stop_ends_it() {
        let stop = StopFlag::default();
        let mut deadline = Deadline::new(&Limits { depth: Some(3), ..Limits::default() }, &stop);
        assert!(deadline.is_open() && !deadline.is_over(true) && !deadline.is_late());
        stop.stop();
        assert!(deadline.is_over(true));
    }
}
