//! The reasons why the server has not answered a command.

use std::time::Duration;

use redis::{ErrorKind, RedisError, RedisResult, ServerErrorKind};
use tokio::time::timeout;

/// The longest time until a command is answered that no request waits for.
pub(super) const COMMAND_LIMIT: Duration = Duration::from_secs(1);

/// The reason why a command has no answer.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// There is no connection at the moment.
    #[error("there is no connection")]
    Disconnected,
    /// No Sentinel knows where the primary is.
    #[error("no Sentinel knows the primary")]
    NoPrimary,
    /// The server takes no writes, because it is a replica.
    #[error("the server is a replica")]
    Replica,
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

    /// `true` if another connection may lead to an answer: this one has failed, or its server is a
    /// replica by now.
    pub(super) fn needs_connection(&self) -> bool {
        self.server_code().is_none_or(|code| code == "READONLY")
    }

    /// `true` if the primary has too few replicas to take a write. It may be an old one that was
    /// cut off from them.
    pub(super) fn lacks_replicas(&self) -> bool {
        self.server_code() == Some("NOREPLICAS")
    }

    /// The error of the first command that failed, if this is the error of several.
    pub(super) fn first(self) -> CommandError {
        let CommandError::Redis(error) = &self else { return self };
        let errors = error.clone().into_server_errors();
        let first = errors.as_deref().and_then(|errors| errors.first());
        match first {
            Some((_, first)) => CommandError::Redis(first.clone().into()),
            None => self,
        }
    }

    /// The code of an error that the server has sent, such as `WRONGTYPE`.
    pub(super) fn server_code(&self) -> Option<&str> {
        match self {
            CommandError::Redis(error) if !error.is_io_error() => error.code(),
            _ => None,
        }
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
