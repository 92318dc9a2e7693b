//! The sizing rule that `config/default.toml` states: how much memory the settings lead to.

use super::service_options;
use crate::analysis::jobs::jobs_memory_bound;
use crate::analysis::{memory_bound, store_bound};
use crate::config::Settings;
use crate::http::explore_memory_bound;

const MB: u64 = 1 << 20;

/// The process itself: code, the network, pages of the contract, log, runtime.
const PROCESS_BYTES: u64 = 60 * MB;

/// Traces that wait for the collector, and the client that sends them.
const TRACE_BYTES: u64 = 8 * MB;

/// Connections whose requests are under way at once, and how often each then holds a body: as
/// bytes, as texts, as answer.
const CONCURRENT_BODIES: u64 = 128;
const BODY_COPIES: u64 = 4;

/// The lines that wait for the reader of a stream, or the messages of a board.
const STREAM_BYTES: u64 = 100 << 10;

/// A line of a batch beside its text, and how often a batch holds its bytes: as text, and twice as
/// answers, whose buffers have room to spare.
const BATCH_LINE_BYTES: u64 = 128;
const BATCH_COPIES: u64 = 3;

/// A start that was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "memory.max_mb: the settings may take {bound_mb} MB, which is above {max_mb} MB; config/default.toml says how they add up"
)]
pub struct MemoryError {
    bound_mb: u64,
    max_mb: u64,
}

/// The most memory that a server with these settings takes, in MB, rounded up.
pub fn memory_bound_mb(settings: &Settings) -> u64 {
    let service = memory_bound(&service_options(settings), settings.search.hash_mb).total();
    let store = if settings.store.is_on() { store_bound() } else { 0 };
    let traces = if settings.otlp.is_on() { TRACE_BYTES } else { 0 };
    let bodies = CONCURRENT_BODIES * BODY_COPIES * settings.limits.body_bytes as u64;
    let exploration = explore_memory_bound();
    let jobs = jobs_memory_bound(
        settings.jobs.bytes as u64,
        settings.jobs.max_mb * MB,
        settings.store.is_on(),
    );
    let streams = settings.stream.max as u64 * STREAM_BYTES;
    let batch =
        BATCH_COPIES * settings.batch.bytes as u64 + settings.batch.lines as u64 * BATCH_LINE_BYTES;
    let batches = settings.batch.max as u64 * batch;
    (PROCESS_BYTES + traces + bodies + streams + batches + exploration + store as u64 + jobs)
        .saturating_add(service as u64)
        .div_ceil(MB)
}

