//! The sender of a node's messages.

use std::sync::Arc;

use redis::Cmd;

use super::message::{Content, Message};
use super::search_id::SearchId;
use crate::cluster::command_error::{COMMAND_LIMIT, CommandError};
use crate::cluster::connection::Connection;
use crate::cluster::keys::Keys;
use crate::cluster::node::NodeId;

/// A node with its connection. Clones share the connection.
#[derive(Clone, Debug)]
pub(in crate::cluster) struct Messenger {
    pub(in crate::cluster) connection: Arc<Connection>,
    pub(in crate::cluster) keys: Keys,
    /// This node.
    pub(in crate::cluster) node: NodeId,
}

impl Messenger {
    /// Sends a message about a search to another node. Returns how many nodes have received it.
    ///
    /// # Errors
    /// As [`Connection::run`].
    pub(in crate::cluster) async fn send(
        &self,
        search: SearchId,
        receiver: &NodeId,
        content: Content,
    ) -> Result<u64, CommandError> {
        self.connection.run(&self.command(search, receiver, content), COMMAND_LIMIT).await
    }

    /// The command that sends a message.
    pub(super) fn command(&self, search: SearchId, receiver: &NodeId, content: Content) -> Cmd {
        Message { search, sender: self.node.clone(), content }.command(&self.keys, receiver)
    }
}
