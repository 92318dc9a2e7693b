//! Time management: the share of the game clock that one move may use.
//!
//! Chess Programming Wiki, "Time Management". A soft limit, which the state of the search stretches
//! or shrinks, is checked between iterations; a hard limit ends the search at once.

use std::time::Duration;

use crate::engine::limits::GameClock;
use crate::engine::score::Value;

/// The share of the increment that a move uses.
const INCREMENT_SHARE: f64 = 0.75;

/// The largest number of moves to the next time control that time is saved for.
const MAX_MOVES_TO_GO: f64 = 48.0;

/// The seconds that a move leaves on the clock: a process that the machine delays by a tenth of a
/// second must not lose the game.
const RESERVE_SECONDS: f64 = 0.100;

/// The largest share of the clock that the reserve may take, so that each move still has time when
/// the clock has run down.
const MAX_RESERVE_SHARE: f64 = 0.8;

/// The time limits of one move.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct TimeManager {
    soft_limit: Duration,
    hard_limit: Duration,
}

/// The state of a search after an iteration.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct IterationStats {
    /// The completed iterations since the best move last changed.
    pub(in crate::engine) stable_iterations: u32,
    /// The value of the last iteration.
    pub(in crate::engine) value: Value,
    /// The running average of the values before it.
    pub(in crate::engine) average: Value,
    /// The share of all nodes below the best move, from 0 to 1.
    pub(in crate::engine) node_share: f64,
    /// There is only one legal move.
    pub(in crate::engine) forced: bool,
}

/// The assumed number of moves to go when `movestogo` is absent, as a function of the move number.
///
/// Later in the game fewer moves remain, so the divisor falls with the move number. The share that
/// grows with the move number is from Stockfish and Reckless.
fn estimate_moves_to_go(fullmove_number: u16) -> f64 {
    17.0 + 42.0 * (-f64::from(fullmove_number) / 16.0).exp()
}

impl TimeManager {
    /// The limits of the move with this number on this clock.
    pub(in crate::engine) fn new(clock: &GameClock, fullmove_number: u16) -> TimeManager {
        let remaining = clock.remaining.saturating_sub(clock.overhead).as_secs_f64();
        let usable = remaining - RESERVE_SECONDS.min(MAX_RESERVE_SHARE * remaining);
        let increment = clock.increment.as_secs_f64();
        let moves = clock.moves_to_go.map_or_else(
            || estimate_moves_to_go(fullmove_number),
            |moves| f64::from(moves.max(1)).min(MAX_MOVES_TO_GO),
        );
        // The last move before a time control may use nearly all of the clock.
        let hard_seconds =
            if moves < 1.5 { 0.92 } else { 0.72_f64.min(0.3 + 3.0 / moves) } * usable;
        let share = usable / moves + INCREMENT_SHARE * increment;
        TimeManager {
            soft_limit: Duration::from_secs_f64(share.min(hard_seconds)),
            hard_limit: Duration::from_secs_f64(hard_seconds.min(share * 5.5)),
        }
    }

    /// The time after which the search must end, whatever its state.
    pub(in crate::engine) const fn hard_limit(&self) -> Duration {
        self.hard_limit
    }

    /// `true` when another iteration is not worth its time.
    pub(in crate::engine) fn should_stop(&self, elapsed: Duration, stats: &IterationStats) -> bool {
        if stats.forced {
            return elapsed >= self.soft_limit / 20;
        }
        // A best move with most of the nodes needs less time. A recently changed best move, or a
        // falling value, needs more.
        let share = (2.10 - 1.70 * stats.node_share).clamp(0.45, 2.0);
        let stability = 1.35 - 0.07 * f64::from(stats.stable_iterations.min(9));
        let fall = f64::from(stats.average - stats.value);
        let trend = (1.0 + fall / 180.0).clamp(0.75, 1.55);
        elapsed.as_secs_f64() >= self.soft_limit.as_secs_f64() * share * stability * trend
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STABLE: IterationStats = IterationStats {
        stable_iterations: 9,
        value: 20,
        average: 20,
        node_share: 0.9,
        forced: false,
    };
    const UNSTABLE: IterationStats = IterationStats {
        stable_iterations: 0,
        value: -60,
        average: 20,
        node_share: 0.2,
        forced: false,
    };

    fn clock(remaining: u64, increment: u64, moves_to_go: Option<u16>) -> GameClock {
        GameClock {
            remaining: Duration::from_millis(remaining),
            increment: Duration::from_millis(increment),
            moves_to_go,
            overhead: Duration::from_millis(10),
        }
    }

    #[test]
    fn no_move_may_use_the_whole_clock() {
        for remaining in [1, 11, 20, 100, 1_000, 60_000, 3_600_000] {
            for increment in [0, 10, 1_000, 60_000] {
                for moves in [None, Some(1), Some(2), Some(40)] {
                    let clock = clock(remaining, increment, moves);
                    let left = clock.remaining.saturating_sub(clock.overhead);
                    for number in [1, 20, 100, u16::MAX] {
                        assert!(
                            TimeManager::new(&clock, number).hard_limit() <= left.mul_f64(0.93),
                            "{clock:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_clock_with_an_increment_keeps_a_tenth_of_a_second() {
        let mut left = 1_000.0_f64;
        for number in 1..=300 {
            let time_manager = TimeManager::new(&clock(left as u64, 10, None), number);
            let spent = (1.75 * time_manager.soft_limit.as_secs_f64())
                .min(time_manager.hard_limit().as_secs_f64())
                * 1000.0;
            left += 10.0 - spent;
            assert!(left > 100.0, "{left}");
        }
        let low = TimeManager::new(&clock(40, 10, None), 80);
        assert!(
            low.hard_limit() > Duration::from_millis(2)
                && low.hard_limit() < Duration::from_millis(10),
            "{low:?}"
        );
    }

    #[test]
    fn an_unstable_search_gets_more_time_than_a_stable_one() {
        let time_manager = TimeManager::new(&clock(60_000, 600, None), 20);
        let stop_ms = |stats: &IterationStats| {
            (1..60_000)
                .find(|&ms| time_manager.should_stop(Duration::from_millis(ms), stats))
                .unwrap()
        };
        assert!(stop_ms(&UNSTABLE) > 3 * stop_ms(&STABLE));
        assert!(stop_ms(&IterationStats { forced: true, ..UNSTABLE }) < stop_ms(&STABLE) / 4);
    }

    #[test]
    fn opening_moves_get_no_more_time_than_middlegame_moves() {
        let mut left = 60_000.0_f64;
        let mut spent = Vec::new();
        for number in 9..=40 {
            let soft =
                TimeManager::new(&clock(left as u64, 600, None), number).soft_limit.as_secs_f64()
                    * 1000.0;
            left += 600.0 - soft;
            spent.push(soft);
        }
        let (least, most) = spent
            .iter()
            .fold((f64::MAX, 0.0_f64), |(least, most), &soft| (least.min(soft), most.max(soft)));
        assert!(most < 1.5 * least, "{spent:?}");
    }

    #[test]
    fn the_time_lasts_for_a_long_game() {
        let mut left = 60_000.0_f64;
        for number in 1..=150 {
            let time_manager = TimeManager::new(&clock(left as u64, 600, None), number);
            left += 600.0 - 10.0 - time_manager.soft_limit.as_secs_f64() * 1000.0;
            assert!(left > 0.0);
        }
    }
}