/// Refuses settings that want more than they allow.
pub(super) fn check(settings: &Settings) -> Result<(), MemoryError> {
    let (bound_mb, max_mb) = (memory_bound_mb(settings), settings.memory.max_mb);
    if bound_mb > max_mb { Err(MemoryError { bound_mb, max_mb }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::*;

    fn settings(file: Option<&str>, change: impl FnOnce(&mut Settings)) -> Settings {
        let file = file.map(|name| Path::new(env!("CARGO_MANIFEST_DIR")).join(name));
        let mut settings = Settings::load_with(file.as_deref(), Some(BTreeMap::new())).unwrap();
        settings.search.workers = 4;
        change(&mut settings);
        settings
    }

    #[test]
    fn the_shipped_settings_fit_the_memory_bound() {
        assert_eq!(check(&settings(None, |_| {})), Ok(()));
        assert_eq!(check(&settings(Some("config/production.toml"), |_| {})), Ok(()));
    }

    #[test]
    fn a_bound_above_the_maximum_is_refused_and_names_its_key() {
        let bound = memory_bound_mb(&settings(None, |_| {}));
        assert_eq!(check(&settings(None, |settings| settings.memory.max_mb = bound)), Ok(()));
        let refused =
            check(&settings(None, |settings| settings.memory.max_mb = bound - 1)).unwrap_err();
        assert!(refused.to_string().starts_with("memory.max_mb: "), "{refused}");
    }

    /// The number that the comment of `config/default.toml` states behind a part of the sum.
    fn stated(part: &str) -> f64 {
        let rule = include_str!("../../config/default.toml");
        let (_, rest) = rule
            .split_once(&format!("{part} × "))
            .unwrap_or_else(|| panic!("{part} is not in the rule"));
        let (number, unit) = rest.split_once(' ').unwrap();
        let factor = if unit.starts_with("MB") { 1.0 } else { 1.0 / 1_024.0 };
        number.parse::<f64>().unwrap() * factor
    }

    #[test]
    fn the_documented_sizing_rule_matches_the_code() {
        let base = memory_bound_mb(&settings(None, |_| {}));
        let grown =
            |change: fn(&mut Settings)| (memory_bound_mb(&settings(None, change)) - base) as f64;
        assert_eq!(grown(|settings| settings.search.hash_mb += 100), 100.0);
        let set_store_path = |settings: &mut Settings, path: &str| {
            // What jobs take in memory without a store is another part.
            settings.jobs.max_mb = 0;
            settings.store.path = path.into();
        };
        let [without, with] = ["", "somewhere"].map(|path| {
            memory_bound_mb(&settings(None, |settings| set_store_path(settings, path)))
        });
        let store = (with - without) as f64;
        let traces =
            grown(|settings| settings.otlp.endpoint = "http://somewhere:4318/v1/traces".to_owned());
        for (part, costs) in [("the store, where", store), ("traces that wait", traces)] {
            let (_, rest) = include_str!("../../config/default.toml").split_once("#   + ").unwrap();
            let line = rest.lines().find(|line| line.contains(part)).unwrap();
            let stated: f64 = line.split(' ').find_map(|word| word.parse().ok()).unwrap();
            assert!(
                (costs..=1.1 * costs).contains(&stated),
                "{part}: stated {stated} MB, costs {costs} MB"
            );
        }
        let stated_walks = format!(
            "#   + {} MB                                  walks through the graph",
            explore_memory_bound().div_ceil(MB)
        );
        assert!(
            include_str!("../../config/default.toml").contains(&stated_walks),
            "{stated_walks}"
        );
        // This part is stated as a formula, so that it has to be the code's exactly.
        assert!(
            include_str!("../../config/default.toml")
                .contains("batch.max × (3 × batch.bytes + batch.lines × 128 bytes)")
        );
        let batches = grown(|settings| settings.batch.max += 1_000);
        let batch_settings = settings(None, |_| {}).batch;
        let stated_mb = (3 * batch_settings.bytes + batch_settings.lines * 128) as f64 / MB as f64;
        assert!(
            (batches / 1e3 - stated_mb).abs() < 0.01,
            "{batches} MB for a thousand batches of {stated_mb} MB"
        );
        let parts = [
            ("search.workers", grown(|settings| settings.search.workers += 1_000) / 1e3),
            (
                "dictionary.max_entries",
                grown(|settings| settings.dictionary.max_entries += 1_000_000) / 1e6,
            ),
            ("queue.capacity", grown(|settings| settings.queue.capacity += 100_000) / 1e5),
            ("jobs.bytes", grown(|settings| settings.jobs.bytes += 102_400_000) / 1e5),
            ("jobs.max_mb", grown(|settings| settings.jobs.max_mb += 1_000) / 1e3),
            ("idle.positions", grown(|settings| settings.idle.positions += 100_000) / 1e5),
            ("stream.max", grown(|settings| settings.stream.max += 100_000) / 1e5),
            (
                "limits.body_bytes",
                grown(|settings| settings.limits.body_bytes += 102_400_000) / 1e5,
            ),
        ];
        for (part, costs) in parts {
            let stated = stated(part);
            // The bound is in whole MB: that much may be lost to rounding.
            assert!(
                (costs - 1e-4..=1.25 * costs + 0.001).contains(&stated),
                "{part}: stated {stated} MB, costs {costs} MB"
            );
        }
    }
}
