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
    /// Each new server is logged.
    is_logged: bool,
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
        let connection = Connection::new(endpoint.clone());
        Link { connection, is_logged: false, last_attempt: Mutex::default() }
    }

    /// The same connection, which logs each new server.
    pub(super) fn logged(self) -> Link {
        Link { is_logged: true, ..self }
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
        match &server {
            Ok(server) if self.is_logged => log_server(self.address(), server),
            Ok(_) => {}
            Err(_) => self.connection.disconnect(),
        }
        server.map(Some)
    }

    /// Connects anew with the next command if a Sentinel names another primary by now.
    pub(super) async fn follow_primary(&self) {
        self.connection.follow_primary().await;
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

    /// Drops the connection after a failure that is no answer of the primary.
    fn checked<T>(&self, answer: Result<T, CommandError>) -> Result<T, LinkError> {
        let is_broken = answer.as_ref().is_err_and(CommandError::needs_connection);
        if is_broken {
            self.connection.disconnect();
        }
        Ok(answer?)
    }
}

fn log_server(address: &str, server: &ServerInfo) {
    let version = server.version.as_str();
    tracing::info!(server = address, version, "connected to the jobs' server");
    if let Some(advice) = server.advice_for_jobs() {
        tracing::warn!(server = address, "{advice}");
    }
}
