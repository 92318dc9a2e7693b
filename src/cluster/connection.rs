//! The connection to the server, with a time limit on each command.
//!
//! It is replaced by [`Connection::connect`] alone, after any failure: a connection that is cut off
//! without a word looks like a slow server for minutes.

use std::fmt;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::io::tcp::TcpSettings;
use redis::{
    AsyncConnectionConfig, Client, Cmd, ErrorKind, FromRedisValue, IntoConnectionInfo, Pipeline,
    RedisError, RedisResult, ServerErrorKind,
};
use tokio::time::timeout;

/// The longest time until a connection is established.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// A connection that can be replaced.
pub(super) struct Connection {
    client: Client,
    /// The address without user and password.
    address: String,
    current: RwLock<Option<MultiplexedConnection>>,
}

/// The reason why a command has no answer.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// There is no connection at the moment.
    #[error("there is no connection")]
    Disconnected,
    /// No answer in time.
    #[error("no answer within {} ms", .0.as_millis())]
    Late(Duration),
    /// The connection failed, or the server refused the command.
    #[error(transparent)]
    Redis(#[from] RedisError),
}

impl CommandError {
    /// `true` if the server answers, and refuses the password or what the user does.
    pub(super) fn is_refusal(&self) -> bool {
        let CommandError::Redis(error) = self else { return false };
        error.kind() == ErrorKind::AuthenticationFailed
            || error.kind() == ErrorKind::Server(ServerErrorKind::NoPerm)
            || error.code().is_some_and(|code| matches!(code, "NOAUTH" | "WRONGPASS" | "NOPERM"))
    }

    /// The code of an error that the server has sent, such as `WRONGTYPE`.
    pub(super) fn server_code(&self) -> Option<&str> {
        match self {
            CommandError::Redis(error) if !error.is_io_error() => error.code(),
            _ => None,
        }
    }
}

impl Connection {
    /// A connection that [`Connection::connect`] will establish.
    pub(super) fn new(client: &Client) -> RedisResult<Connection> {
        let info = client.get_connection_info().clone();
        let address = info.addr().to_string();
        let tcp = TcpSettings::default().set_nodelay(true);
        let client = Client::open(info.set_tcp_settings(tcp).into_connection_info()?)?;
        Ok(Connection { client, address, current: RwLock::default() })
    }

    /// The address without user and password.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Establishes the connection, or replaces it.
    ///
    /// # Errors
    /// The server cannot be reached in time, or refuses the user.
    pub(super) async fn connect(&self) -> Result<(), CommandError> {
        self.disconnect();
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            // The callers have limits of their own.
            .set_response_timeout(None);
        // The library's limit covers the connection alone, not the greetings after it.
        let connecting = self.client.get_multiplexed_async_connection_with_config(&config);
        let connected = within(2 * CONNECT_TIMEOUT, connecting).await?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Some(connected);
        Ok(())
    }

    /// Drops the connection. Commands fail until the next [`Connection::connect`].
    pub(super) fn disconnect(&self) {
        self.current.write().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// `true` between [`Connection::connect`] and [`Connection::disconnect`].
    pub(super) fn is_connected(&self) -> bool {
        self.current.read().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn current(&self) -> Result<MultiplexedConnection, CommandError> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        current.clone().ok_or(CommandError::Disconnected)
    }

    /// Sends a command.
    ///
    /// # Errors
    /// There is no connection, no answer within `limit`, or the answer is an error.
    pub(super) async fn run<T: FromRedisValue>(
        &self,
        command: &Cmd,
        limit: Duration,
    ) -> Result<T, CommandError> {
        let mut connection = self.current()?;
        within(limit, command.query_async(&mut connection)).await
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
        let mut connection = self.current()?;
        within(limit, commands.query_async(&mut connection)).await
    }
}

/// Waits for the server, at most as long as the limit.
///
/// # Errors
/// The limit is over, or the server has answered with an error.
pub(super) async fn within<T>(
    limit: Duration,
    answer: impl Future<Output = RedisResult<T>>,
) -> Result<T, CommandError> {
    Ok(timeout(limit, answer).await.map_err(|_| CommandError::Late(limit))??)
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("address", &self.address).finish_non_exhaustive()
    }
}
