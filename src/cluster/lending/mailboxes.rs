//! The messages for this node's searches on other nodes, by search.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;

use super::message::Message;
use super::search_id::SearchId;

/// The messages that may wait for one search.
const MAX_WAITING: usize = 64;

/// The mailboxes of a node. Clones share them.
#[derive(Clone, Debug, Default)]
pub(in crate::cluster) struct Mailboxes(Arc<Mutex<HashMap<SearchId, mpsc::Sender<Message>>>>);

/// The messages for one search. Dropping it closes the mailbox.
#[derive(Debug)]
pub(in crate::cluster) struct Mailbox {
    id: SearchId,
    mailboxes: Mailboxes,
    messages: mpsc::Receiver<Message>,
}

impl Mailboxes {
    /// Opens the mailbox of a search.
    pub(in crate::cluster) fn open(&self, id: SearchId) -> Mailbox {
        let (sender, messages) = mpsc::channel(MAX_WAITING);
        self.lock().insert(id, sender);
        Mailbox { id, mailboxes: self.clone(), messages }
    }

    /// Delivers a message. Returns it if its search is unknown.
    pub(super) fn deliver(&self, message: Message) -> Option<Message> {
        match self.lock().get(&message.search) {
            // A full mailbox loses the message. Later ones say more.
            Some(sender) => {
                let _ = sender.try_send(message);
                None
            }
            None => Some(message),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SearchId, mpsc::Sender<Message>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Mailbox {
    /// The next message. Cancel safe.
    pub(in crate::cluster) async fn recv(&mut self) -> Option<Message> {
        self.messages.recv().await
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        self.mailboxes.lock().remove(&self.id);
    }
}
