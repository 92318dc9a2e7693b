//! What is wrong with a configuration.

use std::path::{Path, PathBuf};

use super::ENVIRONMENT_PREFIX;

/// Why a configuration was refused.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file can't be read or is no TOML.
    #[error("{}: {detail}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// Keys that are unknown or have a bad value.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Invalid(Vec<InvalidSetting>),
}

/// One key that was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {detail} (in the environment: {})", environment_name(key))]
pub struct InvalidSetting {
    /// The key's full name, as `search.hash_mb`.
    pub key: String,
    /// What is wrong.
    pub detail: String,
}

impl InvalidSetting {
    pub(super) fn new(key: impl Into<String>, detail: impl Into<String>) -> InvalidSetting {
        InvalidSetting { key: key.into(), detail: detail.into() }
    }
}

fn environment_name(key: &str) -> String {
    format!("{ENVIRONMENT_PREFIX}__{}", key.replace('.', "__").to_uppercase())
}

/// A value that is not of its setting's type.
pub(super) fn invalid_value(error: config::ConfigError) -> InvalidSetting {
    match error {
        config::ConfigError::Type { key, unexpected, expected, .. } => InvalidSetting::new(
            key.unwrap_or_default(),
            format!("expected {expected}, got {unexpected}"),
        ),
        config::ConfigError::At { key, error, .. } => {
            InvalidSetting::new(key.unwrap_or_default(), error.to_string())
        }
        // Every key has a default but those of the entries of this list, of which the library does
        // not tell the place.
        config::ConfigError::NotFound(field) => {
            InvalidSetting::new("access.keys", format!("an entry has no {field}"))
        }
        other => InvalidSetting::new("", other.to_string()),
    }
}

/// A file that can't be read.
pub(super) fn unreadable(file: Option<&Path>, detail: &str) -> SettingsError {
    SettingsError::Unreadable {
        path: file.unwrap_or(Path::new("config/default.toml")).to_owned(),
        detail: detail.to_owned(),
    }
}

/// Ends the loading when anything is wrong.
pub(super) fn fail_if_any(invalid: Vec<InvalidSetting>) -> Result<(), SettingsError> {
    if invalid.is_empty() { Ok(()) } else { Err(SettingsError::Invalid(invalid)) }
}
