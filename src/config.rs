//! Settings: the defaults compiled in from `config/default.toml`, over them a file, over that the
//! environment.
//!
//! Whatever is wrong is reported by the key's full name, and all of it at once, before anything is
//! started.

mod api_key;
mod error;
mod ranges;
mod unknown_keys;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use config::{Config, Environment, File, FileFormat, Map};
use ipnet::IpNet;
use serde::Deserialize;
use serde::de::{Deserializer, Error};

pub use api_key::{ApiKeySettings, KeyDigest};
pub use error::{InvalidSetting, SettingsError};
use error::{fail_if_any, invalid_value, unreadable};
use unknown_keys::check_keys;

const DEFAULTS: &str = include_str!("../config/default.toml");
const ENVIRONMENT_PREFIX: &str = "KIBITZER";

/// Everything that an operator can set. The keys are explained in `config/default.toml`.
#[derive(Clone, Debug, Deserialize)]
pub struct Settings {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// The search and its threads.
    pub search: SearchSettings,
    /// The requests that wait for a worker.
    pub queue: QueueSettings,
    /// What workers do when nobody waits for them.
    pub idle: IdleSettings,
    /// The evaluation dictionary.
    pub dictionary: DictionarySettings,
    /// What outlasts the process.
    pub store: StoreSettings,
    /// What one request may ask for.
    pub limits: LimitSettings,
    /// Counting move paths.
    pub perft: PerftSettings,
    /// Analyses that are followed line by line.
    pub stream: StreamSettings,
    /// Boards that are talked to.
    pub live: LiveSettings,
    /// Many positions in one request.
    pub batch: BatchSettings,
    /// Reviews of games.
    pub jobs: JobsSettings,
    /// The routes in Lichess's shape.
    pub lichess: LichessSettings,
    /// The HTTP layer.
    pub http: HttpSettings,
    /// Who may ask, and under which name.
    pub access: AccessSettings,
    /// How often a client may ask.
    pub rate: RateSettings,
    /// How the server goes down.
    pub shutdown: ShutdownSettings,
    /// The bound on memory.
    pub memory: MemorySettings,
    /// Log lines.
    pub log: LogSettings,
    /// Figures for the operator.
    pub metrics: MetricsSettings,
    /// Traces for a collector.
    pub otlp: OtlpSettings,
}

/// `search.*`
#[derive(Clone, Debug, Deserialize)]
pub struct SearchSettings {
    /// Searches at once; after loading never 0.
    pub workers: usize,
    /// Size of the shared transposition table, in MB.
    pub hash_mb: usize,
    /// Search time of a request without limits, in milliseconds.
    pub default_movetime_ms: u64,
    /// The file of the evaluation network; empty for the one that is part of the program.
    pub network: PathBuf,
}

/// `queue.*`
#[derive(Clone, Debug, Deserialize)]
pub struct QueueSettings {
    /// Requests of each class that may wait.
    pub capacity: usize,
    /// The longest that a request waits for a worker, in milliseconds.
    pub max_wait_ms: u64,
}

/// `idle.*`
#[derive(Clone, Debug, Deserialize)]
pub struct IdleSettings {
    /// Positions that may wait to be deepened; 0 for none at all.
    pub positions: usize,
}

/// `dictionary.*`
#[derive(Clone, Debug, Deserialize)]
pub struct DictionarySettings {
    /// Analyses that are remembered.
    pub max_entries: usize,
}

/// `store.*`
#[derive(Clone, Debug, Deserialize)]
pub struct StoreSettings {
    /// The folder; empty for none.
    pub path: PathBuf,
    /// Analyses that are kept on disk.
    pub max_entries: usize,
    /// How long a new analysis is in memory alone at most, in milliseconds.
    pub flush_ms: u64,
}

impl StoreSettings {
    /// `true` when there is a store.
    pub fn is_on(&self) -> bool {
        !self.path.as_os_str().is_empty()
    }
}

/// `limits.*`
#[derive(Clone, Debug, Deserialize)]
pub struct LimitSettings {
    /// Greatest depth of a search, in plies.
    pub depth: u8,
    /// Greatest number of nodes of a search.
    pub nodes: u64,
    /// Greatest time of a search, in milliseconds.
    pub movetime_ms: u64,
    /// Greatest distance of `mate: n`, in moves.
    pub mate: u8,
    /// Most threads of a search; after loading from 1 to the number of workers.
    pub threads: u16,
    /// Most lines of a search.
    pub multipv: u16,
    /// Most moves in a request's `moves`.
    pub moves: usize,
    /// Most bytes in a request's body.
    pub body_bytes: usize,
    /// Greatest depth of a perft, in plies.
    pub perft_depth: u8,
}

