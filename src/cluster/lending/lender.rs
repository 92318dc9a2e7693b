//! The side of a node that offers searches to the others.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use redis::cmd;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

use super::entry::Entry;
use super::mailboxes::Mailboxes;
use super::message::{Content, Message};
use super::messenger::Messenger;
use super::offered_search::OfferedSearch;
use super::search_id::SearchId;
use crate::analysis::{RemoteEvent, RemoteRun, RemoteSearch};
use crate::cluster::breaker::Breaker;
use crate::cluster::command_error::{COMMAND_LIMIT, CommandError};
use crate::cluster::node::NodeId;
use crate::cluster::refusal_log::RefusalLog;

/// The most offers in a stream. Older ones vanish, and their nodes run them.
const MAX_OFFERS: usize = 1_000;

/// After so long without a message the node that runs a search is taken for lost. A little longer
/// than another node needs to take the search over.
const PATIENCE: Duration = Duration::from_millis(4_500);

/// The events that may wait for one search.
pub(in crate::cluster) const MAX_EVENTS: usize = 64;

/// The offers of this node. Clones share them.
#[derive(Clone, Debug)]
pub(in crate::cluster) struct Lender(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    messenger: Messenger,
    mailboxes: Mailboxes,
    /// Searches that other nodes have started.
    lent: AtomicU64,
    /// Keeps the node from offers that the server does not take.
    breaker: Breaker,
    refusals: RefusalLog,
}

/// An open offer.
struct OpenOffer<'a> {
    inner: &'a Inner,
    id: SearchId,
    search: Arc<RemoteSearch>,
    entry: Entry,
    /// The node that runs the search.
    helper: Option<NodeId>,
    /// The start of the search was told.
    is_started: bool,
    /// When the search was offered, or its node was last heard of.
    last_message: Instant,
}

/// What a message means for an offer.
enum Meaning {
    Nothing,
    Event(RemoteEvent),
    /// A node has taken the offer and cannot run it. Another one may.
    Returned,
    /// The node that ran the search cannot run it to its end.
    Lost,
    /// Nobody needs the search of this node.
    NotNeeded(NodeId),
}

impl Lender {
    /// The lender of this node.
    pub(in crate::cluster) fn new(messenger: Messenger) -> Lender {
        Lender(Arc::new(Inner {
            messenger,
            mailboxes: Mailboxes::default(),
            lent: AtomicU64::new(0),
            breaker: Breaker::default(),
            refusals: RefusalLog::new(
                "the cluster's server refuses the searches that this node offers",
            ),
        }))
    }

    /// `true` while the server takes offers.
    pub(in crate::cluster) fn can_offer(&self) -> bool {
        self.0.breaker.allows()
    }

    /// How many searches other nodes have started.
    pub(in crate::cluster) fn lent(&self) -> u64 {
        self.0.lent.load(Ordering::Relaxed)
    }

    /// Offers a search.
    pub(in crate::cluster) fn offer(&self, search: Arc<RemoteSearch>) -> RemoteRun {
        let (sender, events) = mpsc::channel(MAX_EVENTS);
        let (stop, stopped) = watch::channel(false);
        let lender = self.clone();
        tokio::spawn(async move {
            if let Err(error) = lender.0.run(search, &sender, stopped).await {
                lender.0.log_failure(&error);
            }
        });
        RemoteRun { events, stop }
    }

    /// Passes a message of another node to its search. A node that runs an unknown search is told
    /// to stop.
    pub(in crate::cluster) fn receive(&self, message: Message) {
        let Some(Message { search, sender, content }) = self.0.mailboxes.deliver(message) else {
            return;
        };
        if !matches!(content, Content::Finished(_) | Content::GivenUp) {
            let lender = self.clone();
            tokio::spawn(async move { lender.0.send_stop(search, &sender).await });
        }
    }

    /// The messages for the searches of this node.
    pub(in crate::cluster) fn mailboxes(&self) -> &Mailboxes {
        &self.0.mailboxes
    }
}

impl Inner {
    /// Logs a refusal. The heartbeats tell of a missing server.
    fn log_failure(&self, error: &CommandError) {
        if error.server_code().is_some() {
            self.refusals.note_refusal(error);
        } else {
            tracing::debug!(error = error.to_string(), "a search was not lent");
        }
    }

