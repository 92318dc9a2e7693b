//! Validation of the settings: their ranges, and the rules between them.

use std::ops::RangeInclusive;

use reqwest::Url;
use tracing_subscriber::filter::{LevelFilter, Targets};

use super::error::InvalidSetting;
use super::sections::Settings;

const DAY_MS: u64 = 86_400_000;
const MAX_BODY_BYTES: u64 = 1 << 30;
const MAX_NODES: u64 = 1 << 53;

impl Settings {
    /// Every setting that is outside its range or contradicts another one.
    pub(super) fn validate(&self) -> Vec<InvalidSetting> {
        let mut validator = Validator::default();
        validator.check_search(self);
        validator.check_requests(self);
        validator.check_server(self);
        validator.check_api_keys(self);
        validator.check_addresses(self);
        validator.check_log_and_cors(self);
        validator.invalid
    }
}

/// The settings that were refused so far.
#[derive(Default)]
struct Validator {
    invalid: Vec<InvalidSetting>,
}

impl Validator {
    fn refuse(&mut self, key: &str, detail: impl Into<String>) {
        self.invalid.push(InvalidSetting::new(key, detail));
    }

    fn range(&mut self, key: &str, value: impl TryInto<u64>, range: RangeInclusive<u64>) {
        // A number above u64 is above every range.
        let value = value.try_into().unwrap_or(u64::MAX);
        if !range.contains(&value) {
            let (min, max) = range.into_inner();
            self.refuse(key, format!("{value} is out of range; it must be {min} to {max}"));
        }
    }

    fn check_search(&mut self, settings: &Settings) {
        let Settings { search, queue, idle, dictionary, store, .. } = settings;
        self.range("search.workers", search.workers, 0..=1_024);
        self.range("search.hash_mb", search.hash_mb, 1..=1_048_576);
        self.range("search.default_movetime_ms", search.default_movetime_ms, 1..=DAY_MS);
        if search.default_movetime_ms > settings.limits.movetime_ms {
            self.refuse(
                "search.default_movetime_ms",
                format!(
                    "{} is above limits.movetime_ms, which is {}",
                    search.default_movetime_ms, settings.limits.movetime_ms
                ),
            );
        }
        self.range("queue.capacity", queue.capacity, 1..=1_000_000);
        self.range("queue.max_wait_ms", queue.max_wait_ms, 1..=DAY_MS);
        self.range("idle.positions", idle.positions, 0..=100_000);
        self.range("dictionary.max_entries", dictionary.max_entries, 1..=1_000_000_000);
        self.range("store.max_entries", store.max_entries, 1..=1_000_000_000);
        self.range("store.flush_ms", store.flush_ms, 20..=60_000);
    }

    fn check_requests(&mut self, settings: &Settings) {
        let Settings { limits, perft, stream, live, batch, jobs, lichess, .. } = settings;
        self.range("limits.depth", limits.depth, 1..=120);
        self.range("limits.nodes", limits.nodes, 1..=MAX_NODES);
        self.range("limits.movetime_ms", limits.movetime_ms, 1..=DAY_MS);
        self.range("limits.mate", limits.mate, 1..=60);
        self.range("limits.threads", limits.threads, 0..=1_024);
        self.range("limits.multipv", limits.multipv, 1..=256);
        self.range("limits.moves", limits.moves, 0..=20_000);
        self.range("limits.body_bytes", limits.body_bytes, 1_024..=MAX_BODY_BYTES);
        self.range("limits.perft_depth", limits.perft_depth, 1..=30);
        self.range("perft.max_ms", perft.max_ms, 1..=DAY_MS);
        self.range("stream.heartbeat_ms", stream.heartbeat_ms, 100..=8_000);
        self.range("stream.stall_ms", stream.stall_ms, 100..=DAY_MS);
        self.range("stream.buffer", stream.buffer, 2..=1_024);
        self.range("stream.max", stream.max, 1..=1_000_000);
        self.range("stream.infinite_ms", stream.infinite_ms, 1..=DAY_MS);
        self.range("live.idle_ms", live.idle_ms, 100..=DAY_MS);
        self.range("live.ping_ms", live.ping_ms, 100..=DAY_MS);
        self.range("batch.max", batch.max, 1..=10_000);
        self.range("batch.lines", batch.lines, 1..=1_000_000);
        self.range("batch.bytes", batch.bytes, 1_024..=MAX_BODY_BYTES);
        self.range("jobs.max", jobs.max, 1..=100_000);
        self.range("jobs.keep_hours", jobs.keep_hours, 1..=87_600);
        self.range("jobs.bytes", jobs.bytes, 1_024..=MAX_BODY_BYTES);
        self.range("jobs.max_mb", jobs.max_mb, 1..=1_048_576);
        self.range("jobs.default_nodes", jobs.default_nodes, 1..=MAX_NODES);
        self.range("lichess.compute_ms", lichess.compute_ms, 0..=limits.movetime_ms);
    }

