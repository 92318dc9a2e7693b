//! Deployment files of several nodes, and what the tests of all of them need.

pub(crate) mod compose;
pub(crate) mod kubernetes;

use std::collections::BTreeMap;

use kibitzer::app::memory_bound_mb;
use kibitzer::config::Settings;
use serde_json::{Map, Value};

use super::text;

fn members(value: &Value) -> &Map<String, Value> {
    value.as_object().unwrap_or_else(|| panic!("{value} is no mapping"))
}

fn items(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is no sequence"))
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no string"))
}

fn strings(value: &Value) -> Vec<&str> {
    items(value).iter().map(string).collect()
}

/// A scalar as the environment and command lines have it.
fn scalar_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The number before a unit: 1400 of "1400m".
fn amount(text: &str, unit: &str) -> u64 {
    let number = text.strip_suffix(unit).unwrap_or_else(|| panic!("{text} has the unit {unit}"));
    number.parse().unwrap_or_else(|_| panic!("{text} is no number of {unit}"))
}

/// The settings of the image with this environment. Loading fails for an unknown variable.
fn load(environment: impl IntoIterator<Item = (String, String)>) -> Settings {
    let dockerfile = text("Dockerfile");
    let of_image = dockerfile
        .split_whitespace()
        .filter_map(|word| word.split_once('='))
        .filter(|(name, _)| name.starts_with("KIBITZER__"))
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let all: BTreeMap<_, _> = of_image.chain(environment).collect();
    assert!(all.keys().all(|name| name.starts_with("KIBITZER__")), "{all:?}");
    Settings::load_with(None, Some(all)).unwrap_or_else(|error| panic!("{error}"))
}

/// Asserts that a container's memory is at least a tenth above the bound of the settings.
fn assert_has_memory(limit_mb: u64, settings: &Settings) {
    let bound = memory_bound_mb(settings);
    assert!(11 * bound <= 10 * limit_mb, "the memory bound is {bound} MB, the limit {limit_mb} MB");
}

/// Asserts that an image has a version. Without a tag it would be `latest`.
fn assert_is_pinned(image: &str) {
    let tag = image.rsplit_once(':').map(|(_, tag)| tag);
    assert!(
        tag.is_some_and(|tag| tag.starts_with(|first: char| first.is_ascii_digit())),
        "{image}"
    );
}

/// The options of a command line of Valkey.
fn valkey_options(words: &[String]) -> BTreeMap<String, String> {
    assert_eq!(words[0], "valkey-server");
    let options = words[1..].chunks(2).map(|option| {
        let name = option[0].strip_prefix("--").unwrap_or_else(|| panic!("{option:?}"));
        (name.to_owned(), option[1].trim_matches('"').to_owned())
    });
    options.collect()
}

/// Asserts that the options of a server fit its role and its container. `max_mb`: of all jobs.
fn assert_fits_role(role: &str, options: &BTreeMap<String, String>, limit: u64, max_mb: u64) {
    let option = |name: &str| options.get(name).map_or("", String::as_str);
    let (durability, eviction) = match role {
        "jobs" => (["yes", "always"], "noeviction"),
        _ => (["no", ""], "allkeys-lfu"),
    };
    assert_eq!([option("appendonly"), option("appendfsync")], durability, "{role}");
    assert_eq!(option("maxmemory-policy"), eviction, "{role}");
    assert_eq!(options.get("save").map(String::as_str), Some(""), "{role}");
    let memory = option("maxmemory");
    let memory =
        if memory.ends_with("gb") { 1_024 * amount(memory, "gb") } else { amount(memory, "mb") };
    assert!(memory >= 4 * max_mb, "{role}");
    // Rewriting the file of the jobs may copy all of the memory.
    let needed = if role == "jobs" { 2 * memory } else { memory };
    assert!(5 * limit >= 6 * needed, "{role}: {limit} MB for {needed} MB");
}
