//! The side of a node that follows searches of others.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

use crate::analysis::{FollowedFlight, RemoteEvent, RemoteRun};
use crate::cluster::command_error::CommandError;
use crate::cluster::connection::Connection;
use crate::cluster::keys::Keys;
use crate::cluster::lending::{Content, MAX_EVENTS, Mailboxes, Message, SearchId};
use crate::cluster::node::NodeId;

/// The longest time until a command is answered.
const LIMIT: Duration = Duration::from_secs(1);

/// After so long without a message the node that runs a search is taken for lost.
const PATIENCE: Duration = Duration::from_secs(3);

/// The follower of a node. Clones share its count.
#[derive(Clone, Debug)]
pub(in crate::cluster) struct Follower(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    connection: Arc<Connection>,
    keys: Keys,
    node: NodeId,
    mailboxes: Mailboxes,
    /// Searches of other nodes that were followed.
    followed: AtomicU64,
}

impl Follower {
    /// The follower of this node, which gets its messages in these mailboxes.
    pub(in crate::cluster) fn new(
        connection: Arc<Connection>,
        keys: Keys,
        node: NodeId,
        mailboxes: Mailboxes,
    ) -> Follower {
        let followed = AtomicU64::new(0);
        Follower(Arc::new(Inner { connection, keys, node, mailboxes, followed }))
    }

    /// How many searches of other nodes were followed.
    pub(in crate::cluster) fn followed(&self) -> u64 {
        self.0.followed.load(Ordering::Relaxed)
    }

    /// Follows a search.
    pub(in crate::cluster) fn follow(&self, flight: FollowedFlight) -> RemoteRun {
        let (sender, events) = mpsc::channel(MAX_EVENTS);
        let (stop, stopped) = watch::channel(false);
        let inner = self.0.clone();
        tokio::spawn(async move {
            if let Err(error) = inner.run(flight, &sender, stopped).await {
                tracing::debug!(error = error.to_string(), "a search was not followed");
            }
        });
        RemoteRun { events, stop }
    }
}

impl Inner {
    async fn run(
        &self,
        flight: FollowedFlight,
        events: &mpsc::Sender<RemoteEvent>,
        mut stopped: watch::Receiver<bool>,
    ) -> Result<(), CommandError> {
        let Some(leader) = NodeId::parse(&flight.node.0) else { return Ok(()) };
        let Ok(search) = SearchId::random() else { return Ok(()) };
        let mut mailbox = self.mailboxes.open(search);
        let follow = Content::Follow { flight: flight.id, client: flight.client.clone() };
        if self.send(search, &leader, follow).await? == 0 {
            // Nobody listens there.
            return Ok(());
        }
        let mut last_message = Instant::now();
        loop {
            tokio::select! {
                message = mailbox.recv() => {
                    let Some(Message { sender, content, .. }) = message else { return Ok(()) };
                    if sender != leader {
                        continue;
                    }
                    last_message = Instant::now();
                    let event = match content {
                        Content::Started => {
                            self.followed.fetch_add(1, Ordering::Relaxed);
                            RemoteEvent::Started
                        }
                        Content::Update(bytes) => match flight.search.decode(&bytes) {
                            Some(report) => RemoteEvent::Update(Box::new(report)),
                            None => continue,
                        },
                        Content::Finished(bytes) => match flight.search.decode(&bytes) {
                            Some(report) => RemoteEvent::Finished(Box::new(report)),
                            None => return Ok(()),
                        },
                        Content::GivenUp => return Ok(()),
                        Content::Alive | Content::Stop | Content::Follow { .. } => continue,
                    };
                    let is_last = matches!(event, RemoteEvent::Finished(_));
                    // Without a listener the search is left below.
                    let _ = events.send(event).await;
                    if is_last {
                        return Ok(());
                    }
                }
                () = events.closed() => {
                    return self.send(search, &leader, Content::Stop).await.map(drop);
                }
                Ok(()) = stopped.changed() => {
                    self.send(search, &leader, Content::Stop).await?;
                }
                () = sleep_until(last_message + PATIENCE) => return Ok(()),
            }
        }
    }

    /// Sends a message. Returns how many nodes have received it.
    async fn send(
        &self,
        search: SearchId,
        receiver: &NodeId,
        content: Content,
    ) -> Result<u64, CommandError> {
        let message = Message { search, sender: self.node.clone(), content };
        self.connection.run(&message.command(&self.keys, receiver), LIMIT).await
    }
}