    fn check_server(&mut self, settings: &Settings) {
        let Settings { http, shutdown, rate, otlp, .. } = settings;
        self.range("http.connections", http.connections, 1..=1_000_000);
        self.range("http.head_timeout_ms", http.head_timeout_ms, 100..=DAY_MS);
        self.range("http.body_timeout_ms", http.body_timeout_ms, 1..=DAY_MS);
        self.range("shutdown.drain_ms", shutdown.drain_ms, 0..=DAY_MS);
        self.range("shutdown.grace_ms", shutdown.grace_ms, shutdown.drain_ms..=DAY_MS);
        self.range("rate.requests", rate.requests, 0..=1_000_000_000);
        self.range("rate.window_ms", rate.window_ms, 1..=DAY_MS);
        self.range("otlp.sample_permille", otlp.sample_permille, 0..=1_000);
        self.range("otlp.timeout_ms", otlp.timeout_ms, 1..=60_000);
    }

    fn check_api_keys(&mut self, settings: &Settings) {
        let keys = &settings.access.keys;
        for key in keys {
            self.range("access.keys.window_ms", key.window_ms, 1..=DAY_MS);
            let length = key.name.chars().count();
            if !(1..=64).contains(&length) {
                self.refuse(
                    "access.keys.name",
                    format!("{:?} has {length} characters; it must have 1 to 64", key.name),
                );
            }
        }
        let mut names: Vec<_> = keys.iter().map(|key| &key.name).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            self.refuse("access.keys", format!("two keys have the name {:?}", pair[0]));
        }
    }

    fn check_addresses(&mut self, settings: &Settings) {
        let Settings { listen, metrics, otlp, .. } = settings;
        if metrics.listen.is_some_and(|address| address == *listen && address.port() != 0) {
            self.refuse(
                "metrics.listen",
                format!("{listen} is also `listen`; leave it empty to serve metrics there"),
            );
        }
        if otlp.is_on() && !is_plain_http(&otlp.endpoint) {
            self.refuse(
                "otlp.endpoint",
                format!(
                    "{:?} is not a URL of the form http://host:port/path; TLS is not supported",
                    otlp.endpoint
                ),
            );
        }
    }

    fn check_log_and_cors(&mut self, settings: &Settings) {
        if !is_log_filter(&settings.log.level) {
            self.refuse(
                "log.level",
                format!(
                    "{:?} is not a level; it must be error, warn, info, debug or trace, or also \
                     have levels of modules: \"warn,kibitzer::http=info\"",
                    settings.log.level
                ),
            );
        }
        for origin in settings.http.cors_origins.iter().filter(|origin| !is_origin(origin)) {
            self.refuse(
                "http.cors_origins",
                format!(
                    "{origin:?} is not an origin; it must be scheme://host or \
                     scheme://host:port in lower case, or *"
                ),
            );
        }
    }
}

/// `true` for a level, or a list of a level and levels of modules. `Targets` alone takes a misspelt
/// level for the name of a module, and then nothing else is logged.
fn is_log_filter(text: &str) -> bool {
    let is_known = |part: &str| part.contains('=') || part.trim().parse::<LevelFilter>().is_ok();
    text.parse::<Targets>().is_ok() && text.split(',').all(is_known)
}

/// `true` for a URL that needs no TLS.
fn is_plain_http(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| url.scheme() == "http" && url.has_host())
}

/// `true` for an origin as browsers send it, or `*`. It must be in lower case, because origins are
/// compared byte for byte.
fn is_origin(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_graphic() && !b.is_ascii_uppercase() && b != b'/')
    };
    text == "*"
        || text.split_once("://").is_some_and(|(scheme, host)| is_part(scheme) && is_part(host))
}