    async fn run(
        &self,
        search: Arc<RemoteSearch>,
        events: &mpsc::Sender<RemoteEvent>,
        mut stopped: watch::Receiver<bool>,
    ) -> Result<(), CommandError> {
        let Ok(id) = SearchId::random() else { return Ok(()) };
        let mut mailbox = self.mailboxes.open(id);
        let mut offer = OpenOffer {
            inner: self,
            id,
            entry: Entry { stream: self.messenger.keys.searches(search.class), id: String::new() },
            search,
            helper: None,
            is_started: false,
            last_message: Instant::now(),
        };
        offer.publish().await?;
        let mut is_stopping = false;
        loop {
            let patience = offer.last_message + PATIENCE;
            tokio::select! {
                message = mailbox.recv() => {
                    let Some(message) = message else { return Ok(()) };
                    match offer.meaning_of(message) {
                        Meaning::Nothing => {}
                        Meaning::Event(event) => {
                            let is_last = matches!(event, RemoteEvent::Finished(_));
                            offer.pass_on(event, events).await;
                            if is_last {
                                return if is_stopping { offer.remove().await } else { Ok(()) };
                            }
                        }
                        Meaning::Returned => offer.publish().await?,
                        Meaning::Lost => return Ok(()),
                        Meaning::NotNeeded(node) => self.send_stop(id, &node).await,
                    }
                }
                () = events.closed() => return offer.withdraw().await,
                Ok(()) = stopped.changed() => {
                    is_stopping = true;
                    offer.stop().await;
                }
                // The entry may be gone: trimmed, or lost with the server.
                () = sleep_until(patience), if offer.helper.is_none() => {
                    offer.remove().await?;
                    offer.publish().await?;
                }
                () = sleep_until(patience), if offer.helper.is_some() => {
                    if let Some(event) = offer.stored_result().await {
                        let _ = events.send(event).await;
                    }
                    return offer.withdraw().await;
                }
            }
        }
    }

    async fn send_stop(&self, search: SearchId, helper: &NodeId) {
        if let Err(error) = self.messenger.send(search, helper, Content::Stop).await {
            tracing::debug!(error = error.to_string(), "a lent search was not stopped");
        }
    }
}

impl OpenOffer<'_> {
    /// Adds the search to its stream.
    async fn publish(&mut self) -> Result<(), CommandError> {
        let Inner { messenger, breaker, refusals, .. } = self.inner;
        let mut command = cmd("XADD");
        command.arg(&self.entry.stream).arg("MAXLEN").arg("~").arg(MAX_OFFERS).arg("*");
        command.arg("search").arg(OfferedSearch::encode(self.id, &messenger.node, &self.search));
        let added = messenger.connection.run(&command, COMMAND_LIMIT).await;
        breaker.record(added.is_ok());
        self.entry.id = added?;
        refusals.note_success();
        self.last_message = Instant::now();
        Ok(())
    }

    /// Passes an event on, the first one after the start of the search, which is counted. Without
    /// a listener the offer is withdrawn soon.
    async fn pass_on(&mut self, event: RemoteEvent, events: &mpsc::Sender<RemoteEvent>) {
        if !std::mem::replace(&mut self.is_started, true) {
            self.inner.lent.fetch_add(1, Ordering::Relaxed);
            let _ = events.send(RemoteEvent::Started).await;
        }
        let _ = events.send(event).await;
    }

    /// What a message means for the search.
    fn meaning_of(&mut self, Message { sender, content, .. }: Message) -> Meaning {
        if content == Content::Started {
            self.helper = Some(sender);
            self.last_message = Instant::now();
            return Meaning::Event(RemoteEvent::Started);
        }
        let is_first = self.helper.is_none() && content != Content::GivenUp;
        if is_first {
            // The message of the start was lost.
            self.helper = Some(sender.clone());
        }
        if self.helper.as_ref() != Some(&sender) {
            return match content {
                Content::GivenUp if self.helper.is_none() => Meaning::Returned,
                Content::GivenUp | Content::Finished(_) => Meaning::Nothing,
                // Another node has taken the search over.
                _ => Meaning::NotNeeded(sender),
            };
        }
        self.last_message = Instant::now();
        match content {
            Content::Update(bytes) => match self.search.decode(&bytes) {
                Some(report) => Meaning::Event(RemoteEvent::Update(Box::new(report))),
                None => Meaning::Nothing,
            },
            Content::Finished(bytes) => match self.search.decode(&bytes) {
                Some(report) => Meaning::Event(RemoteEvent::Finished(Box::new(report))),
                None => Meaning::Lost,
            },
            Content::GivenUp => Meaning::Lost,
            Content::Alive if is_first => Meaning::Event(RemoteEvent::Started),
            Content::Started
            | Content::Alive
            | Content::Stop
            | Content::Waiting
            | Content::Watch { .. } => Meaning::Nothing,
        }
    }

    /// The result that the node has stored, if its message was lost.
    async fn stored_result(&self) -> Option<RemoteEvent> {
        let Messenger { connection, keys, .. } = &self.inner.messenger;
        let mut command = cmd("GET");
        command.arg(keys.result(&self.id.to_string()));
        let value: Option<Vec<u8>> = connection.run(&command, COMMAND_LIMIT).await.ok()?;
        let report = self.search.decode(&value?)?;
        Some(RemoteEvent::Finished(Box::new(report)))
    }

    /// Asks the node that runs the search for the result so far.
    async fn stop(&self) {
        if let Some(helper) = &self.helper {
            self.inner.send_stop(self.id, helper).await;
        }
    }

    /// Ends the search where it runs, and takes it out of its stream.
    async fn withdraw(&self) -> Result<(), CommandError> {
        self.stop().await;
        self.remove().await
    }

    /// Takes the search out of its stream.
    async fn remove(&self) -> Result<(), CommandError> {
        let mut commands = redis::pipe();
        self.entry.remove(&mut commands);
        self.inner.messenger.connection.run_all(&commands, COMMAND_LIMIT).await
    }
}
