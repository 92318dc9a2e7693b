//! What values a setting may have.

use std::ops::RangeInclusive;

use reqwest::Url;

use super::{InvalidSetting, Settings};

impl Settings {
    /// Every value outside its range.
    pub(super) fn validate(&self) -> Vec<InvalidSetting> {
        let mut invalid = Vec::new();
        let mut check_range = |key: &str, value: u64, range: RangeInclusive<u64>| {
            if !range.contains(&value) {
                invalid.push(InvalidSetting::new(
                    key,
                    format!("{value} is not in {} to {}", range.start(), range.end()),
                ));
            }
        };
        let day = 86_400_000;
        check_range("search.workers", self.search.workers as u64, 0..=1_024);
        check_range("search.hash_mb", self.search.hash_mb as u64, 1..=1_048_576);
        check_range("search.default_movetime_ms", self.search.default_movetime_ms, 1..=day);
        check_range("queue.capacity", self.queue.capacity as u64, 1..=1_000_000);
        check_range("queue.max_wait_ms", self.queue.max_wait_ms, 1..=day);
        check_range("idle.positions", self.idle.positions as u64, 0..=100_000);
        check_range(
            "dictionary.max_entries",
            self.dictionary.max_entries as u64,
            1..=1_000_000_000,
        );
        check_range("store.max_entries", self.store.max_entries as u64, 1..=1_000_000_000);
        check_range("store.flush_ms", self.store.flush_ms, 20..=60_000);
        check_range("limits.depth", self.limits.depth.into(), 1..=120);
        check_range("limits.nodes", self.limits.nodes, 1..=1 << 53);
        check_range("limits.movetime_ms", self.limits.movetime_ms, 1..=day);
        check_range("limits.mate", self.limits.mate.into(), 1..=60);
        check_range("limits.threads", self.limits.threads.into(), 0..=1_024);
        check_range("limits.multipv", self.limits.multipv.into(), 1..=256);
        check_range("limits.moves", self.limits.moves as u64, 0..=20_000);
        check_range("limits.body_bytes", self.limits.body_bytes as u64, 1_024..=1 << 30);
        check_range("limits.perft_depth", self.limits.perft_depth.into(), 1..=30);
        check_range("perft.max_ms", self.perft.max_ms, 1..=day);
        check_range("stream.heartbeat_ms", self.stream.heartbeat_ms, 100..=8_000);
        check_range("stream.stall_ms", self.stream.stall_ms, 100..=day);
        check_range("stream.buffer", self.stream.buffer as u64, 2..=1_024);
        check_range("stream.max", self.stream.max as u64, 1..=1_000_000);
        check_range("live.idle_ms", self.live.idle_ms, 100..=day);
        check_range("live.ping_ms", self.live.ping_ms, 100..=day);
        check_range("stream.infinite_ms", self.stream.infinite_ms, 1..=day);
        check_range("batch.max", self.batch.max as u64, 1..=10_000);
        check_range("batch.lines", self.batch.lines as u64, 1..=1_000_000);
        check_range("batch.bytes", self.batch.bytes as u64, 1_024..=1 << 30);
        check_range("jobs.max", self.jobs.max as u64, 1..=100_000);
        check_range("jobs.keep_hours", self.jobs.keep_hours, 1..=87_600);
        check_range("jobs.bytes", self.jobs.bytes as u64, 1_024..=1 << 30);
        check_range("jobs.max_mb", self.jobs.max_mb, 1..=1_048_576);
        check_range("jobs.default_nodes", self.jobs.default_nodes, 1..=1 << 53);
        check_range("lichess.compute_ms", self.lichess.compute_ms, 0..=self.limits.movetime_ms);
        check_range("http.connections", self.http.connections as u64, 1..=1_000_000);
        check_range("http.head_timeout_ms", self.http.head_timeout_ms, 100..=day);
        check_range("http.body_timeout_ms", self.http.body_timeout_ms, 1..=day);
        check_range("shutdown.drain_ms", self.shutdown.drain_ms, 0..=day);
        check_range("shutdown.grace_ms", self.shutdown.grace_ms, self.shutdown.drain_ms..=day);
        check_range("rate.requests", self.rate.requests.into(), 0..=1_000_000_000);
        check_range("rate.window_ms", self.rate.window_ms, 1..=day);
        check_range("otlp.sample_permille", self.otlp.sample_permille.into(), 0..=1_000);
        check_range("otlp.timeout_ms", self.otlp.timeout_ms, 1..=60_000);
        for key in &self.access.keys {
            check_range("access.keys.window_ms", key.window_ms, 1..=day);
            check_range("access.keys.name", key.name.chars().count() as u64, 1..=64);
        }
        let mut names: Vec<_> = self.access.keys.iter().map(|key| &key.name).collect();
        names.sort_unstable();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            invalid.push(InvalidSetting::new("access.keys", "two keys have the same name"));
        }
        if self.search.default_movetime_ms > self.limits.movetime_ms {
            invalid.push(InvalidSetting::new(
                "search.default_movetime_ms",
                "is above limits.movetime_ms",
            ));
        }
        if self.metrics.listen.is_some_and(|address| address == self.listen && address.port() != 0)
        {
            invalid.push(InvalidSetting::new(
                "metrics.listen",
                "is the address of `listen`: leave it empty to have the metrics there",
            ));
        }
        if self.otlp.is_on() && !is_plain_http(&self.otlp.endpoint) {
            invalid.push(InvalidSetting::new(
                "otlp.endpoint",
                format!(
                    "{:?} is no URL of the form http://host:port/path; the server opens no TLS of its own",
                    self.otlp.endpoint
                ),
            ));
        }
        if let Err(error) = self.log.level.parse::<tracing_subscriber::filter::Targets>() {
            invalid.push(InvalidSetting::new("log.level", error.to_string()));
        }
        for origin in self.http.cors_origins.iter().filter(|origin| !is_origin(origin)) {
            invalid.push(InvalidSetting::new(
                "http.cors_origins",
                format!("{origin:?} is no origin: scheme://host or scheme://host:port in lower case, or *"),
            ));
        }
        invalid
    }
}

/// A URL that can be sent to without TLS.
fn is_plain_http(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| url.scheme() == "http" && url.has_host())
}

/// An origin as browsers send it, in lower case, since it is compared byte for byte; or `*`.
fn is_origin(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_graphic() && !b.is_ascii_uppercase() && b != b'/')
    };
    text == "*"
        || text.split_once("://").is_some_and(|(scheme, host)| is_part(scheme) && is_part(host))
}
