//! The ranges of the integer settings.
//!
//! They are checked before the settings get their types, because the error of a value that is too
//! large for its type does not name the range of the setting.

use std::ops::RangeInclusive;

use config::{Config, Value, ValueKind};

use super::defaults::flatten;
use super::error::InvalidSetting;

const DAY_MS: i128 = 86_400_000;
const MAX_BODY_BYTES: i128 = 1 << 30;
const MAX_NODES: i128 = 1 << 53;
const MAX_I64: i128 = (1 << 63) - 1;
const MAX_KEY_REQUESTS: i128 = (1 << 32) - 1;

/// Every integer setting and its range.
const RANGES: &[(&str, RangeInclusive<i128>)] = &[
    ("search.workers", 0..=1_024),
    ("search.hash_mb", 1..=1_048_576),
    ("search.default_movetime_ms", 1..=DAY_MS),
    ("queue.capacity", 1..=10_000),
    ("queue.max_wait_ms", 1..=DAY_MS),
    ("queue.slice_ms", 10..=DAY_MS),
    ("idle.positions", 0..=100_000),
    ("dictionary.max_entries", 1..=1_000_000_000),
    ("store.max_entries", 1..=1_000_000_000),
    ("store.flush_ms", 20..=60_000),
    ("limits.depth", 1..=120),
    ("limits.nodes", 1..=MAX_NODES),
    ("limits.movetime_ms", 1..=DAY_MS),
    ("limits.mate", 1..=60),
    ("limits.threads", 0..=1_024),
    ("limits.multipv", 1..=256),
    ("limits.moves", 0..=20_000),
    ("limits.body_bytes", 1_024..=MAX_BODY_BYTES),
    ("limits.perft_depth", 1..=30),
    ("perft.max_ms", 1..=DAY_MS),
    ("stream.heartbeat_ms", 100..=8_000),
    ("stream.stall_ms", 100..=DAY_MS),
    ("stream.buffer", 2..=1_024),
    ("stream.max", 1..=1_000_000),
    ("stream.infinite_ms", 1..=DAY_MS),
    ("live.idle_ms", 100..=DAY_MS),
    ("live.ping_ms", 100..=DAY_MS),
    ("batch.max", 1..=10_000),
    ("batch.lines", 1..=1_000_000),
    ("batch.bytes", 1_024..=MAX_BODY_BYTES),
    ("jobs.max", 1..=100_000),
    ("jobs.keep_hours", 1..=87_600),
    ("jobs.bytes", 1_024..=MAX_BODY_BYTES),
    ("jobs.max_mb", 1..=1_048_576),
    ("jobs.anonymous_share_permille", 1..=500),
    ("jobs.default_nodes", 1..=MAX_NODES),
    ("jobs.max_nodes", 1..=MAX_NODES),
    ("cluster.replicas", 0..=100),
    ("lichess.compute_ms", 0..=DAY_MS),
    ("syzygy.memory_mb", 0..=1_048_576),
    ("syzygy.probe_depth", 1..=100),
    ("syzygy.probe_limit", 0..=7),
    ("http.connections", 1..=1_000_000),
    ("http.connections_per_client", 1..=1_000_000),
    ("http.head_bytes", 8_192..=1_048_576),
    ("http.requests_mb", 1..=1_048_576),
    ("http.head_timeout_ms", 100..=DAY_MS),
    ("http.body_timeout_ms", 1..=DAY_MS),
    ("shutdown.drain_ms", 0..=DAY_MS),
    ("shutdown.grace_ms", 0..=DAY_MS),
    ("memory.max_mb", 0..=MAX_I64),
    ("rate.requests", 0..=1_000_000_000),
    ("rate.window_ms", 1..=DAY_MS),
    ("otlp.sample_permille", 0..=1_000),
    ("otlp.timeout_ms", 1..=60_000),
];

/// The integers of an entry of `access.keys` and their ranges.
const KEY_RANGES: &[(&str, RangeInclusive<i128>)] =
    &[("requests", 0..=MAX_KEY_REQUESTS), ("window_ms", 1..=DAY_MS)];

/// Every integer that is outside its range.
pub(super) fn out_of_range(settings: &Config) -> Vec<InvalidSetting> {
    let flat = flatten(&settings.cache);
    let mut invalid: Vec<_> = RANGES
        .iter()
        .filter_map(|(key, range)| check((*key).to_owned(), flat.get(*key)?, range))
        .collect();
    if let Some(ValueKind::Array(keys)) = flat.get("access.keys").map(|keys| &keys.kind) {
        for (index, entry) in keys.iter().enumerate() {
            let ValueKind::Table(entry) = &entry.kind else { continue };
            invalid.extend(KEY_RANGES.iter().filter_map(|(name, range)| {
                check(format!("access.keys[{index}].{name}"), entry.get(*name)?, range)
            }));
        }
    }
    invalid
}

fn check(key: String, value: &Value, range: &RangeInclusive<i128>) -> Option<InvalidSetting> {
    let value = integer(value)?;
    let (min, max) = (range.start(), range.end());
    (!range.contains(&value)).then(|| {
        InvalidSetting::new(key, format!("{value} is out of range; it must be {min} to {max}"))
    })
}

/// The value as an integer. The type of the setting refuses any other value.
fn integer(value: &Value) -> Option<i128> {
    match value.kind {
        ValueKind::I64(value) => Some(value.into()),
        ValueKind::U64(value) => Some(value.into()),
        ValueKind::I128(value) => Some(value),
        ValueKind::U128(value) => Some(i128::try_from(value).unwrap_or(i128::MAX)),
        _ => None,
    }
}
