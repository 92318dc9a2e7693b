//! Settings: the defaults compiled in from `config/default.toml`, over them a file, over that the environment.
//!
//! Whatever is wrong is reported by the key's full name, and all of it at once, before anything is started.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use config::{Config, Environment, File, FileFormat, Map, Value, ValueKind};
use serde::Deserialize;

const DEFAULTS: &str = include_str!("../config/default.toml");
const ENVIRONMENT_PREFIX: &str = "KIBITZER";

/// Everything that an operator can set. The keys are explained in `config/default.toml`.
#[derive(Clone, Debug, Deserialize)]
pub struct Settings {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// The search and its threads.
    pub search: Search,
    /// The requests that wait for a worker.
    pub queue: Queue,
    /// The evaluation dictionary.
    pub dictionary: Dictionary,
    /// What one request may ask for.
    pub limits: Limits,
    /// Counting move paths.
    pub perft: Perft,
    /// The HTTP layer.
    pub http: Http,
    /// How the server goes down.
    pub shutdown: Shutdown,
    /// The bound on memory.
    pub memory: Memory,
    /// Log lines.
    pub log: Log,
}

/// `search.*`
#[derive(Clone, Debug, Deserialize)]
pub struct Search {
    /// Searches at once; after loading never 0.
    pub workers: usize,
    /// Size of the shared transposition table, in MB.
    pub hash_mb: usize,
    /// Search time of a request without limits, in milliseconds.
    pub default_movetime_ms: u64,
}

/// `queue.*`
#[derive(Clone, Debug, Deserialize)]
pub struct Queue {
    /// Requests that may wait.
    pub capacity: usize,
}

/// `dictionary.*`
#[derive(Clone, Debug, Deserialize)]
pub struct Dictionary {
    /// Analyses that are remembered.
    pub max_entries: usize,
}

/// `limits.*`
#[derive(Clone, Debug, Deserialize)]
pub struct Limits {
    /// Greatest depth of a search, in plies.
    pub depth: u8,
    /// Greatest number of nodes of a search.
    pub nodes: u64,
    /// Greatest time of a search, in milliseconds.
    pub movetime_ms: u64,
    /// Greatest distance of `mate: n`, in moves.
    pub mate: u8,
    /// Most moves in a request's `moves`.
    pub moves: usize,
    /// Most bytes in a request's body.
    pub body_bytes: usize,
    /// Greatest depth of a perft, in plies.
    pub perft_depth: u32,
}

/// `perft.*`
#[derive(Clone, Debug, Deserialize)]
pub struct Perft {
    /// Longest time of a perft, in milliseconds.
    pub max_ms: u64,
}

/// `http.*`
#[derive(Clone, Debug, Deserialize)]
pub struct Http {
    /// Longest time for a body to arrive, in milliseconds.
    pub body_timeout_ms: u64,
    /// Origins that CORS allows; `*` for all, none for no CORS.
    pub cors_origins: Vec<String>,
}

/// `shutdown.*`
#[derive(Clone, Debug, Deserialize)]
pub struct Shutdown {
    /// How long the listener stays open at least, in milliseconds.
    pub drain_ms: u64,
    /// When the process ends in any case, in milliseconds.
    pub grace_ms: u64,
}

impl Shutdown {
    /// How long the listener stays open at least.
    pub fn drain(&self) -> Duration {
        Duration::from_millis(self.drain_ms)
    }

    /// When the process ends in any case.
    pub fn grace(&self) -> Duration {
        Duration::from_millis(self.grace_ms)
    }
}

/// `memory.*`
#[derive(Clone, Debug, Deserialize)]
pub struct Memory {
    /// The highest memory bound that may start, in MB.
    pub max_mb: u64,
}

/// `log.*`
#[derive(Clone, Debug, Deserialize)]
pub struct Log {
    /// How a line looks.
    pub format: LogFormat,
    /// Which events are logged, as `tracing_subscriber::filter::Targets` reads it.
    pub level: String,
}

/// How a log line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

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
    Refused(Vec<BadKey>),
}

