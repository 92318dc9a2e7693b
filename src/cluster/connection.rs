//! The connection to the server, with a time limit on each command.
//!
//! It is replaced by [`Connection::connect`] alone, after any failure: a connection that has stopped
//! to answer looks like a slow server for minutes.

use std::fmt;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Cmd, ConnectionAddr, FromRedisValue, Pipeline};

use super::command_error::{CommandError, within};
use super::endpoint::Endpoint;

/// The longest time until a connection is established.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// A connection that can be replaced.
pub(super) struct Connection {
    endpoint: Endpoint,
    current: RwLock<Option<Established>>,
}

struct Established {
    server: ConnectionAddr,
    connection: MultiplexedConnection,
}

impl Connection {
    /// A connection that [`Connection::connect`] will establish.
    pub(super) fn new(endpoint: Endpoint) -> Connection {
        Connection { endpoint, current: RwLock::default() }
    }

    /// The address without user and password.
    pub(super) fn address(&self) -> &str {
        self.endpoint.address()
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
        let client = self.endpoint.client().await?;
        let connecting = client.get_multiplexed_async_connection_with_config(&config);
        let connected = within(2 * CONNECT_TIMEOUT, connecting).await;
        let connection = connected.inspect_err(|_| self.endpoint.doubt())?;
        let server = client.get_connection_info().addr().clone();
        let established = Established { server, connection };
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Some(established);
        Ok(())
    }

    /// The address of the primary that a Sentinel has named; `None` without Sentinels.
    pub(super) fn primary(&self) -> Option<String> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        let established = current.as_ref().filter(|_| self.endpoint.has_sentinels())?;
        Some(established.server.to_string())
    }

    /// Drops the connection, whose server is no primary.
    pub(super) fn leave_replica(&self) {
        self.endpoint.doubt();
        self.disconnect();
    }

    /// Asks another Sentinel for the primary; `None` without Sentinels, and if none knows it.
    pub(super) async fn find_primary(&self) -> Option<ConnectionAddr> {
        if !self.endpoint.has_sentinels() {
            return None;
        }
        self.endpoint.doubt();
        let client = self.endpoint.client().await.ok()?;
        Some(client.get_connection_info().addr().clone())
    }

    /// Drops the connection unless its server is this primary.
    pub(super) fn leave_all_but(&self, primary: &ConnectionAddr) {
        let is_other = |established: &mut Established| established.server != *primary;
        self.current.write().unwrap_or_else(PoisonError::into_inner).take_if(is_other);
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
        let established = current.as_ref().ok_or(CommandError::Disconnected)?;
        Ok(established.connection.clone())
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
    /// As [`Connection::run`]; the error of the first command that fails.
    pub(super) async fn run_all<T: FromRedisValue>(
        &self,
        commands: &Pipeline,
        limit: Duration,
    ) -> Result<T, CommandError> {
        let mut connection = self.current()?;
        within(limit, commands.query_async(&mut connection)).await.map_err(CommandError::first)
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("address", &self.address()).finish_non_exhaustive()
    }
}
