//! The counters of a running load test.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::error::LoadError;
use crate::latency::LatencyHistogram;
use crate::outcome::{CompleteResponse, RequestOutcome, TransportFailure};

/// Most distinct problem codes. Further ones count as `other`.
const MAX_CODES: usize = 64;
const OTHER_CODES: &str = "other";

/// The counters of a running load test.
pub(crate) struct LoadStats {
    /// End of the measured time.
    end: Instant,
    pub(crate) response_times: LatencyHistogram,
    pub(crate) refusal_times: LatencyHistogram,
    pub(crate) first_line_times: LatencyHistogram,
    pub(crate) server_times: LatencyHistogram,
    /// Complete responses before the end.
    pub(crate) answered_in_time: u64,
    pub(crate) bytes: u64,
    pub(crate) misses: u64,
    pub(crate) statuses: BTreeMap<u16, u64>,
    pub(crate) codes: BTreeMap<String, u64>,
    pub(crate) failures: BTreeMap<TransportFailure, u64>,
    pub(crate) callers: Vec<CallerStats>,
    /// Requests that were due when too many were running.
    pub(crate) not_sent: u64,
    /// Requests that were cancelled at the end of the measurement.
    pub(crate) unfinished: u64,
}

/// The counters of one API key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallerStats {
    /// Requests with any outcome.
    pub(crate) requests: u64,
    /// Complete responses.
    pub(crate) answered: u64,
}

impl LoadStats {
    /// Counters at zero for a number of callers.
    pub(crate) fn new(end: Instant, callers: usize) -> Result<LoadStats, LoadError> {
        Ok(LoadStats {
            end,
            response_times: LatencyHistogram::new()?,
            refusal_times: LatencyHistogram::new()?,
            first_line_times: LatencyHistogram::new()?,
            server_times: LatencyHistogram::new()?,
            answered_in_time: 0,
            bytes: 0,
            misses: 0,
            statuses: BTreeMap::new(),
            codes: BTreeMap::new(),
            failures: BTreeMap::new(),
            callers: vec![CallerStats::default(); callers],
            not_sent: 0,
            unfinished: 0,
        })
    }

    /// Records the outcome of a request that was due at `due`. Returns the wait of `Retry-After`.
    pub(crate) fn record(
        &mut self,
        caller: usize,
        due: Instant,
        outcome: RequestOutcome,
    ) -> Option<Duration> {
        let now = Instant::now();
        let took = now.saturating_duration_since(due);
        let is_complete = matches!(outcome, RequestOutcome::Complete(_));
        if let Some(stats) = self.callers.get_mut(caller) {
            stats.requests += 1;
            stats.answered += u64::from(is_complete);
        }
        match outcome {
            RequestOutcome::Complete(response) => {
                self.response_times.record(took);
                self.answered_in_time += u64::from(now <= self.end);
                self.record_complete(&response, due);
                None
            }
            RequestOutcome::Refused { status, code, retry_after } => {
                self.refusal_times.record(took);
                *self.statuses.entry(status).or_default() += 1;
                let code = code
                    .filter(|code| self.codes.contains_key(code) || self.codes.len() < MAX_CODES);
                *self.codes.entry(code.unwrap_or_else(|| OTHER_CODES.to_owned())).or_default() += 1;
                retry_after
            }
            RequestOutcome::Failed(failure) => {
                *self.failures.entry(failure).or_default() += 1;
                None
            }
        }
    }

    fn record_complete(&mut self, response: &CompleteResponse, due: Instant) {
        *self.statuses.entry(200).or_default() += 1;
        self.bytes += response.bytes as u64;
        self.misses += u64::from(response.is_miss);
        if let Some(first) = response.first_line {
            self.first_line_times.record(first.saturating_duration_since(due));
        }
        if let Some(time) = response.server_time {
            self.server_times.record(time);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_refusals_and_failures_are_counted_separately() {
        let now = Instant::now();
        let mut stats = LoadStats::new(now + Duration::from_secs(60), 2).unwrap();
        let second = Some(Duration::from_secs(1));
        let refusal = |code: &str| RequestOutcome::Refused {
            status: 503,
            code: Some(code.to_owned()),
            retry_after: second,
        };
        assert_eq!(
            stats.record(
                0,
                now,
                RequestOutcome::Complete(CompleteResponse {
                    bytes: 10,
                    ..CompleteResponse::default()
                })
            ),
            None
        );
        assert_eq!(stats.record(1, now, refusal("queue_full")), second);
        assert_eq!(stats.record(1, now, RequestOutcome::Failed(TransportFailure::TimedOut)), None);
        assert_eq!((stats.answered_in_time, stats.bytes, stats.misses), (1, 10, 0));
        assert_eq!(stats.statuses, BTreeMap::from([(200, 1), (503, 1)]));
        assert_eq!(stats.codes, BTreeMap::from([("queue_full".to_owned(), 1)]));
        assert_eq!(stats.failures, BTreeMap::from([(TransportFailure::TimedOut, 1)]));
        assert_eq!(
            stats.callers,
            [CallerStats { requests: 1, answered: 1 }, CallerStats { requests: 2, answered: 0 }]
        );
    }

    #[test]
    fn the_number_of_distinct_codes_is_bounded() {
        let now = Instant::now();
        let mut stats = LoadStats::new(now, 1).unwrap();
        for index in 0..200 {
            stats.record(
                0,
                now,
                RequestOutcome::Refused {
                    status: 500,
                    code: Some(index.to_string()),
                    retry_after: None,
                },
            );
        }
        assert_eq!(
            (stats.codes.len(), stats.codes[OTHER_CODES]),
            (MAX_CODES + 1, 200 - MAX_CODES as u64)
        );
    }
}
