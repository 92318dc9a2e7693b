//! The connection to the server: one that reconnects by itself, with a time limit on each command.

use std::fmt;
use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, Cmd, ErrorKind, FromRedisValue, Pipeline, RedisError, ServerErrorKind};
use tokio::time::timeout;

use super::error::ClusterError;

/// The longest time until a connection is established.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// The longest time until a command is answered, unless its caller waits for less.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(2);

/// The connection. Clones share it.
#[derive(Clone)]
pub(super) struct Connection {
    manager: ConnectionManager,
    /// The address without user and password.
    address: String,
}

/// The reason why a command has no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum CommandError {
    /// No answer in time.
    #[error("no answer within {} ms", .0.as_millis())]
    Late(Duration),
    /// The connection failed, or the server refused the command.
    #[error(transparent)]
    Redis(#[from] RedisError),
}

impl CommandError {
    /// The error if waiting does not mend it: the server refuses the user.
    pub(super) fn refusal(self) -> Result<RedisError, CommandError> {
        match self {
            CommandError::Redis(error) if is_refusal(&error) => Ok(error),
            other => Err(other),
        }
    }
}

/// `true` if the server refuses the password, or what the user does.
fn is_refusal(error: &RedisError) -> bool {
    error.kind() == ErrorKind::AuthenticationFailed
        || error.kind() == ErrorKind::Server(ServerErrorKind::NoPerm)
        || error.code().is_some_and(|code| matches!(code, "NOAUTH" | "WRONGPASS" | "NOPERM"))
}

impl Connection {
    /// A connection that is established by its first command. Must be called within a runtime.
    ///
    /// # Errors
    /// The library refuses the options of the connection.
    pub(super) fn new(client: Client) -> Result<Connection, ClusterError> {
        let address = client.get_connection_info().addr().to_string();
        // The heartbeats try again every second, so a command need not.
        let config = ConnectionManagerConfig::new()
            .set_number_of_retries(0)
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_response_timeout(Some(RESPONSE_TIMEOUT));
        let manager = ConnectionManager::new_lazy_with_config(client, config)
            .map_err(|_| ClusterError::Url)?;
        Ok(Connection { manager, address })
    }

    /// The address without user and password.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Sends a command.
    ///
    /// # Errors
    /// There is no answer within `limit`, or it is an error.
    pub(super) async fn run<T: FromRedisValue>(
        &self,
        command: &Cmd,
        limit: Duration,
    ) -> Result<T, CommandError> {
        let mut manager = self.manager.clone();
        timeout(limit, command.query_async(&mut manager))
            .await
            .map_err(|_| CommandError::Late(limit))?
            .map_err(CommandError::from)
    }

    /// Sends several commands at once.
    ///
    /// # Errors
    /// As [`Connection::run`].
    pub(super) async fn run_all<T: FromRedisValue>(
        &self,
        commands: &Pipeline,
        limit: Duration,
    ) -> Result<T, CommandError> {
        let mut manager = self.manager.clone();
        timeout(limit, commands.query_async(&mut manager))
            .await
            .map_err(|_| CommandError::Late(limit))?
            .map_err(CommandError::from)
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("address", &self.address).finish_non_exhaustive()
    }
}
