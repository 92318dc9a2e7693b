//! Tests of time allocation.

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
    assert!(deadline.is_unlimited() && !deadline.is_over(true) && !deadline.is_too_late_to_retry());
    stop.stop();
    assert!(deadline.is_over(true));
}
