//! Properties of the server: its version, and its behaviour with a full memory.

use std::time::Duration;

use redis::cmd;

use super::command_error::CommandError;
use super::connection::Connection;

/// The longest time until the server has described itself.
const LIMIT: Duration = Duration::from_secs(2);

/// The oldest major version with all commands that the cluster uses. Valkey reports the version of
/// the Redis that it is compatible with, 7.2.4.
const MIN_MAJOR_VERSION: u32 = 7;

/// The reason why a server cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnsuitableServer {
    /// The server is too old.
    #[error("the server is version {version}; kibitzer needs Redis 7.0 or newer, or Valkey")]
    TooOld {
        /// The version that the server reports.
        version: String,
    },
    /// The server is a part of a Redis Cluster, whose scripts reach one part of the keys alone.
    #[error("the server is a part of a Redis Cluster; kibitzer needs a single server")]
    RedisCluster,
    /// The server may drop jobs when its memory is full.
    #[error(
        "the server may drop jobs when its memory is full (maxmemory-policy {policy}): set \
         maxmemory-policy to volatile-lfu, or to noeviction on a server for jobs alone"
    )]
    EvictsJobs {
        /// The server's policy.
        policy: String,
    },
}

/// Whether a server of jobs has another role, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JobsRole {
    /// It keeps jobs alone.
    Alone,
    /// It is the server of everything else, too, which must answer faster than a disk.
    Shared,
}

impl JobsRole {
    /// The setting that names the server.
    pub(super) const fn setting(self) -> &'static str {
        match self {
            JobsRole::Alone => "cluster.jobs_url",
            JobsRole::Shared => "cluster.url",
        }
    }
}

/// The server, as far as it describes itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ServerInfo {
    /// The version of Redis with which the server is compatible.
    pub(super) version: String,
    /// The server is a part of a Redis Cluster, which spreads keys over servers.
    pub(super) is_redis_cluster: bool,
    /// The server is a replica, which takes no writes.
    is_replica: bool,
    /// What is evicted when the memory is full. `None` if the user may not see it.
    pub(super) eviction_policy: Option<String>,
    /// The most memory in bytes; 0 without a limit.
    pub(super) max_memory: u64,
    /// The server writes each change to a file.
    pub(super) is_append_only: bool,
    /// When such a change is on the disk. `None` if the user may not see it.
    pub(super) append_fsync: Option<String>,
}

impl ServerInfo {
    /// Asks the server.
    ///
    /// # Errors
    /// The server cannot be reached, refuses the user, or is a replica.
    pub(super) async fn read(connection: &Connection) -> Result<ServerInfo, CommandError> {
        // Without arguments: servers that are too old take one at most.
        let info = connection.run::<String>(&cmd("INFO"), LIMIT).await?;
        let server = ServerInfo::parse(&info);
        if server.is_replica {
            // After a failover, until the Sentinels know the new primary.
            connection.leave_replica();
            return Err(CommandError::Replica);
        }
        Ok(server)
    }

    /// Asks when changes are on the disk. A user who may not know is told nothing.
    ///
    /// # Errors
    /// The server cannot be reached.
    pub(super) async fn with_append_fsync(
        self,
        connection: &Connection,
    ) -> Result<ServerInfo, CommandError> {
        let mut command = cmd("CONFIG");
        command.arg("GET").arg("appendfsync");
        match connection.run::<Vec<String>>(&command, LIMIT).await {
            Ok(pair) => Ok(ServerInfo { append_fsync: pair.into_iter().nth(1), ..self }),
            Err(error) if error.server_code().is_some() => Ok(self),
            Err(error) => Err(error),
        }
    }

    /// Reads the lines `name:value` of the command INFO.
    fn parse(info: &str) -> ServerInfo {
        let value_of = |name: &str| {
            let lines = info.lines().filter_map(|line| line.split_once(':'));
            lines.filter(|(key, _)| *key == name).map(|(_, value)| value.trim().to_owned()).next()
        };
        ServerInfo {
            version: value_of("redis_version").unwrap_or_else(|| "unknown".to_owned()),
            is_replica: value_of("role").is_some_and(|role| role == "slave"),
            is_redis_cluster: value_of("cluster_enabled").is_some_and(|value| value == "1"),
            eviction_policy: value_of("maxmemory_policy"),
            max_memory: value_of("maxmemory").and_then(|text| text.parse().ok()).unwrap_or(0),
            is_append_only: value_of("aof_enabled").is_some_and(|value| value == "1"),
            append_fsync: None,
        }
    }

