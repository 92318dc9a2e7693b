//! Errors of the configuration.

use std::path::{Path, PathBuf};

use super::defaults::known_keys;

/// The list of tables, which a variable of the environment cannot express.
const FILE_ONLY_KEY: &str = "access.keys";

/// First part of every environment variable that sets a key.
pub(super) const ENVIRONMENT_PREFIX: &str = "KIBITZER";

/// A configuration that was refused.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file cannot be read or is not TOML.
    #[error("{}: {detail}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        detail: String,
    },
    /// Settings that are unknown or have an invalid value.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Invalid(Vec<InvalidSetting>),
}

/// A setting that was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {detail}{}", environment_hint(key))]
pub struct InvalidSetting {
    /// Full name of the key, such as `search.hash_mb`.
    pub key: String,
    /// The reason.
    pub detail: String,
}

impl InvalidSetting {
    pub(super) fn new(key: impl Into<String>, detail: impl Into<String>) -> InvalidSetting {
        InvalidSetting { key: key.into(), detail: detail.into() }
    }
}

/// The variable that sets a key. A list has one variable, and its entries have none.
pub(super) fn environment_name(key: &str) -> String {
    format!("{ENVIRONMENT_PREFIX}__{}", list_of(key).replace('.', "__").to_uppercase())
}

/// The end of an error message: how the environment sets the key. Empty for an unknown key.
fn environment_hint(key: &str) -> String {
    match list_of(key) {
        FILE_ONLY_KEY => " (only a file can set it)".to_owned(),
        list if known_keys().contains(list) => {
            format!(" (variable in the environment: {})", environment_name(key))
        }
        _ => String::new(),
    }
}

/// The key of the list that has this entry; any other key as it is.
fn list_of(key: &str) -> &str {
    key.split('[').next().unwrap_or(key)
}

/// The key of a list entry as people write it: the library omits the dot of `keys[0].name`.
fn dotted(key: &str) -> String {
    key.replace(']', "].").trim_end_matches('.').to_owned()
}

/// The error for a value that does not have its setting's type.
pub(super) fn invalid_value(error: config::ConfigError) -> InvalidSetting {
    match error {
        config::ConfigError::Type { key, unexpected, expected, .. } => {
            let detail = format!("{unexpected} is not {expected}");
            InvalidSetting::new(dotted(&key.unwrap_or_default()), detail)
        }
        config::ConfigError::At { key, error, .. } => {
            InvalidSetting::new(dotted(&key.unwrap_or_default()), error.to_string())
        }
        // Only entries of access.keys have members without a default.
        config::ConfigError::NotFound(key) => InvalidSetting::new(dotted(&key), "is missing"),
        other => InvalidSetting::new("", other.to_string()),
    }
}

/// The error for a file that cannot be read.
pub(super) fn unreadable(file: Option<&Path>, detail: &str) -> SettingsError {
    SettingsError::Unreadable {
        path: file.unwrap_or(Path::new("config/default.toml")).to_owned(),
        detail: detail.to_owned(),
    }
}

/// Fails with these errors, if there are any.
pub(super) fn fail_if_any(invalid: Vec<InvalidSetting>) -> Result<(), SettingsError> {
    if invalid.is_empty() { Ok(()) } else { Err(SettingsError::Invalid(invalid)) }
}