/// One key that was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {detail} (in the environment: {})", environment_name(key))]
pub struct BadKey {
    /// The key's full name, as `search.hash_mb`.
    pub key: String,
    /// What is wrong.
    pub detail: String,
}

impl BadKey {
    fn new(key: impl Into<String>, detail: impl Into<String>) -> BadKey {
        BadKey { key: key.into(), detail: detail.into() }
    }
}

fn environment_name(key: &str) -> String {
    format!("{ENVIRONMENT_PREFIX}__{}", key.replace('.', "__").to_uppercase())
}

impl Settings {
    /// Reads the defaults, `file` and the process's environment.
    ///
    /// # Errors
    /// When the file can't be read, a key is unknown or a value is bad.
    pub fn load(file: Option<&Path>) -> Result<Settings, SettingsError> {
        Settings::load_with(file, None)
    }

    /// As [`Settings::load`], with `environment` in place of the process's own where it is given.
    ///
    /// # Errors
    /// As [`Settings::load`].
    pub fn load_with(file: Option<&Path>, environment: Option<BTreeMap<String, String>>) -> Result<Settings, SettingsError> {
        let mut builder = Config::builder();
        if let Some(path) = file {
            builder = builder.add_source(File::from(path).format(FileFormat::Toml));
        }
        let given = builder
            .add_source(environment_source(environment))
            .build()
            .map_err(|error| unreadable(file, &error.to_string()))?;
        let defaults = defaults().build().map_err(|error| unreadable(None, &error.to_string()))?;

        refuse(check_keys(&defaults, &given))?;
        let merged = defaults_over_with(given).map_err(|error| unreadable(file, &error.to_string()))?;
        let mut settings: Settings =
            merged.try_deserialize().map_err(|error| SettingsError::Refused(vec![bad_value(error)]))?;
        refuse(settings.check())?;
        if settings.search.workers == 0 {
            settings.search.workers = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        }
        Ok(settings)
    }

    fn check(&self) -> Vec<BadKey> {
        let mut bad = Vec::new();
        let mut range = |key: &str, value: u64, range: RangeInclusive<u64>| {
            if !range.contains(&value) {
                bad.push(BadKey::new(key, format!("{value} is not in {} to {}", range.start(), range.end())));
            }
        };
        let day = 86_400_000;
        range("search.workers", self.search.workers as u64, 0..=1_024);
        range("search.hash_mb", self.search.hash_mb as u64, 1..=1_048_576);
        range("search.default_movetime_ms", self.search.default_movetime_ms, 1..=day);
        range("queue.capacity", self.queue.capacity as u64, 1..=1_000_000);
        range("dictionary.max_entries", self.dictionary.max_entries as u64, 1..=1_000_000_000);
        range("limits.depth", self.limits.depth.into(), 1..=120);
        range("limits.nodes", self.limits.nodes, 1..=1 << 53);
        range("limits.movetime_ms", self.limits.movetime_ms, 1..=day);
        range("limits.mate", self.limits.mate.into(), 1..=60);
        range("limits.moves", self.limits.moves as u64, 0..=20_000);
        range("limits.body_bytes", self.limits.body_bytes as u64, 1_024..=1 << 30);
        range("limits.perft_depth", self.limits.perft_depth.into(), 1..=30);
        range("perft.max_ms", self.perft.max_ms, 1..=day);
        range("http.body_timeout_ms", self.http.body_timeout_ms, 1..=day);
        range("shutdown.drain_ms", self.shutdown.drain_ms, 0..=day);
        range("shutdown.grace_ms", self.shutdown.grace_ms, self.shutdown.drain_ms..=day);
        if self.search.default_movetime_ms > self.limits.movetime_ms {
            bad.push(BadKey::new("search.default_movetime_ms", "is above limits.movetime_ms"));
        }
        if let Err(error) = self.log.level.parse::<tracing_subscriber::filter::Targets>() {
            bad.push(BadKey::new("log.level", error.to_string()));
        }
        for origin in self.http.cors_origins.iter().filter(|origin| !is_origin(origin)) {
            bad.push(BadKey::new(
                "http.cors_origins",
                format!("{origin:?} is no origin: scheme://host or scheme://host:port in lower case, or *"),
            ));
        }
        bad
    }
}

