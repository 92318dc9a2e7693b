//! Tests of the memory bound against `config/default.toml`.

use std::collections::BTreeMap;
use std::path::Path;

use super::*;

/// The file whose comments state the sizing rule.
const SIZING_RULE: &str = include_str!("../../../config/default.toml");

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

/// The number of MB per unit that the comment in `config/default.toml` states for a part of the
/// sum.
fn stated(part: &str) -> f64 {
    let (_, rest) = SIZING_RULE
        .split_once(&format!("{part} × "))
        .unwrap_or_else(|| panic!("{part} is not in the rule"));
    let (number, unit) = rest.split_once(' ').unwrap();
    let factor = if unit.starts_with("MB") { 1.0 } else { 1.0 / 1_024.0 };
    number.parse::<f64>().unwrap() * factor
}

/// The growth of the bound, in MB, by a change of the default settings.
fn growth(change: fn(&mut Settings)) -> f64 {
    (memory_bound_mb(&settings(None, change)) - memory_bound_mb(&settings(None, |_| {}))) as f64
}

#[test]
fn the_bound_grows_by_the_size_of_the_transposition_table() {
    assert_eq!(growth(|settings| settings.search.hash_mb += 100), 100.0);
}

#[test]
fn the_bound_grows_by_tables_in_memory_where_there_are_tables() {
    assert!(SIZING_RULE.contains("#   + syzygy.memory_mb  "));
    assert_eq!(growth(|settings| settings.syzygy.memory_mb += 100), 0.0);
    let with_tables = growth(|settings| {
        settings.syzygy.paths.push("tables".into());
        settings.syzygy.memory_mb = 100;
    });
    assert_eq!(with_tables, 100.0);
}

#[test]
fn the_documented_fixed_terms_match_the_code() {
    let with_store_path = |path: &str| {
        memory_bound_mb(&settings(None, |settings| {
            // Jobs without a store are another term.
            settings.jobs.max_mb = 0;
            settings.store.path = path.into();
        }))
    };
    let store = (with_store_path("somewhere") - with_store_path("")) as f64;
    let traces =
        growth(|settings| settings.otlp.endpoint = "http://somewhere:4318/v1/traces".to_owned());
    for (part, costs) in [("the store, where", store), ("traces that wait", traces)] {
        let (_, terms) = SIZING_RULE.split_once("#   + ").unwrap();
        let line = terms.lines().find(|line| line.contains(part)).unwrap();
        let stated: f64 = line.split(' ').find_map(|word| word.parse().ok()).unwrap();
        assert!(
            (costs..=1.1 * costs).contains(&stated),
            "{part}: stated {stated} MB, costs {costs} MB"
        );
    }
    for (part, bytes) in [
        ("concurrent explore requests", explore_memory_bound()),
        ("pictures that are being drawn", picture_memory_bound()),
    ] {
        let amount = format!("{} MB", bytes / MB);
        let term = format!("#   + {amount:<39}{part}");
        assert!(SIZING_RULE.contains(&term), "{term}");
    }
}

#[test]
fn the_documented_formula_of_a_batch_matches_the_code() {
    assert!(SIZING_RULE.contains("batch.max × (3 × batch.bytes + batch.lines × 128 bytes)"));
    let batches = growth(|settings| settings.batch.max += 1_000);
    let batch = settings(None, |_| {}).batch;
    let stated = (3 * batch.bytes + batch.lines * 128) as f64 / MB as f64;
    assert!(
        (batches / 1e3 - stated).abs() < 0.01,
        "{batches} MB for a thousand batches of {stated} MB"
    );
}

#[test]
fn the_documented_formulas_of_requests_and_connections_match_the_code() {
    assert!(SIZING_RULE.contains("#   + http.requests_mb  "));
    assert_eq!(growth(|settings| settings.http.requests_mb += 100), 100.0);
    assert!(SIZING_RULE.contains("#   + http.connections × (http.head_bytes + 64 KB)  "));
    assert_eq!(growth(|settings| settings.http.connections += 32_768), 2_560.0);
    assert_eq!(growth(|settings| settings.http.head_bytes += 16_384), 16.0);
}

#[test]
fn the_bound_of_the_defaults_on_two_cores_is_at_most_900_mb() {
    let bound = memory_bound_mb(&settings(None, |settings| settings.search.workers = 2));
    assert!(bound <= 900, "{bound} MB");
}

#[test]
fn the_documented_terms_per_unit_match_the_code() {
    for (part, costs) in [
        ("search.workers", growth(|settings| settings.search.workers += 1_000) / 1e3),
        (
            "dictionary.max_entries",
            growth(|settings| settings.dictionary.max_entries += 1_000_000) / 1e6,
        ),
        ("queue.capacity", growth(|settings| settings.queue.capacity += 100_000) / 1e5),
        ("jobs.bytes", growth(|settings| settings.jobs.bytes += 102_400_000) / 1e5),
        ("jobs.max_mb", growth(|settings| settings.jobs.max_mb += 1_000) / 1e3),
        ("idle.positions", growth(|settings| settings.idle.positions += 100_000) / 1e5),
        ("stream.max", growth(|settings| settings.stream.max += 100_000) / 1e5),
    ] {
        let stated = stated(part);
        // The bound is in whole MB, so rounding may lose that much.
        assert!(
            (costs - 1e-4..=1.25 * costs + 0.001).contains(&stated),
            "{part}: stated {stated} MB, costs {costs} MB"
        );
    }
}
