//! What the server is, and what it must be: its version, and what it does when its memory is full.

use std::time::Duration;

use redis::cmd;

use super::connection::{CommandError, Connection};

/// The longest time until the server has described itself.
const LIMIT: Duration = Duration::from_secs(2);

/// The oldest major version with all commands that the cluster uses. Valkey reports the version of
/// the Redis that it is compatible with, 7.2.4.
const MIN_MAJOR_VERSION: u32 = 7;

/// The server, as far as it describes itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ServerInfo {
    /// The version of Redis with which the server is compatible.
    pub(super) version: String,
    /// What is evicted when the memory is full. `None` if the user may not see it.
    pub(super) eviction_policy: Option<String>,
    /// The most memory in bytes; 0 without a limit.
    pub(super) max_memory: u64,
}

impl ServerInfo {
    /// Asks the server.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses the user.
    pub(super) async fn read(connection: &Connection) -> Result<ServerInfo, CommandError> {
        let mut info = cmd("INFO");
        info.arg("server").arg("memory");
        Ok(ServerInfo::parse(&connection.run::<String>(&info, LIMIT).await?))
    }

    /// Reads the lines `name:value` of the command INFO.
    fn parse(info: &str) -> ServerInfo {
        let value_of = |name: &str| {
            let lines = info.lines().filter_map(|line| line.split_once(':'));
            lines.filter(|(key, _)| *key == name).map(|(_, value)| value.trim().to_owned()).next()
        };
        ServerInfo {
            version: value_of("redis_version").unwrap_or_else(|| "unknown".to_owned()),
            eviction_policy: value_of("maxmemory_policy"),
            max_memory: value_of("maxmemory").and_then(|text| text.parse().ok()).unwrap_or(0),
        }
    }

    /// `true` if the server has all commands that the cluster uses.
    pub(super) fn is_new_enough(&self) -> bool {
        let major = self.version.split('.').next().and_then(|major| major.parse::<u32>().ok());
        major.is_some_and(|major| major >= MIN_MAJOR_VERSION)
    }

    /// What the operator should change, in a sentence; `None` if all is well.
    pub(super) fn advice(&self) -> Option<&'static str> {
        let evicts = self.eviction_policy.as_deref().is_none_or(|policy| policy != "noeviction");
        match (self.max_memory, evicts) {
            (0, _) => Some(
                "the server has no limit of memory: set maxmemory, and maxmemory-policy to \
                 allkeys-lfu",
            ),
            (_, false) => Some(
                "the server refuses writes when its memory is full: set maxmemory-policy to \
                 allkeys-lfu",
            ),
            (_, true) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(version: &str, max_memory: u64, policy: &str) -> ServerInfo {
        ServerInfo::parse(&format!(
            "# Server\r\nredis_version:{version}\r\nredis_mode:standalone\r\n\r\n# Memory\r\n\
             maxmemory:{max_memory}\r\nmaxmemory_human:1G\r\nmaxmemory_policy:{policy}\r\n"
        ))
    }

    #[test]
    fn servers_from_version_7_on_are_new_enough() {
        for (version, is_new_enough) in [
            ("7.0.0", true),
            ("7.2.4", true),
            ("10.1.0", true),
            ("6.2.14", false),
            ("255.255.255", true),
            ("x", false),
        ] {
            assert_eq!(info(version, 1, "allkeys-lfu").is_new_enough(), is_new_enough, "{version}");
        }
        assert!(!ServerInfo::parse("").is_new_enough());
    }

    #[test]
    fn a_server_should_have_a_limit_of_memory_and_evict() {
        assert_eq!(info("7.0.0", 1 << 30, "allkeys-lfu").advice(), None);
        assert_eq!(info("7.0.0", 1 << 30, "volatile-lru").advice(), None);
        let unbounded = info("7.0.0", 0, "allkeys-lfu").advice().unwrap();
        assert!(unbounded.contains("maxmemory"), "{unbounded}");
        let full = info("7.0.0", 1 << 30, "noeviction").advice().unwrap();
        assert!(full.contains("refuses writes"), "{full}");
    }
}
