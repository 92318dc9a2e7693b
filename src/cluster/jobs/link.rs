//! A connection for jobs, which is established when it is needed.

use std::time::{Duration, Instant};

use redis::{Cmd, ConnectionAddr, FromRedisValue, Pipeline};
use tokio::sync::Mutex;

use crate::cluster::command_error::CommandError;
use crate::cluster::connection::Connection;
use crate::cluster::endpoint::Endpoint;
use crate::cluster::server_info::{JobsRole, ServerInfo, UnsuitableServer};

/// Minimum time between two attempts to connect.
const RETRY_INTERVAL: Duration = Duration::from_millis(300);

/// A connection that is replaced after each failure.
#[derive(Debug)]
pub(super) struct Link {
    connection: Connection,
    /// The role of the server, each new one of which is logged.
    logged: Option<JobsRole>,
    /// The last attempt to connect. The lock is held during an attempt.
    last_attempt: Mutex<Option<Attempt>>,
}

/// An attempt to connect.
#[derive(Debug)]
struct Attempt {
    at: Instant,
    /// Why it failed; `None` if it did not.
    failure: Option<String>,
}

/// The reason why a command was not answered.
#[derive(Debug, thiserror::Error)]
pub(super) enum LinkError {
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error(transparent)]
    Unsuitable(#[from] UnsuitableServer),
    /// The last attempt to connect has just failed, for this reason.
    #[error("{0}")]
    Repeated(String),
}

impl Link {
    /// A connection that is established by the first command.
    pub(super) fn new(endpoint: &Endpoint) -> Link {
        let connection = Connection::new(endpoint.clone());
        Link { connection, logged: None, last_attempt: Mutex::default() }
    }

    /// The same connection, which logs each new server in this role.
    pub(super) fn logged(self, role: JobsRole) -> Link {
        Link { logged: Some(role), ..self }
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
        if let Some(Attempt { at, failure }) = &*last_attempt
            && at.elapsed() < RETRY_INTERVAL
        {
            return Err(match failure {
                Some(failure) => LinkError::Repeated(failure.clone()),
                None => CommandError::Disconnected.into(),
            });
        }
        let server = self.connect().await;
        let failure = server.as_ref().err().map(ToString::to_string);
        *last_attempt = Some(Attempt { at: Instant::now(), failure });
        match &server {
            Ok(server) => self.log_server(server),
            Err(_) => self.connection.disconnect(),
        }
        server.map(Some)
    }

    /// The primary, as a Sentinel knows it: see [`Connection::find_primary`].
    pub(super) async fn find_primary(&self) -> Option<ConnectionAddr> {
        self.connection.find_primary().await
    }

    /// Connects anew with the next command unless the server is this primary.
    pub(super) fn leave_all_but(&self, primary: &ConnectionAddr) {
        self.connection.leave_all_but(primary);
    }

    fn log_server(&self, info: &ServerInfo) {
        let Some(role) = self.logged else { return };
        let (server, primary) = (self.address(), self.connection.primary());
        tracing::info!(server, primary, version = info.version, "connected to the jobs' server");
        if let Some(advice) = info.advice_for_jobs(role) {
            tracing::warn!(server, "{advice}");
        }
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
