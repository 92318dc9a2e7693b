//! The check for unknown keys and for values of the wrong kind.

use config::{Config, Value, ValueKind};

use super::defaults::flatten;
use super::error::InvalidSetting;

/// The least similarity of a misspelled key to a known one, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.88;

/// The setting that lists the API keys.
const API_KEYS: &str = "access.keys";

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
            None => {
                let detail = unknown_key(&key, &value, known.keys().map(String::as_str));
                Some(InvalidSetting::new(key, detail))
            }
            Some(default) => {
                let (expected, found) = (kind_name(default), kind_name(&value));
                // The environment has no types: a string setting may look like a number there.
                let is_string = expected == "a string" && found != "a list";
                (expected != found && !is_string).then(|| {
                    let detail = match key.as_str() {
                        // The value may be a key, which must not get into a log.
                        API_KEYS => format!(
                            "is {found}; it must be a list of tables, each with a name and the \
                             SHA-256 of the key"
                        ),
                        _ => format!("{value} is not {expected}"),
                    };
                    InvalidSetting::new(key, detail)
                })
            }
        })
        .chain(malformed_api_keys(overrides))
        .collect()
}

/// Every entry of `access.keys` that is not a table. The error does not repeat it, since it may be
/// the key itself.
fn malformed_api_keys(overrides: &Config) -> Vec<InvalidSetting> {
    let entries = overrides.get_array(API_KEYS).unwrap_or_default();
    let malformed = |entry: &Value| !matches!(entry.kind, ValueKind::Table(_));
    entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| malformed(entry))
        .map(|(index, entry)| {
            let detail = format!(
                "is {}; it must be a table with a name and the SHA-256 of the key, such as \
                 {{ name = \"board\", sha256 = \"2bb80d53…\" }}; `printf %s KEY | sha256sum` \
                 prints it",
                kind_name(entry)
            );
            InvalidSetting::new(format!("{API_KEYS}[{index}]"), detail)
        })
        .collect()
}

/// The error for an unknown key: where it is, and the known key that was meant.
fn unknown_key<'k>(key: &str, value: &Value, known: impl Iterator<Item = &'k str>) -> String {
    let origin = value.origin().map_or_else(String::new, |origin| format!(" in {origin}"));
    let name = |key: &'k str| key.rsplit('.').next().unwrap_or(key);
    let similarity = |other: &'k str| {
        // A key without its section, or the name of a section.
        let is_part = name(other) == key || other.split('.').next() == Some(key);
        if is_part { 1.0 } else { strsim::jaro_winkler(key, other) }
    };
    let similar = known
        .map(|other| (similarity(other), other))
        .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
        .max_by(|(one, _), (other, _)| one.total_cmp(other));
    let suggestion =
        similar.map_or_else(String::new, |(_, other)| format!("; did you mean {other}?"));
    format!("unknown key{origin}{suggestion}")
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
