//! Validation of the settings: the form of their texts, and the rules between them.

use std::net::Ipv6Addr;

use reqwest::Url;
use sha2::{Digest, Sha256};
use tracing_subscriber::filter::Targets;

use super::error::InvalidSetting;
use super::sections::{KeyDigest, Settings};

const LOG_LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

impl Settings {
    /// Every setting that has a wrong form or contradicts another one.
    pub(super) fn validate(&self) -> Vec<InvalidSetting> {
        let mut validator = Validator::default();
        validator.check_times(self);
        validator.check_api_keys(self);
        validator.check_addresses(self);
        validator.check_log_and_cors(self);
        validator.invalid
    }
}

/// The settings that were refused so far.
#[derive(Default)]
struct Validator {
    invalid: Vec<InvalidSetting>,
}

impl Validator {
    fn refuse(&mut self, key: &str, detail: impl Into<String>) {
        self.invalid.push(InvalidSetting::new(key, detail));
    }

    /// Refuses a value that is above the value of another setting.
    fn at_most(&mut self, key: &str, value: u64, (bound_key, bound): (&str, u64)) {
        if value > bound {
            self.refuse(key, format!("{value} is above {bound_key}, which is {bound}"));
        }
    }

    /// Refuses a value that is below the value of another setting.
    fn at_least(&mut self, key: &str, value: u64, (bound_key, bound): (&str, u64)) {
        if value < bound {
            self.refuse(key, format!("{value} is below {bound_key}, which is {bound}"));
        }
    }

    fn check_times(&mut self, settings: &Settings) {
        let Settings { search, queue, limits, lichess, shutdown, .. } = settings;
        let movetime = ("limits.movetime_ms", limits.movetime_ms);
        self.at_most("search.default_movetime_ms", search.default_movetime_ms, movetime);
        self.at_most("lichess.compute_ms", lichess.compute_ms, movetime);
        let drain = ("shutdown.drain_ms", shutdown.drain_ms);
        self.at_least("shutdown.grace_ms", shutdown.grace_ms, drain);
        self.at_least("queue.max_wait_ms", queue.max_wait_ms, ("queue.slice_ms", queue.slice_ms));
    }

    fn check_api_keys(&mut self, settings: &Settings) {
        let keys = &settings.access.keys;
        if settings.access.required && keys.is_empty() {
            self.refuse(
                "access.required",
                "true, but access.keys is empty: no client could send a request; add a key to \
                 access.keys in the configuration file, or set access.required to false",
            );
        }
        let empty_text = KeyDigest(Sha256::digest(b"").into());
        for (index, key) in keys.iter().enumerate() {
            let length = key.name.chars().count();
            if !(1..=64).contains(&length) {
                self.refuse(
                    &format!("access.keys[{index}].name"),
                    format!("{:?} has {length} characters; it must have 1 to 64", key.name),
                );
            }
            let earlier = &keys[..index];
            if earlier.iter().any(|other| other.name == key.name) {
                self.refuse(
                    &format!("access.keys[{index}].name"),
                    format!("two keys have the name {:?}", key.name),
                );
            }
            if key.sha256 == empty_text {
                self.refuse(
                    &format!("access.keys[{index}].sha256"),
                    format!("the key {:?} has the digest of an empty text", key.name),
                );
            }
            if let Some(other) = earlier.iter().find(|other| other.sha256 == key.sha256) {
                self.refuse(
                    &format!("access.keys[{index}].sha256"),
                    format!("the keys {:?} and {:?} have the same digest", other.name, key.name),
                );
            }
        }
    }

    fn check_addresses(&mut self, settings: &Settings) {
        let Settings { listen, metrics, otlp, .. } = settings;
        if metrics.listen.is_some_and(|address| address == *listen && address.port() != 0) {
            self.refuse(
                "metrics.listen",
                format!("{listen} is also `listen`; leave it empty to serve metrics there"),
            );
        }
        if otlp.is_on() && !is_plain_http(&otlp.endpoint) {
            self.refuse(
                "otlp.endpoint",
                format!(
                    "{:?} is not a URL of the form http://host:port/path; TLS is not supported",
                    otlp.endpoint
                ),
            );
        }
    }

    fn check_log_and_cors(&mut self, settings: &Settings) {
        if !is_log_filter(&settings.log.level) {
            self.refuse(
                "log.level",
                format!(
                    "{:?} is not a log filter; it must be off, error, warn, info, debug or trace, \
                     or also have levels of modules, without spaces: \"warn,kibitzer::http=info\"",
                    settings.log.level
                ),
            );
        }
        let public = &settings.http.public_origin;
        if !(public.is_empty() || is_public_origin(public)) {
            self.refuse(
                "http.public_origin",
                format!(
                    "{public:?} is not an origin; it must be http:// or https:// and a host in \
                     lower case, with a port or without, or empty"
                ),
            );
        }
        for origin in settings.http.cors_origins.iter().filter(|origin| !is_origin(origin)) {
            self.refuse(
                "http.cors_origins",
                format!(
                    "{origin:?} is not an origin; it must be scheme://host or \
                     scheme://host:port in lower case, or *"
                ),
            );
        }
        for host in settings.mcp.allowed_hosts.iter().filter(|host| !is_host(host)) {
            self.refuse(
                "mcp.allowed_hosts",
                format!(
                    "{host:?} is not a host; it must be a name or address without scheme and \
                     path, with a port or without, or *"
                ),
            );
        }
    }
}

/// `true` for `*`, and for a host with a port or without, also an IPv6 address without brackets.
fn is_host(text: &str) -> bool {
    let is_url = |host: &str| {
        Url::parse(&format!("http://{host}/")).is_ok_and(|url| {
            url.path() == "/" && url.query().is_none() && url.username().is_empty()
        })
    };
    let is_plain = !text.contains(['/', '?', '#', '@']) && !text.contains(char::is_whitespace);
    text == "*" || text.parse::<Ipv6Addr>().is_ok() || (is_plain && is_url(text))
}

/// `true` for a level, or a list of a level and levels of modules. `Targets` alone takes a misspelt
/// level, or a module after a space, for the name of a module, and then nothing else is logged.
fn is_log_filter(text: &str) -> bool {
    let has_level = |part: &str| {
        let level = part.rsplit_once('=').map_or(part, |(_, level)| level);
        LOG_LEVELS.iter().any(|known| known.eq_ignore_ascii_case(level))
    };
    text.parse::<Targets>().is_ok()
        && !text.contains(char::is_whitespace)
        && text.split(',').all(has_level)
}

/// `true` for a URL that needs no TLS.
fn is_plain_http(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| url.scheme() == "http" && url.has_host())
}

/// `true` for an origin of web pages.
fn is_public_origin(text: &str) -> bool {
    is_origin(text)
        && Url::parse(text).is_ok_and(|url| {
            matches!(url.scheme(), "http" | "https") && url.origin().ascii_serialization() == text
        })
}

/// `true` for an origin as browsers send it, or `*`. It must be in lower case, because origins are
/// compared byte for byte.
fn is_origin(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_graphic() && !b.is_ascii_uppercase() && b != b'/')
    };
    text == "*"
        || text.split_once("://").is_some_and(|(scheme, host)| is_part(scheme) && is_part(host))
}