fn defaults() -> config::ConfigBuilder<config::builder::DefaultState> {
    Config::builder().add_source(File::from_str(DEFAULTS, FileFormat::Toml))
}

fn defaults_over_with(given: Config) -> Result<Config, config::ConfigError> {
    defaults().add_source(given).build()
}

fn environment_source(variables: Option<BTreeMap<String, String>>) -> Environment {
    Environment::with_prefix(ENVIRONMENT_PREFIX)
        .prefix_separator("__")
        .separator("__")
        .try_parsing(true)
        .list_separator(",")
        .with_list_parse_key("http.cors_origins")
        .source(variables.map(|variables| variables.into_iter().collect::<Map<_, _>>()))
}

/// Every key that `default.toml` does not know, and every value that is not of its default's kind. (The `config` crate
/// would take 1.5 for a whole number, and names an unknown key without its section.)
fn check_keys(defaults: &Config, given: &Config) -> Vec<BadKey> {
    let known = flatten(&defaults.cache);
    flatten(&given.cache)
        .into_iter()
        .filter_map(|(key, value)| match known.get(&key) {
            // A section without keys changes nothing.
            None if matches!(value.kind, ValueKind::Table(_)) && known.keys().any(|k| k.starts_with(&format!("{key}."))) => {
                None
            }
            None => Some(BadKey::new(key, "is not a key of the configuration")),
            Some(default) => {
                let (expected, found) = (kind(default), kind(&value));
                // The environment has no types: a number there may stand for a text.
                let is_text = expected == "a text" && found != "a list";
                (expected != found && !is_text).then(|| BadKey::new(key, format!("expected {expected}, got {value}")))
            }
        })
        .collect()
}

