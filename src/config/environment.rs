//! The environment variables of the settings: reading them, and warnings about similar names.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

use super::error::{ENVIRONMENT_PREFIX, InvalidSetting, environment_name};

/// The variables whose names begin with `KIBITZER__`, and those of them that are not UTF-8.
pub(super) fn read_variables(
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> (BTreeMap<String, String>, Vec<InvalidSetting>) {
    let prefix = format!("{ENVIRONMENT_PREFIX}__");
    let (mut texts, mut invalid) = (BTreeMap::new(), Vec::new());
    for (name, value) in variables {
        let readable_name = name.to_string_lossy().to_uppercase();
        let Some(key) = readable_name.strip_prefix(&prefix) else { continue };
        let refuse =
            |detail: String| InvalidSetting::new(key.to_lowercase().replace("__", "."), detail);
        match (name.into_string(), value.into_string()) {
            (Ok(name), Ok(value)) => {
                texts.insert(name, value);
            }
            (Err(name), _) => {
                invalid.push(refuse(format!("the variable's name {name:?} is not UTF-8")));
            }
            (_, Err(value)) => invalid.push(refuse(format!("{value:?} is not UTF-8"))),
        }
    }
    (texts, invalid)
}

/// One warning for each variable that looks like a setting but lacks the double underscores.
///
/// It looks like one if it equals a key apart from its separators, or begins with a section.
pub(super) fn misnamed_variables<'a>(
    names: impl Iterator<Item = &'a str>,
    keys: &BTreeSet<String>,
) -> Vec<String> {
    let sections: BTreeSet<String> = keys
        .iter()
        .filter_map(|key| Some(format!("{}_", key.split_once('.')?.0.to_uppercase())))
        .collect();
    let warning = |name: &str| {
        let upper_case = name.to_uppercase();
        let rest = upper_case.strip_prefix(ENVIRONMENT_PREFIX)?.strip_prefix('_')?;
        if rest.starts_with('_') {
            return None;
        }
        let meant = keys.iter().find(|key| letters(key) == letters(rest));
        match meant {
            Some(key) => Some(format!(
                "{name} has no effect; the variable of {key} is {}",
                environment_name(key)
            )),
            None if sections.iter().any(|section| rest.starts_with(section)) => Some(format!(
                "{name} has no effect; variables of settings have the form \
                 {ENVIRONMENT_PREFIX}__SECTION__KEY"
            )),
            None => None,
        }
    };
    names.filter_map(warning).collect()
}

/// A name in lower case without its separators.
fn letters(name: &str) -> String {
    name.chars().filter(|letter| !matches!(letter, '_' | '.')).collect::<String>().to_lowercase()
}
