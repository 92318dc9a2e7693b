//! The settings by section: one struct for each table of `config/default.toml`.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use serde::Deserialize;
use serde::de::{Deserializer, Error};

use super::listen_address::parse_listen_address;

/// All settings of the server. `config/default.toml` explains every key.
#[derive(Clone, Debug, Deserialize)]
pub struct Settings {
    /// The address to listen on.
    #[serde(deserialize_with = "address")]
    pub listen: SocketAddr,
    /// The search and its threads.
    pub search: SearchSettings,
    /// The queue of requests that wait for a worker.
    pub queue: QueueSettings,
    /// Speculative searches of idle workers.
    pub idle: IdleSettings,
    /// The evaluation cache.
    pub dictionary: DictionarySettings,
    /// The store on disk.
    pub store: StoreSettings,
    /// The limits of one request.
    pub limits: LimitSettings,
    /// Perft requests.
    pub perft: PerftSettings,
    /// Streamed analyses.
    pub stream: StreamSettings,
    /// Live boards over WebSocket.
    pub live: LiveSettings,
    /// Batches of positions.
    pub batch: BatchSettings,
    /// Game-review jobs.
    pub jobs: JobsSettings,
    /// The routes compatible with Lichess.
    pub lichess: LichessSettings,
    /// The routes compatible with other services.
    pub compat: CompatSettings,
    /// The endgame tablebases.
    pub syzygy: SyzygySettings,
    /// The cluster to which the node belongs.
    pub cluster: ClusterSettings,
    /// The tools for language models.
    pub mcp: McpSettings,
    /// The HTTP layer.
    pub http: HttpSettings,
    /// API keys and trusted proxies.
    pub access: AccessSettings,
    /// The rate limit of a caller.
    pub rate: RateSettings,
    /// The graceful shutdown.
    pub shutdown: ShutdownSettings,
    /// The bound on memory.
    pub memory: MemorySettings,
    /// The log.
    pub log: LogSettings,
    /// The metrics for Prometheus.
    pub metrics: MetricsSettings,
    /// The traces for an OpenTelemetry collector.
    pub otlp: OtlpSettings,
}

/// `search.*`
#[derive(Clone, Debug, Deserialize)]
pub struct SearchSettings {
    /// Concurrent searches. It is never 0 after loading.
    pub workers: usize,
    /// Size of the shared transposition table, in MB.
    pub hash_mb: usize,
    /// Search time of a request that sets no limit, in milliseconds.
    pub default_movetime_ms: u64,
    /// File of the evaluation network. Empty selects the embedded one.
    pub network: PathBuf,
}

/// `queue.*`
#[derive(Clone, Debug, Deserialize)]
pub struct QueueSettings {
    /// Requests of each priority class that may wait.
    pub capacity: usize,
    /// Longest time that a request waits for a worker, in milliseconds.
    pub max_wait_ms: u64,
    /// How long a search runs before it gives way to another client that waits, in milliseconds.
    pub slice_ms: u64,
}

/// `idle.*`
#[derive(Clone, Debug, Deserialize)]
pub struct IdleSettings {
    /// Positions that may wait for a speculative search. 0 turns these searches off.
    pub positions: usize,
}

/// `dictionary.*`
#[derive(Clone, Debug, Deserialize)]
pub struct DictionarySettings {
    /// Analyses in the evaluation cache.
    pub max_entries: usize,
}

/// `store.*`
#[derive(Clone, Debug, Deserialize)]
pub struct StoreSettings {
    /// Folder of the store. Empty turns the store off.
    pub path: PathBuf,
    /// Analyses kept on disk.
    pub max_entries: usize,
    /// Longest time until a new analysis is on disk, in milliseconds.
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
    /// Largest depth of a search, in plies.
    pub depth: u8,
    /// Largest number of nodes of a search.
    pub nodes: u64,
    /// Longest time of a search, in milliseconds.
    pub movetime_ms: u64,
    /// Largest distance of `mate: n`, in moves.
    pub mate: u8,
    /// Most threads of a search. After loading it is 1 to the number of workers.
    pub threads: u16,
    /// Most lines of a search.
    pub multipv: u16,
    /// Most moves in a request's `moves`.
    pub moves: usize,
    /// Most bytes in the body of a request.
    pub body_bytes: usize,
    /// Largest depth of a perft, in plies.
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
    /// Longest time without a line, in milliseconds.
    pub heartbeat_ms: u64,
    /// Time after which a client that reads nothing is disconnected, in milliseconds.
    pub stall_ms: u64,
    /// Most lines that wait for the client of one stream.
    pub buffer: usize,
    /// Concurrent streams and live boards.
    pub max: usize,
    /// Longest time of a search without a limit, in milliseconds.
    pub infinite_ms: u64,
}