fn flatten(value: &Value) -> BTreeMap<String, Value> {
    fn walk(prefix: &str, value: &Value, into: &mut BTreeMap<String, Value>) {
        match &value.kind {
            ValueKind::Table(table) if prefix.is_empty() || !table.is_empty() => {
                for (name, value) in table {
                    let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
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
        ValueKind::I64(_) | ValueKind::I128(_) | ValueKind::U64(_) | ValueKind::U128(_) => "a whole number",
        ValueKind::Boolean(_) => "true or false",
        ValueKind::Float(_) => "a number",
        ValueKind::Array(_) => "a list",
        ValueKind::String(_) => "a text",
        ValueKind::Nil | ValueKind::Table(_) => "nothing",
    }
}

/// An origin as browsers send it, in lower case, since it is compared byte for byte; or `*`.
fn is_origin(text: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_graphic() && !b.is_ascii_uppercase() && b != b'/');
    text == "*" || text.split_once("://").is_some_and(|(scheme, host)| is_part(scheme) && is_part(host))
}

fn bad_value(error: config::ConfigError) -> BadKey {
    match error {
        config::ConfigError::Type { key, unexpected, expected, .. } => {
            BadKey::new(key.unwrap_or_default(), format!("expected {expected}, got {unexpected}"))
        }
        config::ConfigError::At { key, error, .. } => BadKey::new(key.unwrap_or_default(), error.to_string()),
        other => BadKey::new("", other.to_string()),
    }
}

fn unreadable(file: Option<&Path>, detail: &str) -> SettingsError {
    SettingsError::Unreadable {
        path: file.unwrap_or(Path::new("config/default.toml")).to_owned(),
        detail: detail.to_owned(),
    }
}

fn refuse(bad: Vec<BadKey>) -> Result<(), SettingsError> {
    if bad.is_empty() { Ok(()) } else { Err(SettingsError::Refused(bad)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_environment(variables: &[(&str, &str)]) -> Result<Settings, SettingsError> {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Settings::load_with(None, Some(variables))
    }

    fn with_file(text: &str) -> Result<Settings, SettingsError> {
        let path = std::env::temp_dir().join(format!("kibitzer-config-{}-{:p}.toml", std::process::id(), text.as_ptr()));
        std::fs::write(&path, text).unwrap();
        let settings = Settings::load_with(Some(&path), Some(BTreeMap::new()));
        std::fs::remove_file(&path).unwrap();
        settings
    }

    fn refused(result: Result<Settings, SettingsError>) -> Vec<String> {
        match result {
            Err(SettingsError::Refused(bad)) => bad.into_iter().map(|bad| bad.key).collect(),
            other => panic!("expected refused keys, got {other:?}"),
        }
    }

    #[test]
    fn the_defaults_start() {
        let settings = with_environment(&[]).unwrap();
        assert_eq!(settings.listen.port(), 8080);
        assert!(settings.search.workers >= 1, "0 workers stand for one per core");
        assert!(settings.http.cors_origins.is_empty());
    }

    #[test]
    fn the_production_file_starts() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/production.toml");
        let settings = Settings::load_with(Some(&file), Some(BTreeMap::new())).unwrap();
        assert_eq!(settings.log.format, LogFormat::Json);
        assert_eq!(settings.limits.moves, 1_200, "keys that a file leaves out keep their defaults");
    }

    #[test]
    fn the_environment_goes_before_the_defaults() {
        let settings = with_environment(&[
            ("KIBITZER__SEARCH__HASH_MB", "128"),
            ("KIBITZER__LISTEN", "0.0.0.0:9000"),
            ("KIBITZER__HTTP__CORS_ORIGINS", "https://a.example,https://b.example:8443"),
            ("KIBITZER_SUITES", "of no interest"),
        ])
        .unwrap();
        assert_eq!(settings.search.hash_mb, 128);
        assert_eq!(settings.listen.to_string(), "0.0.0.0:9000");
        assert_eq!(settings.http.cors_origins, ["https://a.example", "https://b.example:8443"]);
    }

    #[test]
    fn unknown_keys_are_refused_by_their_full_names() {
        assert_eq!(refused(with_environment(&[("KIBITZER__SEARCH__HASHMB", "1")])), ["search.hashmb"]);
        assert_eq!(refused(with_file("sreach.workers = 2\n[queue]\nlength = 3")), ["queue.length", "sreach.workers"]);
        assert_eq!(refused(with_file("search = 3")), ["search"]);
        assert_eq!(refused(with_file("[search]\n[serch]")), ["serch"]);
        assert!(with_file("[search]\n[queue]").is_ok(), "a section may be empty");
    }

    #[test]
    fn bad_values_are_refused_by_their_keys_full_names() {
        for (key, value) in [
            ("search.hash_mb", "1.5"),
            ("search.hash_mb", "0"),
            ("search.hash_mb", "-1"),
            ("search.hash_mb", "\"big\""),
            ("search.workers", "[2]"),
            ("limits.depth", "300"),
            ("limits.depth", "true"),
            ("listen", "\"everywhere\""),
            ("listen", "8080"),
            ("log.format", "\"xml\""),
            ("log.level", "\"kibitzer=loud\""),
            ("http.cors_origins", "[\"chess.example\"]"),
            ("http.cors_origins", "[\" https://chess.example\"]"),
            ("http.cors_origins", "[\"https://Chess.example\"]"),
            ("shutdown.grace_ms", "10"),
        ] {
            assert_eq!(refused(with_file(&format!("{key} = {value}"))), [key], "{key} = {value}");
        }
    }

    #[test]
    fn all_that_is_wrong_is_said_at_once() {
        let error = with_environment(&[("KIBITZER__QUEUE__CAPACITY", "0"), ("KIBITZER__PERFT__MAX_MS", "0")]).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("queue.capacity") && text.contains("perft.max_ms"), "{text}");
        assert!(text.contains("KIBITZER__QUEUE__CAPACITY"), "{text}");
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = Settings::load_with(Some(Path::new("no/such/file.toml")), Some(BTreeMap::new())).unwrap_err();
        assert!(error.to_string().contains("no/such/file.toml"), "{error}");
    }
}
