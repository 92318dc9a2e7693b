//! Numbers as members have them.

use std::time::Duration;

/// Whole milliseconds, as members that end in `_ms` have them.
pub(crate) fn whole_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// How many of something a second.
pub(crate) fn per_second(count: u64, time: Duration) -> u64 {
    let microseconds = time.as_micros().max(1);
    u64::try_from(u128::from(count) * 1_000_000 / microseconds).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_at_all_does_not_divide_by_zero() {
        assert_eq!(per_second(3, Duration::ZERO), 3_000_000);
        assert_eq!(per_second(500, Duration::from_millis(250)), 2_000);
    }
}
