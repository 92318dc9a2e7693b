//! The check for unknown keys and for values of the wrong kind.

use std::collections::BTreeMap;

use config::{Config, Value, ValueKind};

use super::error::InvalidSetting;

/// Every key that `default.toml` does not have, and every value whose kind differs from its
/// default's. The `config` crate alone accepts 1.5 as an integer and reports an unknown key without
/// its section.
pub(super) fn check_keys(defaults: &Config, overrides: &Config) -> Vec<InvalidSetting> {
    let known = flatten(&defaults.cache);
    flatten(&overrides.cache)
        .into_iter()
        .filter_map(|(key, value)| match known.get(&key) {
            // A section without keys changes nothing.
            None if known.keys().any(|k| k.starts_with(&format!("{key}."))) => {
                (!matches!(value.kind, ValueKind::Table(_)))
                    .then(|| InvalidSetting::new(key, "is a section; it must have keys"))
            }
            None => Some(InvalidSetting::new(key, "unknown key")),
            Some(default) => {
                let (expected, found) = (kind_name(default), kind_name(&value));
                // The environment has no types: a string setting may look like a number there.
                let is_string = expected == "a string" && found != "a list";
                (expected != found && !is_string)
                    .then(|| InvalidSetting::new(key, format!("{value} is not {expected}")))
            }
        })
        .collect()
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

fn kind_name(value: &Value) -> &'static str {
    match value.kind {
        ValueKind::I64(_) | ValueKind::I128(_) | ValueKind::U64(_) | ValueKind::U128(_) => {
            "an integer"
        }
        ValueKind::Boolean(_) => "true or false",
        ValueKind::Float(_) => "a number",
        ValueKind::Array(_) => "a list",
        ValueKind::String(_) => "a string",
        ValueKind::Nil | ValueKind::Table(_) => "nothing",
    }
}
