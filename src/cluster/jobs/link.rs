//! A connection for jobs, which is established when it is needed.

use std::time::{Duration, Instant};

use redis::{Cmd, FromRedisValue, Pipeline};
use tokio::sync::Mutex;

use crate::cluster::command_error::CommandError;
use crate::cluster::connection::Connection;
use crate::cluster::endpoint::Endpoint;
use crate::cluster::server_info::{ServerInfo, UnsuitableServer};

/// Minimum time between two attempts to connect.
const RETRY_INTERVAL: Duration = Duration::from_millis(300);

/// A connection that is replaced after each failure.
#[derive(Debug)]
pub(super) struct Link {
    connection: Connection,
    /// Time of the last attempt to connect. The lock is held during an attempt.
    last_attempt: Mutex<Option<Instant>>,
}

/// The reason why a command was not answered.
#[derive(Debug, thiserror::Error)]
pub(super) enum LinkError {
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error(transparent)]
    Unsuitable(#[from] UnsuitableServer),
}

impl Link {
    /// A connection that is established by the first command.
    pub(super) fn new(endpoint: &Endpoint) -> Link {
        Link { connection: Connection::new(endpoint.clone()), last_attempt: Mutex::default() }
    }

    /// The address without user and password.
    pub(super) fn address(&self) -> &str {
        self.connection.address()
    }

    /// Connects if there is no connection. Returns the server if it had to.
    ///
    /// # Errors
    /// The server cannot be reached, refuses the user, or cannot keep jobs.
    pub(super) async fn establish(&self) -> Result<Option<ServerInfo>, LinkError> {
        if self.connection.is_connected() {
            return Ok(None);
        }
        let mut last_attempt = self.last_attempt.lock().await;
        if self.connection.is_connected() {
            return Ok(None);
        }
        if last_attempt.is_some_and(|attempt| attempt.elapsed() < RETRY_INTERVAL) {
            return Err(CommandError::Disconnected.into());
        }
        let server = self.connect().await;
        *last_attempt = Some(Instant::now());
        if server.is_err() {
            self.connection.disconnect();
        }
        server.map(Some)
    }

    async fn connect(&self) -> Result<ServerInfo, LinkError> {
        self.connection.connect().await?;
        let server = ServerInfo::read(&self.connection).await?;
        server.check()?;
        server.check_for_jobs()?;
        Ok(server.with_append_fsync(&self.connection).await?)
    }

    /// Sends a command.
    ///
    /// # Errors
    /// There is no connection, no answer within `limit`, or the answer is an error.
    pub(super) async fn run<T: FromRedisValue>(
        &self,
        command: &Cmd,
        limit: Duration,
    ) -> Result<T, LinkError> {
        self.establish().await?;
        self.checked(self.connection.run(command, limit).await)
    }

    /// Sends several commands at once.
    ///
    /// # Errors
    /// As [`Link::run`].
    pub(super) async fn run_all<T: FromRedisValue>(
        &self,
        commands: &Pipeline,
        limit: Duration,
    ) -> Result<T, LinkError> {
        self.establish().await?;
        self.checked(self.connection.run_all(commands, limit).await)
    }

    /// Drops the connection after a failure that is not the primary's answer.
    fn checked<T>(&self, answer: Result<T, CommandError>) -> Result<T, LinkError> {
        let is_broken = answer.as_ref().is_err_and(CommandError::needs_connection);
        if is_broken {
            self.connection.disconnect();
        }
        Ok(answer?)
    }
}