/// `live.*`
#[derive(Clone, Debug, Deserialize)]
pub struct LiveSettings {
    /// Time without a message or a search after which a board is closed, in milliseconds.
    pub idle_ms: u64,
    /// Interval of the pings to the client, in milliseconds.
    pub ping_ms: u64,
}

/// `batch.*`
#[derive(Clone, Debug, Deserialize)]
pub struct BatchSettings {
    /// Concurrent batches.
    pub max: usize,
    /// Most lines of a batch.
    pub lines: usize,
    /// Most bytes of a batch.
    pub bytes: usize,
}

/// `jobs.*`
#[derive(Clone, Debug, Deserialize)]
pub struct JobsSettings {
    /// Most jobs kept, finished or not.
    pub max: usize,
    /// How long a finished job is kept, in hours.
    pub keep_hours: u64,
    /// Most bytes in the PGN of a job.
    pub bytes: usize,
    /// Most memory of all jobs together, in MB.
    pub max_mb: u64,
    /// Thousandths of `max` and `max_mb`, less what other clients take, for one address.
    pub anonymous_share_permille: u16,
    /// Nodes per position when the request sets no limit.
    pub default_nodes: u64,
    /// Most nodes of all searches of one job.
    pub max_nodes: u64,
}

/// `lichess.*`
#[derive(Clone, Debug, Deserialize)]
pub struct LichessSettings {
    /// Search time of an unknown position for `GET /api/cloud-eval`, in milliseconds. 0 means no
    /// search.
    pub compute_ms: u64,
}

/// `compat.*`
#[derive(Clone, Debug, Deserialize)]
pub struct CompatSettings {
    /// Whether there are routes in the formats of chess-api.com and stockfish.online.
    pub enabled: bool,
}

/// `syzygy.*`
#[derive(Clone, Debug, Deserialize)]
pub struct SyzygySettings {
    /// Folders with table files. None turns tablebases off.
    pub paths: Vec<PathBuf>,
    /// Table files that are kept in memory, in MB.
    pub memory_mb: u64,
    /// The depth from which the tree is probed for positions with `probe_limit` men, in plies.
    pub probe_depth: u8,
    /// Most men of a position that is probed.
    pub probe_limit: u32,
    /// Whether the 50-move rule counts.
    pub fifty_move_rule: bool,
}

/// `cluster.*`
#[derive(Clone, Deserialize)]
pub struct ClusterSettings {
    /// URL of the server that the nodes share. Empty: the node belongs to no cluster.
    pub url: String,
    /// URL of the server of the review jobs. Empty: the same server.
    pub jobs_url: String,
    /// Number of replicas of the jobs' server that must have a job before it counts as stored.
    pub replicas: u32,
    /// Name of the node in logs. Empty: that of the machine.
    pub node: String,
    /// Prefix of all keys on the server.
    pub prefix: String,
}

impl ClusterSettings {
    /// `true` when the node belongs to a cluster.
    pub fn is_on(&self) -> bool {
        !self.url.is_empty()
    }
}

impl fmt::Debug for ClusterSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The URL may have a password.
        let ClusterSettings { url: _, jobs_url: _, replicas, node, prefix } = self;
        let mut out = f.debug_struct("ClusterSettings");
        out.field("replicas", replicas).field("node", node).field("prefix", prefix);
        out.finish_non_exhaustive()
    }
}

/// `mcp.*`
#[derive(Clone, Debug, Deserialize)]
pub struct McpSettings {
    /// Whether the server has `POST /mcp`.
    pub enabled: bool,
    /// Hosts that a request may name.
    pub allowed_hosts: Vec<String>,
}

/// `http.*`
#[derive(Clone, Debug, Deserialize)]
pub struct HttpSettings {
    /// Concurrent connections.
    pub connections: usize,
    /// Concurrent connections of one client that is no trusted proxy.
    pub connections_per_client: usize,
    /// Most bytes in the head of a request.
    pub head_bytes: usize,
    /// Memory of requests that are being read or answered, in MB.
    pub requests_mb: usize,
    /// Longest time until the head of a request has arrived, in milliseconds.
    pub head_timeout_ms: u64,
    /// Longest time until the body of a request has arrived, in milliseconds.
    pub body_timeout_ms: u64,
    /// Origins that CORS allows. `*` allows all; an empty list turns CORS off.
    pub cors_origins: Vec<String>,
    /// The origin under which browsers reach the server; empty for the host that a request names.
    pub public_origin: String,
}

/// `access.*`
#[derive(Clone, Debug, Deserialize)]
pub struct AccessSettings {
    /// `true` when the server refuses requests without a key or ticket.
    pub required: bool,
    /// Networks of the proxies whose `X-Forwarded-For` is trusted.
    #[serde(deserialize_with = "networks")]
    pub trusted_proxies: Vec<IpNet>,
    /// API keys.
    pub keys: Vec<ApiKeySettings>,
}

