//! The server of the jobs: its connections, and the durability of writes.
//!
//! Reads, writes and the log have a connection each, because a write waits for the server's disk,
//! and a read of the log for the next change.

use std::time::Duration;

use redis::{Cmd, FromRedisValue, Pipeline, cmd, pipe};
use tokio::runtime::Handle;

use super::link::{Link, LinkError};
use crate::cluster::error::ClusterError;
use crate::cluster::keys::jobs_root;
use crate::cluster::options::ClusterOptions;
use crate::cluster::server_info::JobsRole;
use crate::store::StoreError;
use crate::store::jobs::{JobId, LogPosition};

/// The longest time until a read is answered, and until a write is on the server's disk.
const READ_LIMIT: Duration = Duration::from_secs(2);
const WRITE_LIMIT: Duration = Duration::from_secs(5);

/// How long the replicas may take to have a write.
const REPLICA_LIMIT: Duration = Duration::from_secs(2);

/// The most log entries of one read.
const MAX_ENTRIES: usize = 1_000;

/// The server. Its methods block, and must not be called by a thread of the runtime.
#[derive(Debug)]
pub(super) struct JobsServer {
    /// The runtime of the connections.
    runtime: Handle,
    reads: Link,
    writes: Link,
    follower: Link,
    /// The prefix of all keys.
    root: String,
    /// The number of replicas that must have a write.
    replicas: u32,
}

impl JobsServer {
    /// Connects to the server. If it cannot be reached, it is tried again with each command. Must
    /// be called within a tokio runtime.
    ///
    /// # Errors
    /// The server refuses the user, is too old, or may drop jobs.
    pub(super) async fn connect(options: &ClusterOptions) -> Result<JobsServer, ClusterError> {
        let ClusterOptions { jobs_endpoint, jobs_role: role, prefix, replicas, .. } = options;
        let role = *role;
        let server = JobsServer {
            runtime: Handle::current(),
            reads: Link::new(jobs_endpoint),
            writes: Link::new(jobs_endpoint).logged(role),
            follower: Link::new(jobs_endpoint),
            root: jobs_root(prefix),
            replicas: *replicas,
        };
        let address = server.writes.address();
        match server.writes.establish().await {
            Ok(_) => {}
            Err(LinkError::Unsuitable(error)) => {
                return Err(ClusterError::UnsuitableForJobs(role.setting(), error));
            }
            Err(LinkError::Command(error)) if error.is_refusal() => {
                return Err(ClusterError::JobsRefused(role.setting(), error));
            }
            // The heartbeats tell of a server with both roles.
            Err(_) if role == JobsRole::Shared => {}
            Err(error) => tracing::warn!(
                server = address,
                error = error.to_string(),
                "the jobs' server cannot be reached; this node keeps trying"
            ),
        }
        Ok(server)
    }

    /// `true` if writes must be on replicas, too.
    pub(super) fn has_replicas(&self) -> bool {
        self.replicas > 0
    }

    /// The key of this name.
    pub(super) fn key(&self, name: &str) -> String {
        format!("{}{name}", self.root)
    }

    /// The key of this name of a job.
    pub(super) fn key_of(&self, name: &str, id: JobId) -> String {
        format!("{}{name}:{id}", self.root)
    }

    /// A command that runs a script. Its arguments follow.
    pub(super) fn script(&self, text: &str) -> Cmd {
        let mut command = cmd("EVAL");
        command.arg(text).arg(1).arg(&self.root);
        command
    }

    /// Sends a command that reads.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses the command.
    pub(super) fn read<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, StoreError> {
        Ok(self.runtime.block_on(self.reads.run(command, READ_LIMIT))?)
    }

    /// Sends commands that read, all at once.
    ///
    /// # Errors
    /// As [`JobsServer::read`].
    pub(super) fn read_all<T: FromRedisValue>(&self, commands: &Pipeline) -> Result<T, StoreError> {
        Ok(self.runtime.block_on(self.reads.run_all(commands, READ_LIMIT))?)
    }

