//! The embedded defaults, `config/default.toml`, and the keys that they define.

use std::collections::{BTreeMap, BTreeSet};

use config::{Config, File, FileFormat, Value, ValueKind};

const DEFAULTS: &str = include_str!("../../config/default.toml");

/// A configuration of the defaults, which other sources can override.
pub(super) fn defaults() -> config::ConfigBuilder<config::builder::DefaultState> {
    Config::builder().add_source(File::from_str(DEFAULTS, FileFormat::Toml))
}

/// The full names of all keys.
pub(super) fn known_keys() -> BTreeSet<String> {
    // The embedded file is valid, as a test shows.
    defaults()
        .build()
        .map(|defaults| flatten(&defaults.cache).into_keys().collect())
        .unwrap_or_default()
}

/// The values by their full keys. A list is one value.
pub(super) fn flatten(value: &Value) -> BTreeMap<String, Value> {
    fn walk(prefix: &str, value: &Value, flat: &mut BTreeMap<String, Value>) {
        match &value.kind {
            ValueKind::Table(table) if prefix.is_empty() || !table.is_empty() => {
                for (name, value) in table {
                    let key =
                        if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
                    walk(&key, value, flat);
                }
            }
            _ => {
                flat.insert(prefix.to_owned(), value.clone());
            }
        }
    }
    let mut flat = BTreeMap::new();
    walk("", value, &mut flat);
    flat
}
