//! Which keys there are, and of what kind their values.

use std::collections::BTreeMap;

use config::{Config, Value, ValueKind};

use super::InvalidSetting;

/// Every key that `default.toml` does not know, and every value that is not of its default's kind.
/// (The `config` crate would take 1.5 for a whole number, and names an unknown key without its
/// section.)
pub(super) fn check_keys(defaults: &Config, overrides: &Config) -> Vec<InvalidSetting> {
    let known = flatten(&defaults.cache);
    flatten(&overrides.cache)
        .into_iter()
        .filter_map(|(key, value)| match known.get(&key) {
            // A section without keys changes nothing.
            None if matches!(value.kind, ValueKind::Table(_))
                && known.keys().any(|k| k.starts_with(&format!("{key}."))) =>
            {
                None
            }
            None => Some(InvalidSetting::new(key, "is not a key of the configuration")),
            Some(default) => {
                let (expected, found) = (kind_name(default), kind_name(&value));
                // The environment has no types: a number there may stand for a text.
                let is_text = expected == "a text" && found != "a list";
                (expected != found && !is_text)
                    .then(|| InvalidSetting::new(key, format!("expected {expected}, got {value}")))
            }
        })
        .collect()
}

fn flatten(value: &Value) -> BTreeMap<String, Value> {
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
            "a whole number"
        }
        ValueKind::Boolean(_) => "true or false",
        ValueKind::Float(_) => "a number",
        ValueKind::Array(_) => "a list",
        ValueKind::String(_) => "a text",
        ValueKind::Nil | ValueKind::Table(_) => "nothing",
    }
}