    /// Sends a command that writes, and waits until it is durable.
    ///
    /// # Errors
    /// As [`JobsServer::read`]. The write may have happened.
    pub(super) fn write<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, StoreError> {
        if self.replicas == 0 {
            return self.write_soon(command);
        }
        let mut wait = cmd("WAIT");
        wait.arg(self.replicas).arg(REPLICA_LIMIT.as_millis() as u64);
        // Both on one connection: another one may lead to another server.
        let mut both = pipe();
        both.add_command(command.clone()).add_command(wait);
        let limit = WRITE_LIMIT + REPLICA_LIMIT;
        let (answer, reached): (T, u32) = self.run_write(self.writes.run_all(&both, limit))?;
        if reached >= self.replicas {
            return Ok(answer);
        }
        self.follow_primary();
        let needed = self.replicas;
        let reason = format!("{reached} replicas have the last write; {needed} must have it");
        Err(StoreError::Unreachable(reason))
    }

    /// Sends two commands that write, and waits until both are durable. The effects of the second
    /// are not seen before the first is durable. Returns the answer of the second, or of the first
    /// unless that is `expected`.
    ///
    /// # Errors
    /// As [`JobsServer::write`].
    pub(super) fn write_in_order(
        &self,
        first: &Cmd,
        expected: &str,
        second: &Cmd,
    ) -> Result<String, StoreError> {
        let answer: String = if self.replicas > 0 {
            self.write(first)?
        } else {
            // The server answers both, and others who see them, once they are on its disk.
            let mut both = pipe();
            both.add_command(first.clone()).add_command(second.clone());
            let (first, second) = self.run_write(self.writes.run_all(&both, WRITE_LIMIT))?;
            return Ok(if expected == first { second } else { first });
        };
        if answer == expected { self.write(second) } else { Ok(answer) }
    }

    /// Sends a command that writes something that may be lost with the server.
    ///
    /// # Errors
    /// As [`JobsServer::write`].
    pub(super) fn write_soon<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, StoreError> {
        self.run_write(self.writes.run(command, WRITE_LIMIT))
    }

    /// Sends commands that write something that may be lost with the server, all at once.
    ///
    /// # Errors
    /// As [`JobsServer::write`].
    pub(super) fn write_all_soon(&self, commands: &Pipeline) -> Result<(), StoreError> {
        self.run_write(self.writes.run_all::<()>(commands, WRITE_LIMIT))
    }

    fn run_write<T>(
        &self,
        write: impl Future<Output = Result<T, LinkError>>,
    ) -> Result<T, StoreError> {
        let written = self.runtime.block_on(write);
        if let Err(LinkError::Command(error)) = &written
            && error.lacks_replicas()
        {
            self.follow_primary();
        }
        Ok(written?)
    }

    /// Leaves a primary whose replicas follow another one by now.
    fn follow_primary(&self) {
        let Some(primary) = self.runtime.block_on(self.writes.find_primary()) else { return };
        for link in [&self.writes, &self.reads, &self.follower] {
            link.leave_all_but(&primary);
        }
    }

    /// Reads the entries of the log after a position, and waits at most `wait` for the first.
    /// `None` after a pause, because the server may be another one by then.
    ///
    /// # Errors
    /// As [`JobsServer::read`].
    pub(super) fn read_log(
        &self,
        since: LogPosition,
        wait: Duration,
    ) -> Result<Option<redis::Value>, StoreError> {
        let link = if wait.is_zero() { &self.reads } else { &self.follower };
        if self.runtime.block_on(link.establish())?.is_some() {
            return Ok(None);
        }
        let mut command = cmd("XREAD");
        command.arg("COUNT").arg(MAX_ENTRIES);
        if !wait.is_zero() {
            command.arg("BLOCK").arg(wait.as_millis() as u64);
        }
        let LogPosition { version, sequence } = since;
        command.arg("STREAMS").arg(self.key("log")).arg(format!("{version}-{sequence}"));
        Ok(Some(self.runtime.block_on(link.run(&command, wait + READ_LIMIT))?))
    }
}

impl From<LinkError> for StoreError {
    fn from(error: LinkError) -> StoreError {
        StoreError::Unreachable(error.to_string())
    }
}
