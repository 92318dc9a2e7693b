//! Settings: embedded defaults (`config/default.toml`), overridden by a file, overridden by the
//! environment.
//!
//! Loading reports all invalid settings at once, each by its full key, before anything starts.

mod defaults;
mod environment;
mod error;
mod listen_address;
mod ranges;
mod sections;
mod unknown_keys;
mod validation;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;

use config::{Config, Environment, File, FileFormat, Map};

use defaults::{defaults, known_keys};
use environment::{misnamed_variables, read_variables};
use error::{ENVIRONMENT_PREFIX, fail_if_any, invalid_value, unreadable};
pub use error::{InvalidSetting, SettingsError};
pub use listen_address::{ListenAddressError, local_url, parse_listen_address};
use ranges::out_of_range;
pub use sections::{
    AccessSettings, ApiKeySettings, BatchSettings, ClusterSettings, DictionarySettings,
    HttpSettings, IdleSettings, JobsSettings, KeyDigest, LichessSettings, LimitSettings,
    LiveSettings, LogFormat, LogSettings, McpSettings, MemorySettings, MetricsSettings,
    OtlpSettings, PerftSettings, QueueSettings, RateSettings, SearchSettings, Settings,
    ShutdownSettings, StoreSettings, StreamSettings, SyzygySettings,
};
use unknown_keys::check_keys;

impl Settings {
    /// Loads the defaults, `file` and the environment of the process.
    ///
    /// # Errors
    /// The file cannot be read, a key is unknown, or a value is invalid. A variable that is not
    /// UTF-8 is invalid.
    pub fn load(file: Option<&Path>) -> Result<Settings, SettingsError> {
        let (variables, not_utf8) = read_variables(std::env::vars_os());
        load_from(file, variables, not_utf8)
    }

    /// Loads like [`Settings::load`], with `environment` in place of the environment of the
    /// process.
    ///
    /// # Errors
    /// The same as of [`Settings::load`].
    pub fn load_with(
        file: Option<&Path>,
        environment: Option<BTreeMap<String, String>>,
    ) -> Result<Settings, SettingsError> {
        match environment {
            Some(variables) => load_from(file, variables, Vec::new()),
            None => Settings::load(file),
        }
    }
}

/// One warning for each variable of the process's environment that looks like a setting but has no
/// effect, such as `KIBITZER_SEARCH_WORKERS`.
pub fn environment_warnings() -> Vec<String> {
    let names: Vec<String> =
        std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    misnamed_variables(names.iter().map(String::as_str), &known_keys())
}

/// Loads the settings. `invalid` are variables that were refused already.
fn load_from(
    file: Option<&Path>,
    variables: BTreeMap<String, String>,
    mut invalid: Vec<InvalidSetting>,
) -> Result<Settings, SettingsError> {
    let mut builder = Config::builder();
    if let Some(path) = file {
        builder = builder.add_source(File::from(path).format(FileFormat::Toml));
    }
    let overrides = builder
        .add_source(environment_source(variables))
        .build()
        .map_err(|error| unreadable(file, &error.to_string()))?;
    let defaults = defaults().build().map_err(|error| unreadable(None, &error.to_string()))?;

    invalid.extend(check_keys(&defaults, &overrides));
    fail_if_any(invalid)?;
    let merged =
        merge_over_defaults(overrides).map_err(|error| unreadable(file, &error.to_string()))?;
    let mut settings = deserialize(merged)?;
    if settings.search.workers == 0 {
        settings.search.workers = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    }
    settings.limits.threads = clamp_threads(settings.limits.threads, settings.search.workers);
    Ok(settings)
}

/// Gives the settings their types and validates them.
fn deserialize(merged: Config) -> Result<Settings, SettingsError> {
    let mut invalid = out_of_range(&merged);
    let settings = merged.try_deserialize::<Settings>().map_err(invalid_value);
    match settings {
        Ok(settings) => {
            invalid.extend(settings.validate());
            fail_if_any(invalid)?;
            Ok(settings)
        }
        Err(error) => {
            // A value outside its range may also be outside its type.
            if !invalid.iter().any(|known| known.key == error.key) {
                invalid.push(error);
            }
            Err(SettingsError::Invalid(invalid))
        }
    }
}

/// The most threads of a search. 0 means one per worker; a search cannot have more threads than
/// there are workers.
fn clamp_threads(requested: u16, workers: usize) -> u16 {
    let max = u16::try_from(workers).unwrap_or(u16::MAX);
    if requested == 0 { max } else { requested.min(max) }
}

fn merge_over_defaults(overrides: Config) -> Result<Config, config::ConfigError> {
    defaults().add_source(overrides).build()
}

fn environment_source(variables: BTreeMap<String, String>) -> Environment {
    Environment::with_prefix(ENVIRONMENT_PREFIX)
        .prefix_separator("__")
        .separator("__")
        .try_parsing(true)
        .list_separator(",")
        .with_list_parse_key("http.cors_origins")
        .with_list_parse_key("access.trusted_proxies")
        .with_list_parse_key("mcp.allowed_hosts")
        .with_list_parse_key("syzygy.paths")
        .source(Some(variables.into_iter().collect::<Map<_, _>>()))
}

#[cfg(test)]
mod tests;
