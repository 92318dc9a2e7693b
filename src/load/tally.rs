//! What has been answered so far.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::LoadError;
use super::answer::{Answer, Failure, Whole};
use super::latencies::Latencies;

/// A server may tell as many codes as it likes; of more than these only the number is kept.
const MOST_CODES: usize = 64;
const OTHER_CODES: &str = "other";

/// What has been answered so far.
pub(super) struct Tally {
    /// When the time that is measured is over.
    ends: Instant,
    pub(super) whole: Latencies,
    pub(super) refused: Latencies,
    pub(super) first_lines: Latencies,
    pub(super) server_times: Latencies,
    /// Whole answers that came before the end.
    pub(super) in_time: u64,
    pub(super) bytes: u64,
    pub(super) misses: u64,
    pub(super) statuses: BTreeMap<u16, u64>,
    pub(super) codes: BTreeMap<String, u64>,
    pub(super) failures: BTreeMap<Failure, u64>,
    pub(super) askers: Vec<Asker>,
    /// Requests that were due when too many were under way.
    pub(super) unsent: u64,
    /// Requests that were given up when the measurement ended.
    pub(super) unfinished: u64,
}

/// What one API key has got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Asker {
    /// Requests that ended, in whatever way.
    pub(super) asked: u64,
    /// Whole answers.
    pub(super) answered: u64,
}

impl Tally {
    /// Nothing yet, of so many that ask.
    pub(super) fn new(ends: Instant, askers: usize) -> Result<Tally, LoadError> {
        Ok(Tally {
            ends,
            whole: Latencies::new()?,
            refused: Latencies::new()?,
            first_lines: Latencies::new()?,
            server_times: Latencies::new()?,
            in_time: 0,
            bytes: 0,
            misses: 0,
            statuses: BTreeMap::new(),
            codes: BTreeMap::new(),
            failures: BTreeMap::new(),
            askers: vec![Asker::default(); askers],
            unsent: 0,
            unfinished: 0,
        })
    }

    /// Notes what became of a request that was due at a time. Returns how long the server wants to
    /// be left alone.
    pub(super) fn note(&mut self, asker: usize, due: Instant, answer: Answer) -> Option<Duration> {
        let now = Instant::now();
        let took = now.saturating_duration_since(due);
        let is_whole = matches!(answer, Answer::Whole(_));
        if let Some(asker) = self.askers.get_mut(asker) {
            asker.asked += 1;
            asker.answered += u64::from(is_whole);
        }
        match answer {
            Answer::Whole(whole) => {
                self.whole.note(took);
                self.in_time += u64::from(now <= self.ends);
                self.note_whole(&whole, due);
                None
            }
            Answer::Refused { status, code, retry_after } => {
                self.refused.note(took);
                *self.statuses.entry(status).or_default() += 1;
                let code = code
                    .filter(|code| self.codes.contains_key(code) || self.codes.len() < MOST_CODES);
                *self.codes.entry(code.unwrap_or_else(|| OTHER_CODES.to_owned())).or_default() += 1;
                retry_after
            }
            Answer::Failed(failure) => {
                *self.failures.entry(failure).or_default() += 1;
                None
            }
        }
    }

    fn note_whole(&mut self, whole: &Whole, due: Instant) {
        *self.statuses.entry(200).or_default() += 1;
        self.bytes += whole.bytes as u64;
        self.misses += u64::from(whole.is_miss);
        if let Some(first) = whole.first_line {
            self.first_lines.note(first.saturating_duration_since(due));
        }
        if let Some(time) = whole.server_time {
            self.server_times.note(time);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_refusals_and_failures_are_counted_apart() {
        let now = Instant::now();
        let mut tally = Tally::new(now + Duration::from_secs(60), 2).unwrap();
        let second = Some(Duration::from_secs(1));
        let refusal = |code: &str| Answer::Refused {
            status: 503,
            code: Some(code.to_owned()),
            retry_after: second,
        };
        assert_eq!(
            tally.note(0, now, Answer::Whole(Whole { bytes: 10, ..Whole::default() })),
            None
        );
        assert_eq!(tally.note(1, now, refusal("queue_full")), second);
        assert_eq!(tally.note(1, now, Answer::Failed(Failure::TimedOut)), None);
        assert_eq!((tally.in_time, tally.bytes, tally.misses), (1, 10, 0));
        assert_eq!(tally.statuses, BTreeMap::from([(200, 1), (503, 1)]));
        assert_eq!(tally.codes, BTreeMap::from([("queue_full".to_owned(), 1)]));
        assert_eq!(tally.failures, BTreeMap::from([(Failure::TimedOut, 1)]));
        assert_eq!(
            tally.askers,
            [Asker { asked: 1, answered: 1 }, Asker { asked: 2, answered: 0 }]
        );
    }

    #[test]
    fn a_server_of_endless_codes_is_counted_within_bounds() {
        let now = Instant::now();
        let mut tally = Tally::new(now, 1).unwrap();
        for number in 0..200 {
            tally.note(
                0,
                now,
                Answer::Refused { status: 500, code: Some(number.to_string()), retry_after: None },
            );
        }
        assert_eq!(
            (tally.codes.len(), tally.codes[OTHER_CODES]),
            (MOST_CODES + 1, 200 - MOST_CODES as u64)
        );
    }
}