/// `perft.*`
#[derive(Clone, Debug, Deserialize)]
pub struct PerftSettings {
    /// Longest time of a perft, in milliseconds.
    pub max_ms: u64,
}

/// `stream.*`
#[derive(Clone, Debug, Deserialize)]
pub struct StreamSettings {
    /// The longest time without a line, in milliseconds.
    pub heartbeat_ms: u64,
    /// A reader that takes nothing for so long is cut off, in milliseconds.
    pub stall_ms: u64,
    /// Most lines that wait for a reader.
    pub buffer: usize,
    /// Streams and live boards at once.
    pub max: usize,
    /// Greatest time of a search without any limit, in milliseconds.
    pub infinite_ms: u64,
}

/// `live.*`
#[derive(Clone, Debug, Deserialize)]
pub struct LiveSettings {
    /// A board without a word or a search for so long is closed, in milliseconds.
    pub idle_ms: u64,
    /// How often its client is asked whether it is there, in milliseconds.
    pub ping_ms: u64,
}

/// `batch.*`
#[derive(Clone, Debug, Deserialize)]
pub struct BatchSettings {
    /// Batches at once.
    pub max: usize,
    /// Most lines of a batch.
    pub lines: usize,
    /// Most bytes of a batch.
    pub bytes: usize,
}

/// `jobs.*`
#[derive(Clone, Debug, Deserialize)]
pub struct JobsSettings {
    /// Most jobs that are kept, done or not.
    pub max: usize,
    /// How long a job is kept that is over, in hours.
    pub keep_hours: u64,
    /// Most bytes of a text.
    pub bytes: usize,
    /// What all jobs together may take, in MB.
    pub max_mb: u64,
    /// How many nodes a position is searched for which no limit is asked.
    pub default_nodes: u64,
}

/// `lichess.*`
#[derive(Clone, Debug, Deserialize)]
pub struct LichessSettings {
    /// How long an unknown position is searched for `GET /api/cloud-eval`, in milliseconds; 0 for
    /// not at all.
    pub compute_ms: u64,
}

/// `http.*`
#[derive(Clone, Debug, Deserialize)]
pub struct HttpSettings {
    /// Connections at once.
    pub connections: usize,
    /// Longest time for the head of a request to arrive, in milliseconds.
    pub head_timeout_ms: u64,
    /// Longest time for a body to arrive, in milliseconds.
    pub body_timeout_ms: u64,
    /// Origins that CORS allows; `*` for all, none for no CORS.
    pub cors_origins: Vec<String>,
}

/// `access.*`
#[derive(Clone, Debug, Deserialize)]
pub struct AccessSettings {
    /// Networks of proxies whose `X-Forwarded-For` counts.
    pub trusted_proxies: Vec<IpNet>,
    /// API keys.
    pub keys: Vec<ApiKeySettings>,
}

/// `rate.*`
#[derive(Clone, Debug, Deserialize)]
pub struct RateSettings {
    /// Requests in a window; 0 for as many as one likes.
    pub requests: u32,
    /// The window, in milliseconds.
    pub window_ms: u64,
}

/// `shutdown.*`
#[derive(Clone, Debug, Deserialize)]
pub struct ShutdownSettings {
    /// How long the listener stays open at least, in milliseconds.
    pub drain_ms: u64,
    /// When the process ends in any case, in milliseconds.
    pub grace_ms: u64,
}

