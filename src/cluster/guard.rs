//! A guard before optional commands: a slow or missing server delays few of them, and a refusal is
//! logged once.

use std::sync::Arc;

use super::breaker::Breaker;
use super::command_error::CommandError;
use super::connection::Connection;
use super::refusal_log::RefusalLog;

/// The guard of one kind of commands.
#[derive(Debug)]
pub(super) struct Guard {
    connection: Arc<Connection>,
    breaker: Breaker,
    refusals: RefusalLog,
}

impl Guard {
    /// A guard of commands by this connection, with the log line of a refusal.
    pub(super) fn new(connection: Arc<Connection>, refusal: &'static str) -> Guard {
        Guard { connection, breaker: Breaker::default(), refusals: RefusalLog::new(refusal) }
    }

    /// The answer to a command, unless the server is slow, cannot be reached, or refuses it. The
    /// command is not begun while the server was late several times or is not connected.
    pub(super) async fn answer<T>(
        &self,
        command: impl Future<Output = Result<T, CommandError>>,
    ) -> Option<T> {
        if !self.connection.is_connected() || !self.breaker.allows() {
            return None;
        }
        match command.await {
            Ok(answer) => {
                self.breaker.record(true);
                self.refusals.note_success();
                Some(answer)
            }
            Err(error) => {
                self.note_failure(&error);
                None
            }
        }
    }

    fn note_failure(&self, error: &CommandError) {
        if error.server_code().is_none() {
            self.breaker.record(false);
        } else {
            self.refusals.note_refusal(error);
        }
    }
}
