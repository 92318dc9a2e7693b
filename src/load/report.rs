//! What was measured.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::driver::{Load, Pace};
use super::latencies::Summary;
use super::question::{Kind, Limits};
use super::tally::Tally;

/// What was measured: for people as text, for programs as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    url: String,
    kind: Kind,
    limits: Limits,
    pace: Pace,
    seconds: f64,
    /// Requests that ended, in whatever way.
    requests: u64,
    /// Whole answers with status 200.
    answered: u64,
    /// Those of them that came while requests were sent, a second.
    answered_per_second: f64,
    statuses: BTreeMap<u16, u64>,
    codes: BTreeMap<String, u64>,
    failures: BTreeMap<&'static str, u64>,
    not_sent: u64,
    unfinished: u64,
    /// Answers to `hit` that did not come from memory.
    misses: u64,
    mean_bytes: u64,
    /// Of whole answers, from when each was due.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer_ms: Option<Summary>,
    /// Of the first lines of streams.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_line_ms: Option<Summary>,
    /// What the server says that it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    server_ms: Option<Summary>,
    /// Of refusals.
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal_ms: Option<Summary>,
    /// With several keys, what each has got, in the order in which they were given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    keys: Vec<KeyReport>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct KeyReport {
    requests: u64,
    answered: u64,
}

impl Report {
    pub(super) fn new(load: &Load, tally: &Tally) -> Report {
        let requests = tally.askers.iter().map(|asker| asker.asked).sum();
        let answered = tally.askers.iter().map(|asker| asker.answered).sum::<u64>();
        let keys = tally
            .askers
            .iter()
            .map(|asker| KeyReport { requests: asker.asked, answered: asker.answered });
        let seconds = load.time.as_secs_f64();
        Report {
            url: load.target.url().to_owned(),
            kind: load.kind,
            limits: load.limits,
            pace: load.pace,
            seconds,
            requests,
            answered,
            answered_per_second: tally.in_time as f64 / seconds,
            statuses: tally.statuses.clone(),
            codes: tally.codes.clone(),
            failures: tally
                .failures
                .iter()
                .map(|(failure, &count)| (failure.name(), count))
                .collect(),
            not_sent: tally.unsent,
            unfinished: tally.unfinished,
            misses: tally.misses,
            mean_bytes: tally.bytes / answered.max(1),
            answer_ms: tally.whole.summary(),
            first_line_ms: tally.first_lines.summary(),
            server_ms: tally.server_times.summary(),
            refusal_ms: tally.refused.summary(),
            keys: if tally.askers.len() > 1 { keys.collect() } else { Vec::new() },
        }
    }

    /// `true` when no request was answered.
    pub fn is_empty(&self) -> bool {
        self.answered == 0
    }

    fn counts(&self) -> Vec<String> {
        let mut counts: Vec<String> =
            self.statuses.iter().map(|(status, count)| format!("{status}: {count}")).collect();
        counts.extend(self.codes.iter().map(|(code, count)| format!("{code}: {count}")));
        counts.extend(self.failures.iter().map(|(failure, count)| format!("{failure}: {count}")));
        let more = [
            ("not sent", self.not_sent),
            ("unfinished", self.unfinished),
            ("not from memory", self.misses),
        ];
        counts.extend(
            more.iter()
                .filter(|&&(_, count)| count > 0)
                .map(|(what, count)| format!("{what}: {count}")),
        );
        counts
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { url, kind, seconds, requests, answered_per_second, mean_bytes, .. } = self;
        write!(f, "{kind} at {url} for {seconds} s, ")?;
        match self.pace {
            Pace::Closed { connections } => {
                writeln!(f, "closed loop of {connections} connections")?
            }
            Pace::Open { rate, .. } => writeln!(f, "open loop of {rate} requests a second")?,
        }
        writeln!(
            f,
            "{requests} requests, {answered_per_second:.1} answers a second of {mean_bytes} bytes on the average"
        )?;
        writeln!(f, "{}", self.counts().join(", "))?;
        let times = [
            ("answers", &self.answer_ms),
            ("first lines", &self.first_line_ms),
            ("by Server-Timing", &self.server_ms),
            ("refusals", &self.refusal_ms),
        ];
        write!(
            f,
            "{:<18}{:>9}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}",
            "milliseconds", "count", "mean", "p50", "p90", "p99", "p99.9", "max"
        )?;
        for (what, summary) in times {
            let Some(Summary { count, mean, p50, p90, p99, p999, max }) = summary else { continue };
            write!(
                f,
                "\n{what:<18}{count:>9}{mean:>10.2}{p50:>10.2}{p90:>10.2}{p99:>10.2}{p999:>10.2}{max:>10.2}"
            )?;
        }
        let got = self.keys.iter().map(|key| key.answered);
        if let (Some(least), Some(most)) = (got.clone().min(), got.clone().max()) {
            let mean = got.sum::<u64>() as f64 / self.keys.len() as f64;
            write!(
                f,
                "\n{} keys got {least} to {most} answers, {mean:.1} on the average",
                self.keys.len()
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::LegalMoves => "legal moves",
            Kind::BestMove => "best moves",
            Kind::Hit => "dictionary hits",
            Kind::Analysis => "analyses",
        })
    }
}