    /// # Errors
    /// The server is too old, or a part of a Redis Cluster.
    pub(super) fn check(&self) -> Result<(), UnsuitableServer> {
        let major = self.version.split('.').next().and_then(|major| major.parse::<u32>().ok());
        if major.is_none_or(|major| major < MIN_MAJOR_VERSION) {
            return Err(UnsuitableServer::TooOld { version: self.version.clone() });
        }
        if self.is_redis_cluster { Err(UnsuitableServer::RedisCluster) } else { Ok(()) }
    }

    /// # Errors
    /// The server may drop jobs when its memory is full.
    pub(super) fn check_for_jobs(&self) -> Result<(), UnsuitableServer> {
        match &self.eviction_policy {
            Some(policy) if self.max_memory > 0 && policy.starts_with("allkeys") => {
                Err(UnsuitableServer::EvictsJobs { policy: policy.clone() })
            }
            _ => Ok(()),
        }
    }

    /// What an operator who wants to lose no job should change, in a sentence; `None` if all is
    /// well.
    pub(super) fn advice_for_jobs(&self, role: JobsRole) -> Option<&'static str> {
        match (self.is_append_only, self.append_fsync.as_deref(), role) {
            (false, _, JobsRole::Alone) => Some(
                "accepted jobs are lost when the server ends: set appendonly to yes, and \
                 appendfsync to always",
            ),
            (false, _, JobsRole::Shared) => Some(
                "accepted jobs are lost when the server ends: set appendonly to yes, or give jobs \
                 a server of their own (cluster.jobs_url)",
            ),
            (true, Some("always") | None, _) => None,
            (true, Some(_), JobsRole::Alone) => Some(
                "a crash of the server's machine loses a second or more of accepted jobs: set \
                 appendfsync to always",
            ),
            (true, Some(_), JobsRole::Shared) => Some(
                "a crash of the server's machine loses a second or more of accepted jobs: give \
                 them a server of their own with appendfsync always (cluster.jobs_url)",
            ),
        }
    }

    /// What the operator should change, in a sentence; `None` if all is well.
    pub(super) fn advice(&self) -> Option<&'static str> {
        let evicts = self.eviction_policy.as_deref().is_none_or(|policy| policy != "noeviction");
        match (self.max_memory, evicts) {
            (0, _) => Some(
                "the server has no limit of memory: set maxmemory, and maxmemory-policy to \
                 volatile-lfu",
            ),
            (_, false) => Some(
                "the server refuses writes when its memory is full: set maxmemory-policy to \
                 volatile-lfu",
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
            "# Server\r\nredis_version:{version}\r\n\r\n# Cluster\r\ncluster_enabled:0\r\n\r\n# Memory\r\n\
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
            let check = info(version, 1, "allkeys-lfu").check();
            assert_eq!(check.is_ok(), is_new_enough, "{version}");
        }
        assert!(ServerInfo::parse("").check().is_err());
        let in_cluster = ServerInfo::parse("redis_version:7.2.4\r\ncluster_enabled:1\r\n");
        assert_eq!(in_cluster.check(), Err(UnsuitableServer::RedisCluster));
    }

    #[test]
    fn jobs_need_a_server_that_keeps_them() {
        for policy in ["noeviction", "volatile-lfu", "volatile-ttl"] {
            assert_eq!(info("7.0.0", 1 << 30, policy).check_for_jobs(), Ok(()), "{policy}");
        }
        assert_eq!(info("7.0.0", 0, "allkeys-lru").check_for_jobs(), Ok(()), "nothing is evicted");
        let error = info("7.0.0", 1 << 30, "allkeys-lru").check_for_jobs().unwrap_err();
        assert!(error.to_string().contains("allkeys-lru"), "{error}");
    }

    #[test]
    fn jobs_need_a_server_that_writes_them_to_disk() {
        let with = |is_append_only, append_fsync: Option<&str>| {
            let append_fsync = append_fsync.map(str::to_owned);
            let info = info("7.0.0", 1 << 30, "noeviction");
            ServerInfo { is_append_only, append_fsync, ..info }.advice_for_jobs(JobsRole::Alone)
        };
        assert_eq!((with(true, Some("always")), with(true, None)), (None, None));
        assert!(with(true, Some("everysec")).unwrap().contains("a second"));
        assert!(with(false, None).unwrap().contains("appendonly"));
        assert!(ServerInfo::parse("aof_enabled:1\r\n").is_append_only);
        assert!(!ServerInfo::parse("aof_enabled:0\r\n").is_append_only);
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
