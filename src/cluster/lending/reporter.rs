//! The reports of a search on their way to the node that asks for it.

use std::time::Duration;

use redis::Cmd;
use tokio::time::Instant;

use super::message::Content;
use super::messenger::Messenger;
use super::search_id::SearchId;
use crate::cluster::command_error::CommandError;
use crate::cluster::node::NodeId;

/// The least time between two updates of a search.
pub(in crate::cluster) const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

/// The time between two signs of life of a search.
pub(in crate::cluster) const ALIVE_INTERVAL: Duration = Duration::from_secs(1);

/// After so many signs of life that nobody has received, the node that asks is taken for lost.
const MAX_UNHEARD: u32 = 3;

/// The reports of one search.
#[derive(Debug)]
pub(in crate::cluster) struct Reporter {
    messenger: Messenger,
    search: SearchId,
    /// The node that asks.
    receiver: NodeId,
    /// Signs of life in a row that nobody has received.
    unheard: u32,
    last_update: Option<Instant>,
    /// The newest iteration that was not sent yet, encoded.
    unsent: Option<Vec<u8>>,
}

impl Reporter {
    /// The reports of this search of the node `receiver`.
    pub(in crate::cluster) fn new(
        messenger: Messenger,
        search: SearchId,
        receiver: NodeId,
    ) -> Reporter {
        Reporter { messenger, search, receiver, unheard: 0, last_update: None, unsent: None }
    }

    /// Sends an iteration, or keeps it until the next update may be sent.
    pub(in crate::cluster) async fn note_update(&mut self, report: Vec<u8>) {
        self.unsent = Some(report);
        if self.last_update.is_none_or(|last| last.elapsed() >= UPDATE_INTERVAL) {
            self.send_unsent().await;
        }
    }

    /// `true` if an iteration waits.
    pub(in crate::cluster) fn has_unsent(&self) -> bool {
        self.unsent.is_some()
    }

    /// Sends the iteration that waits.
    pub(in crate::cluster) async fn send_unsent(&mut self) {
        let Some(report) = self.unsent.take() else { return };
        self.last_update = Some(Instant::now());
        if let Err(error) = self.send(Content::Update(report)).await {
            tracing::debug!(error = error.to_string(), "an update was not sent");
        }
    }

    /// Gives a sign of life, unless it `is_lost` to other nodes. Returns `true` once nobody listens
    /// any more.
    pub(in crate::cluster) async fn stay_alive(&mut self, is_lost: bool) -> bool {
        let heard = matches!(self.send(Content::Alive).await, Ok(1..)) && !is_lost;
        self.unheard = if heard { 0 } else { self.unheard + 1 };
        self.unheard >= MAX_UNHEARD
    }

    /// Sends a message. Returns how many nodes have received it.
    ///
    /// # Errors
    /// As [`Messenger::send`].
    pub(in crate::cluster) async fn send(&self, content: Content) -> Result<u64, CommandError> {
        self.messenger.send(self.search, &self.receiver, content).await
    }

    /// The command that tells the node that asks.
    pub(super) fn command(&self, content: Content) -> Cmd {
        self.messenger.command(self.search, &self.receiver, content)
    }
}
