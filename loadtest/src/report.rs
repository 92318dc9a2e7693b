//! The report of a load test.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::latency::LatencySummary;
use crate::load_test::{LoadModel, LoadTest};
use crate::request::{RequestKind, RequestLimits};
use crate::stats::LoadStats;

/// The report of a load test: as text for people, as JSON for programs.
#[derive(Clone, Debug, Serialize)]
pub struct LoadReport {
    urls: Vec<String>,
    kind: RequestKind,
    limits: RequestLimits,
    pace: LoadModel,
    seconds: f64,
    /// Requests with any outcome.
    requests: u64,
    /// Complete responses with status 200.
    answered: u64,
    /// Complete responses per second, while requests were sent.
    answered_per_second: f64,
    statuses: BTreeMap<u16, u64>,
    codes: BTreeMap<String, u64>,
    failures: BTreeMap<&'static str, u64>,
    not_sent: u64,
    unfinished: u64,
    /// Answers of kind `hit` that did not come from the evaluation cache.
    misses: u64,
    mean_bytes: u64,
    /// Latency of complete responses, from the time when each request was due.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer_ms: Option<LatencySummary>,
    /// Latency of the first lines of streams.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_line_ms: Option<LatencySummary>,
    /// Times of `Server-Timing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    server_ms: Option<LatencySummary>,
    /// Latency of refusals.
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal_ms: Option<LatencySummary>,
    /// Counts per API key in the given order, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    keys: Vec<KeyReport>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct KeyReport {
    requests: u64,
    answered: u64,
}

impl LoadReport {
    pub(crate) fn new(load: &LoadTest, stats: &LoadStats) -> LoadReport {
        let requests = stats.callers.iter().map(|caller| caller.requests).sum();
        let answered = stats.callers.iter().map(|caller| caller.answered).sum::<u64>();
        let keys = stats
            .callers
            .iter()
            .map(|caller| KeyReport { requests: caller.requests, answered: caller.answered });
        let seconds = load.duration.as_secs_f64();
        LoadReport {
            urls: load.target.urls().to_vec(),
            kind: load.kind,
            limits: load.limits,
            pace: load.model,
            seconds,
            requests,
            answered,
            answered_per_second: stats.answered_in_time as f64 / seconds,
            statuses: stats.statuses.clone(),
            codes: stats.codes.clone(),
            failures: stats
                .failures
                .iter()
                .map(|(failure, &count)| (failure.name(), count))
                .collect(),
            not_sent: stats.not_sent,
            unfinished: stats.unfinished,
            misses: stats.misses,
            mean_bytes: stats.bytes / answered.max(1),
            answer_ms: stats.response_times.summary(),
            first_line_ms: stats.first_line_times.summary(),
            server_ms: stats.server_times.summary(),
            refusal_ms: stats.refusal_times.summary(),
            keys: if stats.callers.len() > 1 { keys.collect() } else { Vec::new() },
        }
    }

    /// Complete responses per second, while requests were sent.
    pub(crate) fn answered_per_second(&self) -> f64 {
        self.answered_per_second
    }

    /// Requests that got another outcome than a complete response.
    pub(crate) fn unanswered(&self) -> u64 {
        self.requests - self.answered
    }

    /// Latency of complete responses.
    pub(crate) fn answer_ms(&self) -> Option<LatencySummary> {
        self.answer_ms
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
        let extra_counts = [
            ("not sent", self.not_sent),
            ("unfinished", self.unfinished),
            ("cache misses", self.misses),
        ];
        counts.extend(
            extra_counts
                .iter()
                .filter(|&&(_, count)| count > 0)
                .map(|(name, count)| format!("{name}: {count}")),
        );
        counts
    }
}

impl fmt::Display for LoadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LoadReport { kind, seconds, requests, answered_per_second, mean_bytes, .. } = self;
        write!(f, "{kind} at {} for {seconds} s, ", self.urls.join(", "))?;
        match self.pace {
            LoadModel::Closed { connections } => {
                writeln!(f, "closed loop with {connections} connections")?
            }
            LoadModel::Open { rate, .. } => writeln!(f, "open loop at {rate} requests per second")?,
        }
        writeln!(
            f,
            "{requests} requests, {answered_per_second:.1} answers per second, \
             mean size {mean_bytes} bytes"
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
        for (name, summary) in times {
            let Some(LatencySummary { count, mean, p50, p90, p99, p999, max }) = summary else {
                continue;
            };
            write!(
                f,
                "\n{name:<18}{count:>9}{mean:>10.2}{p50:>10.2}{p90:>10.2}{p99:>10.2}{p999:>10.2}\
                 {max:>10.2}"
            )?;
        }
        let answers_per_key = self.keys.iter().map(|key| key.answered);
        if let (Some(least), Some(most)) =
            (answers_per_key.clone().min(), answers_per_key.clone().max())
        {
            let mean = answers_per_key.sum::<u64>() as f64 / self.keys.len() as f64;
            write!(
                f,
                "\n{} keys got {least} to {most} answers each, mean {mean:.1}",
                self.keys.len()
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for RequestKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RequestKind::LegalMoves => "legal moves",
            RequestKind::BestMove => "best moves",
            RequestKind::Hit => "cache hits",
            RequestKind::Analysis => "analyses",
        })
    }
}