impl ShutdownSettings {
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
pub struct MemorySettings {
    /// The highest memory bound that may start, in MB.
    pub max_mb: u64,
}

/// `log.*`
#[derive(Clone, Debug, Deserialize)]
pub struct LogSettings {
    /// How a line looks.
    pub format: LogFormat,
    /// Which events are logged, as `tracing_subscriber::filter::Targets` reads it.
    pub level: String,
}

/// `metrics.*`
#[derive(Clone, Debug, Deserialize)]
pub struct MetricsSettings {
    /// The address that they are on, alone; none for the main one.
    #[serde(deserialize_with = "address_or_none")]
    pub listen: Option<SocketAddr>,
}

/// `otlp.*`
#[derive(Clone, Debug, Deserialize)]
pub struct OtlpSettings {
    /// Where a collector takes traces; empty for nowhere.
    pub endpoint: String,
    /// How many of a thousand requests are traced, of those whose caller has not decided it.
    pub sample_permille: u32,
    /// The longest that a collector is waited for, in milliseconds.
    pub timeout_ms: u64,
}

impl OtlpSettings {
    /// `true` when traces are sent.
    pub fn is_on(&self) -> bool {
        !self.endpoint.is_empty()
    }
}

fn address_or_none<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<SocketAddr>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.is_empty() {
        return Ok(None);
    }
    text.parse()
        .map(Some)
        .map_err(|error| D::Error::custom(format!("{text:?} is no address: {error}")))
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
    pub fn load_with(
        file: Option<&Path>,
        environment: Option<BTreeMap<String, String>>,
    ) -> Result<Settings, SettingsError> {
        let mut builder = Config::builder();
        if let Some(path) = file {
            builder = builder.add_source(File::from(path).format(FileFormat::Toml));
        }
        let overrides = builder
            .add_source(environment_source(environment))
            .build()
            .map_err(|error| unreadable(file, &error.to_string()))?;
        let defaults = defaults().build().map_err(|error| unreadable(None, &error.to_string()))?;

        fail_if_any(check_keys(&defaults, &overrides))?;
        let merged =
            merge_over_defaults(overrides).map_err(|error| unreadable(file, &error.to_string()))?;
        let mut settings: Settings = merged
            .try_deserialize()
            .map_err(|error| SettingsError::Invalid(vec![invalid_value(error)]))?;
        fail_if_any(settings.validate())?;
        if settings.search.workers == 0 {
            settings.search.workers =
                std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        }
        settings.limits.threads = clamp_threads(settings.limits.threads, settings.search.workers);
        Ok(settings)
    }
}

/// The most threads of a search: as asked (0: as many as can be), but each takes a worker.
fn clamp_threads(requested: u16, workers: usize) -> u16 {
    let max = u16::try_from(workers).unwrap_or(u16::MAX);
    if requested == 0 { max } else { requested.min(max) }
}

fn defaults() -> config::ConfigBuilder<config::builder::DefaultState> {
    Config::builder().add_source(File::from_str(DEFAULTS, FileFormat::Toml))
}

fn merge_over_defaults(overrides: Config) -> Result<Config, config::ConfigError> {
    defaults().add_source(overrides).build()
}

