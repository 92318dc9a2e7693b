//! The side of a node that watches searches of others.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, sleep_until};

use crate::analysis::{RemoteEvent, RemoteRun, WatchedSearch};
use crate::cluster::command_error::CommandError;
use crate::cluster::lending::{Content, MAX_EVENTS, Mailboxes, Messenger, SearchId};
use crate::cluster::node::NodeId;

/// After so long without a message the node that runs a search is taken for lost.
const PATIENCE: Duration = Duration::from_secs(3);

/// A node that nobody has heard listening is asked once more after this time: its subscription may
/// just be renewed.
const RETRY: Duration = Duration::from_millis(700);

/// The watcher of a node. Clones share its count.
#[derive(Clone, Debug)]
pub(in crate::cluster) struct Watcher(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    messenger: Messenger,
    mailboxes: Mailboxes,
    /// Searches of other nodes that were watched.
    watched: AtomicU64,
}

/// A search that this node watches.
struct Watch<'a> {
    inner: &'a Inner,
    /// Its name in messages.
    id: SearchId,
    holder: NodeId,
    search: WatchedSearch,
}

impl Watcher {
    /// The watcher of this node, which gets its messages in these mailboxes.
    pub(in crate::cluster) fn new(messenger: Messenger, mailboxes: Mailboxes) -> Watcher {
        Watcher(Arc::new(Inner { messenger, mailboxes, watched: AtomicU64::new(0) }))
    }

    /// How many searches of other nodes were watched.
    pub(in crate::cluster) fn watched(&self) -> u64 {
        self.0.watched.load(Ordering::Relaxed)
    }

    /// Watches a search.
    pub(in crate::cluster) fn watch(&self, search: WatchedSearch) -> RemoteRun {
        let (sender, events) = mpsc::channel(MAX_EVENTS);
        let (stop, stopped) = watch::channel(false);
        let inner = self.0.clone();
        tokio::spawn(async move {
            let Some(holder) = NodeId::parse(&search.node.0) else { return };
            let Ok(id) = SearchId::random() else { return };
            let watch = Watch { inner: &inner, id, holder, search };
            if let Err(error) = watch.run(&sender, stopped).await {
                tracing::debug!(error = error.to_string(), "a search was not watched");
            }
        });
        RemoteRun { events, stop }
    }
}

impl Watch<'_> {
    async fn run(
        &self,
        events: &mpsc::Sender<RemoteEvent>,
        mut stopped: watch::Receiver<bool>,
    ) -> Result<(), CommandError> {
        let mut mailbox = self.inner.mailboxes.open(self.id);
        if !self.ask().await? {
            let _ = events.send(RemoteEvent::GivenUp).await;
            return Ok(());
        }
        let mut last_message = Instant::now();
        loop {
            tokio::select! {
                // After a pause of this node, messages may wait.
                biased;
                message = mailbox.recv() => {
                    let Some(message) = message else { return Ok(()) };
                    if message.sender != self.holder {
                        continue;
                    }
                    last_message = Instant::now();
                    let Some(event) = self.event_of(message.content) else { continue };
                    let is_last =
                        matches!(event, RemoteEvent::Finished(_) | RemoteEvent::GivenUp);
                    // Without a listener the search is left below.
                    let _ = events.send(event).await;
                    if is_last {
                        return Ok(());
                    }
                }
                () = events.closed() => return self.send(Content::Stop).await.map(drop),
                Ok(()) = stopped.changed() => drop(self.send(Content::Stop).await?),
                () = sleep_until(last_message + PATIENCE) => return Ok(()),
            }
        }
    }

    /// Asks the node that runs the search for its reports. Returns `false` if the node is gone.
    async fn ask(&self) -> Result<bool, CommandError> {
        let WatchedSearch { digest, client, .. } = &self.search;
        let watch = || Content::Watch { digest: *digest, client: client.clone() };
        if self.send(watch()).await? > 0 {
            return Ok(true);
        }
        sleep(RETRY).await;
        Ok(self.send(watch()).await? > 0)
    }

    /// What a message means; `None` for nothing. A report that makes no sense is none.
    fn event_of(&self, content: Content) -> Option<RemoteEvent> {
        let WatchedSearch { search, .. } = &self.search;
        match content {
            Content::Started => {
                self.inner.watched.fetch_add(1, Ordering::Relaxed);
                Some(RemoteEvent::Started)
            }
            Content::Update(bytes) => Some(RemoteEvent::Update(Box::new(search.decode(&bytes)?))),
            Content::Finished(bytes) => Some(match search.decode(&bytes) {
                Some(report) => RemoteEvent::Finished(Box::new(report)),
                None => RemoteEvent::GivenUp,
            }),
            Content::GivenUp => Some(RemoteEvent::GivenUp),
            Content::Waiting => Some(RemoteEvent::Waiting),
            Content::Alive | Content::Stop | Content::Watch { .. } => None,
        }
    }

    /// Sends a message. Returns how many nodes have received it.
    async fn send(&self, content: Content) -> Result<u64, CommandError> {
        self.inner.messenger.send(self.id, &self.holder, content).await
    }
}