/// `rate.*`
#[derive(Clone, Debug, Deserialize)]
pub struct RateSettings {
    /// Requests per window. 0 turns the rate limit off.
    pub requests: u32,
    /// Length of the window, in milliseconds.
    pub window_ms: u64,
}

/// `shutdown.*`
#[derive(Clone, Debug, Deserialize)]
pub struct ShutdownSettings {
    /// Shortest time for which the listener stays open, in milliseconds.
    pub drain_ms: u64,
    /// Longest time until the process exits, in milliseconds.
    pub grace_ms: u64,
}

impl ShutdownSettings {
    /// Shortest time for which the listener stays open.
    pub fn drain(&self) -> Duration {
        Duration::from_millis(self.drain_ms)
    }

    /// Longest time until the process exits.
    pub fn grace(&self) -> Duration {
        Duration::from_millis(self.grace_ms)
    }
}

/// `memory.*`
#[derive(Clone, Debug, Deserialize)]
pub struct MemorySettings {
    /// Largest memory bound with which the server starts, in MB.
    pub max_mb: u64,
}

/// `log.*`
#[derive(Clone, Debug, Deserialize)]
pub struct LogSettings {
    /// Format of a line.
    pub format: LogFormat,
    /// Filter of the events, in the syntax of `tracing_subscriber::filter::Targets`.
    pub level: String,
}

/// `metrics.*`
#[derive(Clone, Debug, Deserialize)]
pub struct MetricsSettings {
    /// Separate address of the metrics. Without it they are on the main address.
    #[serde(deserialize_with = "address_or_none")]
    pub listen: Option<SocketAddr>,
}

/// `otlp.*`
#[derive(Clone, Debug, Deserialize)]
pub struct OtlpSettings {
    /// URL of the collector. Empty turns traces off.
    pub endpoint: String,
    /// The sampling rate per thousand, for requests without a sampling decision in `traceparent`.
    pub sample_permille: u32,
    /// Longest time to wait for the collector, in milliseconds.
    pub timeout_ms: u64,
}

impl OtlpSettings {
    /// `true` when traces are exported.
    pub fn is_on(&self) -> bool {
        !self.endpoint.is_empty()
    }
}

fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SocketAddr, D::Error> {
    parse_listen_address(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

fn address_or_none<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<SocketAddr>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.is_empty() {
        return Ok(None);
    }
    parse_listen_address(&text).map(Some).map_err(D::Error::custom)
}

fn networks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<IpNet>, D::Error> {
    let networks = Vec::<Network>::deserialize(deserializer)?;
    Ok(networks.into_iter().map(|Network(network)| network).collect())
}

/// An entry of `access.trusted_proxies`. As a type of its own it fails with its index.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Network(IpNet);

impl TryFrom<String> for Network {
    type Error = String;

    fn try_from(text: String) -> Result<Network, String> {
        text.parse()
            .map(Network)
            .map_err(|_| format!("{text:?} is not a network such as 10.0.0.0/8"))
    }
}

/// Format of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum LogFormat {
    /// Text for people.
    Text,
    /// One JSON object per line.
    Json,
}

impl TryFrom<String> for LogFormat {
    type Error = String;

    fn try_from(text: String) -> Result<LogFormat, String> {
        match text.as_str() {
            "text" => Ok(LogFormat::Text),
            "json" => Ok(LogFormat::Json),
            _ => Err(format!("{text:?} is not a format; it must be text or json")),
        }
    }
}

/// An API key. The configuration has only the digest of its text.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApiKeySettings {
    /// Name of the caller, 1 to 64 characters.
    pub name: String,
    /// SHA-256 digest of the key's text.
    pub sha256: KeyDigest,
    /// Requests per window. 0 means `rate.requests`.
    #[serde(default)]
    pub requests: u32,
    /// Length of the window, in milliseconds.
    #[serde(default = "default_window_ms")]
    pub window_ms: u64,
}

const fn default_window_ms() -> u64 {
    60_000
}

/// A SHA-256 digest, written as 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyDigest(pub [u8; 32]);

impl<'de> Deserialize<'de> for KeyDigest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<KeyDigest, D::Error> {
        let text = String::deserialize(deserializer)?;
        // The text may be a key that was entered in place of its digest, so no error repeats it.
        let length = text.chars().count();
        if length != 64 {
            return Err(D::Error::custom(format!(
                "has {length} characters; it must be the 64 hexadecimal digits of `printf %s KEY \
                 | sha256sum`"
            )));
        }
        if !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(D::Error::custom("must have only hexadecimal digits (0-9, a-f)"));
        }
        let mut digest = [0; 32];
        for (byte, digits) in digest.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let digits = str::from_utf8(digits).map_err(D::Error::custom)?;
            *byte = u8::from_str_radix(digits, 16).map_err(D::Error::custom)?;
        }
        Ok(KeyDigest(digest))
    }
}