fn environment_source(variables: Option<BTreeMap<String, String>>) -> Environment {
    Environment::with_prefix(ENVIRONMENT_PREFIX)
        .prefix_separator("__")
        .separator("__")
        .try_parsing(true)
        .list_separator(",")
        .with_list_parse_key("http.cors_origins")
        .with_list_parse_key("access.trusted_proxies")
        .source(variables.map(|variables| variables.into_iter().collect::<Map<_, _>>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_environment(variables: &[(&str, &str)]) -> Result<Settings, SettingsError> {
        let variables = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        Settings::load_with(None, Some(variables))
    }

    fn with_file(text: &str) -> Result<Settings, SettingsError> {
        let path = std::env::temp_dir().join(format!(
            "kibitzer-config-{}-{:p}.toml",
            std::process::id(),
            text.as_ptr()
        ));
        std::fs::write(&path, text).unwrap();
        let settings = Settings::load_with(Some(&path), Some(BTreeMap::new()));
        std::fs::remove_file(&path).unwrap();
        settings
    }

    fn refused(result: Result<Settings, SettingsError>) -> Vec<String> {
        match result {
            Err(SettingsError::Invalid(bad)) => bad.into_iter().map(|bad| bad.key).collect(),
            other => panic!("expected refused keys, got {other:?}"),
        }
    }

    #[test]
    fn the_defaults_are_valid() {
        let settings = with_environment(&[]).unwrap();
        assert_eq!(settings.listen.port(), 8080);
        assert!(settings.search.workers >= 1, "0 workers stand for one per core");
        assert!(settings.http.cors_origins.is_empty());
        assert!(!settings.store.is_on(), "no file is written unasked");
        assert!(settings.metrics.listen.is_none(), "the metrics are on the main address");
        assert!(!settings.otlp.is_on(), "nothing is sent unasked");
    }

    #[test]
    fn the_production_file_is_valid() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/production.toml");
        let settings = Settings::load_with(Some(&file), Some(BTreeMap::new())).unwrap();
        assert_eq!(settings.log.format, LogFormat::Json);
        assert_eq!(settings.limits.moves, 1_200, "keys that a file leaves out keep their defaults");
    }

    #[test]
    fn the_environment_overrides_the_defaults() {
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
    fn a_search_may_have_no_more_threads_than_there_are_workers() {
        let threads = |workers, threads| {
            let text = format!("search.workers = {workers}\nlimits.threads = {threads}");
            with_file(&text).unwrap().limits.threads
        };
        assert_eq!((threads(6, 0), threads(6, 4), threads(6, 7)), (6, 4, 6));
        let defaults = with_file("").unwrap();
        assert_eq!(usize::from(defaults.limits.threads), defaults.search.workers);
    }

    #[test]
    fn unknown_keys_are_refused_by_their_full_names() {
        assert_eq!(
            refused(with_environment(&[("KIBITZER__SEARCH__HASHMB", "1")])),
            ["search.hashmb"]
        );
        assert_eq!(
            refused(with_file("sreach.workers = 2\n[queue]\nlength = 3")),
            ["queue.length", "sreach.workers"]
        );
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
            ("store.max_entries", "0"),
            ("store.flush_ms", "5"),
            ("store.path", "[\"here\"]"),
            ("limits.depth", "300"),
            ("limits.depth", "true"),
            ("limits.threads", "1025"),
            ("listen", "\"everywhere\""),
            ("listen", "8080"),
            ("log.format", "\"xml\""),
            ("log.level", "\"kibitzer=loud\""),
            ("http.cors_origins", "[\"chess.example\"]"),
            ("http.cors_origins", "[\" https://chess.example\"]"),
            ("http.cors_origins", "[\"https://Chess.example\"]"),
            ("shutdown.grace_ms", "10"),
            ("jobs.max", "0"),
            ("jobs.bytes", "100"),
            ("rate.window_ms", "0"),
            ("metrics.listen", "\"9090\""),
            ("metrics.listen", "\"127.0.0.1:8080\""),
            ("otlp.endpoint", "\"localhost:4318\""),
            ("otlp.endpoint", "\"https://collector:4318/v1/traces\""),
            ("otlp.sample_permille", "1001"),
            ("otlp.timeout_ms", "0"),
        ] {
            assert_eq!(refused(with_file(&format!("{key} = {value}"))), [key], "{key} = {value}");
        }
    }

    #[test]
    fn bad_list_entries_are_refused_with_their_index() {
        for (key, value) in [
            ("access.trusted_proxies", "[\"10.0.0.0/8\", \"everybody\"]"),
            ("access.keys", "[{ name = \"a\", sha256 = \"abc\" }]"),
            ("access.keys", "[{ name = \"a\", secret = \"b\" }]"),
        ] {
            let refused = refused(with_file(&format!("{key} = {value}")));
            assert!(
                refused.len() == 1 && refused[0].starts_with(&format!("{key}[")),
                "{key} = {value}: {refused:?}"
            );
        }
        assert_eq!(refused(with_file("access.keys = [{ name = \"a\" }]")), ["access.keys"]);
        let key = format!("{{ name = \"a\", sha256 = \"{}\" }}", "0".repeat(64));
        assert_eq!(with_file(&format!("access.keys = [{key}]")).unwrap().access.keys.len(), 1);
        assert_eq!(
            refused(with_file(&format!("access.keys = [{key}, {key}]"))),
            ["access.keys"],
            "two of one name"
        );
    }

    #[test]
    fn all_errors_are_reported_together() {
        let error = with_environment(&[
            ("KIBITZER__QUEUE__CAPACITY", "0"),
            ("KIBITZER__PERFT__MAX_MS", "0"),
        ])
        .unwrap_err();
        let text = error.to_string();
        assert!(text.contains("queue.capacity") && text.contains("perft.max_ms"), "{text}");
        assert!(text.contains("KIBITZER__QUEUE__CAPACITY"), "{text}");
    }

    #[test]
    fn a_missing_file_is_named() {
        let error =
            Settings::load_with(Some(Path::new("no/such/file.toml")), Some(BTreeMap::new()))
                .unwrap_err();
        assert!(error.to_string().contains("no/such/file.toml"), "{error}");
    }
}
