//! Which keys there are, and of what kind their values.

use std::collections::BTreeMap;

use config::{Config, Value, ValueKind};

use super::BadKey;

/// Every key that `default.toml` does not know, and every value that is not of its default's kind.
/// (The `config` crate would take 1.5 for a whole number, and names an unknown key without its
/// section.)
pub(super) fn check_keys(defaults: &Config, given: &Config) -> Vec<BadKey> {
    let known = flatten(&defaults.cache);
    flatten(&given.cache)
        .into_iter()
        .filter_map(|(key, value)| match known.get(&key) {
            // A section without keys changes nothing.
            None if matches!(value.kind, ValueKind::Table(_))
                && known.keys().any(|k| k.starts_with(&format!("{key}."))) =>
            {
                None
            }
            None => Some(BadKey::new(key, "is not a key of the configuration")),
            Some(default) => {
                let (expected, found) = (kind(default), kind(&value));
                // The environment has no types: a number there may stand for a text.
                let is_text = expected == "a text" && found != "a list";
                (expected != found && !is_text)
                    .then(|| BadKey::new(key, format!("expected {expected}, got {value}")))
            }
        })
        .collect()
}

fn flatten(value: &Value) -> BTreeMap<String, Value> {
    fn walk(prefix: &str, value: &Value, into: &mut BTreeMap<String, Value>) {
        match &value.kind {
            ValueKind::Table(table) if prefix.is_empty() || !table.is_empty() => {
                for (name, value) in table {
                    let key =
                        if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
                    walk(&key, value, into);
                }
            }
            _ => {
                into.insert(prefix.to_owned(), value.clone());
            }
        }
    }
    let mut all = BTreeMap::new();
    walk("", value, &mut all);
    all
}

fn kind(value: &Value) -> &'static str {
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
